"""Texel's method against scikit-learn's logistic regression, and what it keeps."""

from __future__ import annotations

import numpy as np
import pytest
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
UNIT = GAME.scores.scale


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


def test_weights_are_taken_in_double_precision(rows) -> None:  # type: ignore[no-untyped-def]
    positions, won = (one[:500] for one in rows)
    weights = np.random.default_rng(0).uniform(1, 2, len(won))
    fitted = [
        TaperedLogistic(FEATURES, "chess").fit(
            positions, 4 * UNIT * won - 2 * UNIT, factor * weights
        )
        for factor in (1, 2.0**-200)
    ]
    np.testing.assert_array_equal(fitted[0].coef_, fitted[1].coef_)


def test_what_is_not_fitted_stays_and_the_scale_is_fitted_first(rows) -> None:  # type: ignore[no-untyped-def]
    positions, won = rows
    model = TaperedLogistic(["tempo"], "chess", start="classic", max_iter=0)
    model.fit(positions, (2 * won - 1) * 2 * UNIT)
    assert model.scale_ == pytest.approx(UNIT, rel=0.15)
    classic = evaluate(handmade("classic", GAME), GAME, positions)
    assert model.predict(positions) == pytest.approx(classic, abs=1e-3)
    evaluator = samuel.compile_model(model, "tuned")
    assert evaluate(evaluator, GAME, positions) == pytest.approx(classic, abs=1e-3)


@pytest.mark.parametrize("start", ["zero", "cut-off/model"])
def test_a_fit_starts_only_from_a_hand_made_linear_evaluator(rows, start: str) -> None:  # type: ignore[no-untyped-def]
    positions, won = rows
    with pytest.raises(UserError, match=rf"evaluator of chess: classic.* \(got {start}\)"):
        TaperedLogistic(["tempo"], "chess", start=start).fit(positions, won)


def test_quiet_positions_are_told_by_checks_and_exchanges() -> None:
    fens = {
        "4k3/8/8/3p4/4P3/8/8/4K3 w - -": False,
        "4k3/2p5/3p4/8/8/8/8/3RK3 w - -": True,
        "4k3/8/8/8/8/8/8/4RK2 b - -": False,
        "4k3/8/8/8/8/8/8/3R1K2 b - -": True,
    }
    words = [samuel.Position.parse(fen, GAME).words for fen in fens]
    assert are_quiet(GAME, np.array(words, np.uint64)).tolist() == list(fens.values())
