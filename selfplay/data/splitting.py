"""Rows divided by games, so that no canonical position stands on both sides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError

_TOO_FEW = 4
"""By what factor held-out rows may fall short of their share before positions are split."""


def split_keys(
    games: NDArray[np.int64], keys: NDArray[np.uint64], share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split rows into training and held-out, whole games to a side, no position on both."""
    train, held = split_games(games, share, seed)
    test = unseen(keys, train, held)
    if len(test) >= share * len(games) / _TOO_FEW:
        return train, test
    few = (
        "the games hold one position over and over; play more games, or with more random "
        "opening plies"
    )
    return _split_by(keys, share, seed, few)


def split_games(
    games: NDArray[np.int64], share: float, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of the rows of most games (n,), and of a share of them, all rows each."""
    least = max(4, math.ceil(3 / (1 - share)))  # of the rest, a fit may hold out games as well
    few = f"too few games to hold some out ({{}}): play at least {least:,}, better 1,000"
    return _split_by(games, share, seed, few)


def unseen(
    keys: NDArray[np.uint64], train: NDArray[np.int64], test: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return those rows of `test` whose key no row of `train` has."""
    return test[~np.isin(keys[test], keys[train])]


def _split_by(
    labels: NDArray[Any], share: float, seed: int, few: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of most labels (n,), and of a share of them; `few` says that that is all."""
    different = np.unique(labels)
    order = np.random.default_rng(seed).permutation(len(different))
    held = max(1, round(share * len(different)))
    if held >= len(different):
        raise UserError(few.format(len(different)))
    is_held = np.isin(labels, different[order[:held]])
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)
