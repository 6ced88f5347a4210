"""Texel's method beside scikit-learn: time of a fit to a million positions, and held-out loss.

The same rows, columns, shares of stages and penalty: scikit-learn gets the columns as a sparse
matrix, a draw as a win and a loss of half the weight, and as many steps as it takes.

    python -m benchmarks.texel [DATASET]
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack, vstack
from sklearn.linear_model import LogisticRegression

from benchmarks.common import record, seconds
from samuel import SelfplayPlan, TaperedLogistic, generate
from samuel.features import extract, features_named
from samuel.games import game_named
from samuel.games.rows import left_of
from samuel.selfplay import Dataset

GAME = game_named("chess")
ROWS, BATCH, MOST_STEPS = 1_000_000, 1 << 16, 20_000
ALPHA, SCALE = 1e-7, GAME.scale


def positions_of(folder: Path, rows: int) -> Dataset:
    """Return self-play of `classic` with at least so many positions."""
    plan = SelfplayPlan(
        game="chess", evaluator="classic", depth=3, epsilon=0.0, opening_plies=10, seed=1
    )
    return generate(plan, rows // 100, folder / "games", jobs=2)


def tapered_columns(positions: np.ndarray) -> csr_matrix:
    """Return the columns of both ends of the game, each times its share."""
    features = features_named(list(GAME.defaults.features), GAME.name)
    parts = []
    for first in range(0, len(positions), BATCH):
        some = positions[first : first + BATCH]
        columns = csr_matrix(extract(features, some))
        start = (left_of(GAME, some) / GAME.most_left).astype(np.float32)
        by_end = (columns.multiply(share[:, None]) for share in (1 - start, start))
        parts.append(hstack(list(by_end), format="csr"))
    return vstack(parts, format="csr")


def loss_of(logits: np.ndarray, wins: np.ndarray) -> float:
    """Return the mean cross-entropy."""
    return float(np.mean(np.logaddexp(0, logits) - wins * logits))


def compare(dataset: Dataset, rows: int) -> list[dict[str, Any]]:
    """Return what both say of training and held-out rows, and how long they took."""
    frame, positions = dataset.frame(["game_id", "outcome"]), dataset.positions
    wins = 0.5 + frame["outcome"].to_numpy(np.float64) / (2 * GAME.max_utility)
    is_held_out = frame["game_id"].to_numpy() % 10 == 0
    train, held_out = np.flatnonzero(~is_held_out)[:rows], np.flatnonzero(is_held_out)
    model = TaperedLogistic(GAME.defaults.features, "chess", alpha=ALPHA, scale=SCALE)
    time_of_ours = seconds(lambda: model.fit(positions[train], (4 * wins[train] - 2) * SCALE))
    columns, tested = tapered_columns(positions[train]), tapered_columns(positions[held_out])
    is_drawn = wins[train] == 0.5
    other = LogisticRegression(
        C=1 / (ALPHA * SCALE**2 * len(train)), fit_intercept=False, tol=1e-7, max_iter=MOST_STEPS
    )
    results = np.concatenate([np.where(is_drawn, 1, wins[train]), np.zeros(is_drawn.sum())])
    weights = np.concatenate([np.where(is_drawn, 0.5, 1), np.full(is_drawn.sum(), 0.5)])
    both = vstack([columns, columns[is_drawn]])
    time_of_theirs = seconds(lambda: other.fit(both, results, weights))
    found = (
        ("TaperedLogistic", model.coef_.ravel() / SCALE, time_of_ours, model.n_iter_),
        ("LogisticRegression", other.coef_.ravel(), time_of_theirs, other.n_iter_[0]),
    )
    return [
        {
            "fit": name,
            "rows": len(train),
            "weights": len(weights),
            "seconds": taken,
            "steps": int(steps),
            "training loss": loss_of(columns @ weights, wins[train]),
            "held-out loss": loss_of(tested @ weights, wins[held_out]),
        }
        for name, weights, taken, steps in found
    ]


def main() -> None:
    """Make positions, or read the dataset that is named, and compare."""
    with TemporaryDirectory() as folder:
        named = len(sys.argv) == 2 and (Path(sys.argv[1]) / "manifest.json").exists()
        dataset = Dataset.open(sys.argv[1]) if named else positions_of(Path(folder), ROWS)
        record("texel", compare(dataset, ROWS))


if __name__ == "__main__":
    main()
