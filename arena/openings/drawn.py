"""Openings of random moves."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from samuel.arena.openings.kernel import draw_lines
from samuel.arena.openings.openings import Openings
from samuel.errors import UserError
from samuel.games.interface import Game
from samuel.games.playing import new_game_state
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

    Where dice make the games differ anyway, openings may be alike: these come before each move.
    More openings of the same seed begin with these. Where there are not so many, all that were
    found are returned if `fewer`, with a warning.

    Raises
    ------
    UserError
        There are fewer than n such openings, or so it seems after many tries.
    """
    lines: list[tuple[int, ...]] = []
    positions, keys = np.zeros((0, game.words), np.uint64), np.zeros(0, np.uint64)
    drawn = fruitless = 0
    # where there are dice, each line has room for a whole game
    size = min(_MOST_DRAWN if game.outcomes is None else _LEAST_DRAWN, max(_LEAST_DRAWN, n))
    while len(lines) < n and fruitless < _FRUITLESS_ROUNDS:
        more, places = _drawn(game, plies, seed, drawn, size)
        drawn += size
        both = np.concatenate([keys, canonical_keys(game, places)])
        first = np.arange(len(both))
        if game.outcomes is None:
            first = np.sort(np.unique(both, return_index=True)[1])
        fruitless = fruitless + 1 if len(first) == len(keys) else 0
        keys = both[first]
        lines += more
        lines = [lines[k] for k in first]
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
    return Openings(game, f"random, {plies} plies", tuple(lines[:n]), positions[:n])


def _drawn(
    game: Game, plies: int, seed: int, first: int, n: int
) -> tuple[list[tuple[int, ...]], NDArray[np.uint64]]:
    """Return the lines with the numbers from `first` to `first + n`, and the positions after."""
    longest = plies if game.outcomes is None else game.max_plies
    lines, lengths = np.zeros((n, longest), np.int32), np.zeros(n, np.int64)
    positions = np.zeros((n, game.words), np.uint64)
    found = draw_lines(
        game.rules_of_play,
        game.row(game.start),
        np.uint64(seed % (1 << 64)),
        first,
        plies,
        new_game_state(game),
        lines,
        lengths,
        positions,
    )
    pairs = zip(lines, lengths[:found].tolist(), strict=False)
    return [tuple(line[:length].tolist()) for line, length in pairs], positions[:found]
