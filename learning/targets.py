"""What an estimator is fitted to: from the labels of a dataset to rows, targets and weights.

    outcome  how the game ended; rows that an exploratory move separates from it are left out
    score    what the search found, which is the true value where it is exact
    blend    lambda * score + (1 - lambda) * outcome; the score alone where the row is exact, or
             separated from its outcome

Scores that are not exact are first brought to the size of the outcomes, by least squares: an
evaluator need not count in the game's unit (`wpc` does not).

All are for the side to move, in the game's unit. Classifiers learn the probability of a win: a
draw is two rows, a win and a loss, of half the weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from errors import UserError
from selfplay.dataset import clean_outcomes

TARGETS = ("outcome", "score", "blend")
COLUMNS = ("game_id", "ply", "score", "exact", "outcome", "exploratory")
"""The columns of a dataset that targets are made of."""


@dataclass(frozen=True)
class Examples:
    """What to fit an estimator to.

    Attributes
    ----------
    rows
        int64 (m,), rows of the frame, ascending; a draw stands twice for a classifier.
    target
        float32 (m,), scores in the game's unit, or 1 for a win and 0 for a loss.
    weight
        float32 (m,), or None where all rows count the same.
    """

    rows: NDArray[np.int64]
    target: NDArray[np.float32]
    weight: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.rows)


def score_targets(frame: pd.DataFrame, target: str = "outcome", blend: float = 0.5) -> Examples:
    """Return what a regressor learns.

    Parameters
    ----------
    frame
        Rows of a dataset with COLUMNS, games in one piece.
    target
        One of TARGETS.
    blend
        The weight lambda of the score in a blend, from 0 to 1.

    Raises
    ------
    UserError
        An unknown target, a blend outside [0, 1], or no row that has a target.
    """
    _check(target, blend)
    outcome = frame["outcome"].to_numpy(np.float32)
    clean = clean_outcomes(frame)
    score = _scaled_scores(frame, outcome, clean)
    if target == "outcome":
        return _some(np.flatnonzero(clean), outcome[clean])
    if target == "blend":
        by_score = frame["exact"].to_numpy(bool) | ~clean
        score = np.where(by_score, score, blend * score + (1 - blend) * outcome)
    return _some(np.arange(len(frame)), score)


def _scaled_scores(
    frame: pd.DataFrame, outcome: NDArray[np.float32], clean: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return the scores, those not exact times the number that brings them nearest to outcomes."""
    score = frame["score"].to_numpy(np.float32)
    guessed = ~frame["exact"].to_numpy(bool)
    known = guessed & clean
    squares = float(score[known].astype(np.float64) @ score[known])
    products = float(score[known].astype(np.float64) @ outcome[known])
    if squares <= 0 or products <= 0:
        return score
    return np.where(guessed, np.float32(products / squares) * score, score)


def win_targets(frame: pd.DataFrame, target: str = "outcome", blend: float = 0.5) -> Examples:
    """Return what a classifier learns: 1 for a win of the side to move, 0 for a loss.

    Whether a row is won is known from the outcome; for the targets `score` and `blend` an exact
    score takes its place, and the other scores, being guesses, play no part. The parameters and
    errors are those of `score_targets`.
    """
    _check(target, blend)
    result = frame["outcome"].to_numpy(np.float32)
    known = clean_outcomes(frame)
    if target != "outcome":
        exact = frame["exact"].to_numpy(bool)
        result = np.where(exact, frame["score"].to_numpy(np.float32), result)
        known |= exact
    rows = np.flatnonzero(known)
    rows = np.repeat(rows, np.where(result[rows] == 0, 2, 1))
    won = (result[rows] > 0).astype(np.float32)
    drawn = result[rows] == 0
    won[drawn] = np.arange(drawn.sum()) % 2
    return _some(rows, won, np.where(drawn, np.float32(0.5), np.float32(1)))


def _check(target: str, blend: float) -> None:
    if target not in TARGETS:
        raise UserError(f"there is no target {target!r}; targets: {', '.join(TARGETS)}")
    if not 0 <= blend <= 1:
        raise UserError(f"blend is the weight of the score, from 0 to 1, not {blend}")


def _some(
    rows: NDArray[np.int64],
    target: NDArray[np.float32],
    weight: NDArray[np.float32] | None = None,
) -> Examples:
    if not len(rows):
        raise UserError(
            "no row has a target: an exploratory move comes after each; play with less "
            "exploration, or take the target score"
        )
    return Examples(rows.astype(np.int64), target.astype(np.float32), weight)
