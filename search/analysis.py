"""`analyse`: the compiled search of a position."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from samuel.common.errors import UserError
from samuel.common.options import Range
from samuel.common.public import public
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.rules import SAME
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.search.alphabeta.memory import MOST_BITS, Memory
from samuel.search.alphabeta.method import MOST_CONFIDENCE, AlphaBeta
from samuel.search.alphabeta.options import SearchOptions
from samuel.search.alphabeta.root import solve_at_root
from samuel.search.limits import Limits, run_together, start_limits
from samuel.search.method import Found, Method, RootMemory, score_moves_at_root, think_at_root
from samuel.search.result import Result
from samuel.search.score import MAX_PLY, MOST_DEPTH, SCORE_UNIT

MOST_THREADS = 256
"""Most threads of one search."""


@public
def analyse(
    position: Position,
    evaluator: Evaluator,
    *,
    limits: Limits = Limits(),
    method: Method = AlphaBeta(),
    probcut: Annotated[float | None, Range(0, MOST_CONFIDENCE)] = None,
    options: SearchOptions | None = None,
    all_moves: bool = False,
    threads: Annotated[int, Range(1, MOST_THREADS)] = 1,
    table_bits: Annotated[int | None, Range(0, MOST_BITS)] = None,
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
        Evaluator: a name (samuel models lists them), or the folder of a model. By default the
        game's own.
    limits
        Limits of the search, without a clock. Without any limit it takes twice the game's usual
        depth: 8 plies in Othello.
    method
        Search method: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo, uct, or greedy
        (one ply). Settings follow a colon: uct:playouts=500. Default: alphabeta.
    probcut
        Confidence of selective search (ProbCut) in standard deviations, such as 1. Selective search
        also reduces late moves. The default 0 searches at full width.
    options
        Parts of alpha-beta to use. By default those of `memory`, or the usual ones.
    all_moves
        Score every legal move at the same depth, not only the best one. Half of a limit of nodes or
        time finds the depth, and half scores the moves.
    threads
        Number of threads that search one position together. With a fixed depth and full width, and
        in exact endings, threads do not change the score. uct and montecarlo use one thread.
    table_bits
        Size of the transposition table of alpha-beta: 2**N entries of 16 bytes. By default the
        limits decide, up to 2**20.
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
    >>> result = samuel.analyse(position, "classic", depth=3)
    >>> result.depth, result.exact
    (3, False)
    """
    game = game_of(position)
    evaluator.require_game(game)
    if limits.clock is not None or limits.increment:
        raise UserError("clock is for games (samuel match); a search takes seconds per move")
    if not method.deepens:
        limits.refuse_depth()
    if not isinstance(method, AlphaBeta):
        if probcut or options is not None:
            raise UserError("a method that samples has neither ProbCut nor search options")
    elif probcut is not None or options is not None:
        sigmas = method.probcut if probcut is None else probcut
        method = replace(method, probcut=sigmas, options=options or method.options)
    if limits.is_open:
        limits = replace(limits, depth=2 * game.defaults.depth)
    solved = min(limits.solved_from(game), MAX_PLY - 1)
    if not isinstance(method, AlphaBeta) or not 0 < game.plies_left_in(position.row) <= solved:
        solved = 0
    if memory is None:
        bits = (20 if solved else limits.table_bits) if table_bits is None else table_bits
        memory = method.new_memory(game, bits, bits if solved else 2)
    elif not method.fits(memory, game):
        raise ValueError(
            f"this memory was made for another game or method than {game.name}; make a new one"
        )
    return _searched(position, evaluator, method, memory, threads, limits, solved, all_moves)


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
        self.visited = 0

    @property
    def spent(self) -> float:
        return time.perf_counter() - self.started

    @property
    def is_limited(self) -> bool:
        return self.nodes is not None or self.seconds is not None

    def count(self, *memories: Any) -> None:
        """Add the nodes that were visited since the limits of these memories began."""
        self.visited += sum(int(one.counters[budget.NODES]) for one in memories)

    def left(self, part: float = 1.0) -> tuple[int | None, float | None]:
        """Return the nodes and seconds left, or a part of them."""
        return (
            None if self.nodes is None else max(1, math.ceil(part * (self.nodes - self.visited))),
            None if self.seconds is None else max(0.0, part * (self.seconds - self.spent)),
        )


def _searched(
    position: Position,
    evaluator: Evaluator,
    method: Method,
    memory: Any,
    threads: int,
    limits: Limits,
    solved: int,
    all_moves: bool,
) -> Result:
    """Return what threads find, with the rest of an exact line and scores of all moves.

    A position is solved where it has at most `solved` plies left.
    """
    game, samples = position.game, not isinstance(method, AlphaBeta)
    budgeted = _Budget(limits.nodes, limits.seconds)
    depth = limits.depth or MOST_DEPTH
    memories = method.shared(memory, game, threads)
    searchers = [method.searcher(game, evaluator, one, solves=solved > 0) for one in memories]
    later = [solve_at_root] * (solved > 0) + [score_moves_at_root] * (all_moves and not samples)
    make_ready([think_at_root, budget.begin, *later])
    budgeted.started = time.perf_counter()
    # where alpha-beta is to score every move as well, that gets the other half
    nodes, seconds = budgeted.left(0.5 if all_moves and not samples else 1.0)
    for one in memories:
        one.begin_at(position.row, position.side, position.past)
        one.counters[budget.INTERRUPTED] = 0
        start_limits(one, None if nodes is None else -(-nodes // threads), seconds)
    kernels = [functools.partial(think_at_root, one, depth, solved) for one in searchers]
    run_together(kernels, memories, evaluator.check)
    budgeted.count(*memories)
    searcher, best = max(zip(searchers, memories, strict=True), key=lambda pair: pair[1].last.depth)
    found, line = best.last, [int(move) for move in best.line[: best.last.length]]
    if samples:
        return _result(game, found, line, budgeted, **(_sampled(memory, game) if all_moves else {}))
    after = _After(position, evaluator, searcher, best, budgeted)
    if found.exact and game.solver.solve is not None and line:
        line += after.rest_of_line(line[0], found.score)
    if not all_moves:
        return _result(game, found, line, budgeted)
    scores, scored_to = after.scores_of_moves(found, depth, memory) if line else ({}, None)
    return _result(game, found, line, budgeted, moves=scores, moves_depth=scored_to)


def _sampled(memory: Any, game: Game) -> dict[str, Any]:
    """Return what a method that samples knows of each move of the root, none where it is over."""
    scores, margins = (
        {game.notation.write_move(move): points / SCORE_UNIT for move, points in pairs}
        for pairs in (memory.scores_of_moves(), memory.margins_of_moves())
    )
    is_over = not memory.last.length
    return {
        "moves": {} if is_over else scores,
        "moves_depth": None if is_over else 1,
        "margins": margins or None,
    }


def _result(
    game: Game, found: Found, line: list[int], budgeted: _Budget, **of_moves: Any
) -> Result:
    texts = [game.notation.write_move(move) for move in line]
    return Result(
        score=found.score / SCORE_UNIT,
        move=texts[0] if texts else None,
        pv=texts,
        nodes=budgeted.visited,
        depth=found.depth,
        seconds=budgeted.spent,
        exact=bool(found.exact),
        **of_moves,
    )


@dataclass(frozen=True)
class _After:
    """Rest of the line and scores of all moves after a search, in what is left of its budget."""

    position: Position
    evaluator: Evaluator
    searcher: Any
    memory: Memory
    budgeted: _Budget

    def _run(self, kernel: Callable[[], None], limits: tuple[int | None, float | None]) -> None:
        start_limits(self.memory, *limits)
        run_together([kernel], [self.memory], self.evaluator.check)
        self.budgeted.count(self.memory)

    def rest_of_line(self, move: int, score: int) -> list[int]:
        """Return best play after a move of an exact score to the end, as far as limits allow."""
        game, memory, line = self.position.game, self.memory, list[int]()

        def follow() -> None:
            here, turn = game.after(self.position.row, move)
            value = (score if turn & SAME else -score) // SCORE_UNIT
            while not game.is_over(here):
                memory.begin_at(here)
                solve_at_root(self.searcher, value - 1, value + 1)
                if memory.counters[budget.STOPPED]:
                    return
                line.append(int(memory.line[0]))
                here, turn = game.after(here, line[-1])
                value = value if turn & SAME else -value

        self._run(follow, self.budgeted.left())
        return line

    def scores_of_moves(
        self, found: Found, depth: int, memory: Memory
    ) -> tuple[dict[str, float], int | None]:
        """Return the scores of all moves, searched ever deeper within limits, and depth."""
        last_resort = 1 if self.position.game.search.noisy is None else 0
        depths = [depth]
        if self.budgeted.is_limited:
            depths = [*range(last_resort, max(1, found.depth) + 1)]
        tries = [(found.depth, True)] * bool(found.exact) + [(deep, False) for deep in depths]
        scores: dict[str, float] = {}
        scored_to: int | None = None
        for deep, to_the_end in tries:
            if memory.counters[budget.INTERRUPTED] or (found.exact and scores):
                break
            is_free = deep == last_resort and not to_the_end
            part = 0.5 if to_the_end else 1.0
            limits = (None, None) if is_free else self.budgeted.left(part)
            scored = self._scored(deep, to_the_end, limits)
            if scored is not None:
                scores, scored_to = scored, deep
            elif not to_the_end:
                break
        return scores, scored_to

    def _scored(
        self, depth: int, exact: bool, limits: tuple[int | None, float | None]
    ) -> dict[str, float] | None:
        """Return the score of every legal move at `depth`, or the exact one, the best first."""
        game, row = self.position.game, self.position.row
        moves, scores = game.moves_in(row), np.zeros(game.max_moves, np.int32)
        self.memory.positions[0] = row  # its past is known
        kernel = functools.partial(score_moves_at_root, self.searcher, depth, int(exact), scores)
        self._run(kernel, limits)
        if depth > 0 and self.memory.counters[budget.STOPPED]:
            return None
        named = zip(moves, scores[: len(moves)].tolist(), strict=True)
        best_first = sorted(named, key=lambda pair: -pair[1])
        return {
            game.notation.write_move(int(move)): points / SCORE_UNIT for move, points in best_first
        }
