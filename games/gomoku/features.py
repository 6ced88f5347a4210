"""Features of five in a row, and of k in a row on boards of any size.

A line that a side can still fill is `length` squares in a row without a stone of the other side,
numbered by the stones that it holds: on 15 by 15 squares `open_lines_player_4` counts the ways to
complete five, whatever gaps there are. It is free where it lies beside another of the same
direction, with the same stones, so that both squares at the ends are empty: `free_4` is an open
four, `free_3` an open three.
"""

from __future__ import annotations

from typing import Any

from samuel.games.feature import define_squares, feature
from samuel.games.game import Game
from samuel.games.gomoku.boards import room_for, windows_of
from samuel.games.gomoku.rules import layout_of
from samuel.games.rules import Row
from samuel.kernels.bits import popcount
from samuel.kernels.jit import jit

_SIDES = ("player", "opponent")


def define(game: Game) -> None:
    """Define them for one board."""
    layout = layout_of(game)
    words, length, pad, steps = layout.words, layout.length, layout.pad, layout.steps
    room, put, moved = room_for(layout)
    new_counts, count, held, _ = windows_of(layout)
    kinds = (
        *(str(stones) for stones in range(1, length)),
        *(f"free_{stones}" for stones in range(2, length)),
    )

    @jit
    def add_lines(
        stones: Any, own: Any, others: Any, direction: int, found: Any, values: Any, first: int
    ) -> None:
        """Add a side's lines of a direction to its numbers, which begin at `first`."""
        for n in range(1, length):
            for word in range(words):
                found[pad + word] = held(stones, own, others, direction, word, n)
                values[first + n - 1] += popcount(found[pad + word])
            if n > 1:
                for word in range(words):
                    pair = found[pad + word] & moved(found, word, steps[direction])
                    values[first + length + n - 3] += popcount(pair & ~stones[pad + word])

    define_squares(game)

    @feature(game=game.name, outputs=tuple(f"{side}_{kind}" for side in _SIDES for kind in kinds))
    def open_lines(position: Row, values: Any) -> None:
        """Number of lines without a stone of the other side, by the number of own stones.

        `free_N`: groups of N stones in a line that are open at both ends.
        """
        each = 2 * length - 3
        for k in range(2 * each):
            values[k] = 0
        mine, theirs, found = room(), room(), room()
        own, others = new_counts(), new_counts()
        put(position, 0, mine)
        put(position, words, theirs)
        put(position, 0, found)
        for d in range(4):
            count(mine, d, own)
            count(theirs, d, others)
            add_lines(mine, own, others, d, found, values, 0)
            add_lines(theirs, others, own, d, found, values, each)
