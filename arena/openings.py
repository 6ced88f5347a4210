"""Openings for matches: positions after random moves, no two alike up to symmetry."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from errors import UserError
from games.abi import Game
from games.random import random_positions
from games.symmetry import canonical_keys

_FRUITLESS_ROUNDS = 8


def random_openings(
    game: Game, n: int, plies: int, seed: int = 0, *, fewer: bool = False
) -> NDArray[np.uint64]:
    """Return n positions (n, K) after `plies` random moves, all different up to symmetry.

    Where there are not so many, all that were found are returned if `fewer`, with a warning.

    Raises
    ------
    UserError
        There are fewer than n such positions, or so it seems after many tries.
    """
    found: dict[int, NDArray[np.uint64]] = {}
    fruitless = 0
    draw = 0
    while len(found) < n and fruitless < _FRUITLESS_ROUNDS:
        before = len(found)
        # spread the seeds, so that nearby seeds do not share their openings
        batch = random_positions(game, 2 * n, (seed << 20) + draw, plies, plies)
        for key, position in zip(canonical_keys(game, batch), batch, strict=True):
            if len(found) < n:
                found.setdefault(int(key), position)
        fruitless = fruitless + 1 if len(found) == before else 0
        draw += 1
    if found and fewer and len(found) < n:
        warnings.warn(f"only {len(found)} openings of {plies} plies differ", stacklevel=3)
    elif len(found) < n:
        raise UserError(
            f"only {len(found)} different openings of {plies} plies were found, not {n}: "
            f"play at most {len(found)} pairs, or from more opening plies"
        )
    return np.stack(list(found.values()))
