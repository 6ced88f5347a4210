"""Positions of xiangqi that come again: perpetual check, and what is a draw."""

from __future__ import annotations

import pytest

from samuel.games import Position, game_named
from samuel.search import search

GAME = game_named("xiangqi")
CHARIOT = "3k5/9/9/9/9/9/9/9/4R4/5K3 w"
CHECKS = ["e2d2", "d10e10", "d2e2", "e10d10"]


def after(text: str, moves: list[str]) -> Position:
    position = Position.parse(text, GAME)
    for move in moves:
        position = position.play(move)
    return position


BLACK = "5k3/4r4/9/9/9/9/9/9/9/3K5 b"


@pytest.mark.parametrize(
    ("text", "moves", "utility"),
    [
        (CHARIOT, CHECKS, -1),  # so Fairy-Stockfish has it, too
        (BLACK, ["e9d9", "d1e1", "d9e9", "e1d1"], -1),
        (CHARIOT, ["e2a2", "d10d9", "a2e2", "d9d10"], 0),  # nobody checks
        (
            CHARIOT,
            ["e2d2", "d10e10", "d2a2", "e10d10", "a2b2", "d10d9", "b2e2", "d9d10"],
            0,
        ),  # at times
    ],
)
def test_who_checks_for_ever_has_lost(text: str, moves: list[str], utility: int) -> None:
    start = Position.parse(text, GAME)
    end = after(text, moves * 2)
    assert end == start
    assert end.is_terminal and end.utility() == utility and end.is_drawn == (utility == 0)
    assert not after(text, (moves * 2)[:-1]).is_terminal


def test_the_search_does_not_check_for_ever() -> None:
    """The general is driven to and fro: the third time, only another move does not lose."""
    before = after(CHARIOT, (CHECKS * 2)[:-2])  # the chariot to move, its next check is answered
    found = search(before, "classic", depth=3, all_moves=True)
    assert found.moves is not None
    assert found.moves["d2e2"] < -0.9 < found.score and found.move != "d2e2"
    answers = search(before.play("d2e2"), "classic", depth=2, all_moves=True)
    assert answers.moves is not None and answers.move == "e10d10" and answers.score > 0.9
