"""Feature selection: against plain refits, on targets whose features are known, and its errors."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

from samuel.common.errors import UserError
from samuel.features import extract, features_named
from samuel.features.terms import Stages
from samuel.learning.fitting.moments import (
    PENALTY,
    Design,
    absorb,
    fall,
    fitted_weights,
    mean_by_game,
    penalized,
)
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.targets import Labels
from samuel.learning.selection.ranking import forward
from samuel.learning.selection.selection import RANKINGS, select_features
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan

CANDIDATES = ["mobility", "corners", "disc_difference", "regions", "frontier", "full_edges"]


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    folder = tmp_path_factory.mktemp("selection") / "data"
    generate(SelfplayPlan(depth=1, epsilon=0.05, seed=1), games=300, out=folder)
    return Split.of(folder)


@pytest.fixture(scope="module")
def known(split):
    """Return the split with outcomes that are 3 (corner difference) + own moves, and noise."""
    corners, moves = (
        extract(features_named([name]), split.dataset.positions) for name in ("corners", "mobility")
    )
    noise = np.random.default_rng(0).normal(size=len(moves))
    outcome = 3 * (corners[:, 0] - corners[:, 1]) + moves[:, 0] + 0.5 * noise
    return replace(
        split,
        labels=Labels(split.frame.assign(outcome=outcome.astype(np.float32)), split.game),
    )


@pytest.fixture
def design():
    rng = np.random.default_rng(1)
    rows = 400
    features = rng.normal(size=(rows, 4)) @ rng.normal(size=(4, 4))
    target = features @ [1.0, 0, -2, 0.5] + rng.normal(size=rows)
    columns = np.column_stack([np.ones(rows), features, target]).astype(np.float32)
    hats = Stages.of((0, 30, 60), 60).hats(rng.integers(0, 61, rows)).astype(np.float32)
    return Design(columns, hats, np.ones(rows, np.float32), rng.integers(0, 20, rows))


def test_a_fit_from_products_is_ridge_by_stage(design):
    used = np.arange(400) % 4 > 0
    weights = fitted_weights(penalized(design.products(used)), np.array([1, 3]))
    assert weights.shape == (3, 5) and not weights[:, [2, 4]].any()
    for stage, found in enumerate(weights):
        ridge = Ridge(PENALTY).fit(
            design.columns[used][:, [1, 3]], design.columns[used, -1], design.hats[used, stage]
        )
        assert found[0] == pytest.approx(ridge.intercept_, abs=1e-4)
        assert found[[1, 3]] == pytest.approx(ridge.coef_, abs=1e-4)


def test_the_fall_of_the_error_is_that_of_refits(design):
    used = np.arange(400) % 4 > 0
    fit, judge = penalized(design.products(used)), design.products(~used)

    def error(columns):
        weights = fitted_weights(fit, np.array(columns, np.int64))
        scores = design.columns[~used, :-1] @ weights.T
        squared = np.square(scores - design.columns[~used, -1:])
        return float(np.sum(squared * design.hats[~used]))

    without, one = absorb(fit, judge, np.array([0])), np.array([3])
    assert fall(*without, one) == pytest.approx(error([]) - error([3]), rel=1e-4)
    further = absorb(*without, one)
    assert fall(*further, np.array([1, 2])) == pytest.approx(
        error([3]) - error([1, 2, 3]), rel=1e-4
    )
    assert np.abs(further[0][:, 3]).max() < 1e-6


def test_forward_selection_takes_the_refit_that_errs_least(design):
    design.columns[:, 1:] += [3, -2, 1, 0, 5]  # no column has mean 0
    folds = np.arange(400) % 4
    products = np.stack([design.products(folds == f) for f in range(4)], axis=1)
    groups = {"a": np.array([1]), "b": np.array([2, 3]), "c": np.array([4])}

    def error(columns):
        total = 0.0
        for f in range(4):
            rest = penalized(products.sum(axis=1) - products[:, f])
            weights = fitted_weights(rest, np.array(columns, np.int64))
            apart = design.columns[:, :-1] @ weights.T - design.columns[:, -1:]
            total += np.sum((np.square(apart) * design.hats)[folds == f])
        return total / 400

    chosen, before = [], error([])
    for name, score in forward(products, groups).items():
        errors = {n: error([*chosen, *c]) for n, c in groups.items() if c[0] not in chosen}
        assert name == min(errors, key=errors.get)
        assert score == pytest.approx(before - errors[name], abs=1e-4)
        chosen, before = [*chosen, *groups[name]], errors[name]


def test_standard_errors_take_games_for_independent():
    rng = np.random.default_rng(3)
    each = rng.normal(size=500)
    sums, weight = np.array([each * 10]), np.full(500, 10.0)  # ten rows a game, all alike
    mean, error = mean_by_game(sums, weight)
    assert mean[0] == pytest.approx(each.mean())
    assert error[0] == pytest.approx(each.std(ddof=1) / np.sqrt(500), rel=1e-6)
    assert np.isnan(mean_by_game(sums[:, :1], weight[:1])[1]).all()


@pytest.mark.parametrize("ranking", RANKINGS)
def test_the_features_that_matter_come_first(known, ranking):
    fitting = FitOptions(target="outcome", stages=1)
    found = select_features(known, ranking, candidates=CANDIDATES, fitting=fitting)
    assert set(found.table["feature"][:2]) == {"mobility", "corners"}
    assert set(found.table["feature"]) == set(CANDIDATES)
    assert found.recommended == list(found.table["feature"][:2])
    assert list(found.table.index) == [1, 2, 3, 4, 5, 6]
    assert found.table["r2"][2] > 0.95
    assert found.table["error"][2] == pytest.approx(0.25, rel=0.1)  # the noise
    assert found.table["cv_error"][2] == pytest.approx(0.25, rel=0.1)


def test_cross_validated_errors_are_those_of_refits(known):
    fitting = FitOptions(target="outcome", stages=1)
    found = select_features(known, candidates=["corners"], fitting=fitting)
    examples = known.examples(fitting, classifier=False)
    games = known.games_of(examples)
    matrix = extract(features_named(["corners"]), known.positions_of(examples))
    from sklearn.model_selection import GroupKFold, cross_val_predict

    scores = cross_val_predict(
        LinearRegression(), matrix, examples.target, groups=games, cv=GroupKFold(5)
    )
    error = float(np.mean(np.square(scores - examples.target)))
    assert found.table["cv_error"][1] == pytest.approx(error, rel=1e-3)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"ranking": "guess"}, "no ranking called 'guess'; there are sequential, l1, permutation"),
        ({"candidates": ["beauty"]}, "no feature called 'beauty'"),
        ({"candidates": []}, "at least one feature"),
        ({"most": 0}, r"most must be .*\(got 0\)"),
    ],
)
def test_what_cannot_be_selected(split, options, complaint):
    with pytest.raises(UserError, match=complaint):
        select_features(split, **options)
