"""Training from data that does not fit in memory: the games are read anew at each pass.

A `Stream` is a `Split` whose frame has only the games to judge by; the others come in batches of
whole shards. What memory it takes depends on the size of a batch, not on that of the dataset.
"""

from __future__ import annotations

import functools
import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning

from samuel.errors import UserError
from samuel.games.symmetry import canonical_keys
from samuel.learning.fitting.estimators import ModelLike, is_own, refusing, text_of
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.split import CALIBRATION_SHARE, Split, label_columns, opened
from samuel.learning.fitting.targets import score_scale
from samuel.models.patterns.estimators import Batch
from samuel.selfplay.data.dataset import Dataset, clean_outcomes
from samuel.selfplay.data.shard import word_columns, words_in

HELD_OUT_ROWS = 500_000
"""At most about so many rows are held out: more would not tell models apart any better."""
ASIDE_ROWS = 200_000
"""The same of the calibration rows, and of those that end a fit."""
STOPPING_SHARE = 0.1
"""Of the training games: in memory, for estimators that stop early to judge by."""
BATCH_ROWS = 1_000_000
_TOO_FEW = 4
"""By what factor held-out rows may shrink when the positions met in training are left out."""
_FEWEST_GAMES = 20
_NONE = np.empty(0, np.int64)
_Say = Callable[[str], None]


@dataclass(frozen=True, repr=False)
class _Kept(Dataset):
    """A dataset of which some rows alone are in memory."""

    kept: NDArray[np.uint64]

    @functools.cached_property
    def positions(self) -> NDArray[np.uint64]:
        """The positions (n, K) in memory."""
        return self.kept


@dataclass(frozen=True, eq=False, kw_only=True)
class Stream(Split):
    """A dataset divided by game, of which the rows to judge by alone are in memory.

    The games held out are the first of those that a `Split` of the same share and seed holds out:
    all, unless they have more than HELD_OUT_ROWS.

    Attributes
    ----------
    frame
        The labels of the rows in memory.
    train
        bool (n,), those of them that an estimator that stops early judges by, and that others are
        fitted to.
    calibration, held_out
        As of a Split, of the rows in memory.
    games
        int64, the games in memory, ascending.
    """

    games: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        dataset: Dataset | Path | str,
        *,
        held_out: float = 0.2,
        seed: int = 0,
        game: str | None = None,
        progress: _Say = lambda doing: None,
    ) -> Stream:
        """Divide a dataset; the parameters and errors are those of `Split.of`."""
        dataset = opened(dataset, held_out, game)
        judged, aside, stopping = _games_to_keep(dataset, held_out, seed)
        games = np.sort(np.concatenate([judged, aside, stopping]))
        batches = _batches_of_shards(dataset, BATCH_ROWS, seed)
        kept, frame, scale = _rows_of(dataset, batches, games, progress)
        numbers, clean = frame["game_id"].to_numpy(), clean_outcomes(frame)
        is_judged = np.isin(numbers, judged)
        held, calibration = (
            np.flatnonzero(m & clean) for m in (is_judged, np.isin(numbers, aside))
        )
        if not (len(held) and len(calibration)):
            raise UserError(
                "in every game to judge by an exploratory move comes last: no outcome to judge by; "
                "play more games, or with less exploration"
            )
        others = kept.positions[~is_judged]
        is_met = _met(kept.positions[held], others, dataset, batches, games, progress)
        share = min(held_out, HELD_OUT_ROWS / len(dataset))
        train = np.isin(numbers, stopping)
        known = (share, seed, scale)
        return cls(kept, frame, train, calibration, held[~is_met], *known, games=games)

    def batches(self, fitting: FitOptions) -> list[Callable[[], Split]]:
        """Return what reads the other games, each batch of shards a Split without held-out rows."""
        images = len(self.game.symmetries) if fitting.augment else 1
        shards = _batches_of_shards(self.dataset, BATCH_ROWS // images, self.seed)
        return [functools.partial(self._batch, names) for names in shards]

    def _batch(self, names: Sequence[str]) -> Split:
        part, frame = _read(self.dataset, names, list(self.frame.columns))
        train = ~np.isin(frame["game_id"], self.games)
        return Split(part, frame, train, _NONE, _NONE, self.share, self.seed, self.scale)


def require_streamable(estimator: Any, model: ModelLike, fitting: FitOptions) -> None:
    """Refuse what needs all rows at once.

    Raises
    ------
    UserError
        It does.
    """
    if not hasattr(estimator, "fit_batches"):
        raise UserError(
            f"{text_of(model)} needs all rows in memory at once; what learns from a stream is "
            "patterns, such as tuples2 or logistello"
        )
    if fitting.dedupe or "rare" in fitting.weights:
        raise UserError(
            "merging positions and the weight rare need all rows in memory at once; stream without "
            "them, or what samuel dataset dedupe made"
        )


def fit_stream(
    estimator: Any,
    stream: Stream,
    fitting: FitOptions,
    model: ModelLike,
    progress: _Say = lambda doing: None,
) -> int:
    """Fit an estimator that has `fit_batches`, and return to how many rows.

    The weights of rows are scaled to a mean of 1 in each batch.

    Parameters
    ----------
    estimator
        Unfitted; see require_streamable.
    stream, fitting
        The data, and which of them in what form.
    model
        What it was made from, for the error.
    progress
        Called with what is being done.

    Raises
    ------
    UserError
        There is no row to fit to, or it cannot be fitted to them.
    """
    given = functools.partial(_given, fitting=fitting, classifier=is_classifier(estimator))
    kept: Callable[[], Split] = lambda: stream  # noqa: E731
    batches, rows = _with_rows([*stream.batches(fitting), kept], given, progress)
    held_out: list[Callable[[], Batch]] = []
    if getattr(estimator, "early_stopping", False) and len(batches) > 1 and batches[-1] is kept:
        judge, _ = given(batches.pop()())
        held_out = [lambda: judge]
    asked = itertools.count()

    def read(batch: Callable[[], Split]) -> Batch:
        number = 1 + next(asked) // len(batches)
        progress(f"fitting to {rows:,} rows: pass {number}")
        return given(batch())[0]

    with warnings.catch_warnings(), refusing(model, "cannot be fitted to these positions"):
        if not is_own(model):  # the recipes' limits on iterations are meant
            warnings.simplefilter("ignore", ConvergenceWarning)
        readers = [functools.partial(read, batch) for batch in batches]
        estimator.fit_batches(readers, held_out=held_out)
    return rows


def _given(split: Split, *, fitting: FitOptions, classifier: bool) -> tuple[Batch, int]:
    """Return what an estimator is given of a batch, and how many different rows that is."""
    examples = split.examples(fitting, classifier=classifier)
    rows = int(np.count_nonzero(np.bincount(examples.rows)))
    return (split.positions_of(examples), examples.target, examples.weight), rows


def _with_rows(
    batches: Sequence[Callable[[], Split]],
    given: Callable[[Split], tuple[Batch, int]],
    progress: _Say,
) -> tuple[list[Callable[[], Split]], int]:
    """Return the batches in which `given` finds rows, and how many in all."""
    found, total = [], 0
    refusal = UserError("there is no game left to fit to; play more")
    for number, batch in enumerate(batches, 1):
        progress(f"choosing rows: batch {number} of {len(batches)}")
        split = batch()
        try:
            total += given(split)[1]
        except UserError as error:  # no row, and others may have some
            refusal = error
        else:
            found.append(batch)
    if not found:
        raise refusal
    return found, total


def _games_to_keep(
    dataset: Dataset, share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the games to judge by, to set the scale by, and to end a fit by."""
    found = [np.unique(table["game_id"].to_numpy()) for table in dataset.tables(["game_id"])]
    numbers = np.unique(np.concatenate(found))
    if len(numbers) < _FEWEST_GAMES:
        raise UserError(f"{len(numbers)} games need no stream; train on them in memory")
    in_rows = len(numbers) / len(dataset)

    def count(games: float, rows: int) -> int:
        return max(1, round(min(games, rows * in_rows)))

    order = np.random.default_rng(seed).permutation(len(numbers))
    judged = order[: count(share * len(numbers), HELD_OUT_ROWS)]
    rest = np.delete(numbers, judged)
    order = np.random.default_rng((seed, 1)).permutation(len(rest))
    first = count(CALIBRATION_SHARE * len(rest), ASIDE_ROWS)
    last = first + count(STOPPING_SHARE * (len(rest) - first), ASIDE_ROWS)
    return numbers[judged], rest[order[:first]], rest[order[first:last]]


def _batches_of_shards(dataset: Dataset, rows: int, seed: int) -> list[list[str]]:
    """Return the names of the shards in batches of about so many rows.

    They are drawn at random, so that every batch, the first above all, tells of the whole.
    """
    names = list(dataset.manifest["shards"])
    order = np.random.default_rng((seed, 3)).permutation(len(names))
    batches = np.array_split(order, min(len(names), math.ceil(len(dataset) / rows)))
    return [[names[number] for number in np.sort(batch)] for batch in batches]


def _read(dataset: Dataset, names: Sequence[str], columns: list[str]) -> tuple[_Kept, pd.DataFrame]:
    """Return some shards of a dataset: their positions in memory, and these columns."""
    shards = {name: dataset.manifest["shards"][name] for name in names}
    part = Dataset(dataset.folder, dataset.manifest | {"shards": shards})
    words = word_columns(dataset.game)
    frame = part.frame([*words, *columns])
    positions = words_in(frame, dataset.game)
    return _Kept(part.folder, part.manifest, positions), frame[columns]


def _rows_of(
    dataset: Dataset, batches: Sequence[Sequence[str]], games: NDArray[np.int64], progress: _Say
) -> tuple[_Kept, pd.DataFrame, float]:
    """Return the rows of some games: positions and labels; and the scale of the first batch."""
    columns, scale = label_columns(dataset), 1.0
    positions, frames = [], []
    for number, names in enumerate(batches, 1):
        progress(f"reading the games to judge by: batch {number} of {len(batches)}")
        part, frame = _read(dataset, names, columns)
        scale = score_scale(frame) if number == 1 else scale
        is_kept = np.isin(frame["game_id"], games)
        positions.append(part.positions[is_kept])
        frames.append(frame[is_kept])
    kept = _Kept(dataset.folder, dataset.manifest, np.concatenate(positions))
    return kept, pd.concat(frames, ignore_index=True), scale


def _met(
    positions: NDArray[np.uint64],
    others: NDArray[np.uint64],
    dataset: Dataset,
    batches: Sequence[Sequence[str]],
    games: NDArray[np.int64],
    progress: _Say,
) -> NDArray[np.bool_]:
    """Return which of held-out positions are met, up to symmetry, in any game that is not.

    Parameters
    ----------
    positions
        (m, K).
    others
        Of the rows in memory those that are not held out, (n, K).
    games
        The games in memory; all others are read.
    """
    keys, number_of = np.unique(canonical_keys(dataset.game, positions), return_inverse=True)
    is_known = _in_sorted(keys, canonical_keys(dataset.game, others))
    for number, names in enumerate(batches, 1):
        progress(f"comparing held-out positions: batch {number} of {len(batches)}")
        part, frame = _read(dataset, names, ["game_id"])
        streamed = part.positions[~np.isin(frame["game_id"], games)]
        is_known |= _in_sorted(keys, canonical_keys(dataset.game, streamed))
    is_met = is_known[number_of]
    if _TOO_FEW * np.count_nonzero(~is_met) < len(is_met):
        raise UserError(
            "hardly a held-out position is new: so small a game needs no stream; train in memory"
        )
    return is_met


def _in_sorted(keys: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which of ascending keys are among others; numpy's isin takes five times as long."""
    others = np.sort(others)
    place = np.minimum(np.searchsorted(keys, others), len(keys) - 1)
    found = np.zeros(len(keys), bool)
    found[place[keys[place] == others]] = True
    return found
