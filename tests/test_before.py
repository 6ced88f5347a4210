"""Folders that an earlier version wrote are read, and go on: data, models, matches, runs.

tests/data/before.tar.gz was written by commit cf80166: each folder by the command that it is called
after, on tic-tac-toe, and expected.json by what the models of that version say of some positions.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel import (
    Dataset,
    evaluate,
    game_named,
    load_evaluator,
    load_model,
    match,
    openings_for,
    tournament,
)
from samuel.arena import read_tournament
from samuel.cli.main import main
from samuel.learning.generations.experiment import plan_in
from samuel.learning.generations.loop import learn
from samuel.learning.generations.run import Run
from samuel.learning.options import LearnOptions
from samuel.text_files import read_toml

GAME = game_named("tic_tac_toe")


@pytest.fixture
def before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with tarfile.open(Path(__file__).parent / "data" / "before.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_models_score_positions_as_they_did(before: Path) -> None:
    expected = json.loads((before / "expected.json").read_text())
    positions = np.array(expected["positions"], np.uint64)
    for folder, scores in expected["scores"].items():
        evaluator = load_evaluator(folder, GAME)
        assert evaluate(evaluator, GAME, positions) == pytest.approx(scores, abs=2e-3), folder
    assert len(load_model("linear-model").predict(positions)) == len(positions)


def test_a_dataset_has_its_rows(before: Path) -> None:
    expected = json.loads((before / "expected.json").read_text())
    dataset = Dataset.open("data")
    assert (len(dataset), dataset.games) == (expected["rows"], expected["games"])
    assert dataset.frame().score.notna().all()


def test_a_match_goes_on(before: Path) -> None:
    found = match("linear-model", "zero", game=GAME, pairs=6, depth=1, out="match")
    assert len(found.pairs) == 6
    kept = (before / "match" / "journal.jsonl").read_text().splitlines()
    assert len(kept) == 6


def test_a_book_gives_its_openings(before: Path) -> None:
    assert len(openings_for(GAME, "book.npz", 5)) == 5


@pytest.mark.filterwarnings("ignore:only .* openings")
@pytest.mark.parametrize("folder", ["run", "online", "rote"])
def test_a_run_goes_on(folder: str, before: Path) -> None:
    begun = Run.open(folder)
    asked = LearnOptions.of(read_toml(before / folder / "settings.toml"), "settings.toml")
    assert asked == begun.options
    assert learn(folder).repeatable() == begun.repeatable()
    assert learn(folder, generations=2).generations == 2


def test_what_methods_were_compared_is_known(before: Path) -> None:
    plan = plan_in("contest")
    assert plan is not None
    (options,) = (LearnOptions.of(values, "it") for values in plan["ways"].values())
    assert (options.method, options.model, options.games) == ("treestrap", "tuples2", 20)


@pytest.mark.filterwarnings("ignore:only .* openings", "ignore:.* openings are used up")
def test_events_go_on(before: Path) -> None:
    """And read alone, they are what they were."""
    pool, field = read_tournament("pool"), read_tournament("tournament")
    assert (pool.kind, pool.names, pool.unrated) == ("pool", ("zero", "linear-model"), ())
    assert (field.kind, len(field.names)) == ("round-robin", 3)
    grown = tournament(["pool", "random"], error=100, pairs=4)
    assert grown.names == (*pool.names, "random") and {*grown.pairs} > {*pool.pairs}
    terms: dict[str, Any] = {"game": GAME, "depth": 1, "openings": "random", "out": "tournament"}
    players = ["zero", "classic", "linear-model"]
    assert set(field.pairs) == set(tournament(players, pairs=2, **terms).pairs)


@pytest.mark.parametrize("line", ["games tournament", "tournament tournament", "pool show pool"])
def test_rated_games_are_shown(line: str, before: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*line.split(), "--json"])
    assert not end.value.code
    assert "linear-model" in capsys.readouterr().out
