"""Self-play into a dataset: parallel, resumable, the same rows whatever happens on the way."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
from joblib import delayed

from samuel.common.errors import UserError, require_number, require_workers
from samuel.common.options import OptionClass, Range, Text
from samuel.common.public import public
from samuel.common.units import counted
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.playing import new_game_state
from samuel.kernels import budget
from samuel.models import find_evaluator, game_for
from samuel.models.saved.serialized import Serialized
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits, require_finished
from samuel.search.method import Method
from samuel.search.methods import method_named, method_text, warn_if_unasked
from samuel.search.score import MOST_DEPTH, MOST_REMAINING
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.manifest import begin_manifest, hold
from samuel.selfplay.data.shard import table_of, write_parts
from samuel.selfplay.digest import evaluator_digest
from samuel.selfplay.kernel import (
    KernelPlan,
    OpeningLines,
    PositionBuffer,
    new_position_buffer,
    play_games,
)
from samuel.selfplay.openings.books import book_of, is_book
from samuel.selfplay.openings.openings import Openings
from samuel.selfplay.openings.passes import book_text, lines_of_games
from samuel.selfplay.workers import run_tasks

TASKS_PER_SHARD = 8
MOST_GAMES = 100_000_000
"""In a dataset; about five thousand million positions of Othello."""


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
    method: Annotated[Method, Text(method_named, "uct:playouts=500")] = AlphaBeta()

    def checked(self) -> SelfplayPlan:
        """Return the plan with the game's defaults filled in."""
        if not isinstance(self.evaluator, str):
            raise UserError(
                "evaluator of a plan must be text: the folder of a saved model "
                "(samuel.save), or the name of a registered evaluator "
                f"(samuel.register_evaluator) (got {type(self.evaluator).__name__})"
            )
        game = game_for(self.game, self.evaluator)
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
        )

    @property
    def settings(self) -> dict[str, Any]:
        """Plan as a manifest has it; the default method and random openings are left out."""
        # a text leaves ProbCut out
        is_selective = getattr(self.method, "probcut", None)
        text = repr(self.method) if is_selective else method_text(self.method)
        found = self.flat() | {"method": text}
        usual = ("method", "alphabeta"), ("openings", None)
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


def _kernels(method: Method, game: Game, evaluator: Evaluator) -> Iterator[Any]:
    """Yield the entry points that games take, what the search needs compiled by then."""
    memory = method.new_memory(game, 2, 2)
    method.searcher(game, evaluator, memory, solves=True)
    yield play_games


@public
def generate(
    plan: SelfplayPlan,
    games: Annotated[int, Range(1, MOST_GAMES)],
    out: Path | str,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda games, rows: None,
) -> Dataset:
    """Play games and store their positions with scores and outcomes in a dataset.

    After an interruption, the same command continues. The rows are the same as without the
    interruption.

    Parameters
    ----------
    plan
        Plan of the games. Its fields may be given by name: generate(depth=2, games=100, out=X).
    games
        Number of games.
    out
        Folder of the dataset.
    jobs
        Number of workers; -1 for one per core. In Python these are threads, unless
        `joblib.parallel_config` chooses otherwise.
    progress
        Called with the games done and the rows so far.

    Returns
    -------
    Dataset
        Dataset in the folder. One plan and number of games always give the same rows, whatever the
        number of workers and of interruptions.

    Raises
    ------
    UserError
        The folder has something else, or cannot be written.

    Examples
    --------
    >>> import samuel
    >>> samuel.generate(game="tic_tac_toe", depth=1, games=20, out="data/few")
    Dataset('data/few': 20 games of tic_tac_toe, ... positions)
    """
    plan, out = plan.checked(), Path(out)
    require_workers(jobs)
    game = game_for(plan.game, plan.evaluator)
    player = game, find_evaluator(plan.evaluator, game)
    digest = evaluator_digest(player[1], game)
    book = book_of(game, plan.openings)
    lines = functools.partial(lines_of_games, book, plan.seed)
    if is_book(plan.openings):
        is_random = plan.opening_plies or plan.epsilon or plan.temperature or game.chance
        if games > len(book) and not is_random:
            said = f"games repeat after {counted(len(book), 'opening')}; add --opening-plies 1"
            warnings.warn(f"{said} or --epsilon", stacklevel=3)
        plan = replace(plan, openings=book_text(book))  # workers need no more of it
    mine = {"game": plan.game, "settings": plan.settings, "evaluator_digest": digest}
    with hold(out):
        manifest = begin_manifest(out, mine, games)
        shards = manifest["shards"]
        write_parts(out, manifest, _missing(plan, player, lines, games, shards, jobs, progress))
        return Dataset(out, manifest)


def _missing(
    plan: SelfplayPlan,
    player: tuple[Game, Evaluator],
    lines: Callable[[range], OpeningLines],
    games: int,
    shards: dict[str, Any],
    jobs: int,
    progress: Callable[[int, int], None],
) -> Generator[tuple[str, pa.Table], None, None]:
    """Play the games of the shards that are missing; yield their names and rows."""
    task, size = plan.games_per_task, plan.games_per_task * TASKS_PER_SHARD
    every = (range(first, min(first + size, games)) for first in range(0, games, size))
    names = {f"games-{numbers.start:09d}.parquet": numbers for numbers in every}
    missing = {n: of for n, of in names.items() if shards.get(n, {}).get("games") != len(of)}
    tasks = [of[k : k + task] for of in missing.values() for k in range(0, len(of), task)]
    done, rows = games - sum(map(len, tasks)), sum(s["rows"] for s in shards.values())
    progress(done, rows)
    sent = Serialized(player)
    calls = (delayed(play_task)(plan, of.start, len(of), sent, lines(of)) for of in tasks)
    kernels = _kernels(plan.method, *player)
    with contextlib.closing(run_tasks(calls, jobs, kernels=kernels)) as results:
        for name, of in missing.items():
            parts: list[pa.Table] = []
            for k in range(0, len(of), task):
                parts.append(next(results))
                done, rows = done + len(of[k : k + task]), rows + len(parts[-1])
                progress(done, rows)
            yield name, pa.concat_tables(parts).unify_dictionaries()
        for _ in results:  # none is left; joblib tidies up after the last
            pass
