"""One static evaluation, compiled and through scikit-learn's single-row predict."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import (
    ElasticNet,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Ridge,
    SGDRegressor,
)
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.common import median_seconds, record
from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import Staged, compile_model, evaluate
from samuel.models.convert import predict

FEATURES = ("square_classes", "mobility", "stability")
POSITIONS, SINGLE_ROWS = 20_000, 30
SCALE = 8.0


def estimators() -> dict[str, Any]:
    """Return an unfitted pipeline of each kind."""
    network: dict[str, Any] = {"max_iter": 3, "random_state": 0}
    models = {
        "LinearRegression": LinearRegression(),
        "Ridge": Ridge(),
        "Lasso": Lasso(alpha=0.02),
        "ElasticNet": ElasticNet(alpha=0.02),
        "SGDRegressor": SGDRegressor(random_state=0),
        "LogisticRegression": LogisticRegression(),
        "MLPRegressor 16": MLPRegressor(hidden_layer_sizes=(16,), **network),
        "MLPRegressor 64, 32": MLPRegressor(hidden_layer_sizes=(64, 32), **network),
        "MLPClassifier 32": MLPClassifier(hidden_layer_sizes=(32,), **network),
        "DecisionTreeRegressor, depth 12": DecisionTreeRegressor(max_depth=12, random_state=0),
        "DecisionTreeClassifier, depth 12": DecisionTreeClassifier(max_depth=12, random_state=0),
        "RandomForestRegressor 30, full depth": RandomForestRegressor(30, random_state=0),
        "RandomForestClassifier 30, full depth": RandomForestClassifier(30, random_state=0),
        "GradientBoostingRegressor 100 x 8": GradientBoostingRegressor(random_state=0),
        "GradientBoostingClassifier 100 x 8": GradientBoostingClassifier(random_state=0),
        "HistGradientBoostingRegressor 100 x 31": HistGradientBoostingRegressor(random_state=0),
        "HistGradientBoostingClassifier 100 x 31": HistGradientBoostingClassifier(random_state=0),
    }
    pipelines = {
        name: make_pipeline(Features(FEATURES), StandardScaler(), model)
        for name, model in models.items()
    }
    return pipelines | {
        "Ridge, 5 stages": Staged(pipelines["Ridge"]),
        "MLPRegressor 64, 32, 5 stages": Staged(pipelines["MLPRegressor 64, 32"]),
    }


def main() -> None:
    """Fit each kind to a made-up target and time it."""
    game = game_named("othello")
    seen = random_positions(game, 6000, seed=1)
    positions = random_positions(game, POSITIONS, seed=2)
    X = Features(FEATURES).fit(seen).transform(seen)
    random = np.random.default_rng(0)
    y = X @ random.normal(size=X.shape[1]) + X[:, 0] * X[:, 10] + random.normal(size=len(X))
    rows = []
    for name, model in estimators().items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few iterations will do for timing
            model.fit(seen, y > 0 if is_classifier(model) else y)
        evaluator = compile_model(model, name, scale=SCALE)
        evaluate(evaluator, game, positions[:1])  # compiles, or loads, what is timed below
        compiled = median_seconds(lambda e=evaluator: evaluate(e, game, positions), 9) / POSITIONS
        single = median_seconds(lambda m=model: predict(m, positions[:1], SCALE), SINGLE_ROWS)
        rows.append(
            {
                "model": name,
                "compiled ns": compiled * 1e9,
                "scikit-learn us": single * 1e6,
                "ratio": single / compiled,
            }
        )
    record("evaluation", rows, "one thread; features of 14 columns included in both")


if __name__ == "__main__":
    main()
