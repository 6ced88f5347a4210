"""What is found out after a search, if asked for: an exact line's rest, every move's score."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from samuel.games.interface import SAME, Game, Row
from samuel.kernels import budget
from samuel.search.alphabeta.exact import solve_at_root
from samuel.search.alphabeta.memory import Memory
from samuel.search.method import score_moves_at_root
from samuel.search.running import run_together, start_limits
from samuel.search.score import POINTS


def rest_of_line(
    game: Game,
    searcher: Any,
    memory: Memory,
    row: Row,
    score: int,
    limits: tuple[int | None, float | None],
    check: Callable[[], None],
) -> list[int]:
    """Return best play from a position of known value to the end, or as far as limits allow.

    Parameters
    ----------
    row, score
        the position (K,) and its exact score, in units, for its side to move.
    limits
        nodes and seconds; see `start_limits`.

    Since scores are known, each step is a search with a narrow window.
    """
    line: list[int] = []

    def follow() -> None:
        here, value = row, score
        while not game.is_over(here):
            memory.begin_at(here)
            solve_at_root(searcher, value - 1, value + 1)
            if memory.counters[budget.STOPPED]:
                return
            line.append(int(memory.line[0]))
            here, turn = game.after(here, line[-1])
            value = value if turn & SAME else -value

    start_limits(memory, *limits)
    run_together([follow], [memory], check)
    return line


def scores_of_moves(
    game: Game,
    searcher: Any,
    memory: Memory,
    row: Row,
    depth: int,
    exact: bool,
    check: Callable[[], None],
) -> dict[str, float] | None:
    """Return the score of every legal move at `depth`, or the exact one, the best first.

    Within the limits that the memory is set to; None where they do not suffice.
    """
    moves = game.moves_in(row)
    scores = np.zeros(game.max_moves, np.int32)
    memory.positions[0] = row  # its past is known
    kernel = functools.partial(score_moves_at_root, searcher, max(1, depth), int(exact), scores)
    run_together([kernel], [memory], check)
    if memory.counters[budget.STOPPED]:
        return None
    named = zip(moves, scores[: len(moves)].tolist(), strict=True)
    best_first = sorted(named, key=lambda pair: -pair[1])
    return {game.notation.write_move(int(move)): score / POINTS for move, score in best_first}
