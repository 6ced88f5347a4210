"""Moves of Othello by kind, and what they do: mobility is the first thing a good player counts.

For the opponent they are the moves it would have if it were its turn. The kinds are Rose's; the
moves of each side by how safe they are, IAGO's.
"""

from __future__ import annotations

from samuel.games.othello.bits import flips_of
from samuel.games.othello.features.board import (
    Areas,
    beside_empty_corners,
    moves_on,
    of_both_sides,
    of_the_position,
)
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit


@jit
def _risky(player: Word, opponent: Word, board: Areas) -> Word:
    """Return the empty X and C squares of empty corners."""
    beside = beside_empty_corners(player, opponent, board)
    return beside & (board.x_squares | board.c_squares) & ~(player | opponent)


@of_both_sides
def corner_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Number of moves that take a corner."""
    return popcount(moves_on(player, opponent, board) & board.corners)


@of_both_sides
def x_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Number of moves diagonally next to an empty corner."""
    moves = moves_on(player, opponent, board)
    return popcount(moves & _risky(player, opponent, board) & board.x_squares)


@of_both_sides
def c_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Number of moves on an edge next to an empty corner."""
    moves = moves_on(player, opponent, board)
    return popcount(moves & _risky(player, opponent, board) & board.c_squares)


@of_both_sides
def edge_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Number of moves to the edges, without the corners."""
    return popcount(moves_on(player, opponent, board) & board.edges)


@of_both_sides
def safe_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Number of moves that are not next to an empty corner."""
    return popcount(moves_on(player, opponent, board) & ~_risky(player, opponent, board))


@of_both_sides
def spare_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Number of safe moves on squares where the other side cannot move (spare tempi)."""
    moves = moves_on(player, opponent, board) & ~_risky(player, opponent, board)
    return popcount(moves & ~moves_on(opponent, player, board))


@of_both_sides
def exclusive_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Number of moves on squares where the other side cannot move."""
    return popcount(moves_on(player, opponent, board) & ~moves_on(opponent, player, board))


@of_the_position
def shared_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Number of squares where both sides can move."""
    return popcount(moves_on(player, opponent, board) & moves_on(opponent, player, board))


@of_both_sides
def no_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Flag: 1 if the side cannot move, else 0."""
    return 1 if moves_on(player, opponent, board) == ZERO else 0


@of_both_sides
def mean_flips(player: Word, opponent: Word, board: Areas) -> float:
    """Mean number of discs that a move flips; 0 without a move."""
    moves = moves_on(player, opponent, board)
    n, total = popcount(moves), 0
    while moves:
        total += popcount(flips_of(player, opponent, trailing_zeros(moves)))
        moves &= moves - ONE
    return total / max(n, 1)


@of_both_sides
def mean_replies(player: Word, opponent: Word, board: Areas) -> float:
    """Mean number of replies to a move; without a move, the other side's moves."""
    moves = moves_on(player, opponent, board)
    n, total = popcount(moves), 0
    if n == 0:
        return popcount(moves_on(opponent, player, board))
    while moves:
        square = trailing_zeros(moves)
        flips = flips_of(player, opponent, square)
        total += popcount(moves_on(opponent ^ flips, player ^ flips ^ bit(square), board))
        moves &= moves - ONE
    return total / n
