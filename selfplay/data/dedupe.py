"""One row for each position that a dataset holds more than once, up to symmetry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from samuel.common.options import Argument
from samuel.common.public import public
from samuel.games.rows import canonical_keys
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
    """Merge all rows of a position, up to symmetry, into one with averaged labels.

    Outcomes are averaged over games without later random moves. An exact score replaces other
    scores, and a deeper score a shallower one. The column weight has the number of merged rows.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    out
        Folder of the new dataset.
    progress
        Called with the number of rows that are done, each counted twice.

    Returns
    -------
    Dataset
        New dataset.

    Raises
    ------
    UserError
        The folder has something else, or cannot be written.

    Notes
    -----
    The result keeps the first of them, as it stands, with

    - `outcome`: the mean of the clean outcomes (`clean_outcomes`), NaN where none is clean
    - `score`: the mean of the exact scores, or else of those of the deepest searches, with their
      `depth` and `exact`; NaN where nothing was searched
    - `exploratory`: false, as what outcomes there are are clean
    - `weight`: the number of rows merged

    Rows that are merged already count by their `weight`. Some 100 bytes per row are held in
    memory. The `counts` of the manifest has the number of rows before (`before`), and how many
    of the result have no outcome (`without_outcome`).

    Examples
    --------
    >>> import samuel
    >>> samuel.dedupe("data/games", "data/distinct")
    Dataset('data/distinct': ... games of tic_tac_toe, ... positions)
    """
    made = made_of([dataset], "dedupe", {})

    def tables(counts: dict[str, Any]) -> Iterator[pa.Table]:
        first, merged = _merged(dataset, progress)
        counts["before"] = len(dataset)
        counts["without_outcome"] = int(np.isnan(merged["outcome"]).sum())
        start = 0
        for table in dataset.arrow_tables(None, lambda done: progress(len(dataset) + done)):
            part = slice(*np.searchsorted(first, [start, start + len(table)]))
            columns = {name: values[part] for name, values in merged.items()}
            yield with_columns(table.take(first[part] - start), columns)
            start += len(table)

    return write_dataset(out, made, tables)


def _merged(
    dataset: Dataset, progress: Progress
) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """Return the first row (m,) of each position, in order, and the averaged labels of its rows."""
    parts: list[pd.DataFrame] = []
    for table in dataset.arrow_tables([*word_columns(dataset.game), *_LABELS], progress):
        labels = table.select(_LABELS).to_pandas()
        rank = labels["depth"].to_numpy(np.int16) + _EXACT * labels["exact"].to_numpy(np.int16)
        outcome = labels["outcome"].where(clean_outcomes(labels))
        keys = canonical_keys(dataset.game, words_in(table, dataset.game))
        columns = {"key": keys, "score": labels["score"], "outcome": outcome}
        rank = np.where(labels["score"].isna(), np.int16(-1), rank)
        parts.append(pd.DataFrame(columns).assign(rank=rank, weight=labels["weight"]))
    rows = pd.concat(parts, ignore_index=True)
    parts.clear()
    group, found = pd.factorize(rows.pop("key"))
    weight, rank = rows["weight"].to_numpy(np.float64), rows["rank"].to_numpy()
    best = np.full(len(found), -1, np.int16)
    np.maximum.at(best, group, rank)

    def mean(name: str, chosen: NDArray[np.bool_]) -> NDArray[np.float32]:
        weights = np.where(chosen, weight, 0)
        total = np.bincount(group, weights * rows[name].where(chosen, 0), len(found))
        with np.errstate(invalid="ignore"):  # NaN where none is chosen
            return (total / np.bincount(group, weights, len(found))).astype(np.float32)

    first = np.empty(len(found), np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    return first, {
        "score": mean("score", (rank == best[group]) & (rank >= 0)),
        "depth": (np.maximum(best, 0) % _EXACT).astype(np.int8),
        "exact": best >= _EXACT,
        "outcome": mean("outcome", rows["outcome"].notna().to_numpy()),
        "exploratory": np.zeros(len(found), bool),
        "weight": np.bincount(group, weight).astype(np.float32),
    }
