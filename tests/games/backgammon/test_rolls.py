"""Shots and escapes against the published table, and against the rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from samuel.features import extract, features_named
from samuel.games import Position
from samuel.games.backgammon.checkers import BAR, THEIRS, count_at
from samuel.games.backgammon.notation import words_of
from samuel.games.backgammon.rules import GAME
from samuel.games.playing import random_positions
from samuel.testing import check_feature

TABLE = {
    **{1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3},
    **{13: 0, 14: 0, 15: 1, 16: 1, 17: 0, 18: 1, 19: 0, 20: 1, 21: 0, 22: 0, 23: 0},
}
"""Rolls of 36 that hit one blot so many places away with nothing between (Magriel 1976)."""


def rolls(name: str, row: Sequence[int]) -> list[float]:
    """Return a feature of a position in rolls of 36: the player's, the opponent's."""
    (found,) = extract(features_named([name], GAME.name), np.array([row], np.uint64))
    return [round(36 * float(share), 4) for share in found]


def lone(place: int) -> tuple[int, int]:
    """Return the words of a side with one checker, the others off."""
    low, high = words_of({place: 1})
    return low, high


def test_one_shot_at_every_distance() -> None:
    found = {n: rolls("shots", (*lone(24), *lone(1 + n), 0)) for n in TABLE}
    assert {n: player for n, (player, _) in found.items()} == TABLE
    assert all(opponent == player for player, opponent in found.values())  # neither has passed


@pytest.mark.parametrize(("made", "count"), [((2,), 17), ((2, 6), 15), ((3, 5), 14)])
def test_points_that_are_made_block_shots(made: tuple[int, ...], count: int) -> None:
    blocks = words_of({7: 1} | dict.fromkeys(made, 2))  # the blot is six away
    assert rolls("shots", (*lone(24), *blocks, 0))[0] == count


def hitting(row: np.ndarray) -> int:
    """Return how many rolls of 36 have a play that hits, by the rules."""
    start = Position(GAME, (*(int(word) for word in row[:4]), 0))
    total = 0
    for throw, weight in start.outcomes():
        rolled = start.play(throw)
        before = count_at(*row[THEIRS : THEIRS + 2], BAR)
        after = (rolled.play(play).row for play in rolled.legal_moves())
        total += weight * any(count_at(child[0], child[1], BAR) > before for child in after)
    return total


@pytest.mark.slow
def test_shots_are_those_of_the_rules() -> None:
    rows = random_positions(GAME, 20, seed=3, max_plies=120)
    shots = [rolls("shots", row)[0] for row in rows]
    by_rules = [hitting(row) for row in rows]
    assert all(found >= true for found, true in zip(shots, by_rules, strict=True))
    assert np.mean(np.array(shots) == by_rules) > 0.9  # the others need one die left unplayed
    assert sum(rows[:, 1] >> np.uint64(36) > 0) > 0  # some are on the bar


@pytest.mark.parametrize(("made", "count"), [((), 23), (range(3, 8), 2), (range(2, 8), 0)])
def test_escapes(made: Sequence[int], count: int) -> None:
    assert rolls("escapes", (*lone(24), *words_of({13: 1} | dict.fromkeys(made, 2)), 0))[0] == count


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shots", "escapes"])
def test_features_fill_in_their_numbers(name: str) -> None:
    check_feature(features_named([name], GAME.name)[0])
