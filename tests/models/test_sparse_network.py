"""`SparseNetwork`: one layer of hidden units, fitted row by row to columns most of which are 0."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
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


def test_it_learns_what_is_not_linear_through_noise() -> None:
    noisy = Y + RANDOM.normal(0, 1, len(Y))
    model = SparseNetwork(units=20, random_state=0).fit(X, noisy)
    assert np.mean((model.predict(X) - Y) ** 2) < 0.02 < Y.var() / 10


def test_steps_that_diverge_are_made_smaller_or_refused() -> None:
    rows, target = make_regression(200, 10, n_informative=1, bias=5, noise=20, random_state=42)
    rows = StandardScaler().fit_transform(rows)
    for seed in range(3):
        with pytest.warns(ConvergenceWarning, match="learning_rate=20 diverges on these rows; "):
            model = SparseNetwork(learning_rate=20, random_state=seed).fit(rows, target)
        assert model.score(rows, target) > 0.5
    kept = model.coefs_[0].copy()
    with pytest.raises(ValueError, match=r"diverges, with a learning_rate of .* too: scale"):
        model.set_params(learning_rate=1e9, warm_start=True).fit(rows, target)
    assert np.array_equal(model.coefs_[0], kept)


def test_zeros_may_be_left_out() -> None:
    dense, sparse = (
        SparseNetwork(8, epochs=2, random_state=0).fit(of, Y) for of in (X, csr_array(X))
    )
    assert (dense.coefs_[0] == sparse.coefs_[0]).all()
    given = csr_array(X[:9])
    # sums of numbers near 1 in single precision, in another order: some units of its last place
    np.testing.assert_allclose(sparse.predict(given), dense.predict(X[:9]), rtol=1e-6, atol=5e-7)


def test_the_same_seed_gives_the_same_network() -> None:
    one, same, other = (SparseNetwork(8, epochs=1, random_state=s).fit(X, Y) for s in (1, 1, 2))
    assert (one.predict(X) == same.predict(X)).all() and (one.predict(X) != other.predict(X)).any()


def test_rows_without_weight_are_not_learned_from() -> None:
    weight = np.repeat([1.0, 0.0], len(X) // 2)
    wrong = np.where(weight > 0, Y, -Y)
    model = SparseNetwork(20, random_state=0).fit(X, wrong, weight)
    assert np.mean((model.predict(X) - Y) ** 2) < Y.var() / 10


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


def test_a_further_fit_goes_on_where_it_is_asked_to() -> None:
    rows, target = X[:2000], Y[:2000]
    once = SparseNetwork(8, epochs=1, random_state=0).fit(rows, target)
    anew = np.mean((once.predict(rows) - target) ** 2)
    for warm in (True, False):
        model = once.set_params(warm_start=warm)
        for _ in range(10):
            model.fit(rows, target)
        error = np.mean((model.predict(rows) - target) ** 2)
        assert error < anew / 2 if warm else error == anew


@pytest.mark.parametrize("warm", [False, True])
def test_the_unit_of_the_targets_does_not_matter(warm: bool) -> None:
    small, large = (SparseNetwork(8, epochs=1, warm_start=warm, random_state=0) for _ in range(2))
    for _ in range(2):
        small.fit(X, 0.001 * Y)
        large.fit(X, 1000 * Y + 5000)
    np.testing.assert_allclose(1e6 * small.predict(X) + 5000, large.predict(X), atol=1)


def test_what_goes_on_keeps_its_columns() -> None:
    X = np.random.default_rng(0).normal(size=(40, 6))
    model = SparseNetwork(4, epochs=1, warm_start=True, random_state=0).fit(X, X[:, 0])
    for columns in (3, 9):
        with pytest.raises(ValueError, match="a warm start must keep the columns and the units"):
            model.fit(np.tile(X, 2)[:, :columns], X[:, 0])
