"""Summary of a dataset in numbers, and its repeated positions, up to symmetry, in one row each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from samuel.common.options import Argument, Range, Seed
from samuel.common.public import public
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.rows import canonical_keys
from samuel.selfplay.data.dataset import (
    LABEL_COLUMNS,
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


@dataclass(frozen=True)
class Summary:
    """A dataset in numbers."""

    # games, positions: counts
    games: int
    positions: int
    plies: dict[int, int]  # rows by ply of the game
    outcomes: tuple[float, float, float]  # share of games the first player won, drew, lost
    # rows by outcome for the side to move: (lower edges, counts)
    histogram: tuple[list[float], list[int]]
    distinct: float  # share of positions that differ up to symmetry
    # searched, exact, exploratory, clean: share of rows with a score; with an exact one; where
    # the move was not the search's; with an outcome that no exploratory move separates from them
    searched: float
    exact: float
    exploratory: float
    clean: float
    weight: int  # rows that were merged into these; `positions` where none were
    # rows by source: the evaluator that played, or the file that the game came from
    sources: dict[str, int]
    samples: list[tuple[Position, dict[str, float]]]  # some positions, as Position, with their row


@public
def summarize(
    dataset: Annotated[Dataset, Argument()],
    samples: Annotated[int, Range(0)] = 3,
    seed: Seed = 0,
    *,
    progress: Progress = no_progress,
) -> Summary:
    """Show what a dataset has: counts, plies, outcomes and a few boards.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    samples
        Number of positions to show.
    seed
        Seed of the choice of positions.
    progress
        Called with the number of rows that are done.

    Returns
    -------
    Summary
        Counts, shares and some positions.

    Examples
    --------
    >>> import samuel
    >>> samuel.summarize("data/games").games
    60
    """
    game, rows = dataset.game, len(dataset)
    drawn = np.sort(np.random.default_rng(seed).choice(rows, min(samples, rows), False))
    most = game.scores.max_utility
    edges = np.linspace(-most, most, (16 if most > 1 else 3) + 1)  # a loss, a draw and a win
    plies, sources, signs, totals = Counter[Any](), Counter[Any](), Counter[Any](), Counter[str]()
    histogram, weight, start = np.zeros(len(edges) - 1, np.int64), 0, 0
    keys: list[NDArray[np.uint64]] = []
    found: list[tuple[Position, dict[str, float]]] = []
    labels = [*LABEL_COLUMNS, "depth", "source", "weight"]
    for table in dataset.arrow_tables([*word_columns(game), *labels], progress):
        frame, positions = table.select(labels).to_pandas(), words_in(table, game)
        for counter, values in (
            (plies, frame["ply"]),
            (sources, frame["source"].astype(str)),
            (signs, _first_player(frame)),
        ):
            counter.update(values.value_counts().to_dict())
        totals.update(
            searched=int(frame["score"].notna().sum()),
            exact=int(frame["exact"].sum()),
            exploratory=int(frame["exploratory"].sum()),
            clean=int(clean_outcomes(frame).sum()),
        )
        histogram += np.histogram(frame["outcome"].dropna(), edges)[0]
        weight += round(float(frame["weight"].to_numpy(np.float64).sum()))
        keys.append(canonical_keys(game, positions))
        here = drawn[(drawn >= start) & (drawn < start + len(table))] - start
        found += [_sample(game, positions[i], frame.iloc[i]) for i in here.tolist()]
        start += len(table)
    won, drew, lost = (signs[sign] / max(1, signs.total()) for sign in (1.0, 0.0, -1.0))
    return Summary(
        games=dataset.games,
        positions=rows,
        plies={int(ply): n for ply, n in sorted(plies.items())},
        outcomes=(won, drew, lost),
        histogram=(edges[:-1].tolist(), histogram.tolist()),
        distinct=_different(np.concatenate(keys)) / rows,
        **{name: totals[name] / rows for name in ("searched", "exact", "exploratory", "clean")},
        weight=weight,
        sources=dict(sources.most_common()),
        samples=found,
    )


def _sample(
    game: Game, words: NDArray[np.uint64], row: pd.Series[Any]
) -> tuple[Position, dict[str, float]]:
    position = Position(game, tuple(words.tolist()), int(row["side"]))
    numbers = {name: float(row[name]) + 0 for name in ("ply", "score", "depth", "outcome")}  # no -0
    return position, numbers


def _different(keys: NDArray[np.uint64]) -> int:
    """Return how many different keys there are; the array comes out sorted."""
    keys.sort()  # np.unique takes several times as long
    return 1 + int(np.count_nonzero(keys[1:] != keys[:-1]))


def _first_player(frame: pd.DataFrame) -> pd.Series[float]:
    """Return for each game the sign of the first player's result."""
    last = frame[frame["outcome"].notna()].groupby("game_id", sort=False).tail(1)
    return np.sign(last["outcome"]) * np.where(last["side"] == 0, 1.0, -1.0)
