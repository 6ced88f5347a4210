import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from errors import UserError
from reports import compare, write_page
from reports.figures import square_weights
from selfplay import Plan, generate
from train import train

MATCH = {
    "a": "ridge <1>", "b": "classic", "games": 400, "score": 0.625, "score_low": 0.58,
    "score_high": 0.67, "elo": 88.7, "elo_low": 56.0, "elo_high": 123.0, "pentanomial": [1, 2],
    "sprt": None,
}  # fmt: skip


@pytest.fixture(scope="session")
def dataset(tmp_path_factory):
    plan = Plan(depth=1, explore=0.05, exact_from=6, seed=4)
    return generate(plan, 300, tmp_path_factory.mktemp("reports") / "data")


@pytest.fixture(scope="session")
def comparison(dataset, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports") / "saved"
    train(dataset, "mlp-classifier", out=folder, seed=9)
    return compare(dataset, ["wpc", "ridge", "tree", str(folder), "classic"])


def test_sorted_by_log_loss(comparison):
    table = comparison.table
    assert set(table["model"]) == {"wpc", "ridge", "tree", "saved", "classic"}
    assert table["log loss"].is_monotonic_increasing
    assert (table["nanoseconds per evaluation"] > 0).all()
    trained = table.set_index("model").loc[["ridge", "tree", "saved"]]
    assert trained[["parameters", "seconds to train"]].notna().all(axis=None)


def test_models_are_trained_as_train_trains_them(comparison, dataset):
    of_ridge = next(m for m in comparison.models if m.name == "ridge")
    assert of_ridge.metrics == train(dataset, "ridge").metrics


def test_a_model_that_has_seen_held_out_games_is_noted(comparison):
    notes = {m.name: m.note for m in comparison.models}
    assert "another split" in notes["saved"]
    assert not notes["ridge"] and not notes["classic"]


def test_classes_of_squares_stand_on_the_board(comparison):
    weights = next(m.weights for m in comparison.models if m.name == "ridge")
    by_square = square_weights(weights, comparison.split.game)
    assert by_square.shape == (64, 5)
    for corner in ("a1", "h1", "a8", "h8"):
        assert (by_square.loc[corner] == weights.loc["square_classes_a1"]).all()
    assert (by_square.loc["g7"] == weights.loc["square_classes_b2"]).all()


def test_the_page_stands_alone(comparison, tmp_path):
    page = write_page(tmp_path / "page.html", comparison, match_table=[MATCH]).read_text()
    assert "http" not in page and "<script" not in page and "<link" not in page
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)
    for heading in ("Models", "Matches", "Calibration", "Error by stage", "Outcomes"):
        assert f"<h2>{heading}</h2>" in page
    assert "ridge &lt;1&gt;" in page and "62.5% (58.0% to 67.0%)" in page
    pictures = re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)
    assert len(pictures) >= 6
    for picture in pictures:
        ElementTree.fromstring(picture.replace("<svg", '<svg xmlns:xlink="x"', 1))


def test_boards_and_bars_of_a_game_without_stages(tmp_path):
    plan = Plan(game="tic_tac_toe", depth=2, opening_plies=1, explore=0.2, exact_from=0, seed=4)
    small = generate(plan, 300, tmp_path / "data")
    comparison = compare(small, ["linear", "forest", "zero"])
    assert np.isfinite(comparison.table["log loss"]).all()
    assert "Weights of squares" in write_page(tmp_path / "x.html", comparison).read_text()


def test_bad_input(dataset, tmp_path):
    with pytest.raises(UserError, match="at least one"):
        compare(dataset, [])
    with pytest.raises(UserError, match="'zip' is no recipe"):
        compare(dataset, ["ridge", "zip"])
    with pytest.raises(UserError, match="holds games of othello"):
        compare(dataset, ["ridge"], game="connect_four")
