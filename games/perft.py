"""Perft: counting the leaves of the full game tree, the test of every rule book.

A pass is a ply; a finished game is a leaf at once, at whatever depth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import int32, int64, types

from games.abi import ROWS, RULES, Rules
from games.pointers import INTS, WORDS, Pointer, at, offset
from games.position import Position
from jit import jit

_SPLIT_FROM = 9


@jit(int64(RULES, WORDS, INTS, int64, int64, int64))
def _leaves(
    rules: Rules, position: Pointer, moves: Pointer, words: int, width: int, depth: int
) -> int:
    """Count leaves; the next position and its moves stand `words` and `width` elements on."""
    if depth == 0:
        return 1
    n = rules.legal_moves(position, moves)
    if n == 0:
        return 1
    if depth == 1:
        return n
    leaves = 0
    child = offset(position, words)
    for i in range(n):
        rules.play(position, moves[i], child)
        leaves += _leaves(rules, child, offset(moves, width), words, width, depth - 1)
    return leaves


@jit(int64(RULES, ROWS, types.Array(int32, 2, "C"), int64))
def _count(rules: Rules, stack: Any, moves: Any, depth: int) -> int:
    return _leaves(rules, at(stack, 0), at(moves, 0), stack.shape[1], moves.shape[1], depth)


def perft(position: Position, depth: int) -> int:
    """Return the number of leaves `depth` plies below a position.

    Deep counts are split over the moves, so that Ctrl-C is seen between them.
    """
    game = position.game
    if min(depth, game.remaining_in(position.row)) > _SPLIT_FROM and not position.is_terminal:
        return sum(divide(position, depth).values())
    stack = np.zeros((depth + 1, game.words), np.uint64)
    stack[0] = position.row
    moves = np.zeros((depth + 1, game.max_moves), np.int32)
    return int(_count(game.rules, stack, moves, depth))


def divide(
    position: Position, depth: int, progress: Callable[[int], None] = lambda done: None
) -> dict[str, int]:
    """Return the perft of each move: leaves below it at `depth` plies from the position.

    `progress` is called with the number of moves done. A finished game has no moves to count.
    """
    if depth < 1:
        raise ValueError(f"divide needs a depth of at least 1, not {depth}")
    counts = {}
    for done, move in enumerate(position.legal_moves(), 1):
        counts[move] = perft(position.play(move), depth - 1)
        progress(done)
    return counts
