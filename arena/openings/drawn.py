"""Openings of random moves."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from samuel.arena.openings.kernel import draw_lines
from samuel.arena.openings.openings import Openings
from samuel.errors import UserError
from samuel.games.interface import Game
from samuel.games.symmetry import canonical_keys

_FRUITLESS_ROUNDS = 8
_LEAST_DRAWN = 4096
"""Lines of a round: so many that what eight rounds do not show is as good as not there."""
_MOST_DRAWN = 1 << 18
_PATIENCE = 10_000
"""Random games in a row that end too soon, before the search for openings is given up."""


def random_openings(
    game: Game, n: int, plies: int, seed: int = 0, *, fewer: bool = False
) -> Openings:
    """Return n openings of `plies` uniformly random moves, all different up to symmetry.

    More openings of the same seed begin with these. Where there are not so many, all that were
    found are returned if `fewer`, with a warning.

    Raises
    ------
    UserError
        There are fewer than n such openings, or so it seems after many tries.
    """
    lines = np.zeros((0, plies), np.int32)
    positions, keys = np.zeros((0, game.words), np.uint64), np.zeros(0, np.uint64)
    drawn = fruitless = 0
    size = min(_MOST_DRAWN, max(_LEAST_DRAWN, n))
    while len(lines) < n and fruitless < _FRUITLESS_ROUNDS:
        more, places = _drawn(game, plies, seed, drawn, size)
        drawn += size
        both = np.concatenate([keys, canonical_keys(game, places)])
        first = np.sort(np.unique(both, return_index=True)[1])
        fruitless = fruitless + 1 if len(first) == len(keys) else 0
        keys = both[first]
        lines = np.concatenate([lines, more])[first]
        positions = np.concatenate([positions, places])[first]
        if not len(lines) and drawn >= _PATIENCE:
            raise UserError(
                f"random games of {game.name} hardly ever last {plies} plies and more; "
                "ask for fewer plies"
            )
    if fewer and len(lines) < n:
        warnings.warn(f"only {len(lines)} openings of {plies} plies differ", stacklevel=3)
    elif len(lines) < n:
        raise UserError(
            f"only {len(lines)} different openings of {plies} plies were found, not {n}; "
            f"play at most {len(lines)} pairs, or from more opening plies"
        )
    moves = tuple(map(tuple, lines[:n].tolist()))
    return Openings(game, f"random, {plies} plies", moves, positions[:n])


def _drawn(
    game: Game, plies: int, seed: int, first: int, n: int
) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Return the lines with the numbers from `first` to `first + n`, and the positions after."""
    lines, positions = np.zeros((n, plies), np.int32), np.zeros((n, game.words), np.uint64)
    found = draw_lines(
        game.rules_of_play,
        game.row(game.start),
        np.uint64(seed % (1 << 64)),
        first,
        np.zeros((2, game.words), np.uint64),
        np.zeros(game.max_moves, np.int32),
        np.zeros(1, np.uint64),
        lines,
        positions,
    )
    return lines[:found], positions[:found]
