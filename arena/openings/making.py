"""Building a book: every position after some plies, found breadth first, and each one searched."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from joblib import delayed
from numpy.typing import NDArray

from samuel.arena.openings.book import Book
from samuel.arena.openings.kernel import count_moves, list_children
from samuel.common.errors import UserError, require_number, require_workers
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.games.symmetry import canonical_keys
from samuel.kernels import budget
from samuel.kernels.jit import make_ready
from samuel.models.saved.serialized import SerializedEvaluator
from samuel.search import AlphaBeta
from samuel.search.limits import run_together
from samuel.search.score import MOST_DEPTH, MOST_REMAINING
from samuel.selfplay.digest import evaluator_digest
from samuel.selfplay.relabel import search_rows
from samuel.selfplay.workers import run_tasks

MOST_CHILDREN = 2_000_000
"""Most positions of a ply; a book of more would take days to search."""
_LINES_PER_TASK = 64
"""Searched with one table. Neighbours share much of their trees, and a table changes no score."""


def all_lines(game: Game, plies: int) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Return a line to every position `plies` plies from the start, up to symmetry.

    It is the first of the lines to a position, and to its images, in the order in which the game
    lists its moves. Positions in which the game is over are left out. A pass is a ply.

    Returns
    -------
    The lines (n, plies), and the positions (n, K) after them.

    Raises
    ------
    UserError
        There are none, or too many to list.
    """
    by_ply = list(itertools.islice(_lines_by_ply(game), plies + 1))
    if len(by_ply) <= plies:
        raise UserError(
            f"{game.name} has too many openings of {plies} plies to list; give at most "
            f"{len(by_ply) - 1} plies, or use random openings"
        )
    lines, positions = by_ply[-1]
    goes_on = _move_counts(game, positions) > 0
    if not goes_on.any():
        raise UserError(f"every game of {game.name} is over after {plies} plies; give fewer plies")
    return lines[goes_on], positions[goes_on]


def most_listed(game: Game, plies: int) -> int:
    """Return of how many plies, at most so many, the openings are few enough to be listed."""
    return sum(1 for _ in itertools.islice(_lines_by_ply(game), plies + 1)) - 1


def _lines_by_ply(game: Game) -> Iterator[tuple[NDArray[np.int32], NDArray[np.uint64]]]:
    """Yield the lines and positions after 0, 1, 2, ... plies, until they are too many to list."""
    lines, positions = np.zeros((1, 0), np.int32), game.row(game.start)[None]
    total = 1
    while total <= MOST_CHILDREN:
        yield lines, positions
        total = int(_move_counts(game, positions).sum())
        if total <= MOST_CHILDREN:
            lines, positions = _one_ply_on(game, lines, positions, total)


def _move_counts(game: Game, positions: NDArray[np.uint64]) -> NDArray[np.int64]:
    counts = np.zeros(len(positions), np.int64)
    count_moves(game.rules_of_play, positions, np.zeros(game.max_moves, np.int32), counts)
    return counts


def _one_ply_on(
    game: Game, lines: NDArray[np.int32], positions: NDArray[np.uint64], total: int
) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Return the lines and positions one ply on, no two alike, which have `total` children."""
    children = np.zeros((total, game.words), np.uint64)
    parents, moves = np.zeros(total, np.int64), np.zeros(total, np.int32)
    legal = np.zeros(game.max_moves, np.int32)
    list_children(game.rules_of_play, positions, legal, children, parents, moves)
    first = np.sort(np.unique(canonical_keys(game, children), return_index=True)[1])
    return np.column_stack([lines[parents[first]], moves[first]]), children[first]


def make_book(
    game: Game,
    plies: int,
    evaluator: str | Path | Evaluator,
    depth: int,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Book:
    """Find every opening of a length, up to symmetry, and score it by a search.

    Parameters
    ----------
    game
        the game.
    plies
        the length, passes included.
    evaluator
        an evaluator, or the name or folder of one.
    depth
        depth of the search, in plies. Endgames are not solved beyond it.
    jobs
        workers, as in selfplay.workers; the scores do not depend on how many.
    progress
        called with the number of openings scored, and the number of openings.

    Raises
    ------
    UserError
        There are none of that length, or too many; the evaluator is unknown or for another game.
    """
    if game.outcomes is not None:
        raise UserError(
            f"{game.name} has dice, so there is no book of openings; use random openings"
        )
    require_workers(jobs)
    require_number("plies", plies, 0, MOST_REMAINING)
    require_number("depth", depth, 1, MOST_DEPTH)
    serialized = SerializedEvaluator(evaluator, game)
    lines, positions = all_lines(game, plies)
    scores = score_positions(positions, serialized, depth, jobs=jobs, progress=progress)
    digest = evaluator_digest(serialized.evaluator, game)
    return Book(game, lines, positions, scores, serialized.evaluator.name, digest, depth)


def score_positions(
    positions: NDArray[np.uint64],
    serialized: SerializedEvaluator,
    depth: int,
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> NDArray[np.float32]:
    """Return the scores (n,) of positions (n, K) by a search to `depth` plies; see make_book."""
    tasks = range(0, len(positions), _LINES_PER_TASK)
    calls = (delayed(_scores)(positions[i : i + _LINES_PER_TASK], serialized, depth) for i in tasks)
    found: list[NDArray[np.float32]] = []
    with contextlib.closing(run_tasks(calls, jobs)) as results:
        for part in results:
            found.append(part)
            progress(min(len(positions), len(found) * _LINES_PER_TASK), len(positions))
    return np.concatenate(found)


def _scores(
    positions: NDArray[np.uint64], serialized: SerializedEvaluator, depth: int
) -> NDArray[np.float32]:
    game, evaluator, n = serialized.game, serialized.evaluator, len(positions)
    method = AlphaBeta()
    memory = method.new_memory(game, min(18, 6 + 2 * depth), 1)
    searcher = method.searcher(game, evaluator, memory, solves=False)
    make_ready([search_rows])
    scores = np.zeros(n, np.float32)
    kernel = functools.partial(
        search_rows,
        searcher,
        depth,
        0,
        game.rows(positions),
        np.zeros(n, np.int64),  # as if of one game: what one search finds serves the next
        scores,
        np.zeros(n, np.int8),
        np.zeros(n, np.bool_),
    )
    run_together([kernel], [memory], evaluator.check)  # hears Ctrl-C, which a kernel does not
    if memory.counters[budget.INTERRUPTED]:
        raise KeyboardInterrupt
    return scores
