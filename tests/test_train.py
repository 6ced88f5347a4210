import json

import numpy as np
import pytest

from errors import UserError
from games.symmetry import canonical_keys
from learning import Split, recipe_names
from models import evaluate, load_model
from models.convert import predict
from selfplay import Dataset, Plan, generate
from train import train, train_on


@pytest.fixture(scope="session")
def noughts(tmp_path_factory):
    plan = Plan(game="tic_tac_toe", depth=2, opening_plies=1, explore=0.2, exact_from=0, seed=4)
    return generate(plan, 400, tmp_path_factory.mktemp("data") / "noughts")


@pytest.fixture(scope="session")
def othello(tmp_path_factory):
    plan = Plan(depth=1, explore=0.05, exact_from=6, seed=4)
    return generate(plan, 300, tmp_path_factory.mktemp("data") / "othello")


@pytest.fixture(scope="session")
def split(othello):
    return Split.of(othello, seed=1)


def test_the_three_parts_share_no_game_and_held_out_positions_are_new(split):
    games = split.frame["game_id"].to_numpy()
    parts = [np.flatnonzero(split.train), split.calibration, split.held_out]
    for i, part in enumerate(parts):
        for other in parts[i + 1 :]:
            assert not set(games[part]) & set(games[other])
    keys = canonical_keys(split.game, split.dataset.positions)
    known = np.union1d(keys[parts[0]], keys[parts[1]])
    assert not np.isin(keys[parts[2]], known).any()


def test_the_same_seed_gives_the_same_split(othello, split):
    again, other = Split.of(othello.folder, seed=1), Split.of(othello, seed=2)
    assert (again.train == split.train).all()
    assert (again.held_out == split.held_out).all()
    assert len(other.held_out) != len(split.held_out) or (other.held_out != split.held_out).any()


@pytest.mark.parametrize("model", recipe_names())
def test_every_recipe_learns_and_plays_as_it_predicts(split, model):
    trained = train_on(split, model, features=["square_classes", "mobility", "stability"])
    metrics = trained.metrics
    assert metrics["r2"] > 0.25 and metrics["log_loss"] < 0.62
    assert metrics["log_loss"] < 0.69 and metrics["rank_correlation"] > 0.5
    positions = split.held_out_positions[:500]
    expected = predict(trained.estimator, positions, trained.scale)
    found = evaluate(trained.evaluator, split.game, positions)
    assert np.abs(found - expected).max() < 1e-3


def test_the_same_seed_gives_the_same_model(split):
    one, two = (train_on(split, "mlp", features=["mobility"]) for _ in range(2))
    assert one.metrics == two.metrics


@pytest.mark.parametrize("target", ["outcome", "score", "blend"])
def test_targets(split, target):
    trained = train_on(split, "ridge", target=target, blend=0.3)
    labelled = split.examples(target, 0.3, classifier=False)
    assert trained.rows == len(labelled)
    assert trained.metrics["r2_target"] >= trained.metrics["r2"] - 1e-9
    assert trained.baseline is not None


def test_a_saved_model_says_what_it_is(noughts, tmp_path):
    trained = train(noughts, "logistic", out=tmp_path / "model", seed=3)
    assert trained.name == "model"
    saved = load_model(tmp_path / "model")
    positions = noughts.positions
    assert (evaluate(trained.evaluator, noughts.game, positions) == saved.predict(positions)).all()
    card = json.loads((tmp_path / "model" / "model.json").read_text())
    assert card["recipe"] == "logistic" and card["rows"] == trained.rows
    assert card["metrics"] == trained.metrics
    assert card["data"]["settings"] == noughts.manifest["settings"]


def test_a_classifiers_scores_are_in_the_games_unit(split):
    trained = train_on(split, "logistic")
    scores = evaluate(trained.evaluator, split.game, split.held_out_positions)
    assert 0.3 < np.std(scores) / np.std(split.outcomes) < 1.5


def test_own_features_and_stages(split):
    trained = train_on(split, "ridge", features=["mobility"], stages=2)
    assert trained.estimator.knots == (0, 60)
    assert trained.estimator.estimator[0].features == ["mobility"]


def test_bad_input(noughts, othello, tmp_path):
    for message, given in {
        "no recipe called": {"model": "magic"},
        "no feature called": {"features": ["mobility"]},
        "no target": {"target": "luck"},
        "holds games of tic_tac_toe": {"game": "othello"},
        "between 0 and 1": {"held_out": 1.0},
        "stages do not fit": {"stages": 50},
    }.items():
        with pytest.raises(UserError, match=message):
            train(noughts, **given)
    with pytest.raises(UserError, match="no dataset at"):
        train(tmp_path / "missing")
    with pytest.raises(UserError, match="holds a dataset"):
        train(othello, features=["mobility"], out=othello.folder)


def test_too_little_data(tmp_path):
    one = generate(Plan(game="tic_tac_toe", depth=1), 1, tmp_path / "one")
    with pytest.raises(UserError, match="games"):
        train(one)
    empty = tmp_path / "empty"
    empty.mkdir()
    manifest = one.manifest | {"shards": {}}
    (empty / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match="no positions yet"):
        train(empty)
    assert Dataset.open(one.folder).games == 1
