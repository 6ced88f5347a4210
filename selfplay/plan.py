"""Plans of self-play, and the playing of some of its games."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa

from samuel.common.errors import UserError, require_number
from samuel.common.options import OptionClass, Range, Text
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.playing import new_game_state
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.models import find_evaluator, game_for
from samuel.models.saved.serialized import Serialized
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits, require_finished, run_together
from samuel.search.method import Method
from samuel.search.methods import method_named, method_text, warn_if_unasked
from samuel.search.score import MOST_DEPTH, MOST_REMAINING
from samuel.selfplay.agreement import Agreement, WinTerms
from samuel.selfplay.data.shard import table_of
from samuel.selfplay.kernel import (
    KernelPlan,
    OpeningLines,
    PositionBuffer,
    new_position_buffer,
    play_games,
    search_rows,
)
from samuel.selfplay.openings.books import book_of, is_book, lines_of_games
from samuel.selfplay.openings.openings import Openings


@dataclass(frozen=True)
class SelfplayPlan(OptionClass):
    """Plan of self-play games: all settings that determine the rows, except the number of games.

    Attributes
    ----------
    game
        Game: a name, or a Python file that registers one. By default that of the evaluator, or
        Othello.
    evaluator
        Evaluator: a name (samuel models lists them), or the folder of a model. By default the
        game's own. In Python classic by default.
    depth
        Search depth per move, in plies. By default the game's usual depth.
    seed
        Seed of every random choice.
    nodes
        Approximate number of positions to visit per move. No limit by default.
    exact_from
        Plies left (Othello: empty squares) from which positions are solved exactly; 0 for never. By
        default the game's own number.
    openings
        Openings of the games: balanced (the game's book), random, start (the initial position), or
        a file of transcripts, PGN or positions (EPD, FEN). Shuffled passes use each about equally
        often. Default: random.
    opening_plies
        Number of random moves at the start of a game, after an opening of a book; neither is
        stored. By default the game's own number, with a book 0.
    epsilon
        Share of random moves after the opening. Default: 0.
    temperature
        Temperature of random moves: each move is drawn with probability proportional to exp(score /
        temperature). The default 0 plays the best move.
    resign
        Terms of resignation, SCORE,MOVES: 6,3 ends a game as won once both sides agree, for 3
        moves each, that one is at least 6 units ahead. Weak players draw some won games, so such
        labels are better. By default none.
    method
        Search method that chooses moves: alphabeta, expectiminimax, star1, star2, star2.5,
        montecarlo, uct, or greedy (one ply). Settings follow a colon: uct:playouts=500.
        Default: alphabeta.

    Raises
    ------
    UserError
        A number is out of its range.

    Examples
    --------
    >>> import samuel
    >>> samuel.SelfplayPlan(game="tic_tac_toe", depth=2, epsilon=0.1).depth
    2
    """

    game: str | None = None
    evaluator: str = "classic"
    depth: Annotated[int | None, Range(1, MOST_DEPTH)] = None
    seed: Annotated[int, Range(0, (1 << 62) - 1)] = 0
    nodes: Annotated[int | None, Range(1, budget.UNLIMITED)] = None
    exact_from: Annotated[int | None, Range(0, MOST_REMAINING)] = None
    openings: Openings | Path | str | None = None
    opening_plies: Annotated[int | None, Range(0, MOST_REMAINING)] = None
    epsilon: Annotated[float, Range(0.0, 1.0)] = 0.0
    temperature: Annotated[float, Range(0.0, 1e6)] = 0.0
    resign: WinTerms = None
    method: Annotated[Method, Text(method_named, "uct:playouts=500")] = AlphaBeta()

    def checked(self) -> SelfplayPlan:
        """Return the plan with the game's defaults filled in."""
        if not isinstance(self.evaluator, str):
            raise UserError(
                "evaluator of a plan must be text: the folder of a saved model "
                "(samuel.save), or the name of a registered evaluator "
                f"(samuel.register_evaluator) (got {type(self.evaluator).__name__})"
            )
        Agreement(self.resign)
        game = game_for(self.game, self.evaluator)
        if self.resign and not game.sooner_is_better:
            raise UserError(
                f"--resign is for games that are won, drawn or lost, and wins of {game.name} "
                "differ in size; leave it out"
            )
        counts = self.counts(game)
        source = str(self.openings) if isinstance(self.openings, Path) else self.openings
        deepens = self.method.deepens
        if not deepens:
            Limits(self.depth, exact_from=self.exact_from).refuse_depth()
        warn_if_unasked(self.method, self.evaluator)
        require_number("opening_plies", counts.opening_plies, 0, game.most_plies - 1)
        return replace(
            self,
            game=game.name,
            depth=counts.depth if deepens else None,
            exact_from=min(counts.exact_from, game.most_plies) if deepens else None,
            openings=source if is_book(source) else None,
            opening_plies=counts.opening_plies,
        )

    def counts(self, game: Game) -> KernelPlan:
        """Return the plan with the game's defaults, as kernels take it."""
        plies = 0 if is_book(self.openings) else game.defaults.opening_plies
        return KernelPlan(
            game.defaults.depth if self.depth is None else self.depth,
            budget.UNLIMITED if self.nodes is None else self.nodes,
            game.solver.exact_from if self.exact_from is None else self.exact_from,
            plies if self.opening_plies is None else self.opening_plies,
            float(self.epsilon),
            float(self.temperature),
            *(self.resign or (0.0, 0)),
        )

    @property
    def settings(self) -> dict[str, Any]:
        """Plan as a manifest has it; what is usual is left out."""
        # a text leaves ProbCut out
        is_selective = getattr(self.method, "probcut", None)
        text = repr(self.method) if is_selective else method_text(self.method)
        found = self.flat() | {"method": text, "resign": self.resign and list(self.resign)}
        usual = ("method", "alphabeta"), ("openings", None), ("resign", None)
        return {k: v for k, v in found.items() if (k, v) not in usual}

    @property
    def games_per_task(self) -> int:
        """Number of games of a task of a worker, which takes less than a second."""
        if not self.method.deepens:
            return 1
        if self.nodes is not None:
            return max(1, min(64, 200_000 // self.nodes))
        return int(max(1, 64 // 3 ** max(0, (self.depth or 1) - 4)))


def memory_for(plan: SelfplayPlan, game: Game) -> Any:
    """Return memory for the searches of a plan."""
    bits = min(20, 6 + 2 * plan.counts(game).depth)
    return plan.method.new_memory(game, bits, 12 if (plan.exact_from or 0) <= 12 else 16)


def play(
    plan: SelfplayPlan,
    game: Game,
    player: Evaluator,
    memory: Any,
    first: int,
    games: int,
    lines: OpeningLines | None = None,
) -> tuple[PositionBuffer, int]:
    """Play games number `first` to `first + games`; return their rows in a buffer, and how many."""
    counts = plan.counts(game)
    if lines is None:
        lines = lines_of_games(book_of(game, plan.openings), plan.seed, range(first, first + games))
    # memory that is never written to costs nothing: most games are far from what they may take
    buffer = new_position_buffer(games * game.max_plies, game.words, len(memory.visits) - 1)
    rows = play_games(
        plan.method.searcher(game, player, memory, solves=True),
        counts,
        lines,
        new_game_state(game),
        plan.seed,
        first,
        games,
        buffer,
    )
    player.check()
    require_finished(memory, player)
    if rows < 0:
        raise UserError(
            f"random games of {game.name} rarely last {counts.opening_plies} plies or more"
            f"{' after an opening' if is_book(plan.openings) else ''}; give fewer --opening-plies"
        )
    return buffer, rows


def play_task(
    plan: SelfplayPlan,
    first: int,
    games: int,
    player: Serialized[tuple[Game, Evaluator]] | Evaluator | None = None,
    lines: OpeningLines | None = None,
) -> pa.Table:
    """Play games number `first` to `first + games` and return their rows."""
    if isinstance(player, Serialized):
        game, evaluator = player.value
    else:
        game = game_for(plan.game, player or plan.evaluator)
        evaluator = find_evaluator(player or plan.evaluator, game)
    buffer, rows = play(plan, game, evaluator, memory_for(plan, game), first, games, lines)
    return table_of(buffer, rows, game, evaluator.name)


def search_buffer(
    method: Method, player: tuple[Game, Evaluator], memory: Any, limits: Any, buffer: PositionBuffer
) -> None:
    """Search what is not exact in a buffer, by (depth, exact_from, solves); write what is found."""
    depth, exact_from, solves = limits
    searcher = method.searcher(*player, memory, solves=solves)
    make_ready([search_rows])
    kernel = functools.partial(search_rows, searcher, depth, exact_from, buffer)
    run_together([kernel], [memory], player[1].check)  # it may take long: hear Ctrl-C
    require_finished(memory, player[1])
