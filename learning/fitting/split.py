"""A dataset divided by game: to fit estimators to, to set their scale, and to evaluate them on.

The held-out rows are in memory. Those to fit to come in batches: one where all fit in memory,
else one after another from disk, so that what memory it takes does not depend on the dataset.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.common.errors import UserError, require_number
from samuel.games.catalog import game_named
from samuel.games.game import Game
from samuel.games.rows import canonical_keys, left_of, seen_under
from samuel.learning.fitting.examples import prepared
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.targets import USUAL, Examples, Labels, score_targets, win_targets
from samuel.selfplay.data.dataset import LABEL_COLUMNS, Dataset, dataset_of, score_scale
from samuel.selfplay.data.splitting import split_keys

BATCH_ROWS = 1_000_000
"""Rows of a batch, about, where there are several."""
CALIBRATION_SHARE = 0.1
"""Share of the training games for the scale: scores of games of the fit are too sure."""
HELD_OUT_ROWS = 500_000
"""Most held-out rows of several batches, about: more would not tell models apart better."""
ASIDE_ROWS = 200_000
"""The same of the calibration rows, and of those that end a fit."""
STOPPING_SHARE = 0.1
"""Share of the training games in memory by which a fit of several batches stops early."""
_TOO_FEW = 4
"""By what factor held-out rows may shrink when the positions met in training are left out."""
_FEWEST_GAMES = 20
"""Fewest games of several batches."""
_NONE = np.empty(0, np.int64)
_Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Split:
    """A dataset divided by game; the same dataset, share and seed give the same division."""

    dataset: Dataset
    labels: Labels
    positions: NDArray[np.uint64]
    train: NDArray[np.bool_]  # of several batches those of the last, for early stopping
    calibration: NDArray[np.int64]  # rows that set the scale of scores
    held_out: NDArray[np.int64]  # no training or calibration row has such a canonical position
    share: float
    seed: int
    batch_rows: int | None = None

    @classmethod
    def of(
        cls,
        dataset: Dataset | Path | str,
        *,
        held_out: float = 0.2,
        seed: int = 0,
        game: str | None = None,
        batch_rows: int | None = None,
        progress: _Say = lambda doing: None,
    ) -> Split:
        """Divide a dataset."""
        dataset = _opened(dataset, held_out, game)
        if batch_rows is not None:
            return _in_batches(dataset, held_out, seed, batch_rows, progress)
        frame, positions = _labelled(dataset, _label_columns(dataset))
        numbers, keys = frame["game_id"].to_numpy(), canonical_keys(dataset.game, positions)
        known, unseen = split_keys(numbers, keys, held_out, seed)
        labels = Labels(frame, dataset.game)
        unseen = unseen[labels.clean[unseen]]
        _require_rows(unseen)
        train, calibration = _set_aside(numbers, known, labels.clean, seed)
        return cls(dataset, labels, positions, train, calibration, unseen, held_out, seed)

    def batches(self, fitting: FitOptions = FitOptions()) -> list[Callable[[], Split]]:
        """Return what reads the rows to fit to, each a Split; the last is this one."""
        found: list[Callable[[], Split]] = [lambda: self]
        if self.batch_rows is None:
            return found
        images = len(self.game.symmetries) if fitting.augment else 1
        shards = _batches_of_shards(self.dataset, self.batch_rows // images, self.seed)
        return [*(functools.partial(self._batch, names) for names in shards), *found]

    def _batch(self, names: Sequence[str]) -> Split:
        """Return the rows of some shards, but for those of the games in memory."""
        part = self.dataset.some(names)
        frame, positions = _labelled(part, list(self.frame.columns))
        train = ~np.isin(frame["game_id"], self.frame["game_id"].unique())
        labels = Labels(frame, self.game, self.labels.given_scale)
        return Split(self.dataset, labels, positions, train, _NONE, _NONE, self.share, self.seed)

    @property
    def game(self) -> Game:
        """The game."""
        return self.dataset.game

    @property
    def outcomes(self) -> NDArray[np.float32]:
        """The outcomes of all rows."""
        return self.frame["outcome"].to_numpy(np.float32)

    @property
    def frame(self) -> pd.DataFrame:
        """The labels of all rows, as columns."""
        return self.labels.frame

    @functools.cached_property
    def held_out_positions(self) -> NDArray[np.uint64]:
        """The positions (m, K) of the held-out rows."""
        return self.positions[self.held_out]

    @functools.cached_property
    def held_out_left(self) -> NDArray[np.int64]:
        """Squares or plies left (m,) in the held-out positions."""
        return left_of(self.game, self.held_out_positions)

    def with_target(self, fitting: FitOptions) -> FitOptions:
        """Return options with the target that the game suggests, where they name none."""
        if fitting.target is not None:
            return fitting
        suggested = self.game.defaults.target
        if suggested != USUAL and self.frame["score"].isna().all():
            suggested = "outcome"
        return replace(fitting, target=suggested)

    def examples(self, fitting: FitOptions = FitOptions(), *, classifier: bool) -> Examples:
        """Return what to fit an estimator to: training rows, as `fitting` wants them."""
        fitting = self.with_target(fitting)
        if fitting.target == "td" and self.frame["game_id"].is_unique:
            raise UserError(
                "the target td needs whole games, but these are single positions; take the "
                "target blend, score or outcome"
            )
        found = (win_targets if classifier else score_targets)(self.labels, fitting)
        found = found[self.train[found.rows]]
        positions = self.positions
        return prepared(found, self.frame, positions, self.game, fitting, classifier=classifier)

    def positions_of(self, examples: Examples) -> NDArray[np.uint64]:
        """Return the positions (m, K) of examples, each in its image."""
        positions = self.positions[examples.rows]
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
        values = self.labels.values(self.with_target(fitting))[self.held_out]
        return np.where(np.isnan(values), self.outcomes[self.held_out], values)


def split_of(given: Split | Dataset | Path | str, **options: Any) -> Split:
    """Return what is divided already as it is, else `Split.of` a dataset."""
    return given if isinstance(given, Split) else Split.of(given, **options)


def rows_of_games(games: NDArray[np.int64], rows: int, seed: int) -> NDArray[np.int64]:
    """Return the rows of games drawn at random until there are so many; at least two games."""
    numbers, of_row, sizes = np.unique(games, return_inverse=True, return_counts=True)
    order = np.random.default_rng((seed, 4)).permutation(len(numbers))
    count = max(2, int(np.searchsorted(np.cumsum(sizes[order]), rows, side="right")))
    chosen = np.zeros(len(numbers), bool)
    chosen[order[:count]] = True
    return np.flatnonzero(chosen[of_row])


def _opened(dataset: Dataset | Path | str, held_out: float, game: str | None) -> Dataset:
    """Return a dataset that can be divided; the parameters and errors are those of `Split.of`."""
    dataset = dataset_of(dataset)
    if game is not None:
        dataset.require_game(game_named(game))
    require_number("held_out", held_out, 1e-6, 1 - 1e-6)
    if not dataset.manifest["complete"]:
        warnings.warn(
            f"{dataset.folder} is not complete: {dataset.games:,} of "
            f"{dataset.manifest['games']:,} games",
            stacklevel=3,
        )
    return dataset


def _label_columns(dataset: Dataset) -> list[str]:
    return [*LABEL_COLUMNS, *(["weight"] if "weight" in dataset.columns else [])]


def has_outcomes(dataset: Dataset) -> bool:
    """Return whether the outcome of any row is known."""
    tables = dataset.arrow_tables(["outcome"])
    return any(np.isfinite(table["outcome"].to_numpy()).any() for table in tables)


def _labelled(dataset: Dataset, columns: list[str]) -> tuple[pd.DataFrame, NDArray[np.uint64]]:
    """Return labels and positions; unknown outcomes are those that the scores predict."""
    frame, positions = dataset.labelled(columns)
    if len(frame) and frame["outcome"].isna().all() and frame["score"].notna().any():
        warnings.warn("no outcome is known; scores are used as outcomes", stacklevel=3)
        scores, score = dataset.game.scores, frame["score"].to_numpy(np.float32)
        most = np.float32(scores.max_utility)
        expected = most * np.tanh(score / np.float32(2 * scores.scale)) if scores.scale else score
        frame["outcome"] = np.clip(expected, -most, most)
    return frame, positions


def _require_rows(*chosen: NDArray[np.int64]) -> None:
    """Raise UserError where there are no rows to evaluate on."""
    if not all(map(len, chosen)):
        raise UserError(
            "no held-out position can be used to measure errors: outcomes are unknown, or a "
            "random move follows; play more games, or use a smaller --epsilon"
        )


def _set_aside(
    games: NDArray[np.int64], known: NDArray[np.int64], clean: NDArray[np.bool_], seed: int
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


def _in_batches(dataset: Dataset, share: float, seed: int, rows: int, progress: _Say) -> Split:
    """Divide a dataset of which the rows to evaluate on alone are to be in memory."""
    held_out, aside, stopping = _games_to_keep(dataset, share, seed)
    games = np.sort(np.concatenate([held_out, aside, stopping]))
    batches = _batches_of_shards(dataset, rows, seed)
    columns, scale, frames, parts = _label_columns(dataset), 0.0, [], []
    for number, names in enumerate(batches, 1):
        progress(f"reading the held-out games: batch {number} of {len(batches)}")
        part = dataset.some(names)
        frame, those = _labelled(part, columns)
        scale = scale or score_scale(frame)
        is_kept = np.isin(frame["game_id"], games)
        parts.append(those[is_kept])
        frames.append(frame[is_kept])
    labels = Labels(pd.concat(frames, ignore_index=True), dataset.game, scale)
    positions, numbers = np.concatenate(parts), labels.frame["game_id"].to_numpy()
    is_held_out = np.isin(numbers, held_out)
    held = np.flatnonzero(is_held_out & labels.clean)
    calibration = np.flatnonzero(np.isin(numbers, aside) & labels.clean)
    _require_rows(held, calibration)
    is_met = _met(positions[held], positions[~is_held_out], dataset, batches, games, progress)
    share = min(share, HELD_OUT_ROWS / len(dataset))
    train = np.isin(numbers, stopping)
    return Split(dataset, labels, positions, train, calibration, held[~is_met], share, seed, rows)


def _games_to_keep(
    dataset: Dataset, share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the games to hold out, to set the scale by, and to end a fit by."""
    found = [np.unique(table["game_id"].to_numpy()) for table in dataset.arrow_tables(["game_id"])]
    numbers = np.unique(np.concatenate(found))
    if len(numbers) < _FEWEST_GAMES:
        raise UserError(
            f"{len(numbers)} games are too few to stream; train in memory (without --stream)"
        )
    in_rows = len(numbers) / len(dataset)

    def count(games: float, rows: int) -> int:
        return max(1, round(min(games, rows * in_rows)))

    order = np.random.default_rng(seed).permutation(len(numbers))
    held_out = order[: count(share * len(numbers), HELD_OUT_ROWS)]
    rest = np.delete(numbers, held_out)
    order = np.random.default_rng((seed, 1)).permutation(len(rest))
    first = count(CALIBRATION_SHARE * len(rest), ASIDE_ROWS)
    last = first + count(STOPPING_SHARE * (len(rest) - first), ASIDE_ROWS)
    return numbers[held_out], rest[order[:first]], rest[order[first:last]]


def _batches_of_shards(dataset: Dataset, rows: int, seed: int) -> list[list[str]]:
    """Return the names of the shards in batches of about so many rows, drawn at random."""
    names = list(dataset.manifest["shards"])
    order = np.random.default_rng((seed, 3)).permutation(len(names))
    batches = np.array_split(order, min(len(names), math.ceil(len(dataset) / rows)))
    return [[names[number] for number in np.sort(batch)] for batch in batches]


def _met(
    positions: NDArray[np.uint64],
    others: NDArray[np.uint64],
    dataset: Dataset,
    batches: Sequence[Sequence[str]],
    games: NDArray[np.int64],
    progress: _Say,
) -> NDArray[np.bool_]:
    """Return which of held-out positions are met, up to symmetry, in any game that is not."""
    keys, number_of = np.unique(canonical_keys(dataset.game, positions), return_inverse=True)
    is_known = _in_sorted(keys, canonical_keys(dataset.game, others))
    for number, names in enumerate(batches, 1):
        progress(f"comparing held-out positions: batch {number} of {len(batches)}")
        labels, those = dataset.some(names).labelled(["game_id"])
        streamed = those[~np.isin(labels["game_id"], games)]
        is_known |= _in_sorted(keys, canonical_keys(dataset.game, streamed))
    is_met = is_known[number_of]
    if _TOO_FEW * np.count_nonzero(~is_met) < len(is_met):
        raise UserError(
            "almost all held-out positions also occur in training; so small a game needs no "
            "streaming: train in memory (without --stream)"
        )
    return is_met


def _in_sorted(keys: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which of ascending keys are among others; numpy's isin takes five times as long."""
    others = np.sort(others)
    place = np.minimum(np.searchsorted(keys, others), len(keys) - 1)
    found = np.zeros(len(keys), bool)
    found[place[keys[place] == others]] = True
    return found
