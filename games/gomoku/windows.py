"""Windows: `length` squares in a row, to be filled by a side while the other has no stone there.

What a position is worth is read off them: a window of five with four stones of one side and none
of the other is a four, two such windows side by side are an open four, and so on down. Windows of a
direction are counted all at once: the board, moved by 0, 1, ... squares, is added up in bit slices,
so that bit b of slice s is bit s of the number of stones in the window that begins at square b.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from samuel.games.gomoku.boards import WORD, Layout, room_for
from samuel.kernels.bits import ONE, ZERO, Word, bit, trailing_zeros
from samuel.kernels.jit import jit
from samuel.kernels.pointers import room_of


class Windows(NamedTuple):
    """Functions over the windows of a layout; rooms are those of `room_for`.

    Attributes
    ----------
    counts
        `counts()` is room for the counts of a direction.
    count
        `count(stones, direction, counts)` counts the stones of a room in its windows.
    held
        `held(stones, own, others, direction, word, n)` returns a word of the windows that hold n
        stones of a side and none of the other, by both sides' counts; where more than `length` do
        not win, none that a stone of the side follows at an end.
    mark
        `mark(windows, direction, word, squares)` adds all squares of a word of windows to a board
        of `words` words.
    """

    counts: Any
    count: Any
    held: Any
    mark: Any


@functools.cache
def windows_of(layout: Layout) -> Windows:
    """Return the functions over the windows of a layout."""
    words, length, exact = layout.words, layout.length, layout.exact
    slices, steps, inside = length.bit_length(), layout.steps, layout.windows
    _, _, moved = room_for(layout)

    @jit
    def count(stones: Any, direction: int, counts: Any) -> None:
        for k in range(slices * words):
            counts[k] = ZERO
        for k in range(length):
            for word in range(words):
                carry = moved(stones, word, k * steps[direction])
                for place in range(word, slices * words, words):
                    more = counts[place] & carry
                    counts[place] ^= carry
                    carry = more

    @jit
    def held(stones: Any, own: Any, others: Any, direction: int, word: int, n: int) -> Word:
        found = inside[direction * words + word]
        for s in range(slices):
            piece = own[s * words + word]
            found &= (piece if n >> s & 1 else ~piece) & ~others[s * words + word]
        if exact:
            step = steps[direction]
            found &= ~(moved(stones, word, -step) | moved(stones, word, length * step))
        return found

    @jit
    def mark(windows: Word, direction: int, word: int, squares: Any) -> None:
        while windows != ZERO:
            square = WORD * word + trailing_zeros(windows)
            for _ in range(length):
                squares[square // WORD] |= bit(square % WORD)
                square += steps[direction]
            windows &= windows - ONE

    return Windows(room_of(slices * words), count, held, mark)
