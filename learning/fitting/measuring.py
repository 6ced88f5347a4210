"""Figures of evaluators on the held-out rows of a split."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier

from samuel.common.errors import UserError
from samuel.games.evaluator import Evaluator
from samuel.learning.fitting.metrics import Metrics, fit_scale, measure
from samuel.learning.fitting.split import Split
from samuel.models import evaluate, evaluator_names, find_evaluator
from samuel.models.convert import predict
from samuel.selfplay.digest import evaluator_digest


def measure_on(
    split: Split,
    evaluator: Evaluator,
    scores: ArrayLike | None = None,
    targets: ArrayLike | None = None,
) -> Metrics:
    """Return the metrics of an evaluator, or of `scores` that it has, on the held-out rows."""
    game = split.game
    if scores is None:
        scores = evaluate(evaluator, game, split.held_out_positions)
    aside = split.calibration
    scale = fit_scale(evaluate(evaluator, game, split.positions[aside]), split.outcomes[aside])
    return measure(
        scores,
        split.outcomes[split.held_out],
        split.held_out_left,
        scale=scale,
        most_left=game.most_left,
        targets=targets,
    )


def units_per_logit(estimator: Any, split: Split) -> float | None:
    """Return what makes a classifier's logits scores."""
    if not is_classifier(estimator):
        return None
    if split.game.scores.scale:
        return split.game.scores.scale
    logits = predict(estimator, split.positions[split.calibration], 1.0).astype(np.float64)
    squares = float(logits @ logits)
    multiple = float(logits @ split.outcomes[split.calibration]) / squares if squares > 0 else 0.0
    return multiple if multiple > 0 else split.game.scores.max_utility


def baseline_of(split: Split, targets: ArrayLike) -> Metrics | None:
    """Return the metrics of the evaluator that played, None where no name is known for it.

    A manifest may name the folder of a model, anywhere; it is not looked into.
    """
    manifest = split.dataset.manifest
    name = manifest["settings"].get("evaluator")
    if not isinstance(name, str) or name not in evaluator_names(split.game):
        return None
    maker = find_evaluator(name, split.game)
    if evaluator_digest(maker, split.game) != manifest.get("evaluator_digest"):
        return None  # what stands there now is another
    return measure_on(split, maker, targets=targets)


def require_numbers(scores: NDArray[Any], name: str) -> None:
    """Raise UserError where a model has no score for a position."""
    without = np.count_nonzero(~np.isfinite(scores))
    if without:
        raise UserError(
            f"{name} predicts no number for {without:,} of {len(scores):,} held-out "
            "positions, so a search cannot use it"
        )
