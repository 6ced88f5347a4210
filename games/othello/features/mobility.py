"""Moves of Othello by kind, and what they do: mobility is the first thing a good player counts.

For the opponent they are the moves it would have if it were its turn. The kinds are Rose's; the
moves of each side by how safe they are, and mobility that counts for less the more there is of
it, are IAGO's.
"""

from __future__ import annotations

import math

from samuel.games.othello.bits import flips_of, neighbours
from samuel.games.othello.features.board import (
    Areas,
    beside_empty_corners,
    empty_of,
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
def mobility_root(player: Word, opponent: Word, board: Areas) -> float:
    """Square root of the number of legal moves."""
    return math.sqrt(popcount(moves_on(player, opponent, board)))


@of_the_position
def mobility_ratio(player: Word, opponent: Word, board: Areas) -> float:
    """Legal moves as a ratio (a - b) / (a + b + 2), player a, opponent b."""
    a = popcount(moves_on(player, opponent, board))
    b = popcount(moves_on(opponent, player, board))
    return (a - b) / (a + b + 2)


@of_both_sides
def harmless_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Number of moves after which the other side cannot take a corner."""
    count = 0
    moves = moves_on(player, opponent, board)
    while moves:
        square = trailing_zeros(moves)
        flips = flips_of(player, opponent, square)
        replies = moves_on(opponent ^ flips, player ^ flips ^ bit(square), board)
        count += 1 if replies & board.corners == ZERO else 0
        moves &= moves - ONE
    return count


@of_both_sides
def quiet_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Number of moves that flip only discs without another empty square next to them."""
    count = 0
    moves, empty = moves_on(player, opponent, board), empty_of(player, opponent, board)
    while moves:
        square = trailing_zeros(moves)
        open_to = neighbours(empty & ~bit(square))
        count += 1 if flips_of(player, opponent, square) & open_to == ZERO else 0
        moves &= moves - ONE
    return count


@jit
def _flips(player: Word, opponent: Word, board: Areas) -> tuple[int, int, int, int]:
    """Return how many moves there are, and the least, all and the most discs that they flip."""
    moves = moves_on(player, opponent, board)
    n, least, total, most = popcount(moves), 64, 0, 0
    while moves:
        flips = popcount(flips_of(player, opponent, trailing_zeros(moves)))
        least, total, most = min(least, flips), total + flips, max(most, flips)
        moves &= moves - ONE
    return n, least, total, most


@of_both_sides
def least_flips(player: Word, opponent: Word, board: Areas) -> float:
    """Smallest number of discs that a move flips; 0 without a move."""
    n, least, _, _ = _flips(player, opponent, board)
    return least if n else 0


@of_both_sides
def mean_flips(player: Word, opponent: Word, board: Areas) -> float:
    """Mean number of discs that a move flips; 0 without a move."""
    n, _, total, _ = _flips(player, opponent, board)
    return total / max(n, 1)


@of_both_sides
def most_flips(player: Word, opponent: Word, board: Areas) -> float:
    """Largest number of discs that a move flips; 0 without a move."""
    return _flips(player, opponent, board)[3]


@jit
def _replies(player: Word, opponent: Word, board: Areas) -> tuple[int, int, int]:
    """Return how many moves there are, at least 1 for a pass, and the least and all replies."""
    moves = moves_on(player, opponent, board)
    n, least, total = popcount(moves), 64, 0
    if n == 0:
        replies = popcount(moves_on(opponent, player, board))
        return 1, replies, replies
    while moves:
        square = trailing_zeros(moves)
        flips = flips_of(player, opponent, square)
        replies = popcount(moves_on(opponent ^ flips, player ^ flips ^ bit(square), board))
        least, total = min(least, replies), total + replies
        moves &= moves - ONE
    return n, least, total


@of_both_sides
def least_replies(player: Word, opponent: Word, board: Areas) -> float:
    """Smallest number of replies to a move; without a move, the other side's moves."""
    return _replies(player, opponent, board)[1]


@of_both_sides
def mean_replies(player: Word, opponent: Word, board: Areas) -> float:
    """Mean number of replies to a move; without a move, the other side's moves."""
    n, _, total = _replies(player, opponent, board)
    return total / n
