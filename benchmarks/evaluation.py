"""One static evaluation, compiled and through scikit-learn's single-row predict."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.common import median_seconds, record
from features import Features
from games import game_named
from games.random import random_positions
from models import Staged, compile_model, evaluate
from models.convert import predict

FEATURES = ("square_classes", "mobility", "stability")
POSITIONS, SINGLE_ROWS = 20_000, 30
SCALE = 8.0


def estimators() -> dict[str, Any]:
    """Return an unfitted pipeline of each kind."""
    models = {
        "linear: Ridge": Ridge(),
        "linear: LogisticRegression": LogisticRegression(),
        "mlp: 16": MLPRegressor(hidden_layer_sizes=(16,), max_iter=3, random_state=0),
        "mlp: 64, 32": MLPRegressor(hidden_layer_sizes=(64, 32), max_iter=3, random_state=0),
        "trees: 100 boosted, 8 leaves": GradientBoostingRegressor(random_state=0),
        "trees: 100 boosted, 31 leaves": HistGradientBoostingRegressor(random_state=0),
        "trees: forest of 30, full depth": RandomForestRegressor(30, random_state=0),
    }
    pipelines = {
        name: make_pipeline(Features(FEATURES), StandardScaler(), model)
        for name, model in models.items()
    }
    return pipelines | {
        "linear: Ridge, 5 stages": Staged(pipelines["linear: Ridge"]),
        "mlp: 64, 32, 5 stages": Staged(pipelines["mlp: 64, 32"]),
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
            model.fit(seen, y > 0 if "Logistic" in name else y)
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
