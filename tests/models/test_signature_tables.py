"""`SignatureTables` against plain Python, compiled, saved and loaded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.kernels.laid_out import flat_of, from_flat
from samuel.models import SignatureTables, compile_model, evaluate, load_evaluator, save
from samuel.models.compiled.signatures import GROUPS, Signatures, signatures_are_sound
from samuel.models.convert import compiled_model

OTHELLO = game_named("othello")
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(4000, 30)).astype(np.float32).round(1)
Y = np.sign(X[:, :8].sum(axis=1) + X[:, 0] * X[:, 1] + RANDOM.normal(size=4000))
WEIGHT = RANDOM.uniform(0.5, 3, 4000)


@parametrize_with_checks([SignatureTables()])
def test_it_is_an_estimator(estimator: object, check: object) -> None:
    check(estimator)  # type: ignore[operator]


def test_cells_hold_the_weighted_means() -> None:
    """Level by level, in pandas: what a cell says is the mean of its rows, in equal ranges."""
    model = SignatureTables().fit(X, Y, WEIGHT)
    frame = pd.DataFrame({"wy": WEIGHT * Y, "w": WEIGHT})
    outputs = []
    for group in range(GROUPS):
        place, part, cuts = np.zeros(len(X), int), 1, list(model.cuts_[group])
        for column, ranges in zip(model.columns_.reshape(6, 4)[group], (3, 3, 3, 5), strict=True):
            ends, cuts = cuts[: ranges - 1], cuts[ranges - 1 :]
            place += part * np.digitize(X[:, column], ends, right=True)
            part *= ranges
            shares = np.bincount(np.digitize(X[:, column], ends, right=True)) / len(X)
            assert len(shares) == ranges and shares.max() < 1.6 / ranges
        sums = frame.groupby(place).sum()
        means = (sums.wy / sums.w).sort_values()
        said = pd.Series(model.first_[group][means.index], means.index)
        assert said.is_monotonic_increasing  # by mean
        by_range = sums.w[means.index].groupby(said).sum()
        assert len(by_range) == 5 and by_range.max() < 1.5 * by_range.min()
        outputs.append(model.first_[group][place])
    first, second = (
        model.second_[table][sum(5**k * outputs[3 * table + k] for k in range(3))]
        for table in range(2)
    )
    sums = frame.groupby(first + 15 * second).sum()
    expected = (sums.wy / sums.w)[first + 15 * second].to_numpy()
    assert model.predict(X) == pytest.approx(expected)
    assert ((model.predict(X) > 0) == (Y > 0)).mean() > 0.75


def test_compiled_and_saved_it_scores_the_same(tmp_path: Path) -> None:
    rows = random_positions(OTHELLO, 3000, 1)
    target = evaluate("classic", OTHELLO, rows)
    estimator = make_pipeline(Features(["mobility", "corners"], "othello"), SignatureTables())
    estimator.fit(rows, target)
    scores = estimator.predict(rows)
    ended = np.array([OTHELLO.is_over(row) for row in rows])
    compiled = compile_model(estimator, "it")
    assert np.abs(evaluate(compiled, OTHELLO, rows) - scores)[~ended].max() < 1e-5
    save(tmp_path / "model", estimator, name="it", card={})
    loaded = load_evaluator(tmp_path / "model", OTHELLO)
    assert (evaluate(loaded, OTHELLO, rows) == evaluate(compiled, OTHELLO, rows)).all()


def test_a_block_that_would_leave_its_arrays_is_not_sound() -> None:
    rows = random_positions(OTHELLO, 300, 1)
    estimator = make_pipeline(Features(["mobility"], "othello"), SignatureTables())
    estimator.fit(rows, evaluate("classic", OTHELLO, rows))
    model = compiled_model(estimator)
    (block,) = model.blocks  # type: ignore[union-attr]
    assert signatures_are_sound(block, 2)
    assert not signatures_are_sound(block, 1)
    integers, floats = flat_of(block)
    for place, value in ((0, -1), (0, 2), (24, 5), (24 + 810, 15), (24, -1)):
        wrong = integers.copy()
        wrong[place] = value
        assert not signatures_are_sound(from_flat(Signatures, wrong, floats), 2)
    for cut in ((integers[:-1], floats), (integers, floats[:-1]), (integers, np.append(floats, 0))):
        with pytest.raises(ValueError, match="Signatures"):
            from_flat(Signatures, *cut)
    floats[-1] = np.nan
    assert not signatures_are_sound(from_flat(Signatures, integers, floats), 2)


def test_it_clones() -> None:
    assert isinstance(clone(SignatureTables()), SignatureTables)
