"""`samuel play` and `samuel play levels`."""

from __future__ import annotations

import io
import json
import sys

import pytest


@pytest.fixture
def play(run, monkeypatch):
    """Return a function that runs a command with these lines to read."""

    def play(command, *lines):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return run(f"play {command}")

    return play


def test_a_game_goes_on_where_it_stopped(play, tmp_path):
    status, out, _ = play("--evaluator wpc --level 1 --out game.json", "f5", "undo", "f5", "quit")
    assert status == 0 and "wpc plays" in out
    kept = json.loads((tmp_path / "game.json").read_text())
    assert len(kept["moves"]) == 2
    status, out, _ = play("--evaluator wpc --level 1 --out game.json --json")
    assert json.loads(out)["moves"] == kept["moves"]


def test_two_evaluators_play_to_the_end(play):
    status, out, _ = play("--game checkers --evaluator zero --level 1 --side none")
    assert status == 0 and ("wins by" in out or "a draw" in out)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--side left", "none of first"),
        ("--level 13", "level"),
        ("--moves f5f5", "not legal"),
        ("--position x", "64"),
        ("--evaluator nobody", "nobody"),
    ],
)
def test_what_cannot_be_used_is_told(play, options, said):
    status, out, err = play(options)
    assert status in (1, 2) and said in err and "Traceback" not in err and out == ""


def test_a_game_of_another_game_stays(play, tmp_path):
    play("--game checkers --evaluator zero --out game.json", "quit")
    before = (tmp_path / "game.json").read_bytes()
    status, _, err = play("--evaluator wpc --out game.json", "quit")
    assert status == 1 and "--game checkers" in err
    assert (tmp_path / "game.json").read_bytes() == before


def test_the_ladder(as_json, run, tmp_path):
    found = as_json("play levels --game othello_4x4 --evaluator zero --pairs 2 --out ladder")
    assert len(found["levels"]) == 12 and found["levels"][0]["score"] is None
    assert (tmp_path / "ladder" / "levels.json").exists()
    status, out, _ = run("play levels --game othello_4x4 --evaluator zero --pairs 2 --out ladder")
    assert status == 0 and "against the one below" in out
    assert "nan" not in out and "inf" not in out
