"""Estimators without a compiled form: the search calls back into Python."""

import threading

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from samuel.common.errors import UserError
from samuel.features import Features
from samuel.games import Position, game_named
from samuel.games.evaluator import Evaluator
from samuel.games.playing import random_positions
from samuel.models.compiled.slow import SlowEvaluatorWarning
from samuel.models.convert import compile_model, predict
from samuel.models.evaluate import evaluate
from samuel.search.analysis import analyse

OTHELLO = game_named("othello")
POSITIONS = random_positions(OTHELLO, 500, seed=1)
FRESH = random_positions(OTHELLO, 100, seed=2)
START = Position(OTHELLO, OTHELLO.start, 0)


class Fragile(RegressorMixin, BaseEstimator):
    """Gives `good` for some calls and then raises."""

    def __init__(self, error: object = None, good: int = 12, score: float = 1.0) -> None:
        self.error = error
        self.good = good
        self.score = score

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Fragile":
        self.calls_ = 0
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        self.calls_ += 1
        if self.calls_ > self.good:
            if self.error is not None:
                raise self.error
            return np.full(len(X), np.nan)
        return np.full(len(X), self.score)


def compiled(model: object, y: np.ndarray | None = None, **settings: float) -> Evaluator:
    y = np.bitwise_count(POSITIONS[:, 0]).astype(float) if y is None else y
    pipeline = make_pipeline(Features(["mobility"]), model).fit(POSITIONS, y)
    with pytest.warns(SlowEvaluatorWarning, match=type(model).__name__):
        return compile_model(pipeline, "model", **settings)


def test_it_scores_as_scikit_learn_does() -> None:
    model = make_pipeline(Features(["mobility"]), KNeighborsRegressor()).fit(
        POSITIONS, np.bitwise_count(POSITIONS[:, 0]).astype(float)
    )
    scores = evaluate(compiled(KNeighborsRegressor()), OTHELLO, FRESH)
    np.testing.assert_array_equal(scores, predict(model, FRESH))


def test_it_warns_once_a_model_with_the_time_of_a_call(recwarn: pytest.WarningsRecorder) -> None:
    evaluator = compiled(KNeighborsRegressor())
    recwarn.clear()
    evaluate(evaluator, OTHELLO, FRESH[:3])
    evaluate(evaluator, OTHELLO, FRESH[:3])
    assert not [w for w in recwarn if w.category is SlowEvaluatorWarning]


def test_the_search_runs_it() -> None:
    result = analyse(START, compiled(KNeighborsRegressor()), depth=2)
    assert result.move in ("d3", "c4", "f5", "e6")
    assert analyse(START, compiled(Fragile(good=10**9)), depth=1).score == -1.0


@pytest.mark.parametrize("error", [RuntimeError("lost"), KeyboardInterrupt(), SystemExit(3)])
def test_an_exception_comes_out_after_the_kernel(error: BaseException) -> None:
    with pytest.raises(type(error)):
        evaluate(compiled(Fragile(error)), OTHELLO, FRESH)
    with pytest.raises(type(error)):
        analyse(START, compiled(Fragile(error)), depth=3)


def test_a_score_that_is_no_number_is_an_error() -> None:
    with pytest.raises(UserError, match="Fragile returned nan"):
        evaluate(compiled(Fragile()), OTHELLO, FRESH)


def test_several_threads() -> None:
    evaluator = compiled(KNeighborsRegressor())
    expected = evaluate(evaluator, OTHELLO, FRESH[:20])
    found: list[np.ndarray] = []
    threads = [
        threading.Thread(target=lambda: found.append(evaluate(evaluator, OTHELLO, FRESH[:20])))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3
    assert all(np.array_equal(scores, expected) for scores in found)
