"""`search`: the compiled search for people."""

from __future__ import annotations

import functools
import math
import time
from dataclasses import dataclass, replace
from typing import Annotated, Any

from samuel.common.displayable import Displayable
from samuel.common.errors import UserError
from samuel.common.options import Range
from samuel.common.public import public
from samuel.games.evaluator import Evaluator
from samuel.games.interface import SAME, Game
from samuel.games.position import Position
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.search.alphabeta.memory import MOST_BITS
from samuel.search.alphabeta.method import MOST_CONFIDENCE, AlphaBeta
from samuel.search.alphabeta.options import SearchOptions
from samuel.search.alphabeta.root import rest_of_line, scores_of_moves, solve_at_root
from samuel.search.limits import Limits, run_together, start_limits
from samuel.search.method import Method, RootMemory, score_moves_at_root, think_at_root
from samuel.search.score import MAX_PLY, MOST_DEPTH, SCORE_UNIT

MOST_THREADS = 256
"""Most threads of one search."""


@dataclass(frozen=True)
class Result(Displayable):
    """Result of a search.

    Attributes
    ----------
    score
        Score for the side to move, in the game's unit.
    move
        Best move as text, or None when the game is over or chance is to move.
    pv
        Principal variation as text, the best move first. Within a limit it may come from an
        unfinished, deeper iteration.
    nodes
        Number of positions visited by all threads, leaves included.
    depth
        Depth of the deepest finished iteration, in plies. For an exact result, the plies left.
    seconds
        Wall time, in seconds.
    exact
        True if the score is the true value.
    moves
        Score of every legal move, the best first, with `all_moves`. Empty when the game is over or
        the search was stopped.
    moves_depth
        Depth of the scores in `moves`. Within a limit it may be less than `depth`, and 0 where the
        positions after the moves are only evaluated.
    margins
        Half-widths of the 95 % intervals of the scores in `moves`, for Monte Carlo.

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.start("tic_tac_toe")
    >>> result = samuel.search.search(position, "zero", depth=2, all_moves=True)
    >>> len(result.pv), len(result.moves)
    (2, 9)
    """

    score: float
    move: str | None
    pv: list[str]
    nodes: int
    depth: int
    seconds: float
    exact: bool
    moves: dict[str, float] | None = None
    moves_depth: int | None = None
    margins: dict[str, float] | None = None


@public
def search(
    position: Position,
    evaluator: Evaluator,
    *,
    limits: Limits = Limits(),
    method: Method = AlphaBeta(),
    probcut: Annotated[float | None, Range(0, MOST_CONFIDENCE)] = None,
    options: SearchOptions | None = None,
    all_moves: bool = False,
    threads: Annotated[int, Range(1, MOST_THREADS)] = 1,
    table_bits: Annotated[int, Range(0, MOST_BITS)] = 20,
    memory: RootMemory | None = None,
) -> Result:
    """Search a position and return the best move, its score and the expected line.

    The search ends at the first limit that is reached.

    Parameters
    ----------
    position
        Position to search. The score is for its side to move; at a chance node it is the expected
        score of that side.
    evaluator
        Evaluator: a name (samuel models lists them), or the folder of a model.
    limits
        Limits of the search, without a clock. Without any limit it takes twice the game's usual
        depth: 8 plies in Othello.
    method
        Search method: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo, uct, or greedy
        (one ply). Settings follow a colon: uct:playouts=500.
    probcut
        Confidence of selective search (ProbCut), in standard deviations, such as 1. Selective
        search also reduces late moves. The default 0 searches the whole tree.
    options
        Parts of alpha-beta to use. By default those of `memory`, or the usual ones.
    all_moves
        Score every legal move, not the best alone, at one depth. With a limit of nodes or time,
        half of it is used to find the depth, the other half to score the moves.
    threads
        Number of threads that search one position together. With a fixed depth and full width, and
        in exact endings, the score stays; visited positions vary. uct and montecarlo use one.
    table_bits
        Size of the transposition table of alpha-beta: 2**N entries of 16 bytes.
    memory
        Memory of `new_memory`, or of the method's own function, to continue with. By default a new
        one. `stop` ends a search that uses it.

    Returns
    -------
    Result
        Best move, its score for the side to move, depth, line and counts.

    Raises
    ------
    UserError
        The evaluator is for another game, or has no parameters for ProbCut; or a number is out of
        its range.
    ValueError
        The memory is of another game or method.
    KeyboardInterrupt
        Ctrl-C was pressed.

    Examples
    --------
    >>> import samuel
    >>> position = samuel.Position.start("tic_tac_toe")
    >>> result = samuel.search.search(position, "classic", depth=3)
    >>> result.depth, result.exact
    (3, False)
    """
    game = game_of(position)
    evaluator.require_game(game)
    if limits.clock is not None or limits.increment:
        raise UserError("clock is for games (samuel match); a search takes seconds per move")
    nodes, seconds = limits.nodes, limits.seconds
    depth = limits.depth or (2 * game.defaults.depth if limits.is_open else MOST_DEPTH)
    if not isinstance(method, AlphaBeta):
        if limits.depth or probcut or options is not None:
            raise UserError(
                "a method that samples takes nodes, seconds or playouts (uct:playouts=5000), "
                "not depth, ProbCut or search options"
            )
        own = _memory_for(method, game, memory, table_bits)
        return _sampled(position, evaluator, method, own, threads, (nodes, seconds), all_moves)
    if probcut is not None or options is not None:
        sigmas = method.probcut if probcut is None else probcut
        method = replace(method, probcut=sigmas, options=options or method.options)
    own = _memory_for(method, game, memory, table_bits)
    solved = min(limits.solved_from(game), MAX_PLY - 1)
    is_solved = 0 < game.plies_left_in(position.row) <= solved
    memories = method.shared(own, game, threads)
    searchers = [method.searcher(game, evaluator, one, solves=is_solved) for one in memories]
    later = [solve_at_root] * is_solved + [score_moves_at_root] * all_moves
    make_ready([think_at_root, budget.begin, *later])
    budgeted = _Budget(nodes, seconds)
    # where every move is to be scored as well, that gets the other half
    most, longest = budgeted.left(0, 0.5 if all_moves else 1.0)
    _think(position, evaluator, searchers, memories, (most, longest), depth, solved)
    searcher, best = max(zip(searchers, memories, strict=True), key=lambda pair: pair[1].last.depth)
    points, reached, length, exact = best.last
    line = [int(move) for move in best.line[:length]]
    visited = sum(int(one.counters[budget.NODES]) for one in memories)
    if exact and game.solve is not None and line:
        (after, turn), left = game.after(position.row, line[0]), budgeted.left(visited)
        value = (points if turn & SAME else -points) // SCORE_UNIT
        line += rest_of_line(game, searcher, best, after, value, left, evaluator.check)
        visited += int(best.counters[budget.NODES])
    scores: dict[str, float] | None = None
    scored_to: int | None = None
    if all_moves:
        scores = {}
        # within limits deeper and deeper, as the search itself, from what costs next to nothing: a
        # ply, but where noisy moves may lead far beyond it
        last_resort = 1 if game.noisy is None else 0
        depths = range(last_resort, max(1, reached) + 1) if budgeted.is_limited else [depth]
        tries = [(reached, True)] * bool(exact) + [(deep, False) for deep in depths]
        for deep, to_the_end in tries if line else []:
            if own.counters[budget.INTERRUPTED] or (exact and scores):
                break
            is_free = deep == last_resort and not to_the_end
            part = 0.5 if to_the_end else 1.0
            start_limits(best, *((None, None) if is_free else budgeted.left(visited, part)))
            found = scores_of_moves(
                game, searcher, best, position.row, deep, to_the_end, evaluator.check
            )
            visited += int(best.counters[budget.NODES])
            if found is not None:
                scores, scored_to = found, deep
            elif not to_the_end:
                break
    return Result(
        score=points / SCORE_UNIT,
        move=game.notation.write_move(line[0]) if line else None,
        pv=[game.notation.write_move(move) for move in line],
        nodes=visited,
        depth=reached,
        seconds=time.perf_counter() - budgeted.started,
        exact=bool(exact),
        moves=scores,
        moves_depth=scored_to if scores else None,
    )


def game_of(position: Position) -> Game:
    """Return the game of what is searched; UserError where that is no position."""
    game = getattr(position, "game", None)
    if not isinstance(game, Game):
        raise UserError(
            f"{position!r:.60} is not a position; give Position.parse(TEXT), "
            "Position.from_transcript(MOVES) or Position.start()"
        )
    return game


class _Budget:
    """The nodes and seconds of a search and what follows it, counted from now."""

    def __init__(self, nodes: int | None, seconds: float | None) -> None:
        self.nodes, self.seconds = nodes, seconds
        self.started = time.perf_counter()

    @property
    def is_limited(self) -> bool:
        return self.nodes is not None or self.seconds is not None

    def left(self, visited: int, part: float = 1.0) -> tuple[int | None, float | None]:
        """Return the nodes and seconds left, or a part of them, after `visited` nodes."""
        spent = time.perf_counter() - self.started
        return (
            None if self.nodes is None else max(1, math.ceil(part * (self.nodes - visited))),
            None if self.seconds is None else max(0.0, part * (self.seconds - spent)),
        )


def _memory_for(method: Method, game: Game, memory: Any, table_bits: int) -> Any:
    """Return memory for a method: what is given, or else new memory."""
    if memory is None:
        return method.new_memory(game, table_bits, table_bits)
    if not method.fits(memory, game):
        raise ValueError(
            f"this memory was made for another game or method than {game.name}; make a new one"
        )
    return memory


def _think(
    position: Position,
    evaluator: Evaluator,
    searchers: list[Any],
    memories: list[Any],
    limits: tuple[int | None, float | None],
    depth: int,
    exact_from: int,
) -> None:
    """Have a position searched by threads that share the limits, nodes and seconds."""
    nodes, seconds = limits
    for one in memories:
        one.begin_at(position.row, position.side, position.past)
        one.counters[budget.INTERRUPTED] = 0
        start_limits(one, None if nodes is None else -(-nodes // len(memories)), seconds)
    kernels = [functools.partial(think_at_root, one, depth, exact_from) for one in searchers]
    run_together(kernels, memories, evaluator.check)


def _sampled(
    position: Position,
    evaluator: Evaluator,
    method: Method,
    memory: Any,
    threads: int,
    limits: tuple[int | None, float | None],
    all_moves: bool,
) -> Result:
    """Return what a method finds that samples: a depth means nothing to it."""
    game = position.game
    memories = method.shared(memory, game, threads)
    searchers = [method.searcher(game, evaluator, one, solves=False) for one in memories]
    make_ready([think_at_root, budget.begin])
    started = time.perf_counter()
    _think(position, evaluator, searchers, memories, limits, 1, 0)
    points, reached, length, exact = memory.last
    line = [game.notation.write_move(int(move)) for move in memory.line[:length]]
    scores, margins = (
        {game.notation.write_move(move): points / SCORE_UNIT for move, points in pairs}
        for pairs in (memory.scores_of_moves(), memory.margins_of_moves())
    )
    return Result(
        score=points / SCORE_UNIT,
        move=line[0] if line else None,
        pv=line,
        nodes=sum(int(one.counters[budget.NODES]) for one in memories),
        depth=reached,
        seconds=time.perf_counter() - started,
        exact=bool(exact),
        moves=scores if all_moves and line else {} if all_moves else None,
        moves_depth=1 if all_moves and line else None,
        margins=margins if all_moves and margins else None,
    )
