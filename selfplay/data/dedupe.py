"""One row for each position that a dataset holds more than once, up to symmetry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samuel.games.symmetry import canonical_keys
from samuel.options import Argument, public
from samuel.selfplay.data.dataset import (
    Dataset,
    Progress,
    clean_outcomes,
    no_progress,
    with_columns,
)
from samuel.selfplay.data.derive import made_of, write_dataset
from samuel.selfplay.data.shard import word_columns, words_in

_EXACT = 256
"""Added to the depth of an exact score, so that it ranks above all others."""
_LABELS = ("game_id", "ply", "score", "depth", "exact", "outcome", "exploratory", "weight")


@public
def dedupe(
    dataset: Annotated[Dataset, Argument()], out: Path | str, *, progress: Progress = no_progress
) -> Dataset:
    """Merge the rows of each position, up to symmetry, into one; labels are averaged.

    Outcomes are averaged where they are clean; an exact score wins over others, a deeper search
    over a shallower one. The column weight says how many rows were merged.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    out
        Folder of the new dataset.
    progress
        Called with the number of rows that are done, each counted twice.

    Notes
    -----
    The result keeps the first of them, as it stands, with

    - `outcome`: the mean of the clean outcomes (`clean_outcomes`), NaN where none is clean
    - `score`: the mean of the exact scores, or else of those of the deepest searches, with their
      `depth` and `exact`; NaN where nothing was searched
    - `exploratory`: false, as what outcomes there are are clean
    - `weight`: the number of rows merged

    Rows that are merged already count by their `weight`. Some 100 bytes a row are held in
    memory. The `counts` of the manifest say how many rows there were (`before`), and how many
    of the result have no outcome (`without_outcome`).

    Raises
    ------
    UserError
        The folder holds something else, or cannot be written.
    """
    made = made_of([dataset], "dedupe", {})

    def tables(counts: dict[str, Any]) -> Iterator[pa.Table]:
        merged = _merged(dataset, progress)
        counts["before"] = len(dataset)
        counts["without_outcome"] = int(np.isnan(merged.outcome).sum())
        start = 0
        for table in dataset.tables(None, lambda done: progress(len(dataset) + done)):
            lowest, highest = np.searchsorted(merged.first, [start, start + len(table)])
            rows = merged.first[lowest:highest] - start
            yield with_columns(table.take(rows), merged.columns(slice(lowest, highest)))
            start += len(table)

    return write_dataset(out, made, tables)


@dataclass(frozen=True)
class _Merged:
    """The labels of m different positions, in the order of the first row (m,) of each."""

    first: NDArray[np.int64]
    score: NDArray[np.float32]
    rank: NDArray[np.int16]
    outcome: NDArray[np.float32]
    weight: NDArray[np.float32]

    def columns(self, part: slice) -> dict[str, NDArray[Any]]:
        rank = np.maximum(self.rank[part], 0)
        return {
            "score": self.score[part],
            "depth": (rank % _EXACT).astype(np.int8),
            "exact": rank >= _EXACT,
            "outcome": self.outcome[part],
            "exploratory": np.zeros(len(rank), bool),
            "weight": self.weight[part],
        }


def _merged(dataset: Dataset, progress: Progress) -> _Merged:
    """Go through all rows and average the labels of each position."""
    game = dataset.game
    parts: tuple[list[NDArray[Any]], ...] = ([], [], [], [], [])
    for table in dataset.tables([*word_columns(game), *_LABELS], progress):
        labels = table.select(_LABELS).to_pandas()
        score = labels["score"].to_numpy(np.float32)
        rank = labels["depth"].to_numpy(np.int16) + _EXACT * labels["exact"].to_numpy(np.int16)
        outcome = labels["outcome"].to_numpy(np.float32)
        columns = (
            canonical_keys(game, words_in(table, game)),
            score,
            np.where(np.isnan(score), np.int16(-1), rank),
            np.where(clean_outcomes(labels), outcome, np.float32(np.nan)),
            labels["weight"].to_numpy(np.float32),
        )
        for part, column in zip(parts, columns, strict=True):
            part.append(column)
    return _averaged(*parts)


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays as one, and forget them."""
    joined = np.concatenate(parts)
    parts.clear()
    return joined


def _averaged(key_parts: list[NDArray[np.uint64]], *label_parts: list[NDArray[Any]]) -> _Merged:
    """Average the labels of rows (score, rank, outcome, weight) by key; empties the lists."""
    keys = _joined(key_parts)
    order = np.argsort(keys, kind="stable")  # so that the first of a position stays the first
    keys = keys[order]
    starts = np.append(0, np.flatnonzero(keys[1:] != keys[:-1]) + 1)
    del keys
    score, rank, outcome, weight = (_joined(parts)[order] for parts in label_parts)
    best = np.maximum.reduceat(rank, starts)
    is_best = rank == np.repeat(best, np.diff(starts, append=len(rank)))
    first = order[starts]
    back = np.argsort(first)
    return _Merged(
        first[back],
        _means(score, weight, is_best & (rank >= 0), starts)[back],
        best[back],
        _means(outcome, weight, ~np.isnan(outcome), starts)[back],
        np.add.reduceat(weight.astype(np.float64), starts).astype(np.float32)[back],
    )


def _means(
    values: NDArray[np.float32],
    weight: NDArray[np.float32],
    chosen: NDArray[np.bool_],
    starts: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Return the weighted mean of the chosen values from each start on, NaN where there is none."""
    weights = np.where(chosen, weight, 0).astype(np.float64)
    total = np.add.reduceat(weights, starts)
    weights *= np.where(chosen, values, 0)
    with np.errstate(invalid="ignore"):
        return (np.add.reduceat(weights, starts) / total).astype(np.float32)
