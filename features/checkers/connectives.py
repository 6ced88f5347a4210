"""A. Samuel's terms that combine others: MOBIL, RECAP and the twelve binary connectives.

A connective is 1 where what it says of its two terms is true, else 0; a term is true where its
difference, the player's number less the opponent's, is positive. Of each pair of terms there are
four, in his order A and B, A and not B, B and not A, neither: "Some studies in machine learning
using the game of checkers", 1959, "Binary connective terms" and appendix C.
"""

from __future__ import annotations

from typing import Any

from samuel.features.checkers.board import Side, of_both_sides, opponent_of, player_of
from samuel.features.checkers.exchanges import deny, exch
from samuel.features.checkers.terms import cent, mob
from samuel.features.feature import feature
from samuel.games.interface import Row
from samuel.kernels.jit import jit


@of_both_sides
def mobil(side: Side) -> float:
    """Undenied mobility: MOB less DENY."""
    return mob(side) - deny(side)


@of_both_sides
def recap(side: Side) -> float:
    """Recapture: the same as EXCH; he had it twice to see what chance does to a term."""
    return exch(side)


@jit
def _fill_four(a: bool, b: bool, values: Any, first: int) -> None:
    values[first] = 1 if a and b else 0
    values[first + 1] = 1 if a and not b else 0
    values[first + 2] = 1 if b and not a else 0
    values[first + 3] = 1 if not (a or b) else 0


@feature(
    game="checkers",
    outputs=(
        *("demo", "demmo", "ddemo", "ddmm"),
        *("mode1", "mode2", "mode3", "mode4"),
        *("moc1", "moc3", "moc2", "moc4"),
    ),
)
def connective(position: Row, values: Any) -> None:
    """Of DENY and MOB, of MOBIL and DENY, of MOBIL and CENT: both positive, one, neither."""
    player, opponent = player_of(position), opponent_of(position)
    denies = deny(player) - deny(opponent)
    moves = mob(player) - mob(opponent)
    _fill_four(denies > 0, moves > 0, values, 0)
    _fill_four(moves > denies, denies > 0, values, 4)
    _fill_four(moves > denies, cent(player) > cent(opponent), values, 8)
