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
    """Count moves that take a corner."""
    return popcount(moves_on(player, opponent, board) & board.corners)


@of_both_sides
def x_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Count moves diagonally next to an empty corner."""
    moves = moves_on(player, opponent, board)
    return popcount(moves & _risky(player, opponent, board) & board.x_squares)


@of_both_sides
def c_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Count moves on an edge next to an empty corner."""
    moves = moves_on(player, opponent, board)
    return popcount(moves & _risky(player, opponent, board) & board.c_squares)


@of_both_sides
def edge_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Count moves to the edges, corners apart."""
    return popcount(moves_on(player, opponent, board) & board.edges)


@of_both_sides
def safe_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Count moves that are not next to an empty corner."""
    return popcount(moves_on(player, opponent, board) & ~_risky(player, opponent, board))


@of_both_sides
def spare_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Count safe moves on squares where the other side cannot move: tempi it cannot take away."""
    moves = moves_on(player, opponent, board) & ~_risky(player, opponent, board)
    return popcount(moves & ~moves_on(opponent, player, board))


@of_both_sides
def exclusive_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Count moves on squares where the other side cannot move."""
    return popcount(moves_on(player, opponent, board) & ~moves_on(opponent, player, board))


@of_the_position
def shared_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Count squares where both sides may move."""
    return popcount(moves_on(player, opponent, board) & moves_on(opponent, player, board))


@of_both_sides
def no_moves(player: Word, opponent: Word, board: Areas) -> float:
    """1 where the side cannot move, else 0."""
    return 1 if moves_on(player, opponent, board) == ZERO else 0


@of_both_sides
def mobility_root(player: Word, opponent: Word, board: Areas) -> float:
    """Square root of the number of moves: one more matters most where there are few."""
    return math.sqrt(popcount(moves_on(player, opponent, board)))


@of_the_position
def mobility_ratio(player: Word, opponent: Word, board: Areas) -> float:
    """(a - b) / (a + b + 2) of the moves a of the player and b of the opponent."""
    a = popcount(moves_on(player, opponent, board))
    b = popcount(moves_on(opponent, player, board))
    return (a - b) / (a + b + 2)


@of_both_sides
def harmless_moves(player: Word, opponent: Word, board: Areas) -> float:
    """Count moves after which the other side can take no corner."""
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
    """Count moves that flip interior discs alone, those that touch no other empty square."""
    count = 0
    moves, empty = moves_on(player, opponent, board), empty_of(player, opponent, board)
    while moves:
        square = trailing_zeros(moves)
        open_to = neighbours(empty & ~bit(square))
        count += 1 if flips_of(player, opponent, square) & open_to == ZERO else 0
        moves &= moves - ONE
    return count


@of_both_sides
def least_flips(player: Word, opponent: Word, board: Areas) -> float:
    """Discs that the move which flips fewest flips; 0 without a move."""
    least = 64
    moves = moves_on(player, opponent, board)
    if moves == ZERO:
        return 0
    while moves:
        least = min(least, popcount(flips_of(player, opponent, trailing_zeros(moves))))
        moves &= moves - ONE
    return least


@of_both_sides
def mean_flips(player: Word, opponent: Word, board: Areas) -> float:
    """Discs that a move flips on average; 0 without a move."""
    total = 0
    moves = moves_on(player, opponent, board)
    count = popcount(moves)
    while moves:
        total += popcount(flips_of(player, opponent, trailing_zeros(moves)))
        moves &= moves - ONE
    return total / max(count, 1)


@of_both_sides
def most_flips(player: Word, opponent: Word, board: Areas) -> float:
    """Discs that the move which flips most flips; 0 without a move."""
    most = 0
    moves = moves_on(player, opponent, board)
    while moves:
        most = max(most, popcount(flips_of(player, opponent, trailing_zeros(moves))))
        moves &= moves - ONE
    return most


@jit
def _replies(player: Word, opponent: Word, square: int, board: Areas) -> int:
    """Return how many moves the other side has after a move."""
    flips = flips_of(player, opponent, square)
    return popcount(moves_on(opponent ^ flips, player ^ flips ^ bit(square), board))


@of_both_sides
def least_replies(player: Word, opponent: Word, board: Areas) -> float:
    """The fewest moves that a move leaves the other side; without a move, those it has."""
    least = 64
    moves = moves_on(player, opponent, board)
    if moves == ZERO:
        return popcount(moves_on(opponent, player, board))
    while moves:
        least = min(least, _replies(player, opponent, trailing_zeros(moves), board))
        moves &= moves - ONE
    return least


@of_both_sides
def mean_replies(player: Word, opponent: Word, board: Areas) -> float:
    """The moves that a move leaves the other side on average; without a move, those it has."""
    total = 0
    moves = moves_on(player, opponent, board)
    count = popcount(moves)
    if count == 0:
        return popcount(moves_on(opponent, player, board))
    while moves:
        total += _replies(player, opponent, trailing_zeros(moves), board)
        moves &= moves - ONE
    return total / count
