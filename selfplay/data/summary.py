"""Summary of a dataset in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
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
)
from samuel.selfplay.data.shard import word_columns, words_in


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
