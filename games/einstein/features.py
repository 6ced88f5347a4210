"""Features of EinStein würfelt nicht!, on 5 and on 3 squares a side.

The player's numbers come first. Once the die is thrown, those that say so know what it shows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import float32, int64, types
from numpy.typing import NDArray

from samuel.games.einstein.rules import GAME, GAME_3X3, OPPONENT, PLAYER, playable
from samuel.games.feature import define_squares, feature
from samuel.games.interface import Game, Row
from samuel.kernels.bits import ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit


def expected_turns(size: int, stones: int) -> NDArray[np.float32]:
    """Return the least expected number of turns for each way in which the stones of a side stand.

    Float32 ((size + 1)^stones,). The index has a digit in base size + 1 for each stone, the
    first one's the lowest: the moves it is away, or `size` where it is gone. A side without stones
    takes size * stones turns, longer than any other.
    """
    turns = np.zeros((size + 1) ** stones, np.float32)
    turns[-1] = size * stones
    _fill(turns, np.zeros(stones, np.int64), size)
    return turns


@jit(types.void(float32[::1], int64[::1], int64))
def _fill(turns: Any, away: Any, gone: int) -> None:
    """Fill in all but the last from the first on, as a move makes an index smaller."""
    for index in range(turns.shape[0] - 1):
        rest = index
        for k in range(away.shape[0]):
            away[k] = rest % (gone + 1)
            rest //= gone + 1
        if away.min() > 0:
            turns[index] = _turns_at(turns, away, index, gone)


@jit
def _turns_at(turns: Any, away: Any, index: int, gone: int) -> float:
    """Return the turns of an index: this one, and over all dice the mean of what is left then."""
    stones, total = away.shape[0], np.float64(0)
    for die in range(stones):
        lower = higher = die
        while lower >= 0 and away[lower] == gone:
            lower -= 1
        while higher < stones and away[higher] == gone:
            higher += 1
        best = turns[-1]
        if lower >= 0:
            best = min(best, turns[index - (gone + 1) ** lower])
        if higher < stones:
            best = min(best, turns[index - (gone + 1) ** higher])
        total += np.float64(best)
    return 1.0 + total / stones


_BOTH = ("player", "opponent")
_TEMPO, _SPREAD = 1.0, 3.0
"""In turns, by hand: what it is worth to move first, and how far a lead is from a win."""


def _define(game: Game) -> None:
    """Define the features on a board."""
    assert game.board is not None
    size, stones = game.board.rows, len(game.board.pieces)
    die, last = 2 * stones, size * size - 1
    turns_of = expected_turns(size, stones)
    rows_and_columns = [divmod(last - square, size) for square in range(last + 1)]
    moves_from = np.array([max(both) for both in rows_and_columns])
    on_right = np.uint64(sum(1 << size * row + size - 1 for row in range(size)))
    ways = tuple(np.uint64(step) for step in (1, size, size + 1))

    @jit
    def moves_away(position: Row, k: int, side: int) -> int:
        """Return how many moves a stone is from its far corner; `size` where it is taken."""
        stone = position[2 * k + side]
        if stone == ZERO:
            return size
        square = trailing_zeros(stone)
        return moves_from[square if side == PLAYER else last - square]

    @jit
    def index_of(position: Row, side: int) -> int:
        """Return where the table of turns has a side's stones."""
        index = 0
        for k in range(stones - 1, -1, -1):
            index = index * (size + 1) + moves_away(position, k, side)
        return index

    @jit
    def turns_left(position: Row, side: int) -> float:
        """Return the expected turns of a side; of the player's first one the die is known."""
        index = index_of(position, side)
        if side == OPPONENT or position[die] == ZERO or turns_of[index] == 0:
            return turns_of[index]
        (lower, higher), best = playable(position, stones), turns_of[-1]
        if lower >= 0:
            best = min(best, turns_of[index - (size + 1) ** lower])
        if higher < stones:
            best = min(best, turns_of[index - (size + 1) ** higher])
        return np.float32(1) + best

    @jit
    def next_to(position: Row, side: int) -> Word:
        """Return the squares that a side may step on, as it sees them; of the player by the die."""
        lower, higher = playable(position, stones)
        may_all, found = side == OPPONENT or position[die] == ZERO, ZERO
        for k in range(stones):
            stone = position[2 * k + side]
            if stone != ZERO and (may_all or k in (lower, higher)):
                stone = stone if side == PLAYER else bit(last - trailing_zeros(stone))
                found |= stone << ways[1]
                if stone & on_right == ZERO:
                    found |= stone << ways[0] | stone << ways[2]
        return found

    define_squares(game)

    @feature(game=game.name, outputs=_BOTH)
    def turns(position: Row, values: Any) -> None:
        """Expected turns to the far corner without obstacles; the player's for the thrown die."""
        for side in range(2):
            values[side] = turns_left(position, side)

    @feature(game=game.name)
    def race(position: Row) -> float:
        """Lead in turns as a result from -1 to 1: tanh((lead + 1) / 3)."""
        ahead = turns_left(position, OPPONENT) - turns_left(position, PLAYER)
        return math.tanh((np.float64(ahead) + _TEMPO) / _SPREAD)

    @feature(game=game.name, outputs=_BOTH)
    def stones_left(position: Row, values: Any) -> None:
        """Number of stones."""
        for side in range(2):
            values[side] = 0
            for k in range(stones):
                values[side] += popcount(position[2 * k + side])

    @feature(game=game.name, outputs=_BOTH)
    def nearest(position: Row, values: Any) -> None:
        """Distance in moves of the stone nearest to its far corner."""
        for side in range(2):
            values[side] = size
            for k in range(stones):
                values[side] = min(values[side], moves_away(position, k, side))

    @feature(game=game.name, outputs=_BOTH)
    def threats(position: Row, values: Any) -> None:
        """Number of opposing stones that the side can take next; the player's by the die."""
        for side in range(2):
            reached, values[side] = next_to(position, side), 0
            for k in range(stones):
                stone = position[2 * k + 1 - side]
                if stone != ZERO:
                    square = trailing_zeros(stone)
                    seen = bit(square if side == PLAYER else last - square)
                    values[side] += popcount(reached & seen)


for _game in (GAME, GAME_3X3):
    _define(_game)
