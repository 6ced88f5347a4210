"""Openings as the pairs of an event come to them, and events with fewer than they ask for."""

import math
from collections.abc import Iterator
from typing import Any

import pytest

from samuel.arena.match import match
from samuel.arena.openings import choice, drawing
from samuel.arena.openings.choice import openings_for
from samuel.arena.records import Pair
from samuel.arena.sequential.sprt import Sprt
from samuel.arena.tournament import tournament
from samuel.selfplay.openings.openings import Line

GAME: dict[str, Any] = {"game": "tic_tac_toe", "depth": 1, "opening_plies": 2}
"""There are 12 such openings."""
_UNDECIDED: dict[str, Any] = {"sprt": Sprt(-1, 1)}


def _rounds(**options: Any) -> list[Pair]:
    return list(tournament(["classic", "zero", "random"], **GAME, **options).pairs)


def _match(**options: Any) -> list[Pair]:
    return list(match("classic", "zero", **GAME, **options).pairs)


@pytest.mark.parametrize("at_first", [1000, 5])
@pytest.mark.parametrize(
    ("play", "options", "pairs", "wanted"),
    [
        (_match, {"pairs": 20}, 12, "20"),
        (_match, {"pairs": 20, **_UNDECIDED}, 12, "20"),
        (_match, {"pairs": 20, "error": 0.1, "jobs": 2}, 12, "20"),
        (_match, {**_UNDECIDED, "jobs": 2}, 12, "200|50,000"),
        (_rounds, {"pairs": 20}, 3 * 12, "20"),
        (_rounds, {"pairs": 9, "kind": "swiss", "rounds": 2}, 2 * 6, "18"),
    ],
)
def test_an_event_with_fewer_openings_plays_them_all_and_says_so(
    play: Any,
    options: dict[str, Any],
    pairs: int,
    wanted: str,
    at_first: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "kind" not in options:  # the rounds of a Swiss are planned beforehand
        monkeypatch.setattr(drawing, "_AT_FIRST", at_first)
    said = rf"^only 12 different openings .*: 12 game pairs instead of ({wanted})$"
    with pytest.warns(UserWarning, match=said) as told:
        played = play(**options)
    assert len(told) == 1
    assert len(played) == pairs
    drawn = openings_for("tic_tac_toe", "random", pairs=12, plies=2).moves
    assert {pair[0].opening for pair in played} == set(drawn)
    if play is _match:
        assert [pair[0].opening for pair in played] == list(drawn)


def test_the_first_game_waits_for_few_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = 0
    lines = choice.random_lines

    def count(*asked: Any) -> Iterator[Line]:
        nonlocal drawn
        for line in lines(*asked):
            drawn += 1
            yield line

    monkeypatch.setattr(choice, "random_lines", count)
    settings: dict[str, Any] = {"depth": 1, "openings": "random", "sprt": Sprt(0, 100)}
    played = match("classic", "zero", **settings).pairs
    assert len(played) < 1000 == drawn
    monkeypatch.setattr(drawing, "_AT_FIRST", 3)
    drawn = 0
    again = match("classic", "zero", **settings, jobs=2).pairs
    assert 3 * 2 ** round(math.log2(drawn / 3)) == drawn
    assert [pair[0].opening for pair in again] == [pair[0].opening for pair in played]
