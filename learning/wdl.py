"""Chances of a win, a draw and a loss, fitted to the scores and results of a dataset.

The parameters maximize the likelihood of the results. With u = (s - a) / b and v = (-s - a) / b,
the chance of a draw is

    1 - expit(u) - expit(v) = expit(-u) expit(-v) (1 - exp(u + v))

whose logarithm loses no digits.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from samuel.common.displayable import Displayable
from samuel.common.errors import UserError
from samuel.common.files import whole
from samuel.common.options import Argument, Range, Seed
from samuel.common.public import public
from samuel.games.game import Game
from samuel.games.rows import left_of
from samuel.games.wdl import COEFFICIENTS, Floats, WinDrawLoss, bernstein, progress_of
from samuel.learning.fitting.metrics import (
    CalibrationBin,
    calibration,
    fit_scale,
    results_of,
    win_probability,
)
from samuel.models.logistic import cross_entropy
from samuel.models.saved.card import WDL
from samuel.models.saved.loading import load
from samuel.models.saved.saving import require_writable, save_wdl
from samuel.models.wdl import wdl_bytes, wdl_in_c
from samuel.search.score import SCORE_UNIT, limits
from samuel.selfplay.data.dataset import LABEL_COLUMNS, Dataset, clean_outcomes
from samuel.selfplay.digest import evaluator_digest

OUTCOMES = ("win", "draw", "loss")
_SUFFIXES = (".c", ".json")
_APART = ("wdl", "game", "calibration")
"""Fields that descriptions have in another form, or leave out."""
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
    rows, games
        Number of fitted rows, and of games that they are from.
    held_out, held_out_games
        Number of held-out rows, and of games that they are from.
    brier, log_loss
        Errors on held-out rows of the fit ("win-draw-loss") and of a logistic curve with one scale
        ("logistic"). Both are errors of the expected result: win 1, draw 1/2, loss 0.
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
    games: int
    held_out: int
    held_out_games: int
    brier: dict[str, float]
    log_loss: dict[str, float]
    calibration: dict[str, list[CalibrationBin]]
    scale: float
    settings: dict[str, Any]

    @property
    def about(self) -> dict[str, Any]:
        """Description for files."""
        names = [field.name for field in fields(self)]
        own = {name: getattr(self, name) for name in names if name not in _APART}
        return {"game": self.game.name, "unit": self.game.scores.unit, **own}

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters and figures, for JSON."""
        return {**self.about, **vars(self.wdl), "calibration": self.calibration}


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
        File for the parameters: C code (.c) or JSON (.json).
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
    _require_places(dataset, model, out)
    fitted, held = _samples(dataset, held_out, seed)
    wdl = fit_curves(fitted.scores, fitted.results, fitted.progress)
    scale = fit_scale(fitted.scores, fitted.results)
    chances, came = wdl(held.scores, held.progress), results_of(held.results)
    expected = {
        "win-draw-loss": chances @ [1, 0.5, 0],
        "logistic": win_probability(held.scores, scale),
    }
    fit = WdlFit(
        wdl,
        dataset.game,
        rows=len(fitted.scores),
        games=len(np.unique(fitted.games)),
        held_out=len(held.scores),
        held_out_games=len(np.unique(held.games)),
        brier={name: float(np.mean(np.square(p - came))) for name, p in expected.items()},
        log_loss={name: _log_loss(p, came) for name, p in expected.items()},
        calibration={
            name: calibration(chances[:, k], (came == 1 - k / 2).astype(np.float64))
            for k, name in enumerate(OUTCOMES)
        },
        scale=scale,
        settings=dataset.manifest["settings"],
    )
    _save(fit, model, out)
    return fit


class _Sample(NamedTuple):
    """Rows with a score and a result, for the side to move."""

    scores: Floats
    results: Floats  # 1, 0 or -1
    progress: Floats
    games: NDArray[np.int64]


def _samples(dataset: Dataset, held_out: float, seed: int) -> tuple[_Sample, _Sample]:
    """Return the rows of the games to fit to, and of those to hold out."""
    game = dataset.game
    columns = [*LABEL_COLUMNS, *{"weight"}.intersection(dataset.columns)]
    frame, positions = dataset.labelled(columns)
    scores, games = frame["score"].to_numpy(np.float64), frame["game_id"].to_numpy()
    usable = clean_outcomes(frame) & ~frame["exact"].to_numpy(bool)
    usable &= np.abs(scores) < limits(game)[0] / SCORE_UNIT
    if "weight" in frame:
        usable &= frame["weight"].to_numpy() == 1
    numbers = np.random.default_rng(seed).permutation(np.unique(games[usable]))
    is_held_out = np.isin(games, numbers[: round(held_out * len(numbers))])
    chosen = [np.flatnonzero(usable & one) for one in (~is_held_out, is_held_out)]
    if min(map(len, chosen)) < _FEWEST:
        raise UserError(
            f"{dataset.folder} has {len(chosen[0]):,} rows to fit to and {len(chosen[1]):,} "
            f"held-out rows with a score and a result, and {_FEWEST} of each are needed; play more "
            "games, or add scores with samuel dataset relabel"
        )
    results = np.sign(frame["outcome"].to_numpy(np.float64))
    progress = progress_of(game, left_of(game, positions))
    one, other = (
        _Sample(scores[rows], results[rows], progress[rows], games[rows]) for rows in chosen
    )
    return one, other


def _require_places(dataset: Dataset, model: Path | str | None, out: Path | str | None) -> None:
    """Raise UserError where the results cannot be saved; warn of another model's scores."""
    if out is not None and Path(out).suffix not in _SUFFIXES:
        raise UserError(f"out must end in {' or '.join(_SUFFIXES)} (got {out})")
    if model is None:
        return
    require_writable(model, WDL)
    evaluator, player = load(model), dataset.manifest.get("evaluator_digest")
    evaluator.require_game(dataset.game)
    if player not in (None, evaluator_digest(evaluator, dataset.game)):
        warnings.warn(
            f"another evaluator than {model} has scored {dataset.folder}; samuel dataset relabel "
            "scores it again",
            stacklevel=3,
        )


def _save(fit: WdlFit, model: Path | str | None, out: Path | str | None) -> None:
    if model is not None:
        save_wdl(model, fit.wdl, fit.about)
    if out is not None:
        title = f"Chances in {fit.game.name}, fitted to {fit.games:,} games"
        is_c = Path(out).suffix == _SUFFIXES[0]
        in_c = wdl_in_c(fit.wdl, title, fit.game.scores.unit)
        with whole(out) as partial:
            partial.write_bytes(in_c if is_c else wdl_bytes(fit.wdl, fit.about))


def fit_curves(scores: Floats, results: Floats, progress: Floats) -> WinDrawLoss:
    """Return the most likely chances for scores (n,), results (n,) of -1, 0 and 1, and progress."""
    first, last = map(float, np.quantile(progress, (_TAIL, 1 - _TAIL)))
    if first == last:
        first, last = 0.0, 1.0
    size = float(np.sqrt(np.mean(np.square(scores)))) or 1.0
    drawn = results == 0
    least = np.repeat([_LEAST * drawn.any(), _LEAST], COEFFICIENTS)
    scale = fit_scale(scores, results) / size
    start = np.repeat([2 * scale * drawn.mean(), scale], COEFFICIENTS)
    found = minimize(
        _loss,
        np.maximum(start, least),
        args=(scores / size, results, bernstein((progress - first) / (last - first))),
        jac=True,
        method="L-BFGS-B",
        bounds=[(low, None) for low in least],
        options={"maxiter": 1000, "ftol": 1e-12},
    ).x.reshape(2, COEFFICIENTS)
    return WinDrawLoss(size * found[0], size * found[1], first, last)


def _loss(
    parameters: Floats, scores: Floats, results: Floats, rows: Floats
) -> tuple[float, Floats]:
    """Return the mean negative log-likelihood and its gradient."""
    a, b = (rows @ of for of in parameters.reshape(2, COEFFICIENTS))
    drawn = results == 0
    # a loss at a score is as likely as a win at its negative
    u = (np.where(drawn, 1, results) * scores - a) / b
    v = (-scores - a) / b
    # of a decisive row -log expit(u), of a draw -log of the product above
    with np.errstate(over="ignore"):
        extra = 1 / np.expm1(2 * a[drawn] / b[drawn])
    losses = np.logaddexp(0, np.where(drawn, u, -u))
    losses[drawn] += np.logaddexp(0, v[drawn]) - np.log(-np.expm1(-2 * a[drawn] / b[drawn]))
    by_u, by_v = np.where(drawn, expit(u), -expit(-u)), np.zeros(len(u))
    by_u[drawn] += extra
    by_v[drawn] = expit(v[drawn]) + extra
    by_a, by_b = -(by_u + by_v) / b, -(by_u * u + by_v * v) / b
    return float(losses.mean()), np.concatenate([by_a @ rows, by_b @ rows]) / len(rows)


def _log_loss(expected: Floats, came: Floats) -> float:
    logits = logit(np.clip(expected, _ALMOST, 1 - _ALMOST))
    return float(np.mean(cross_entropy(logits, came)))
