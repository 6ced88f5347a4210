"""`samuel tournament`."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.arena.fakes import engine
from tests.cli.conftest import Run
from tests.cli.test_match import on_a_terminal

QUICK = "tournament classic wpc zero --depth 1 --pairs 3 --openings random"


def test_json_is_one_object_with_everyones_rating(run: Run) -> None:
    found = run.json(QUICK)
    assert found["kind"] == "round-robin" and found["games"] == 18
    assert {row["player"] for row in found["players"]} == {"classic", "wpc", "zero"}
    for row in found["players"]:
        assert {"player", "elo", "low", "high", "games", "score"} <= set(row)
        assert row["games"] == 12 and row["low"] <= row["elo"] <= row["high"]
    elo = [row["elo"] for row in found["players"]]
    assert elo == sorted(elo, reverse=True)
    assert sum(row["score"] for row in found["players"]) == pytest.approx(1.5)
    assert len(found["los"]) == 3


def test_a_report_is_written(run: Run, tmp_path: Path) -> None:
    run.done(f"{QUICK} --report pages/cross.html")
    page = (tmp_path / "pages/cross.html").read_text()
    assert page.startswith("<!DOCTYPE html>") or "<html" in page
    assert all(name in page for name in ("classic", "wpc", "zero", "round-robin"))


def test_in_its_folder_it_goes_on(run: Run) -> None:
    assert run.json(f"{QUICK} --out event")["games"] == 18
    line = QUICK.replace("--pairs 3", "--pairs 5")
    more, at_once = run.json(f"{line} --out event"), run.json(line)
    assert more["games"] == 30 and more["players"] == at_once["players"]
    assert len(run.json("games event")["games"]) == 30


def test_ratings_relative_to_an_anchor(run: Run) -> None:
    free, held = run.json(QUICK), run.json(f"{QUICK} --anchor zero")
    ratings = [{row["player"]: row["elo"] for row in found["players"]} for found in (free, held)]
    assert ratings[1]["zero"] == 0 and held["anchor"] == "zero at 0"
    for name, elo in ratings[0].items():
        assert elo - ratings[0]["zero"] == pytest.approx(ratings[1][name])
    err = run.refused(f"{QUICK} --anchor nobody --out event")
    assert "no player called 'nobody'; there are classic, wpc, zero; the anchor" in err


@pytest.mark.slow
def test_the_progress_on_a_terminal(tmp_path: Path) -> None:
    name = shlex.quote(engine(tmp_path, "slow"))  # each game takes some moments
    status, shown = on_a_terminal(
        f"tournament classic zero {name} --game tic_tac_toe --depth 1 --pairs 3 --openings random"
    )
    assert status == 0
    assert "Traceback" not in shown
    assert "leads with" in shown and "per second" in shown and "Ratings" in shown
