"""`samuel play`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_a_game_goes_on_where_it_stopped(run: Run, tmp_path: Path) -> None:
    line = "play --evaluator wpc --level 1 --out game.json"
    assert "wpc plays" in run.done(line, "f5", "undo", "f5", "quit")
    kept = json.loads((tmp_path / "game.json").read_text())
    assert len(kept["moves"]) == 2
    assert run.json(line)["moves"] == kept["moves"]


def test_two_evaluators_play_to_the_end(run: Run) -> None:
    out = run.done("play --game checkers --evaluator zero --level 1 --side none")
    assert "wins by" in out or "a draw" in out


def test_a_game_of_another_game_stays(run: Run, tmp_path: Path) -> None:
    run("play --game checkers --evaluator zero --out game.json", "quit")
    before = (tmp_path / "game.json").read_bytes()
    assert "--game checkers" in run.refused("play --evaluator wpc --out game.json")
    assert (tmp_path / "game.json").read_bytes() == before
