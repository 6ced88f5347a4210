"""Rows, targets and weights for a fit, made from the labels of a dataset.

    outcome  how the game ended; rows that an exploratory move separates from it are left out
    score    what the search found, which is the true value where it is exact
    exact    the same, of the rows alone where it is exact
    blend    lambda * score + (1 - lambda) * outcome; the score alone where the row is exact, or
             separated from its outcome; the outcome alone where nothing was searched
    td       the lambda-return: the scores from the row on, averaged toward the outcome

Where options name no target, a Split takes the game's (`Defaults.target`), and all else `blend`.

Scores that are not exact are first brought to the size of the outcomes, by least squares: an
evaluator need not count in the game's unit (`wpc` does not). Rows without a score (of imported
games) have NaN there.

All are for the side to move, in the game's unit. Classifiers learn the probability of a win: a
draw is two rows, a win and a loss, of half the weight.

The lambda-return (Sutton 1988). Let s_t be the score t plies into a game and z_t its outcome, both
for the side to move, and s_t true or followed by others until the game ends before ply T. Let e_t
be 1 where the side that began is to move at ply t, else -1; what chance brings is no ply. The score
of ply t + n for ply t is e_t e_{t+n} s_{t+n}, and the return is

    G_t = (1 - lambda) * sum over n < T - t of lambda^n e_t e_{t+n} s_{t+n} + lambda^(T - t) z_t

which the backward recursion G_t = (1 - lambda) s_t + lambda e_t e_{t+1} G_{t+1} computes, the last
row of a game taking z_t for e_t e_{t+1} G_{t+1}. The sum starts at n = 0, as s_t is itself what a
search found some plies on: lambda 0 gives `score`, lambda 1 the outcome. An exact score is the
return: no later one is better. An exploratory move cuts it too: what follows does not depend on the
position before.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numba import boolean, float32, float64, int8, int16, int64, types
from numpy.typing import NDArray
from scipy.special import expit

from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.kernels.jit import jit
from samuel.learning.fitting.options import FitOptions
from samuel.selfplay.data.dataset import clean_outcomes, score_scale

_NO_ROW = {
    "outcome": "no outcome is known, or an exploratory move comes after each; play with less "
    "exploration, or take the target score",
    "score": "no position was searched; take the target outcome",
    "exact": "none has an exact score; play with --exact-from, or take another target",
}


class NoRowError(UserError):
    """There is no row to fit to."""


@dataclass(frozen=True)
class Examples:
    """Rows, targets and weights to fit an estimator to."""

    rows: NDArray[np.int64]
    target: NDArray[np.float32]
    weight: NDArray[np.float32] | None = None
    image: NDArray[np.int16] | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, chosen: NDArray[Any]) -> Examples:
        """Return the chosen ones (a mask or numbers)."""
        weight, image = (a if a is None else a[chosen] for a in (self.weight, self.image))
        return Examples(self.rows[chosen], self.target[chosen], weight, image)


USUAL = "blend"
"""The target where options name none, and no game does (`Split.with_target`)."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of rows in a frame, and what is computed of them once."""

    frame: pd.DataFrame
    game: Game | None = None
    given_scale: float | None = None  # `score_scale` of all data, where the frame is a part

    @functools.cached_property
    def clean(self) -> NDArray[np.bool_]:
        """True where no exploratory move separates a row from its outcome (`clean_outcomes`)."""
        return clean_outcomes(self.frame)

    @functools.cached_property
    def scale(self) -> float:
        """Number that brings scores to the size of the outcomes (`score_scale`)."""
        return self.given_scale or score_scale(self.frame, self.clean)

    @functools.cached_property
    def exact(self) -> NDArray[np.bool_]:
        """True where the score of a row is exact."""
        return self.frame["exact"].to_numpy(bool)

    @functools.cached_property
    def _found(self) -> dict[tuple[str, float, float], NDArray[np.float32]]:
        return {}

    def values(self, fitting: FitOptions) -> NDArray[np.float32]:
        """Return the target (n,) of a regressor for each row, NaN where it has none."""
        asked = fitting.target or USUAL, fitting.blend, fitting.td_lambda
        if asked not in self._found:
            self._found[asked] = self._values(*asked)
        return self._found[asked]

    def _values(self, target: str, blend: float, td_lambda: float) -> NDArray[np.float32]:
        """Return targets; probabilities count 4 scale units, so that the slope at 0 is 1."""
        outcome, score = (self.frame[name].to_numpy(np.float32) for name in ("outcome", "score"))
        game, clean, exact = self.game, self.clean, self.exact
        if game is not None and game.scores.scale:
            outcome = outcome * np.float32(2 * game.scores.scale / game.scores.max_utility)
            score = _as_targets(score, game)
        elif target != "outcome":
            score = np.where(exact, score, np.float32(self.scale) * score)
        if target == "outcome":
            return np.where(clean, outcome, np.float32(np.nan))
        if target == "score":
            return score
        if target == "exact":
            return np.where(exact, score, np.float32(np.nan))
        if target == "td":
            return _returns(self.frame, score, outcome, clean, td_lambda)
        blended = np.where(np.isnan(score), outcome, blend * score + (1 - blend) * outcome)
        return np.where(exact | ~clean, score, blended)


def score_targets(labels: Labels, fitting: FitOptions = FitOptions()) -> Examples:
    """Return what a regressor learns."""
    values = labels.values(fitting)
    rows = np.flatnonzero(~np.isnan(values))
    return _some(Examples(rows, values[rows]), fitting)


def _as_targets(scores: NDArray[np.float32], game: Game) -> NDArray[np.float32]:
    """Return scores as targets of a game with a scale: the probability they mean, as a score."""
    return np.float32(4 * game.scores.scale) * (
        expit(scores / np.float32(game.scores.scale)) - np.float32(0.5)
    )


def note_on_targets(labels: Labels, rows: NDArray[np.bool_], fitting: FitOptions) -> str | None:
    """Return what to say of rows (a mask) most of which have one and the same target, or None."""
    if fitting.target not in (None, "blend", "td"):
        return None
    values = labels.values(fitting)[rows & ~labels.clean & ~labels.exact]
    total = np.count_nonzero(rows)
    if 2 * len(values) <= total:
        return None
    usual = np.median(values)  # of more than half, where they are alike
    alike = np.count_nonzero(values == usual)
    if 2 * alike <= total:
        return None
    return (
        f"{alike:,} of {total:,} rows have no outcome (an exploratory move came "
        f"later), and their scores are all {usual:g}: --target outcome fits to those that have "
        "one; games played with --opening-plies instead of --epsilon keep all"
    )


def _returns(
    frame: pd.DataFrame,
    score: NDArray[np.float32],
    result: NDArray[np.float32],
    clean: NDArray[np.bool_],
    td_lambda: float,
) -> NDArray[np.float32]:
    """Return the lambda-return of each row, NaN where it has none."""
    columns = {"game_id": np.int64, "ply": np.int16, "side": np.int8}
    game, ply, side, exact, exploratory = (
        np.require(frame[name], dtype, ["C", "W"])
        for name, dtype in (columns | {"exact": bool, "exploratory": bool}).items()
    )
    outcome = np.where(clean, result, np.float32(np.nan))
    returns = np.array(score)
    _accumulate(game, ply, side, exact | exploratory, outcome, td_lambda, returns)
    return returns


@jit(
    types.void(
        *(kind[::1] for kind in (int64, int16, int8)),
        *(boolean[::1], float32[::1], float64, float32[::1]),
    )
)
def _accumulate(
    game: Any, ply: Any, side: Any, cut: Any, outcome: Any, td_lambda: float, returns: Any
) -> None:
    """Turn scores into lambda-returns, in place, from the last row; gaps begin with outcomes."""
    last = len(game) - 1
    for i in range(last, -1, -1):
        later = outcome[i]
        if i < last and game[i + 1] == game[i] and ply[i + 1] == ply[i] + 1:
            later = returns[i + 1] if side[i + 1] == side[i] else -returns[i + 1]
        if cut[i] or math.isnan(later):
            continue
        if math.isnan(returns[i]):
            returns[i] = later
        else:
            returns[i] = (1.0 - td_lambda) * returns[i] + td_lambda * later


def win_targets(labels: Labels, fitting: FitOptions = FitOptions()) -> Examples:
    """Return what a classifier learns: 1 for a win of the side to move, 0 for a loss.

    The row is won by its outcome. For all targets but `outcome` an exact score takes its
    place; other scores, being guesses, play no part. The parameters and errors
    are those of `score_targets`.
    """
    result, known = labels.frame["outcome"].to_numpy(np.float32), labels.clean
    if fitting.target != "outcome":
        exact = labels.exact
        result = np.where(exact, labels.frame["score"].to_numpy(np.float32), result)
        known = exact if fitting.target == "exact" else known | exact
    rows = np.flatnonzero(known)
    rows = np.repeat(rows, np.where(result[rows] == 0, 2, 1))
    won = (result[rows] > 0).astype(np.float32)
    drawn = result[rows] == 0
    won[drawn] = np.arange(drawn.sum()) % 2
    return _some(Examples(rows, won, np.where(drawn, np.float32(0.5), np.float32(1))), fitting)


def _some(examples: Examples, fitting: FitOptions) -> Examples:
    if not len(examples):
        reason = _NO_ROW.get(fitting.target or USUAL, _NO_ROW["outcome"])
        raise NoRowError(f"no row has a target: {reason}")
    return examples
