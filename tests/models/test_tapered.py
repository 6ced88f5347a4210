"""Texel's method against scikit-learn's logistic regression, and what it keeps."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import samuel
from samuel.common.errors import UserError
from samuel.features import extract, features_named
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.games.rows import are_quiet, left_of
from samuel.models.evaluate import evaluate
from samuel.models.named import handmade
from samuel.models.tapered import TaperedLogistic

GAME = game_named("chess")
FEATURES = ["material", "bishop_pair", "rooks"]
UNIT = GAME.scale


@pytest.fixture(scope="module")
def rows():  # type: ignore[no-untyped-def]
    """Positions, and results drawn by what `classic` says of them."""
    positions = random_positions(GAME, 4000, seed=1, max_plies=120)
    odds = evaluate(handmade("classic", GAME), GAME, positions) / UNIT
    won = np.random.default_rng(1).random(len(odds)) < 1 / (1 + np.exp(-odds))
    return positions, np.where(won, 1.0, 0.0)


def test_it_finds_what_logistic_regression_finds(rows) -> None:  # type: ignore[no-untyped-def]
    positions, won = rows
    model = TaperedLogistic(FEATURES, "chess", alpha=0.0, tol=1e-12)
    model.fit(positions, (2 * won - 1) * 2 * UNIT)
    columns = extract(features_named(FEATURES, "chess"), positions).astype(float)
    share = left_of(GAME, positions)[:, None] / GAME.most_left
    tapered = np.hstack([columns * (1 - share), columns * share])
    peer = LogisticRegression(C=1e9, fit_intercept=False, tol=1e-10, max_iter=10_000)
    peer.fit(tapered, won)
    assert model.coef_.ravel() == pytest.approx(peer.coef_.ravel() * UNIT, rel=0.02, abs=0.02)
    odds = peer.decision_function(tapered)
    loss = np.mean(np.logaddexp(0, odds) - won * odds)
    assert model.loss_ == pytest.approx(loss, rel=1e-5)
    assert model.loss_ < model.first_loss_


def test_errors_of_weights_shrink_with_the_rows(rows) -> None:  # type: ignore[no-untyped-def]
    positions, won = rows
    targets = (2 * won - 1) * 2 * UNIT
    few = TaperedLogistic(FEATURES, "chess").fit(positions[:1000], targets[:1000])
    many = TaperedLogistic(FEATURES, "chess").fit(positions, targets)
    ratio = np.median(few.errors_ / many.errors_)
    assert 1.6 < ratio < 2.5


def test_few_rows_change_the_weights_of_a_start_little(rows) -> None:  # type: ignore[no-untyped-def]
    positions, won = rows
    targets = (2 * won - 1) * 2 * UNIT
    made = (TaperedLogistic(["activity"], start="classic", alpha=a) for a in (1e-6, None))
    free, held = (model.fit(positions[:300], targets[:300]) for model in made)
    changes = [np.abs(model.coef_ - model.start_).mean() for model in (free, held)]
    assert changes[1] < 0.2 * changes[0]
    before, after = held.losses(positions[300:], targets[300:])
    assert after < free.losses(positions[300:], targets[300:])[1]
    assert after < before + 0.01


def test_what_is_not_fitted_stays_and_the_scale_is_fitted_first(rows) -> None:  # type: ignore[no-untyped-def]
    positions, won = rows
    model = TaperedLogistic(["tempo"], "chess", start="classic", max_iter=0)
    model.fit(positions, (2 * won - 1) * 2 * UNIT)
    assert model.scale_ == pytest.approx(UNIT, rel=0.15)
    classic = evaluate(handmade("classic", GAME), GAME, positions)
    assert model.predict(positions) == pytest.approx(classic, abs=1e-3)
    evaluator = samuel.compile_model(model, "tuned")
    assert evaluate(evaluator, GAME, positions) == pytest.approx(classic, abs=1e-3)


def test_it_is_an_estimator_of_scikit_learn(rows) -> None:  # type: ignore[no-untyped-def]
    positions, won = rows
    model = clone(TaperedLogistic(FEATURES, "chess", alpha=0.1))
    assert model.get_params()["alpha"] == 0.1
    doubled = clone(model).fit(positions, won, sample_weight=np.full(len(won), 2.0))
    assert doubled.coef_ == pytest.approx(model.fit(positions, won).coef_, rel=1e-4, abs=1e-6)
    with pytest.raises(UserError, match="start must be a linear hand-made evaluator of chess"):
        TaperedLogistic(FEATURES, "chess", start="random").fit(positions, won)
    with pytest.raises(UserError, match="knots must be ascending numbers"):
        TaperedLogistic(FEATURES, "chess", knots=(3, 1)).fit(positions, won)


def test_quiet_positions_are_told_by_checks_and_exchanges() -> None:
    fens = {
        "4k3/8/8/3p4/4P3/8/8/4K3 w - -": False,
        "4k3/2p5/3p4/8/8/8/8/3RK3 w - -": True,
        "4k3/8/8/8/8/8/8/4RK2 b - -": False,
        "4k3/8/8/8/8/8/8/3R1K2 b - -": True,
    }
    words = [samuel.Position.parse(fen, GAME).words for fen in fens]
    assert are_quiet(GAME, np.array(words, np.uint64)).tolist() == list(fens.values())


def test_rows_that_are_there_twice_say_no_more_where_they_are_of_one_game(rows) -> None:  # type: ignore[no-untyped-def]
    positions, won = rows
    targets, games = (2 * won - 1) * 2 * UNIT, np.arange(len(won))
    once = TaperedLogistic(FEATURES, "chess", scale=UNIT, alpha=0).fit(positions, targets)
    draw = np.random.default_rng(2).permutation(4 * len(won)) % len(won)
    many = TaperedLogistic(FEATURES, "chess", scale=UNIT, alpha=0)
    many.fit(positions[draw], targets[draw])
    assert np.median(many.errors_ / once.errors_) == pytest.approx(0.5, rel=0.01)
    many.fit(positions[draw], targets[draw], groups=games[draw])
    assert many.coef_ == pytest.approx(once.coef_, rel=0.01, abs=0.01)
    assert np.median(many.errors_ / once.errors_) == pytest.approx(1, rel=0.1)
    many.fit(positions[draw], targets[draw], groups=np.zeros(len(draw)))
    assert np.median(many.errors_ / once.errors_) == pytest.approx(0.5, rel=0.01)
