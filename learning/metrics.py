"""How good scores are on positions whose outcome is known.

Scores and outcomes are for the side to move, in the game's unit. A score means a probability of
winning through one number, the scale, in units per logit: p = 1 / (1 + exp(-score / scale)). A
draw counts half. What is not defined, as a correlation with a constant, is None.
"""

from __future__ import annotations

from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit
from scipy.stats import rankdata

STAGES = 6
CALIBRATION_BINS = 10
_LIMIT = 100.0

Floats = NDArray[np.float64]


class Figures(TypedDict):
    """Figures over some rows.

    `r2`, `mae` (the mean absolute error, in the unit) and `rank_correlation` (Spearman's) are
    against the outcome, `r2_target` and `mae_target` against what the model was fitted to,
    `log_loss` (in nats) and `brier` those of the probability of winning.
    """

    rows: int
    r2: float | None
    mae: float
    r2_target: float | None
    mae_target: float
    log_loss: float
    brier: float
    rank_correlation: float | None


class StageFigures(Figures):
    """Figures over the rows with `least` to `most` remaining squares."""

    least: int
    most: int


class CalibrationBin(TypedDict):
    """Rows of about the same predicted probability: its mean, and the mean result."""

    predicted: float
    observed: float
    rows: int


class Metrics(Figures):
    """Figures over all rows and by stage, and how true the probabilities are."""

    scale: float
    stages: list[StageFigures]
    calibration: list[CalibrationBin]


def fit_scale(scores: ArrayLike, outcomes: ArrayLike) -> float:
    """Return the scale, in units per logit, under which the outcomes are most likely.

    It is the inverse slope of a logistic regression of the results on the scores, without an
    intercept, as the sides are alike. It is positive and finite for any input: slopes are kept
    within a factor of 100 of the inverse of the scores' size, and constant scores give 1.
    """
    scores = np.asarray(scores, np.float64)
    size = float(np.sqrt(np.mean(np.square(scores)))) if scores.size else 0.0
    if size == 0 or not np.isfinite(size):
        return 1.0
    results, logits = results_of(outcomes), scores / size

    def loss(log_slope: float) -> float:
        return float(np.mean(_log_losses(np.exp(log_slope) * logits, results)))

    bound = np.log(_LIMIT)
    found = minimize_scalar(loss, bounds=(-bound, bound), method="bounded")
    return float(size / np.exp(found.x))


def results_of(outcomes: ArrayLike) -> Floats:
    """Return 1 for wins, 1/2 for draws and 0 for losses."""
    return (np.sign(np.asarray(outcomes, np.float64)) + 1) / 2


def win_probability(scores: ArrayLike, scale: float) -> Floats:
    """Return the probability of winning that scores mean."""
    probability: Floats = expit(np.asarray(scores, np.float64) / scale)
    return probability


def measure(
    scores: ArrayLike,
    outcomes: ArrayLike,
    remaining: ArrayLike,
    *,
    scale: float,
    max_remaining: int,
    targets: ArrayLike | None = None,
) -> Metrics:
    """Return the metrics of scores.

    Parameters
    ----------
    scores, outcomes
        (n,), n > 0, for the side to move, in the game's unit.
    remaining
        (n,), the remaining squares of the positions, for the figures by stage.
    scale
        Units per logit.
    max_remaining
        The remaining squares of the initial position.
    targets
        (n,), what the model was fitted to; the outcomes by default.
    """
    scores, outcomes = np.asarray(scores, np.float64), np.asarray(outcomes, np.float64)
    targets = outcomes if targets is None else np.asarray(targets, np.float64)
    remaining = np.asarray(remaining, np.int64)
    stage = remaining * STAGES // (max_remaining + 1)
    stages: list[StageFigures] = []
    for k in range(STAGES):
        of_stage = stage == k
        if of_stage.any():
            figures = _figures(scores[of_stage], outcomes[of_stage], targets[of_stage], scale)
            least, after = (-(-s * (max_remaining + 1) // STAGES) for s in (k, k + 1))
            stages.append({"least": least, "most": after - 1, **figures})
    return {
        **_figures(scores, outcomes, targets, scale),
        "scale": scale,
        "stages": stages,
        "calibration": calibration(win_probability(scores, scale), results_of(outcomes)),
    }


def calibration(
    probabilities: Floats, results: Floats, bins: int = CALIBRATION_BINS
) -> list[CalibrationBin]:
    """Return the mean prediction and result in equal bins of the probability; none is empty."""
    number = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    table: list[CalibrationBin] = []
    for k in np.unique(number):
        of_bin = number == k
        predicted, observed = probabilities[of_bin].mean(), results[of_bin].mean()
        table.append(
            {"predicted": float(predicted), "observed": float(observed), "rows": int(of_bin.sum())}
        )
    return table


def _figures(scores: Floats, outcomes: Floats, targets: Floats, scale: float) -> Figures:
    results = results_of(outcomes)
    return {
        "rows": len(scores),
        "r2": _r2(scores, outcomes),
        "mae": float(np.mean(np.abs(scores - outcomes))),
        "r2_target": _r2(scores, targets),
        "mae_target": float(np.mean(np.abs(scores - targets))),
        "log_loss": float(np.mean(_log_losses(scores / scale, results))),
        "brier": float(np.mean(np.square(win_probability(scores, scale) - results))),
        "rank_correlation": _rank_correlation(scores, outcomes),
    }


def _log_losses(logits: Floats, results: Floats) -> Floats:
    """Return -(y log p + (1 - y) log(1 - p)), which never overflows in this form."""
    losses: Floats = np.logaddexp(0, logits) - results * logits
    return losses


def _r2(scores: Floats, truth: Floats) -> float | None:
    spread = float(np.mean(np.square(truth - truth.mean())))
    if spread == 0:
        return None
    return 1 - float(np.mean(np.square(scores - truth))) / spread


def _rank_correlation(scores: Floats, outcomes: Floats) -> float | None:
    if np.ptp(scores) == 0 or np.ptp(outcomes) == 0:
        return None
    return float(np.corrcoef(rankdata(scores), rankdata(outcomes))[0, 1])
