"""Races against known values: exact solvers of others, one of them GNU Backgammon's table."""

from __future__ import annotations

import pytest

from samuel.errors import UserError
from samuel.games import Position
from samuel.games.backgammon.notation import words_of
from samuel.games.backgammon.race import expected_points, expected_rolls, winning_chance
from samuel.games.backgammon.rules import GAME

ROLLS = {
    "1,0,0,0,0,0": 1.0,
    "0,0,0,0,0,1": 1.25,
    "0,0,0,0,0,2": 2.109610768,
    "0,1,0,0,0,1": 1.651234568,
    "0,0,0,0,1,1": 1.960048011,
    "0,0,0,1,0,1": 1.849708505,
    "0,0,1,1,0,0": 1.530864198,
    "3,0,0,0,0,0": 1.833333333,
    "5,0,0,0,0,0": 2.694444444,
    "1,1,1,1,1,0": 2.859194006,
    "0,0,0,0,0,5": 4.518193738,
}
CHANCES = [
    ("0,0,0,0,0,1", "1,0,0,0,0,0", 0.75),
    ("0,1,0,0,0,1", "1,0,0,0,0,0", 13 / 36),
    ("0,0,0,0,1,1", "1,0,0,0,0,0", 6 / 36),
    ("0,0,1,1,0,0", "1,0,0,0,0,0", 17 / 36),
    ("0,0,0,0,2,0", "1,0,0,0,0,0", 6 / 36),
    ("0,0,0,1,0,1", "0,0,0,0,0,2", 0.865371748),
    ("0,0,0,0,0,3", "0,0,0,0,0,3", 0.712808143),
]


def race(mine: str, theirs: str = "1,0,0,0,0,0") -> Position:
    """Return a position by the checkers on the points 1 to 6 of both sides."""
    sides = [words_of(dict(enumerate(map(int, one.split(",")), 1))) for one in (mine, theirs)]
    return Position(GAME, (*sides[0], *sides[1], 0))


@pytest.mark.parametrize("mine", ROLLS)
def test_expected_rolls(mine: str) -> None:
    assert expected_rolls(race(mine)) == pytest.approx(ROLLS[mine], abs=1e-9)


@pytest.mark.parametrize(("mine", "theirs", "chance"), CHANCES)
def test_winning_chances(mine: str, theirs: str, chance: float) -> None:
    position = race(mine, theirs)
    assert winning_chance(position) == pytest.approx(chance, abs=1e-9)
    # some are borne off on both sides, so that no gammon can be won
    assert expected_points(position) == pytest.approx(2 * chance - 1, abs=1e-9)


def test_a_gammon_counts_twice() -> None:
    # one checker left, and not one of the other side's has been borne off
    position = race("1,0,0,0,0,0", "15,0,0,0,0,0")
    assert (winning_chance(position), expected_points(position)) == (1.0, 2.0)


def test_what_is_no_race() -> None:
    with pytest.raises(UserError, match="is no race"):
        winning_chance(Position.start(GAME))
    thrown = race("0,0,0,0,0,1").play("21")
    with pytest.raises(UserError, match="before the dice are thrown"):
        expected_rolls(thrown)
    with pytest.raises(UserError, match="more positions than are solved"):
        expected_points(race("0,0,0,5,5,5", "0,0,0,5,5,5"))
