"""A dataset divided by game: to fit estimators to, to set their scale, and to judge them by."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.errors import UserError, require_number
from samuel.games.catalog import game_named
from samuel.games.interface import Game
from samuel.games.rows import left_of
from samuel.games.symmetry import seen_under
from samuel.learning.fitting.examples import prepared
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.targets import (
    LABEL_COLUMNS,
    Examples,
    score_targets,
    target_values,
    win_targets,
)
from samuel.selfplay.data.dataset import Dataset, clean_outcomes, split_by_game

CALIBRATION_SHARE = 0.1
"""Of the training games: scores of games that an estimator was fitted to are too sure."""


@dataclass(frozen=True, eq=False)
class Split:
    """A dataset divided by game; the same dataset, share and seed give the same division.

    Attributes
    ----------
    frame
        The labels of its rows (learning.fitting.targets.LABEL_COLUMNS).
    train
        bool (n,), the rows to fit estimators to.
    calibration
        int64, rows of other games, which set the scale of scores.
    held_out
        int64, rows of other games again, to judge by; no training or calibration row has the
        same canonical position. Both have outcomes that no exploratory move disturbs.
    share, seed
        The share of games held out, and the seed of the choice.
    scale
        The `score_scale` of all the data, where the frame is a part; None for its own.
    """

    dataset: Dataset
    frame: pd.DataFrame
    train: NDArray[np.bool_]
    calibration: NDArray[np.int64]
    held_out: NDArray[np.int64]
    share: float
    seed: int
    scale: float | None = None

    @classmethod
    def of(
        cls,
        dataset: Dataset | Path | str,
        *,
        held_out: float = 0.2,
        seed: int = 0,
        game: str | None = None,
    ) -> Split:
        """Divide a dataset.

        Parameters
        ----------
        held_out
            The share of games to hold out, between 0 and 1.
        game
            The name of the game it should be of, where that matters.

        Raises
        ------
        UserError
            It is no dataset, of another game, damaged or too small; the share is out of range.
        """
        dataset = opened(dataset, held_out, game)
        frame = dataset.frame(label_columns(dataset))
        known, unseen = split_by_game(frame, dataset.positions, dataset.game, held_out, seed)
        clean = clean_outcomes(frame)
        unseen = unseen[clean[unseen]]
        if not len(unseen):
            raise UserError(
                "in every held-out game an exploratory move comes last: no outcome to judge by; "
                "play more games, or with less exploration"
            )
        train, calibration = _set_aside(frame["game_id"].to_numpy(), known, clean, seed)
        return cls(dataset, frame, train, calibration, unseen, held_out, seed)

    @property
    def game(self) -> Game:
        """The game."""
        return self.dataset.game

    @property
    def outcomes(self) -> NDArray[np.float32]:
        """The outcomes of all rows."""
        return self.frame["outcome"].to_numpy(np.float32)

    @functools.cached_property
    def held_out_positions(self) -> NDArray[np.uint64]:
        """The positions (m, K) of the held-out rows."""
        return self.dataset.positions[self.held_out]

    @functools.cached_property
    def held_out_left(self) -> NDArray[np.int64]:
        """What is left of the game (m,) in the held-out positions."""
        return left_of(self.game, self.held_out_positions)

    def examples(self, fitting: FitOptions = FitOptions(), *, classifier: bool) -> Examples:
        """Return what to fit an estimator to: training rows, as `fitting` wants them.

        Raises
        ------
        UserError
            No training row has such a target, or is left.
        """
        if classifier:
            found = win_targets(self.frame, fitting)
        else:
            found = score_targets(self.frame, fitting, self.scale)
        found = found[self.train[found.rows]]
        positions = self.dataset.positions
        return prepared(found, self.frame, positions, self.game, fitting, classifier=classifier)

    def positions_of(self, examples: Examples) -> NDArray[np.uint64]:
        """Return the positions (m, K) of examples, each in its image."""
        positions = self.dataset.positions[examples.rows]
        if examples.image is None:
            return positions
        return seen_under(self.game, positions, examples.image)

    def games_of(self, examples: Examples) -> NDArray[np.int64]:
        """Return the games (m,) of examples; of a merged one, the first in which it came."""
        return self.frame["game_id"].to_numpy()[examples.rows]

    def held_out_targets(self, fitting: FitOptions = FitOptions()) -> NDArray[np.float32]:
        """Return the target (m,) of the held-out rows, as a score; the outcome where it has none.

        It is that of a regressor, whatever rows `fitting` chooses.
        """
        values = target_values(self.frame, fitting, self.scale)[self.held_out]
        return np.where(np.isnan(values), self.outcomes[self.held_out], values)


def split_of(given: Split | Dataset | Path | str, **options: Any) -> Split:
    """Return what is divided already as it is, else `Split.of` a dataset."""
    return given if isinstance(given, Split) else Split.of(given, **options)


def opened(dataset: Dataset | Path | str, held_out: float, game: str | None) -> Dataset:
    """Return a dataset that can be divided; the parameters and errors are those of `Split.of`."""
    if not isinstance(dataset, Dataset):
        dataset = Dataset.open(dataset)
    if game is not None:
        dataset.require_game(game_named(game))
    require_number("the share of held-out games", held_out, 1e-6, 1 - 1e-6)
    if not dataset.manifest["complete"]:
        warnings.warn(
            f"{dataset.folder} is not finished: {dataset.games:,} of "
            f"{dataset.manifest['games']:,} games",
            stacklevel=3,
        )
    return dataset


def label_columns(dataset: Dataset) -> list[str]:
    """Return the columns of `Split.frame`: LABEL_COLUMNS, and `weight` where the dataset has it."""
    return [*LABEL_COLUMNS, *(["weight"] if "weight" in dataset.columns else [])]


def _set_aside(
    games: NDArray[np.int64],
    known: NDArray[np.int64],
    clean: NDArray[np.bool_],
    seed: int,
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which rows to fit to, and the calibration rows; of a single game, it serves twice."""
    numbers = np.unique(games[known])
    order = np.random.default_rng((seed, 1)).permutation(len(numbers))
    aside = numbers[order[: max(1, round(CALIBRATION_SHARE * len(numbers)))]]
    is_aside = np.isin(games[known], aside)
    train = np.zeros(len(games), bool)
    train[known] = ~is_aside if len(numbers) > 1 else True
    calibration = known[is_aside & clean[known]]
    return train, calibration if len(calibration) else known[clean[known]]
