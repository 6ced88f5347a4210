"""`NNUERegressor` and `NNUEClassifier`: efficiently updatable networks, fitted on the processor."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.games.catalog import known_game
from samuel.models.estimator_methods import SCALE, FitRows, LogOddsClassifier, ScoreRegressor
from samuel.models.networks.steps import LOGISTIC, PROBABILITY, SQUARED
from samuel.models.nnue.base_estimator import NnueEstimator
from samuel.models.nnue.model import LARGEST_UNIT, NnueModel
from samuel.models.nnue.shape import ONE_UNIT
from samuel.models.tapered import logit_unit


class NNUERegressor(ScoreRegressor, NnueEstimator):
    """Efficiently updatable network (NNUE) over the pieces of a board, fitted to scores.

    The first layer reads each piece on its square, once as the side to move sees it and once as the
    other side does. The search does not compute it again: it adds the changes of each move. A fit
    takes steps of Adam over batches of positions, in compiled code and on all cores.

    In games whose score has a scale (chess) targets mean probabilities of winning, as for
    `TaperedLogistic`, and the loss is the squared error of the probability. In other games it is
    the squared error of the score.

    Parameters
    ----------
    game
        Name of the game, which has a board.
    base
        Estimator over positions, such as TaperedLogistic, that is fitted first; the network then
        adds to its score. With few positions this is stronger than only a network. `warm_start`
        keeps the base.
    units
        Units of each half of the first layer: a multiple of 16, at most 1024.
    hidden
        Units of the small layers after them, at most two layers of at most 64; a number for one.
    activation
        "crelu" clips units to [0, 1]; "screlu" squares them as well.
    buckets
        Number of stages of the game with separate layers after the first.
    king
        Sign of the piece by which a side mirrors the board, "K" in chess: if it is on the
        left, left and right are exchanged. Then a fit needs half as many positions. By default
        no side does.
    king_areas
        Areas of the board, each with a first layer for halves whose `king` is in this area. A
        number n makes an area of each of the first n - 1 rows from below, as the side sees the
        board, and one of all rows above. A list gives the area of each square, from 0, row by row
        from the top. Areas share what they have in common.
    epochs
        Number of passes over the rows.
    learning_rate
        Learning rate of the first step. It falls to a fiftieth.
    batch_size
        Rows of a step. None for a 64th of the rows, from 128 to 16,384.
    weight_decay
        Share of each weight that a step with a learning rate of 1 would remove.
    validation_fraction
        Share of the games (or rows) that is held out to choose the best epoch. 0 keeps the last.
    warm_start
        Continue from the last fit.
    n_jobs
        Number of threads, four at most. The weights do not depend on it.
    random_state
        Seed of the first weights, of the order of rows and of what is held out.

    Attributes
    ----------
    base_form_
        Compiled form of the fitted base, or None.
    loss_curve_
        Mean loss of each epoch, over the rows that were learned from.
    validation_scores_
        Negated mean loss of the held-out rows after each epoch.
    unit_
        Score that 1 at the end of the network stands for.
    n_iter_
        Number of epochs.
    n_features_in_
        K, the words of a position.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> model = samuel.NNUERegressor("tic_tac_toe", units=16, epochs=2, random_state=1)
    >>> model = model.fit(data.positions, data.frame(["outcome"])["outcome"])
    >>> model.predict(data.positions[:2]).shape
    (2,)
    """

    def _targets(self, y: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(y, np.float64)

    def _fit_rows(self, rows: FitRows, groups: ArrayLike | None) -> None:
        game, (positions, targets, weight) = known_game(self.game), rows
        self._fit_base(rows, groups)
        if game.scores.scale:
            unit = logit_unit(game)
            wins = np.clip(0.5 + targets / (4 * unit), 0, 1)
            self._fit((positions, wins.astype("f4"), weight), groups, PROBABILITY, unit)
            return
        unit = float(np.std(targets)) or 1.0
        if unit >= LARGEST_UNIT:
            raise ValueError(f"a target is too large: {SCALE}")
        scaled = (targets / unit).astype(np.float32)
        self._fit((positions, scaled, weight), groups, SQUARED, unit)


class NNUEClassifier(LogOddsClassifier, NnueEstimator):
    """Efficiently updatable network (NNUE) over the pieces of a board, fitted to won and lost.

    The score is the log-odds of a win; the loss is the cross-entropy. See `NNUERegressor`.

    Parameters
    ----------
    game
        Name of the game, which has a board.
    base
        None: a network for wins has no base.
    units, hidden, activation, buckets, king, king_areas, epochs, learning_rate
        As for NNUERegressor.
    batch_size, weight_decay, validation_fraction, warm_start, n_jobs, random_state
        As for NNUERegressor.

    Attributes
    ----------
    classes_
        The two classes; the second is the win of the side to move.
    base_form_, loss_curve_, validation_scores_, unit_, n_iter_, n_features_in_
        As of NNUERegressor.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.Dataset.open("data/games")
    >>> model = samuel.NNUEClassifier("tic_tac_toe", units=16, epochs=2, random_state=1)
    >>> wins = data.frame(["outcome"])["outcome"] > 0
    >>> model.fit(data.positions, wins).predict_proba(data.positions[:2]).shape
    (2, 2)
    """

    def _check(self) -> None:
        super()._check()
        if self.base is not None:
            raise ValueError("base is for NNUERegressor; leave it out")

    def _fit_rows(self, rows: FitRows, groups: ArrayLike | None) -> None:
        self._fit_base(rows, groups)
        self._fit(rows, groups, LOGISTIC, 1.0)


def regressor_of(form: NnueModel) -> NNUERegressor:
    """Return a network in integers as a fitted estimator, whose compiled form it is."""
    shape = form.shape
    settings = asdict(shape) | {"king_areas": shape.king_areas or 1}
    model = NNUERegressor(form.game.name, **settings)
    shared = np.zeros((0 if shape.n_areas == 1 else len(form.rows) // shape.n_areas, shape.units))
    numbers: dict[str, NDArray[Any]] = {
        "rows": np.concatenate([shared, form.rows]).astype(np.float32) / np.float32(ONE_UNIT),
        "biases": form.biases[None] / np.float32(ONE_UNIT),
        "layers": form.float_layers,
        "unit": np.array([form.unit]),
    }
    model.start_from(form, numbers)
    return model
