"""Splits in several batches: the same games, the same fit."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline

from samuel.common.errors import UserError
from samuel.features import Features
from samuel.games.catalog import game_named
from samuel.games.playing import random_positions
from samuel.learning.fitting.by_moments import _solve, fit_by_moments
from samuel.learning.fitting.estimators import fit, fit_split, unfitted
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.training_data import TrainingData
from samuel.learning.training import train
from samuel.models import Staged
from samuel.reports.trained import trained_view
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan


@pytest.fixture(scope="module")
def othello(tmp_path_factory):
    plan = SelfplayPlan(game="othello_6x6", depth=1, epsilon=0.05, exact_from=6, seed=4)
    return generate(plan, 2000, tmp_path_factory.mktemp("data") / "six")


def streamed(dataset, batch_rows=20_000, **options):
    return Split.of(dataset, batch_rows=batch_rows, **options)


def rows_in(split, chosen):
    """Return rows as a set of (game, ply)."""
    some = split.frame[["game_id", "ply"]].to_numpy()[chosen]
    return set(map(tuple, some.tolist()))


def read(stream):
    """Return the batches but the last, which is the stream itself."""
    return [batch() for batch in stream.batches()[:-1]]


def test_a_stream_divides_the_games_as_a_split_does(othello):
    stream, split = streamed(othello, seed=3), Split.of(othello, seed=3)
    assert rows_in(stream, stream.held_out) == rows_in(split, split.held_out)
    assert rows_in(stream, stream.calibration) == rows_in(split, split.calibration)
    batches = read(stream)
    assert len(batches) > 2
    trained = [rows_in(batch, batch.train) for batch in batches] + [rows_in(stream, stream.train)]
    assert set.union(*trained) == rows_in(split, split.train)
    assert sum(map(len, trained)) == split.train.sum()
    assert stream.share == split.share == 0.2
    again = streamed(othello.folder, seed=3)
    assert (again.held_out == stream.held_out).all() and again.labels.scale == stream.labels.scale


FITTINGS = [
    ("tuples2", FitOptions("blend", augment=True)),
    ("tuples2", FitOptions("td", plies=(4, 28))),
    ("tuples2", FitOptions("exact")),
    ("tuples2-logistic", FitOptions("outcome", plies_left=(2, 25))),
]


@pytest.mark.parametrize("model, fitting", FITTINGS)
def test_a_streamed_fit_is_that_of_all_rows(othello, model, fitting):
    """To rounding, which conjugate gradients magnify from step to step."""
    fitting = replace(fitting, parameters={"early_stopping": False, "max_iter": 3})
    stream = streamed(othello, seed=1)
    split = Split.of(othello, seed=1)
    split = replace(split, labels=replace(split.labels, given_scale=stream.labels.scale))
    one, other = (unfitted(model, othello.game, fitting) for _ in range(2))
    rows, _ = fit_split(one, stream, fitting, model)
    examples = split.examples(fitting, classifier="logistic" in model)
    fit(other, TrainingData.of_split(split, fitting, other), model)
    assert rows == len(np.unique(examples.rows))
    assert np.abs(other.coef_).max() > 0.05
    assert np.abs(one.coef_ - other.coef_).max() < 1e-4 * np.abs(other.coef_).max()
    assert one.intercept_ == pytest.approx(other.intercept_, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("model", ["ridge", "linear"])
@pytest.mark.parametrize("stages", [1, 3])
def test_least_squares_by_moments_are_those_of_scikit_learn(othello, model, stages):
    fitting = FitOptions(weights={"late": 1}, features=["mobility", "corners"], stages=stages)
    stream = streamed(othello, seed=1)
    split = Split.of(othello, seed=1)
    split = replace(split, labels=replace(split.labels, given_scale=stream.labels.scale))
    one, other = (unfitted(model, othello.game, fitting) for _ in range(2))
    fit_split(one, split, fitting, model)
    data = TrainingData.of_split(split, fitting, other)
    fit(other, data, model)
    expected = other.predict(data.positions)
    np.testing.assert_allclose(one.predict(data.positions), expected, atol=2e-3)
    rows, _ = fit_split(one, stream, fitting, model)
    assert rows == data.different_rows
    assert np.corrcoef(one.predict(data.positions), expected)[0, 1] > 0.999


@pytest.mark.parametrize("model", [Ridge(), Ridge(0.5, fit_intercept=False), LinearRegression()])
def test_columns_may_be_rare_constant_or_alike(model):
    random = np.random.default_rng(0)
    common, rare = random.normal(0, 3000, 20_000), random.random(20_000) < 3e-4
    X = np.column_stack([common, rare, 7 + 0 * common, 3 * rare, 1 - common])
    y = 0.001 * common + 5 * rare + random.normal(0, 0.1, 20_000)
    columns = np.column_stack([np.ones(20_000), X, y])
    found = _solve(make_pipeline(Features(["squares"], "tic_tac_toe"), model), columns.T @ columns)
    expected = clone(model).fit(X, y)
    np.testing.assert_allclose(found[-1].coef_, expected.coef_, atol=1e-6)
    assert found[-1].intercept_ == pytest.approx(expected.intercept_, abs=1e-4)


@pytest.mark.parametrize(
    ("parameters", "weights", "said"),
    [
        ({"alpha": -1}, 1, "'alpha' parameter of Ridge must be"),
        ({}, -1, "sample_weight must be at least 0, and above zero for some row"),
        ({}, 0, "sample_weight must be at least 0, and above zero for some row"),
        ({}, None, "there are no games to fit to"),
    ],
)
def test_what_moments_cannot_be_fitted_to_is_refused(parameters, weights, said):
    positions = random_positions(game_named("tic_tac_toe"), 50, seed=1)
    each = np.full(50, weights or 0, np.float32)
    zeros = np.zeros(50, np.int64)
    data = TrainingData(np.arange(50), positions, each, each, zeros)
    model = make_pipeline(Features(["squares"], "tic_tac_toe"), Ridge(**parameters))
    with pytest.raises((ValueError, UserError), match=said):
        fit_by_moments(model, [] if weights is None else [data])


def test_knots_of_a_fit_by_moments_ascend():
    inner = make_pipeline(Features(["squares"], "tic_tac_toe"), Ridge())
    with pytest.raises(UserError, match="knots must be ascending numbers"):
        fit_by_moments(Staged(inner, (5, 2), "tic_tac_toe"), [])


def test_in_one_batch_the_weights_and_the_scale_are_those_of_all_rows(othello):
    fitting = FitOptions(weights={"late": 1, "exact": 3})
    stream, split = streamed(othello, 1_000_000, seed=1), Split.of(othello, seed=1)
    (batch,) = read(stream)
    both = batch.examples(fitting, classifier=False)
    whole = split.examples(fitting, classifier=False)
    at = np.searchsorted(whole.rows, both.rows)
    assert (whole.rows[at] == both.rows).all() and (both.target == whole.target[at]).all()
    ratio = both.weight / whole.weight[at]
    assert np.ptp(ratio) < 1e-4 and ratio.mean() == pytest.approx(1, abs=0.01)
    expected = dict(zip(split.held_out, split.held_out_targets(fitting), strict=True))
    assert sorted(stream.held_out_targets(fitting)) == sorted(expected.values())


@pytest.mark.slow
def test_an_early_stop_is_judged_by_games_in_memory(othello):
    stream, said = streamed(othello, seed=1), []
    estimator, other = (unfitted("tuples2", othello.game, FitOptions()) for _ in range(2))
    rows, _ = fit_split(estimator, stream, FitOptions(), "tuples2", said.append)
    assert len(estimator.validation_scores_) == estimator.n_iter_
    batches = read(stream)

    def of(split):
        examples = split.examples(FitOptions(), classifier=False)
        return split.positions_of(examples), examples.target, None

    every = [np.concatenate(parts) for parts in zip(*(of(b)[:2] for b in batches), strict=True)]
    other.fit_batches([lambda: (*every, None)], held_out=[lambda: of(stream)])
    scores = estimator.validation_scores_[:8]
    assert scores == pytest.approx(other.validation_scores_[:8], abs=1e-5)
    assert rows == len(every[0]) + len(of(stream)[0])
    passes = f"fitting to {rows:,} rows: pass {1 + estimator.n_iter_}"
    assert said[-1] == passes and said[0] == f"choosing rows: batch 1 of {len(batches) + 1}"


def test_a_damaged_shard_is_no_batch_without_rows(othello, tmp_path):
    folder = shutil.copytree(othello.folder, tmp_path / "copy")
    stream = streamed(folder)
    last = sorted(folder.glob("*.parquet"))[-1]
    last.write_bytes(last.read_bytes()[:-9])
    with pytest.raises(UserError, match="cut off or altered"):
        fit_split(unfitted("tuples2", othello.game, FitOptions()), stream, FitOptions(), "tuples2")


@pytest.mark.parametrize(
    "model, fitting, message",
    [
        ("boosting", FitOptions(), "boosting needs all rows in memory .* is ridge, and patterns"),
        ("tuples2-network", FitOptions(), "tuples2-network needs all rows in memory"),
        ("tuples2", FitOptions(dedupe=True), "merging positions"),
        ("tuples2", FitOptions(weights={"rare": 1.0}), "the weight rare"),
    ],
)
def test_what_needs_all_rows_is_refused(othello, model, fitting, message):
    with pytest.raises(UserError, match=message):
        train(othello, model, fitting, stream=True)


@pytest.mark.parametrize("batch_rows", [None, 20])
def test_scores_without_any_outcome_are_outcomes(tmp_path, batch_rows):
    """Evaluations of Lichess have no results."""
    lines = [f"4k3/8/8/{'P' * n}{8 - n or ''}/8/8/8/4K3 w - -,{100 * n - 350}" for n in range(1, 8)]
    more = [line.replace("4K3", king) for line in lines for king in ("3K4", "2K5", "1K6", "K7")]
    file = tmp_path / "evaluations.csv"
    file.write_text("\n".join(["fen,score", *lines, *more]))
    data = import_games([file], tmp_path / "data", game="chess")
    with pytest.warns(UserWarning, match="no outcome is known"):
        split = Split.of(data, batch_rows=batch_rows)
    scores = split.frame["score"].to_numpy()
    assert (np.sign(split.outcomes) == np.sign(scores)).all() and np.abs(split.outcomes).max() < 100
    assert np.corrcoef(split.outcomes, scores)[0, 1] > 0.9
    assert len(split.held_out)
    if batch_rows is None:
        with pytest.warns(UserWarning, match="no outcome is known"):
            lines = trained_view(train(data, "ridge")).lines
        assert any("the scores of held-out games predict" in line for line in lines)
