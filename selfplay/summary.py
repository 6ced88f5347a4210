"""What is in a dataset, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from games.position import Position
from games.symmetry import canonical_keys
from selfplay.dataset import Dataset, clean_outcomes, word_columns


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
    exact, exploratory, clean
        share of rows with an exact score; where the move was not the
        search's; that no exploratory move separates from their outcome.
    samples
        some positions, as Position, with their row.
    """

    games: int
    positions: int
    plies: dict[int, int]
    outcomes: tuple[float, float, float]
    histogram: tuple[list[float], list[int]]
    distinct: float
    exact: float
    exploratory: float
    clean: float
    samples: list[tuple[Position, dict[str, float]]]


def summarize(dataset: Dataset, samples: int = 3, seed: int = 0) -> Summary:
    """Return the numbers of a dataset."""
    frame, game = dataset.frame(), dataset.game
    last = frame.groupby("game_id", sort=False).tail(1)
    # an even ply is the first player's move; outcomes are for the side to move
    first_player = np.sign(last["outcome"]) * np.where(last["ply"] % 2 == 0, 1, -1)
    outcomes = tuple(float((first_player == sign).mean()) for sign in (1, 0, -1))
    bins = 16 if game.max_utility > 1 else 3  # a loss, a draw and a win
    counts, edges = np.histogram(
        frame["outcome"], bins=bins, range=(-game.max_utility, game.max_utility)
    )
    keys = canonical_keys(game, dataset.positions)
    return Summary(
        games=dataset.games,
        positions=len(frame),
        plies=dict(
            zip(*(a.tolist() for a in np.unique(frame["ply"], return_counts=True)), strict=True)
        ),
        outcomes=(outcomes[0], outcomes[1], outcomes[2]),
        histogram=([float(e) for e in edges[:-1]], [int(n) for n in counts]),
        distinct=len(np.unique(keys)) / len(keys),
        exact=float(frame["exact"].mean()),
        exploratory=float(frame["exploratory"].mean()),
        clean=float(clean_outcomes(frame).mean()),
        samples=_samples(frame, dataset, samples, seed),
    )


def _samples(
    frame: pd.DataFrame, dataset: Dataset, n: int, seed: int
) -> list[tuple[Position, dict[str, float]]]:
    rows = np.sort(np.random.default_rng(seed).choice(len(frame), min(n, len(frame)), False))
    game, found = dataset.game, []
    for i in rows:
        row = frame.iloc[int(i)]
        words = tuple(int(row[name]) for name in word_columns(game))
        numbers = {name: float(row[name]) for name in ("ply", "score", "depth", "outcome")}
        found.append((Position(game, words, int(row["ply"]) % 2), numbers))
    return found
