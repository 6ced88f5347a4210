"""Chances of a win, a draw and a loss, fitted to the scores and results of a dataset.

The parameters maximize the likelihood of the results. With u = (s - a) / b and v = (-s - a) / b,
the chance of a draw is

    1 - expit(u) - expit(v) = expit(-u) expit(-v) (1 - exp(u + v))

whose logarithm loses no digits.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logit

from samuel.common.displayable import Displayable
from samuel.common.errors import UserError
from samuel.common.files import whole
from samuel.common.options import Argument, Range, Seed
from samuel.common.public import public
from samuel.games.game import Game
from samuel.games.rows import left_of
from samuel.games.wdl import Floats, WinDrawLoss, bernstein, progress_of
from samuel.learning.fitting.metrics import (
    CalibrationBin,
    Errors,
    calibration,
    errors,
    fit_scale,
    results_of,
)
from samuel.learning.fitting.split import Split
from samuel.models.export.c import wdl_header
from samuel.models.saved.loading import load
from samuel.models.saved.saving import require_writable, save_wdl
from samuel.search.score import SCORE_UNIT, limits
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.digest import evaluator_digest

_FEWEST = 100
_LEAST = 1e-4
"""Least parameter, in root mean squares of the scores; `a` is 0 where no game is drawn."""
_ALMOST = 1e-12
_TAIL = 0.01
"""Share of rows at either end of the game that are too few for a cubic."""


@dataclass(frozen=True, repr=False)
class WdlFit(Displayable):
    """Result of a fit of win, draw and loss chances.

    Attributes
    ----------
    wdl
        Chances as a function of score and progress.
    game
        Game.
    rows, held_out
        Number of fitted rows, and of held-out rows.
    errors
        Log loss and Brier score on held-out rows of the fit ("win-draw-loss") and of a logistic
        curve with one scale ("logistic"), both of the expected result: win 1, draw 1/2, loss 0.
    calibration
        Bins of the chance of each outcome on held-out rows: its mean, the share of rows with this
        outcome, and the number of rows.
    scale
        Scale of the logistic curve, in units of score per logit.
    settings
        Settings of the dataset, such as the evaluator and the depth of the scores.
    """

    wdl: WinDrawLoss
    game: Game
    rows: int
    held_out: int
    errors: dict[str, Errors]
    calibration: dict[str, list[CalibrationBin]]
    scale: float
    settings: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters and figures, for JSON."""
        rest = {key: value for key, value in vars(self).items() if key not in ("wdl", "game")}
        return {"game": self.game.name, "unit": self.game.scores.unit, **vars(self.wdl), **rest}


@public
def fit_wdl(
    dataset: Annotated[Dataset, Argument()],
    *,
    model: Path | str | None = None,
    out: Path | str | None = None,
    held_out: Annotated[float, Range(1e-6, 1 - 1e-6)] = 0.2,
    seed: Seed = 0,
) -> WdlFit:
    """Fit chances of a win, a draw and a loss to the scores and results of a dataset.

    Each row counts once. Rows without a score or a result, with an exact score, before a random
    move, or merged from several rows are left out.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    model
        Folder of a model to save the chances in. Its scores must be those of the dataset.
    out
        File for the chances as a function in C.
    held_out
        Share of games to hold out and measure the chances on.
    seed
        Seed of the split.

    Returns
    -------
    WdlFit
        Chances, and their errors on held-out games.

    Raises
    ------
    UserError
        The dataset cannot be used, too few of its rows have a score and a result, or the results
        cannot be saved.

    Warns
    -----
    UserWarning
        Another evaluator than the model has played the games.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.generate(game="connect_four", depth=2, games=60, out="data/scored")
    >>> fit = samuel.fit_wdl(data)
    >>> fit.wdl(0.0, progress=0.5).shape
    (3,)
    """
    if model is not None:
        _require_scores_of(model, dataset)
    split = Split.of(dataset, held_out=held_out, seed=seed)
    fit = _fitted(split, *_usable(split))
    if model is not None:
        save_wdl(model, fit.as_dict())
    if out is not None:
        title = f"Chances in {fit.game.name}, fitted to {fit.rows:,} rows"
        with whole(out) as partial:
            partial.write_bytes(wdl_header(fit.wdl, title, fit.game))
    return fit


def _require_scores_of(model: Path | str, dataset: Dataset) -> None:
    """Raise UserError where a model cannot have the chances; warn if it has not scored the rows."""
    require_writable(model)
    evaluator, player = load(model), dataset.manifest.get("evaluator_digest")
    evaluator.require_game(dataset.game)
    if player not in (None, evaluator_digest(evaluator, dataset.game)):
        warnings.warn(
            f"another evaluator than {model} has scored {dataset.folder}; samuel dataset relabel "
            "scores it again",
            stacklevel=3,
        )


def _usable(split: Split) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows to fit to, and the held-out rows, with an unproven score and a result."""
    labels, frame = split.labels, split.frame
    usable = labels.clean & ~labels.exact
    usable &= np.abs(frame["score"].to_numpy(np.float64)) < limits(split.game)[0] / SCORE_UNIT
    if "weight" in frame:
        usable &= frame["weight"].to_numpy() == 1
    known = np.union1d(np.flatnonzero(split.train), split.calibration)
    rows, held = known[usable[known]], split.held_out[usable[split.held_out]]
    if min(len(rows), len(held)) < _FEWEST:
        raise UserError(
            f"{split.dataset.folder} has {len(rows):,} rows to fit to and {len(held):,} "
            f"held-out rows with a score and a result, and {_FEWEST} of each are needed; play more "
            "games, or add scores with samuel dataset relabel"
        )
    return rows, held


def _fitted(split: Split, rows: NDArray[np.int64], held: NDArray[np.int64]) -> WdlFit:
    """Fit chances to some rows, and measure them on others."""
    scores = split.frame["score"].to_numpy(np.float64)
    results = np.sign(split.outcomes.astype(np.float64))
    progress = progress_of(left_of(split.game, split.positions), split.game.most_left)
    wdl = fit_curves(scores[rows], results[rows], progress[rows])
    scale = fit_scale(scores[rows], results[rows])
    chances, came = wdl(scores[held], progress[held]), results_of(results[held])
    expected = np.clip(chances @ [1, 0.5, 0], _ALMOST, 1 - _ALMOST)
    return WdlFit(
        wdl,
        split.game,
        rows=len(rows),
        held_out=len(held),
        errors={
            "win-draw-loss": errors(logit(expected), came),
            "logistic": errors(scores[held] / scale, came),
        },
        calibration={
            name: calibration(chances[:, k], (came == 1 - k / 2).astype(np.float64))
            for k, name in enumerate(("win", "draw", "loss"))
        },
        scale=scale,
        settings=split.dataset.manifest["settings"],
    )


def fit_curves(scores: Floats, results: Floats, progress: Floats) -> WinDrawLoss:
    """Return the most likely chances for scores (n,), results (n,) of -1, 0 and 1, and progress."""
    first, last = map(float, np.quantile(progress, (_TAIL, 1 - _TAIL)))
    if first == last:
        first, last = 0.0, 1.0
    size = float(np.sqrt(np.mean(np.square(scores)))) or 1.0
    drawn = results == 0
    least = np.repeat([_LEAST * drawn.any(), _LEAST], 4)
    scale = fit_scale(scores, results) / size
    found = minimize(
        _loss,
        np.maximum(np.repeat([2 * scale * drawn.mean(), scale], 4), least),
        args=(scores / size, results, bernstein((progress - first) / (last - first))),
        jac=True,
        method="L-BFGS-B",
        bounds=[(low, None) for low in least],
        options={"maxiter": 1000, "ftol": 1e-12},
    ).x.reshape(2, 4)
    a, b = (size * found).tolist()
    return WinDrawLoss(tuple(a), tuple(b), first, last)


def _loss(
    parameters: Floats, scores: Floats, results: Floats, rows: Floats
) -> tuple[float, Floats]:
    """Return the mean negative log-likelihood and its gradient."""
    a, b = parameters.reshape(2, 4) @ rows.T
    drawn = results == 0
    # a loss at a score is as likely as a win at its negative
    u, v, gap = (np.where(drawn, 1, results) * scores - a) / b, (-scores - a) / b, 2 * a / b
    with np.errstate(over="ignore", divide="ignore"):  # gap is 0 where no game is drawn
        draw, extra = log_expit(-u) + log_expit(-v) + np.log(-np.expm1(-gap)), 1 / np.expm1(gap)
    by_u = np.where(drawn, expit(u) + extra, -expit(-u))
    by_v = np.where(drawn, expit(v) + extra, 0)
    by_a, by_b = -(by_u + by_v) / b, -(by_u * u + by_v * v) / b
    loss = -np.where(drawn, draw, log_expit(u)).mean()
    return float(loss), np.concatenate([by_a @ rows, by_b @ rows]) / len(rows)
