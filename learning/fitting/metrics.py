"""Metrics of scores on positions whose outcome is known.

Scores and outcomes are for the side to move, in the game's unit. A score means a probability of
winning through one number, the scale, in units per logit: p = 1 / (1 + exp(-score / scale)). A
draw counts half. Undefined figures, as a correlation with a constant, are None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from scipy.stats import rankdata

from samuel.models.newton import cross_entropy, scale_of

METRIC_STAGES = 6
_BINS = 10
_LIMIT = 100.0
_NEARLY_ONE = 1 - 1e-12
"""Largest correlation, so that its Fisher transform is finite."""

Floats = NDArray[np.float64]


class Errors(TypedDict):
    """Errors of the probability of winning: `log_loss` (in nats) and `brier`."""

    log_loss: float
    brier: float


class Figures(Errors):
    """Figures over some rows.

    `r2`, `mae` (the mean absolute error, in the unit) and `rank_correlation` (Spearman's) are
    against the outcome, `r2_target` and `mae_target` against what the model was fitted to.
    """

    rows: int
    r2: float | None
    mae: float
    r2_target: float | None
    mae_target: float
    rank_correlation: float | None


class StageFigures(Figures):
    """Figures over the rows with `least` to `most` left of the game."""

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
    intercept, as the sides are alike. It is positive and finite for any input: it is within a
    factor of 100 of the scores' size, and 1 where all are 0.
    """
    scores = np.asarray(scores, np.float64)
    size = float(np.sqrt(np.mean(np.square(scores)))) if scores.size else 0.0
    if not 1e-100 < size < 1e100:
        return 1.0
    even = np.full(len(scores), 1 / len(scores))
    return scale_of(scores, results_of(outcomes), even, size, _LIMIT)


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
    left: ArrayLike,
    *,
    scale: float,
    most_left: int,
    targets: ArrayLike | None = None,
) -> Metrics:
    """Return the metrics of scores."""
    scores, outcomes = np.asarray(scores, np.float64), np.asarray(outcomes, np.float64)
    targets = outcomes if targets is None else np.asarray(targets, np.float64)
    stage = stages_of(left, most_left)
    stages: list[StageFigures] = []
    for k in range(METRIC_STAGES):
        of_stage = stage == k
        if of_stage.any():
            figures = _figures(scores[of_stage], outcomes[of_stage], targets[of_stage], scale)
            least, after = (-(-s * (most_left + 1) // METRIC_STAGES) for s in (k, k + 1))
            stages.append({"least": least, "most": after - 1, **figures})
    return {
        **_figures(scores, outcomes, targets, scale),
        "scale": scale,
        "stages": stages,
        "calibration": calibration(win_probability(scores, scale), results_of(outcomes)),
    }


def stages_of(left: ArrayLike, most_left: int) -> NDArray[np.int64]:
    """Return the stage (n,) of positions with so much of the game left; 0 is the game's end."""
    return np.asarray(left, np.int64) * METRIC_STAGES // (most_left + 1)


def calibration(probabilities: Floats, results: Floats) -> list[CalibrationBin]:
    """Return the mean prediction and result in equal bins of the probability; none is empty."""
    number = np.minimum((probabilities * _BINS).astype(np.int64), _BINS - 1)
    table: list[CalibrationBin] = []
    for k in np.unique(number):
        of_bin = number == k
        predicted, observed = probabilities[of_bin].mean(), results[of_bin].mean()
        table.append(
            {"predicted": float(predicted), "observed": float(observed), "rows": int(of_bin.sum())}
        )
    return table


def errors(logits: Floats, results: Floats) -> Errors:
    """Return the errors of the probabilities expit(logits) of results (n,) from 0 to 1."""
    return {
        "log_loss": float(np.mean(cross_entropy(logits, results))),
        "brier": float(np.mean(np.square(expit(logits) - results))),
    }


def _figures(scores: Floats, outcomes: Floats, targets: Floats, scale: float) -> Figures:
    results = results_of(outcomes)
    return {
        "rows": len(scores),
        "r2": _r2(scores, outcomes),
        "mae": float(np.mean(np.abs(scores - outcomes))),
        "r2_target": _r2(scores, targets),
        "mae_target": float(np.mean(np.abs(scores - targets))),
        **errors(scores / scale, results),
        "rank_correlation": _rank_correlation(scores, outcomes),
    }


def terms(scores: ArrayLike, outcomes: ArrayLike, scale: float) -> Floats:
    """Return numbers (n, 8) of each row whose sums over rows say the figures (figures_of_sums).

    With them a bootstrap need not go back to the rows: sums by game are enough.
    """
    scores, outcomes = np.asarray(scores, np.float64), np.asarray(outcomes, np.float64)
    results = results_of(outcomes)
    return np.column_stack(
        [
            np.ones(len(scores)),
            outcomes,
            np.square(outcomes),
            np.square(scores - outcomes),
            np.abs(scores - outcomes),
            cross_entropy(scores / scale, results),
            np.square(win_probability(scores, scale) - results),
            _rank_terms(scores, outcomes),
        ]
    )


def figures_of_sums(sums: Floats) -> dict[str, Floats]:
    """Return figures by name, each of shape (...), of sums of terms (..., 8); NaN where undefined.

    The rank correlation is that of all rows that the terms came from, moved as far as the choice
    of rows moves its Fisher transform to first order (see _rank_terms).
    """
    rows, y, yy, squares, absolute, log_loss, brier, rank = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = yy - np.square(y) / rows
        r2 = np.where(spread > 0, 1 - squares / spread, np.nan)
        return {
            "r2": r2,
            "mae": absolute / rows,
            "log_loss": log_loss / rows,
            "brier": brier / rows,
            "rank_correlation": np.tanh(rank / rows),
        }


def _rank_terms(scores: Floats, outcomes: Floats) -> Floats:
    """Return numbers (n,) whose mean is artanh r, r the rank correlation: each row's influence.

    Let u and v be the mid-ranks over n less 1/2, so that the correlation is
    r = C / sqrt(U V) with C = E[u v], U = E[u u], V = E[v v]. A row (x, y) that gains weight moves
    itself into the means and raises the ranks of the rows above it: with h(x, X) = 1 where
    x < X and 1/2 where they are equal,

        dC = u v - 3 C + E[h(x, X) v(Y)] + E[h(y, Y) u(X)]
        dU = u u - 3 U + 2 E[h(x, X) u(X)]

    and dV alike; dr = dC / sqrt(U V) - r / 2 (dU / U + dV / V), where the constants cancel.

    The influence is on artanh r (Fisher), d artanh r = dr / (1 - r r): the correlation of few games
    cannot pass 1 and spreads further down than up, its transform to both sides alike. Without
    it intervals over few games were too high five times as often as too low.
    """
    if not len(scores) or np.ptp(scores) == 0 or np.ptp(outcomes) == 0:
        return np.full(len(scores), np.nan)
    (u, above_x), (v, above_y) = _mid_ranks(scores), _mid_ranks(outcomes)
    uu, vv = float(np.mean(u * u)), float(np.mean(v * v))
    r = float(np.mean(u * v)) / np.sqrt(uu * vv)
    joint: Floats = (u * v + above_x(v) + above_y(u)) / np.sqrt(uu * vv)
    own = (u * u + 2 * above_x(u)) / uu + (v * v + 2 * above_y(v)) / vv
    r = max(-_NEARLY_ONE, min(_NEARLY_ONE, r))
    return np.arctanh(r) + (joint - r / 2 * own) / (1 - r * r)


def _mid_ranks(values: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Return mid-ranks (n,) over n less 1/2, and `above(w)`: E[h(x, X) w] for each row x."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - counts / 2) / len(values) - 0.5

    def above(weights: Floats) -> Floats:
        sums = np.bincount(place, weights)
        higher: Floats = (sums.sum() - np.cumsum(sums) + sums / 2) / len(values)
        return higher[place]

    return ranks[place], above


def _r2(scores: Floats, truth: Floats) -> float | None:
    spread = float(np.mean(np.square(truth - truth.mean())))
    if spread == 0:
        return None
    return 1 - float(np.mean(np.square(scores - truth))) / spread


def _rank_correlation(scores: Floats, outcomes: Floats) -> float | None:
    if np.ptp(scores) == 0 or np.ptp(outcomes) == 0:
        return None
    return float(np.corrcoef(rankdata(scores), rankdata(outcomes))[0, 1])
