"""What is in a dataset, in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.games.interface import Game
from samuel.games.position import Position
from samuel.games.symmetry import canonical_keys
from samuel.options import Also, Argument, Range, public
from samuel.selfplay.data.dataset import Dataset, Progress, clean_outcomes, no_progress
from samuel.selfplay.data.shard import word_columns, words_in

_LABELS = ("game_id", "ply", "side", "score", "depth", "exact", "outcome", "exploratory")
_NUMBERS = ("ply", "score", "depth", "outcome")


@dataclass(frozen=True)
class Summary:
    """A dataset in numbers.

    Attributes
    ----------
    games, positions
        counts.
    plies
        rows by ply of the game.
    outcomes
        share of games the first player won, drew, lost.
    histogram
        rows by outcome for the side to move: (lower edges, counts).
    distinct
        share of positions that differ up to symmetry.
    searched, exact, exploratory, clean
        share of rows with a score; with an exact one; where the move was not the search's; with
        an outcome that no exploratory move separates from them.
    weight
        rows that were merged into these; `positions` where none were.
    sources
        rows by source: the evaluator that played, or the file that the game came from.
    samples
        some positions, as Position, with their row.
    """

    games: int
    positions: int
    plies: dict[int, int]
    outcomes: tuple[float, float, float]
    histogram: tuple[list[float], list[int]]
    distinct: float
    searched: float
    exact: float
    exploratory: float
    clean: float
    weight: int
    sources: dict[str, int]
    samples: list[tuple[Position, dict[str, float]]]


@public
def summarize(
    dataset: Annotated[Dataset, Argument()],
    samples: Annotated[int, Range(0), Also("boards")] = 3,
    seed: int = 0,
    *,
    progress: Progress = no_progress,
) -> Summary:
    """Show what a dataset holds: counts, plies, outcomes, a few boards.

    Parameters
    ----------
    dataset
        Folder of a dataset, which is read shard by shard.
    samples
        Number of positions to show.
    seed
        Seed of the choice of positions.
    progress
        Called with the number of rows that are done.
    """
    game, rows = dataset.game, len(dataset)
    count = _Count(game)
    random = np.random.default_rng(seed)
    drawn = np.sort(random.choice(rows, min(samples, rows), False))
    found: list[tuple[Position, dict[str, float]]] = []
    labels = [*_LABELS, "source", "weight"]
    start = 0
    for table in dataset.tables([*word_columns(game), *labels], progress):
        frame, positions = table.select(labels).to_pandas(), words_in(table, game)
        count.add(frame, canonical_keys(game, positions))
        here = drawn[(drawn >= start) & (drawn < start + len(table))] - start
        found += [_sample(game, positions[i], frame.iloc[i]) for i in here.tolist()]
        start += len(table)
    return count.summary(dataset.games, found)


def _sample(
    game: Game, words: NDArray[np.uint64], row: pd.Series[Any]
) -> tuple[Position, dict[str, float]]:
    position = Position(game, tuple(words.tolist()), int(row["side"]))
    return position, {name: float(row[name]) for name in _NUMBERS}


@dataclass
class _Count:
    """What was counted so far, batch by batch."""

    game: Game
    plies: Counter[Any] = field(default_factory=Counter)
    sources: Counter[Any] = field(default_factory=Counter)
    signs: Counter[Any] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)
    outcomes: list[NDArray[np.int64]] = field(default_factory=list)
    keys: list[NDArray[np.uint64]] = field(default_factory=list)

    @property
    def edges(self) -> NDArray[np.float64]:
        """The edges of the bins of outcomes."""
        most = self.game.max_utility
        return np.linspace(-most, most, (16 if most > 1 else 3) + 1)  # a loss, a draw and a win

    def add(self, frame: pd.DataFrame, keys: NDArray[np.uint64]) -> None:
        """Count the rows of whole games."""
        for counter, values in (
            (self.plies, frame["ply"]),
            (self.sources, frame["source"].astype(str)),
            (self.signs, _first_player(frame)),
        ):
            for value, n in values.value_counts().items():
                counter[value] += n
        self.outcomes.append(np.histogram(frame["outcome"].dropna(), self.edges)[0])
        self.keys.append(keys)
        self.totals.update(
            {
                "rows": len(frame),
                "searched": int(frame["score"].notna().sum()),
                "exact": int(frame["exact"].sum()),
                "exploratory": int(frame["exploratory"].sum()),
                "clean": int(clean_outcomes(frame).sum()),
            }
        )
        self.totals["weight"] += round(float(frame["weight"].to_numpy(np.float64).sum()))

    def summary(self, games: int, samples: list[tuple[Position, dict[str, float]]]) -> Summary:
        """Return all that was counted."""
        rows, ended = self.totals["rows"], max(1, self.signs.total())
        won, drawn, lost = (self.signs[sign] / ended for sign in (1.0, 0.0, -1.0))
        shares = ("searched", "exact", "exploratory", "clean")
        return Summary(
            games=games,
            positions=rows,
            plies={int(ply): n for ply, n in sorted(self.plies.items())},
            outcomes=(won, drawn, lost),
            histogram=(self.edges[:-1].tolist(), np.sum(self.outcomes, axis=0).tolist()),
            distinct=_different(np.concatenate(self.keys)) / rows,
            **{name: self.totals[name] / rows for name in shares},
            weight=self.totals["weight"],
            sources=dict(self.sources.most_common()),
            samples=samples,
        )


def _different(keys: NDArray[np.uint64]) -> int:
    """Return how many different keys there are; the array comes out sorted."""
    keys.sort()  # np.unique takes several times as long
    return 1 + int(np.count_nonzero(keys[1:] != keys[:-1]))


def _first_player(frame: pd.DataFrame) -> pd.Series[float]:
    """Return for each game the sign of the first player's result."""
    last = frame[frame["outcome"].notna()].groupby("game_id", sort=False).tail(1)
    return np.sign(last["outcome"]) * np.where(last["side"] == 0, 1.0, -1.0)
