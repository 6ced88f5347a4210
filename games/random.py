"""Random numbers inside kernels, and random positions made with them.

SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): the
state is one word that any 64-bit number seeds, so each game has a stream of its own and no
result depends on how the games are shared out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int32, int64, types
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.interface import ROWS, RULES, Game
from samuel.kernels.bits import ZERO, Word, mix
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, at, copy

STREAM = types.Array(types.uint64, 1, "C")
_STEP = np.uint64(0x9E3779B97F4A7C15)
_11 = np.uint64(11)
_TO_UNIT = 2.0**-53
_PATIENCE = 10_000
"""Random games in a row that end too soon, before the search for positions is given up."""


@jit
def seed_stream(stream: Any, seed: int, number: int) -> None:
    """Start stream `number` of `seed` in `stream` (uint64, one word)."""
    stream[0] = mix(mix(ZERO, np.uint64(seed)), np.uint64(number))


@jit
def next_word(stream: Any) -> Word:
    """Return the next 64 random bits."""
    stream[0] += _STEP
    return mix(ZERO, stream[0])


@jit
def uniform(stream: Any) -> float:
    """Return a float64 in [0, 1)."""
    return np.float64(next_word(stream) >> _11) * _TO_UNIT


@jit
def below(stream: Any, n: int) -> int:
    """Return an integer in [0, n); the bias, under n / 2**53, is beyond notice."""
    return int64(uniform(stream) * n)


@jit
def play_random(
    rules: Any,
    position: Pointer,
    child: Pointer,
    words: int,
    moves: Pointer,
    stream: Any,
    plies: int,
) -> int:
    """Play up to `plies` uniformly random moves in `position`, by way of `child`.

    Returns
    -------
    The number of plies played: fewer where the game ended.
    """
    for ply in range(plies):
        n = rules.legal_moves(position, moves)
        if n == 0:
            return ply
        rules.play(position, moves[below(stream, n)], child)
        copy(position, child, words)
    return plies


@jit(int64(RULES, ROWS, types.Array(int32, 1, "C"), STREAM, int64))
def _play_random(rules: Any, stack: Any, moves: Any, stream: Any, plies: int) -> int:
    words = stack.shape[1]
    return play_random(rules, at(stack, 0), at(stack, 1), words, at(moves, 0), stream, plies)


def random_positions(
    game: Game, n: int, seed: int = 0, min_plies: int = 0, max_plies: int | None = None
) -> NDArray[np.uint64]:
    """Return n positions (n, K) from uniformly random play, none of them finished.

    The number of plies of each is uniform from `min_plies` to `max_plies`.

    Raises
    ------
    UserError
        Random games hardly ever last so long.
    """
    longest = game.most_left - 1 if max_plies is None else max_plies
    stack = np.zeros((2, game.words), np.uint64)
    moves = np.zeros(game.max_moves, np.int32)
    stream = np.zeros(1, np.uint64)
    stream[0] = np.uint64(seed % (1 << 64))
    positions = np.zeros((n, game.words), np.uint64)
    lengths = np.random.default_rng(seed)
    found = failed = 0
    while found < n:
        plies = int(lengths.integers(min_plies, longest + 1))
        stack[0] = game.start
        played = _play_random(game.rules_of_play, stack, moves, stream, plies)
        if played == plies and not game.is_over(stack[0]):
            positions[found] = stack[0]
            found, failed = found + 1, 0
        elif (failed := failed + 1) == _PATIENCE:
            raise UserError(
                f"random games of {game.name} hardly ever last {plies} plies and more; "
                "ask for fewer plies"
            )
    return positions
