"""Common parts of the features of games that are won by a line of stones.

The player's numbers come first. A threat is an empty cell that completes a line of a side.
"""

from __future__ import annotations

from typing import Any

from samuel.games.rules import Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit

BOTH = ("player", "opponent")


@jit
def count_open(position: Row, lines: Any, longest: int, values: Any) -> None:
    """Count lines with 1 to `longest` stones of one side and none of the other."""
    for i in range(2 * longest):
        values[i] = 0
    for i in range(lines.shape[0]):
        line = lines[i]
        mine, theirs = position[0] & line, position[1] & line
        if mine != ZERO and theirs == ZERO:
            values[min(popcount(mine), longest) - 1] += 1
        elif theirs != ZERO and mine == ZERO:
            values[longest + min(popcount(theirs), longest) - 1] += 1


@jit
def threats_of(stones: Word, others: Word, lines: Any, length: int) -> Word:
    """Return the empty cells that complete a line of `length` stones."""
    cells = ZERO
    for i in range(lines.shape[0]):
        if popcount(stones & lines[i]) == length - 1 and others & lines[i] == ZERO:
            cells |= lines[i] & ~stones
    return cells


@jit
def count_forks(position: Row, side: int, playable: Word, lines: Any, length: int) -> int:
    """Count the playable cells whose stone makes at least two threats more of a side."""
    stones, others = position[side], position[1 - side]
    before = threats_of(stones, others, lines, length)
    count = 0
    while playable:
        stone = bit(trailing_zeros(playable))
        after = threats_of(stones | stone, others, lines, length)
        count += 1 if popcount(after & ~before) >= 2 else 0
        playable &= playable - ONE
    return count


def counts_of_sides(longest: int) -> tuple[str, ...]:
    """Return the names of the numbers of `count_open`."""
    return tuple(f"{side}_{k}" for side in BOTH for k in range(1, longest + 1))
