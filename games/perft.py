"""Perft: counting the leaves of the full game tree, the test of every rule book.

A pass is a ply; a finished game is a leaf at once, at whatever depth.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from games.abi import ROWS, RULES, SCRATCH, Rules
from games.position import Position
from jit import jit


@jit(int64(RULES, ROWS, SCRATCH, int64, int64))
def _leaves(rules: Rules, stack: np.ndarray, moves: np.ndarray, ply: int, depth: int) -> int:
    if depth == 0:
        return 1
    n = rules.legal_moves(stack[ply], moves[ply])
    if n == 0:
        return 1
    if depth == 1:
        return n
    leaves = 0
    for i in range(n):
        rules.play(stack[ply], moves[ply, i], stack[ply + 1])
        leaves += _leaves(rules, stack, moves, ply + 1, depth - 1)
    return leaves


def perft(position: Position, depth: int) -> int:
    """Return the number of leaves `depth` plies below a position."""
    game = position.game
    stack = np.zeros((depth + 1, game.words), np.uint64)
    stack[0] = position.row
    moves = np.zeros((depth + 1, game.max_moves), np.int32)
    return int(_leaves(game.rules, stack, moves, 0, depth))


def divide(position: Position, depth: int) -> dict[str, int]:
    """Return the perft of each move: leaves below it at `depth` plies from the position."""
    if depth < 1:
        raise ValueError(f"divide needs a depth of at least 1, not {depth}")
    return {move: perft(position.play(move), depth - 1) for move in position.legal_moves()}
