"""Errors of models by the number of legal moves, and the positions with the largest ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.games.interface import PASS, Game
from samuel.games.rows import count_moves
from samuel.learning import Split
from samuel.learning.comparison.intervals import Resampling, interval

_FEWEST = 50
"""Rows with a number of legal moves that fewer rows have say nothing."""


def mobility_of(game: Game, positions: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return how many moves the side to move has in positions (n, K); a pass is none."""
    rows = game.rows(positions)
    counts = count_moves(game, rows).astype(np.int64)
    single = np.flatnonzero(counts == 1)
    counts[single] = [game.moves_in(row)[0] != PASS for row in rows[single]]
    return counts


def error_by_mobility(
    errors: NDArray[np.float32], mobility: NDArray[np.int64], resampling: Resampling
) -> pd.DataFrame:
    """Return the mean absolute error by the number of legal moves.

    Parameters
    ----------
    errors, mobility
        (n,), score less outcome, and the number of legal moves.
    resampling
        Of the same rows.

    Returns
    -------
    pandas.DataFrame
        Columns `mobility`, `rows`, `mae`, `mae_low` and `mae_high`; numbers of moves that hardly
        a row has are left out.
    """
    known, place, counts = np.unique(mobility, return_inverse=True, return_counts=True)
    kept = np.flatnonzero(counts >= _FEWEST)
    rows = [np.flatnonzero(place == k) for k in kept]
    absolute = np.abs(errors).astype(np.float64)
    columns = np.column_stack([absolute, np.ones(len(errors))])
    # of all numbers of moves at once, as each pass over the draws takes its time
    by_game = [resampling.by_game(columns[chosen], chosen) for chosen in rows]
    sums = resampling.drawn(np.hstack(by_game)) if by_game else np.zeros((1, 0))
    with np.errstate(invalid="ignore"):  # a draw may hold no such row
        means = sums[:, ::2] / sums[:, 1::2]
    bounds = [interval(of_count) or (None, None) for of_count in means.T]
    return pd.DataFrame(
        {
            "mobility": known[kept],
            "rows": counts[kept],
            "mae": [absolute[chosen].mean() for chosen in rows],
            "mae_low": [low for low, _ in bounds],
            "mae_high": [high for _, high in bounds],
        }
    )


def largest_errors(split: Split, scores: NDArray[np.float32], n: int) -> pd.DataFrame:
    """Return the n held-out positions whose scores are the furthest from the outcome.

    Each game has its worst position alone: neighbours err alike.

    Returns
    -------
    pandas.DataFrame
        Columns `row` (of the dataset), `score`, `outcome` and `ply`, the largest error first.
    """
    labels = split.frame.iloc[split.held_out]
    frame = pd.DataFrame(
        {
            "row": split.held_out,
            "score": scores,
            "outcome": labels["outcome"].to_numpy(),
            "ply": labels["ply"].to_numpy(),
            "game_id": labels["game_id"].to_numpy(),
        }
    )
    order = (frame["score"] - frame["outcome"]).abs().sort_values(ascending=False, kind="stable")
    worst = frame.loc[order.index].drop_duplicates("game_id").head(n)
    return worst.drop(columns="game_id").reset_index(drop=True)
