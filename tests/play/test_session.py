"""Games under way: moves, back and forth, dice, and what is kept."""

from __future__ import annotations

import json
import random

import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.play.session import Session

OTHELLO = game_named("othello")
START = Position.start(OTHELLO).text


def played(name, seed=1, plies=30):
    """Return a game of random moves."""
    chooser = random.Random(seed)
    session = Session(Position.start(game_named(name)))
    while not session.position.is_terminal and len(session.moves) < plies:
        if session.position.is_chance:
            session.throw(chooser)
        else:
            session.play(chooser.choice(session.position.legal_moves()))
    return session


@pytest.mark.parametrize("name", ["othello", "checkers", "backgammon", "connect_four"])
def test_it_is_kept_and_comes_back(name, tmp_path):
    session = played(name)
    for _ in range(3):
        session.undo()
    session.save(tmp_path / "game.json")
    again = Session.load(tmp_path / "game.json", session.game)
    assert again.as_dict() == session.as_dict() and again.position == session.position
    while session.redo():
        again.redo()
    assert again.position == session.position == played(name).position


def test_back_and_forth_one_move():
    session = Session.along(Position.start(OTHELLO), "f5d6c3d3c4")
    here = session.positions[:]
    assert session.undo() and session.position == here[-2]
    assert session.undo() and session.position == here[-3]
    assert session.redo() and session.position == here[-2]
    session.play("d3" if "d3" in session.position.legal_moves() else "c4")
    assert session.redo() is False or session.moves[-1] == "c4"


def test_dice_are_thrown_by_their_weights():
    chooser, position = random.Random(3), Position.start("backgammon")
    thrown = [Session(position).throw(chooser) for _ in range(3600)]
    weights = dict(position.outcomes())
    for name, weight in weights.items():
        assert thrown.count(name) / 3600 == pytest.approx(weight / sum(weights.values()), abs=0.02)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "damaged"),
        ("[]", "damaged"),
        ('{"format": 9}', "newer samuel"),
        ('{"format": 1, "game": "othello"}', "damaged"),
        ({"game": "checkers", "start": "", "moves": [], "undone": []}, "checkers"),
        ({"game": "othello", "start": "x", "moves": [], "undone": []}, "damaged"),
        (
            {"game": "othello", "start": START, "moves": ["f5", "a1"], "undone": []},
            "move 2 of the game",
        ),
    ],
)
def test_a_bad_file_is_told(content, said, tmp_path):
    path = tmp_path / "game.json"
    is_text = isinstance(content, str)
    path.write_text(content if is_text else json.dumps({"format": 1, **content}))
    with pytest.raises(UserError, match=said):
        Session.load(path, OTHELLO)
