import dataclasses
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from samuel.learning.comparison import compare
from samuel.learning.comparison.intervals import Resampling
from samuel.learning.fitting.metrics import terms
from samuel.learning.training import train
from samuel.reports import write_page
from samuel.selfplay.data.combine import filter_rows
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

MATCH = {
    "a": "ridge <1>", "b": "classic", "games": 400, "score": 0.625, "score_low": 0.58,
    "score_high": 0.67, "elo": 88.7, "elo_low": 56.0, "elo_high": 123.0, "pentanomial": [1, 2],
    "sprt": None,
}  # fmt: skip


@pytest.fixture(scope="session")
def dataset(tmp_path_factory):
    plan = SelfplayPlan(depth=1, epsilon=0.05, exact_from=6, seed=4)
    return generate(plan, 120, tmp_path_factory.mktemp("reports") / "data")


@pytest.fixture(scope="session")
def comparison(dataset, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports") / "saved"
    train(dataset, "logistic", out=folder, seed=9)
    return compare(dataset, ["wpc", "ridge", "tree", str(folder), "classic"])


def test_games_are_the_same_by_their_digest(tmp_path):
    """Datasets with the same settings may hold different games; a longer run holds the shorter."""

    def played(seed, games, folder):
        plan = SelfplayPlan(game="tic_tac_toe", depth=1, opening_plies=2, epsilon=0.2, seed=seed)
        return generate(plan, games, tmp_path / folder)

    def note(model, dataset):
        (found,) = compare(dataset, [str(tmp_path / model)]).models
        return found.note

    one, other = (
        filter_rows(played(seed, 100, f"{seed}"), tmp_path / f"late {seed}", plies=(2, 9))
        for seed in (1, 2)
    )
    assert one.manifest["settings"] == other.manifest["settings"]
    train(one, "tree", out=tmp_path / "tree")
    train(one, "tree", out=tmp_path / "another split", seed=9)
    assert (note("tree", one), note("another split", other)) == ("", "")
    assert "another split" in note("another split", one)

    train(played(3, 50, "run"), "tree", out=tmp_path / "shorter")
    assert "another split" in note("shorter", played(3, 100, "run"))


def test_the_page_stands_alone(comparison, tmp_path):
    page = write_page(tmp_path / "page.html", comparison, match_table=[MATCH]).read_text()
    assert (
        "http" not in page.replace("http://www.w3.org", "")
        and "<script" not in page
        and "<link" not in page
    )
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)
    for heading in (
        "Models", "Cost", "Matches", "Calibration", "Error by stage", "Outcomes",
    ):  # fmt: skip
        assert f"<h2>{heading}</h2>" in page
    assert "ridge &lt;1&gt;" in page and "62.5 % (58.0 to 67.0)" in page
    pictures = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    assert len(pictures) == 3
    assert "currentColor" in page and "#010203" not in page
    assert len(page) < 1_000_000
    for picture in pictures:
        ElementTree.fromstring(picture.replace("<svg", '<svg xmlns:xlink="x"', 1))


@pytest.mark.slow
def test_the_page_of_a_game_without_stages(tmp_path):
    plan = SelfplayPlan(
        game="tic_tac_toe", depth=2, opening_plies=1, epsilon=0.2, exact_from=0, seed=4
    )
    small = generate(plan, 300, tmp_path / "data")
    comparison = compare(small, ["linear", "forest", "zero"])
    assert np.isfinite(comparison.table["log loss"]).all()
    page = write_page(tmp_path / "x.html", comparison).read_text()
    assert "Error by stage" in page
    with pytest.warns(UserWarning, match="only 12 different openings"):
        compare(small, ["linear"], pairs=20)


def test_the_best_is_ahead_on_the_same_games(comparison):
    best, *others = comparison.models
    assert best.behind is None and not best.is_tied
    losses = {}
    resampling = Resampling(
        comparison.split.frame["game_id"].to_numpy()[comparison.split.held_out], 0
    )
    outcomes = comparison.split.outcomes[comparison.split.held_out]
    for model in comparison.models:
        drawn = resampling.figures(terms(model.scores, outcomes, model.metrics["scale"]))
        losses[model.name] = drawn["log_loss"]
        low, high = model.bounds["log_loss"]
        assert low < model.metrics["log_loss"] < high
    for model in others:
        difference, (low, high) = model.behind
        assert difference == model.metrics["log_loss"] - best.metrics["log_loss"]
        between = losses[model.name] - losses[best.name]
        assert (low, high) == pytest.approx(tuple(np.quantile(between, [0.025, 0.975])))
        assert model.is_tied == (low <= 0)
    assert comparison.models[-1].name == "wpc" and "wpc" not in comparison.tied


@pytest.mark.slow
def test_the_page_of_a_dataset_that_no_evaluator_played(comparison, tmp_path):
    dataset = comparison.split.dataset
    manifest = dataset.manifest | {"settings": {"files": ["WTH_2001.wtb"]}}
    imported = dataclasses.replace(dataset, manifest=manifest)
    split = dataclasses.replace(comparison.split, dataset=imported)
    changed = dataclasses.replace(comparison, split=split)
    page = write_page(tmp_path / "page.html", changed).read_text()
    assert "positions. All figures" in page and "played by" not in page
    games = split.frame["game_id"]
    rows = games.isin(games.iloc[split.held_out]).sum()
    assert f"{len(split.held_out):,} of the {rows:,} positions of" in page
    assert rows > len(split.held_out) and "before a random move" in page
