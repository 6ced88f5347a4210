"""Discs of Othello that can, cannot or could be flipped.

IAGO tells stable, semi-stable and unstable discs apart; so does Rose.
"""

from __future__ import annotations

from samuel.features.othello.board import Areas, moves_on, of_both_sides
from samuel.games.othello.bits import flips_of, stable_discs_within
from samuel.kernels.bits import ONE, ZERO, Word, popcount, trailing_zeros
from samuel.kernels.jit import jit


@jit
def _stable(player: Word, opponent: Word, board: Areas) -> Word:
    return stable_discs_within(player, opponent, ~board.squares)


@jit
def _flippable(player: Word, opponent: Word, board: Areas) -> Word:
    """Return the discs of `player` that some move of the other side flips now."""
    found = ZERO
    moves = moves_on(opponent, player, board)
    while moves:
        found |= flips_of(opponent, player, trailing_zeros(moves))
        moves &= moves - ONE
    return found


@of_both_sides
def edge_stability(player: Word, opponent: Word, board: Areas) -> float:
    """Count stable discs on the edges, corners apart."""
    return popcount(_stable(player, opponent, board) & board.edges)


@of_both_sides
def interior_stability(player: Word, opponent: Word, board: Areas) -> float:
    """Count stable discs off the edges."""
    return popcount(_stable(player, opponent, board) & (board.ring | board.inner))


@of_both_sides
def unstable_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Count discs that the other side can flip by a move now."""
    return popcount(_flippable(player, opponent, board))


@of_both_sides
def semi_stable_discs(player: Word, opponent: Word, board: Areas) -> float:
    """Count discs that are not stable and that no move of the other side flips now."""
    at_risk = _flippable(player, opponent, board) | _stable(player, opponent, board)
    return popcount(player & ~at_risk)
