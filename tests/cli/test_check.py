"""`samuel models check`."""

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
BROKEN = """
from dataclasses import replace
from samuel import jit, register_game
from samuel.games.tic_tac_toe.rules import GAME as ORIGINAL, plies_left

@jit
def growing(position):
    return 10 - plies_left(position)

GAME = register_game(replace(ORIGINAL, name="broken", plies_left=growing))
"""
OWN = """
from samuel import Evaluator, feature, jit
from samuel.kernels.bits import popcount

@feature(game="tic_tac_toe")
def stones(position):
    return popcount(position[0])

@jit
def half(position, integers, floats):
    return 0.5

HALF = Evaluator("half", "tic_tac_toe", half)
"""


def test_what_a_file_holds(run, as_json, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    found = as_json("models check own.py")["checked"]
    assert found == [
        {"kind": "feature", "name": "stones", "game": "tic_tac_toe", "notes": []},
        {"kind": "evaluator", "name": "half", "game": "tic_tac_toe", "notes": []},
    ]
    status, out, err = run("models check own.py")
    assert (status, err) == (0, "")
    assert "feature stones of tic_tac_toe: keeps to the rules" in out


def test_what_is_named(as_json):
    options = "--game tic_tac_toe --features corners,forks --evaluator zero"
    found = as_json(f"models check {options}")["checked"]
    assert [(f["kind"], f["name"]) for f in found] == [
        ("game", "tic_tac_toe"),
        ("feature", "corners"),
        ("feature", "forks"),
        ("evaluator", "zero"),
    ]


def test_what_never_came_up_is_said(run, as_json):
    (found,) = as_json("models check --game connect_four")["checked"]
    assert found["never_met"] == ["a draw"]
    status, out, err = run("models check --game connect_four")
    said = ", ".join(found["never_met"])
    assert (status, err) == (0, "")
    assert out == (f"game connect_four: keeps to the rules; never met in 20 random games: {said}\n")


def test_what_is_broken_is_one_sentence(run, tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN)
    for given in ("broken.py", "--game broken.py"):
        status, out, err = run(f"models check {given}")
        assert (status, out) == (1, "")
        assert err.startswith("samuel: broken: --------- X: plies_left grows from 1 to 2 with move")
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "nothing to check"),
        ("empty.py", "nothing to check"),
        ("gone.py", "gone.py is not there"),
        ("--features no_such", "no feature called 'no_such'"),
        ("--evaluator no_such", "no evaluator called 'no_such'"),
    ],
)
def test_bad_input_is_one_sentence(run, tmp_path, given, message):
    (tmp_path / "empty.py").write_text("")
    status, out, err = run(f"models check {given}")
    assert (status, out, err.count("\n")) == (1, "", 1) and message in err


def test_what_a_file_registers_is_checked_whatever_holds_it(run, tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(
        "from samuel import Evaluator, register_evaluator\n"
        "def even(position, integers, floats):\n    return floats[0]\n"
        "kept = Evaluator('kept', 'othello', even)\n"
        "register_evaluator(Evaluator('even', 'othello', even))\n"
        "register_evaluator(Evaluator('large', 'othello', even, floats=[1e6]))\n"
    )
    status, out, err = run("models check own.py")
    assert status == 0, err
    for name in ("kept", "even", "large"):
        assert f"evaluator {name} of othello: keeps to the rules" in out
    assert "kept is not registered" in err and "even is not" not in err
    assert "% of positions more than 64 discs, up to 1e+06" in err
    assert out.count("but see the note") == 1 and "large of othello: keeps to the rules, but" in out
    monkeypatch.setattr("samuel.cli.main._shown", set())  # as in a process of its own
    status, _, err = run("match large even --plugin own.py --pairs 2 --depth 1")
    assert status == 0 and "make its scores smaller" in err
    (tmp_path / "late.py").write_text(
        "from samuel import Evaluator, register_evaluator\n"
        "def adds(position, integers, floats):\n"
        "    floats[0] += 1.0\n    return floats[0]\n"
        "register_evaluator(Evaluator('adds', 'othello', adds, floats=[1e6]))\n"
    )
    status, _, err = run("models check late.py")  # the note of a check that fails
    assert status == 1 and "adds gives" in err and "scores 1000001.0 at first and" in err
