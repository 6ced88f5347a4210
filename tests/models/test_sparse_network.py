"""`SparseNetwork`: one layer of hidden units, fitted to columns most of which are 0."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import SparseNetwork, compile_model, evaluate, load_model, save

RANDOM = np.random.default_rng(0)
X = (RANDOM.random((20_000, 12)) < 0.3).astype(np.float32)
Y = np.where(X[:, 0] * X[:, 1] > 0, 3.0, X[:, 2] - X[:, 3])  # not linear
BACKGAMMON = game_named("backgammon")


ONE_STEP = "a row of weight 2 is one larger step, and not two"


@parametrize_with_checks(
    [SparseNetwork(units=20, epochs=100)],
    expected_failed_checks=lambda _: {
        f"check_sample_weight_equivalence_on_{kind}_data": ONE_STEP for kind in ("dense", "sparse")
    },
)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_it_is_saved_and_scores_the_same_inside_the_search(tmp_path: Path) -> None:
    positions = random_positions(BACKGAMMON, 500, seed=1)
    target = np.cos(np.arange(len(positions)))
    model = make_pipeline(
        Features(["tesauro"], BACKGAMMON.name, sparse=True), SparseNetwork(8, random_state=0)
    ).fit(positions, target)
    expected = model.predict(positions)
    compiled = compile_model(model, "network")
    np.testing.assert_allclose(evaluate(compiled, BACKGAMMON, positions), expected, atol=1e-4)
    save(tmp_path / "model", model, name="network", keep_estimator=True)
    back = load_model(tmp_path / "model")
    np.testing.assert_allclose(back.estimator.predict(positions), expected, atol=1e-6)
    assert back.card["kind"] == "mlp"


@pytest.mark.parametrize("count", [0, 1, 70_000])
def test_features_may_be_sparse(count: int) -> None:
    positions = np.tile(random_positions(BACKGAMMON, 70, seed=1), (1000, 1))
    dense, sparse = (
        Features(["tesauro"], BACKGAMMON.name, sparse=sparse)
        .fit(positions)
        .transform(positions[:count])
        for sparse in (False, True)
    )
    assert sparse.dtype == np.float32 and sparse.shape == dense.shape
    assert (sparse.toarray() == dense).all()
