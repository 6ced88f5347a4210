"""Boards of stones as bits, so that a shift goes one square along a line, and windows on them.

A row of squares takes as many bits as there are columns and one more, which stays empty: so no line
runs from one row's end into the next. Row 0 is the top one, its left square bit 0. The bits of a
side take `words` words; kernels copy them into a room with empty words on both sides, where they
can be moved by any distance along a line that matters without asking for ends.

A window is `length` squares in a row, to be filled by a side while the other has no stone there.
The worth of a position is read off them: a window of five with four stones of one side and none
of the other is a four, two such windows side by side are an open four, and so on down. Windows of a
direction are counted all at once: the board, moved by 0, 1, ... squares, is added up in bit slices,
so that bit b of slice s is bit s of the number of stones in the window that begins at square b.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from samuel.kernels.bits import ONE, ZERO, Word, bit, trailing_zeros
from samuel.kernels.jit import jit
from samuel.kernels.pointers import room_of

WORD = 64
_WORD_BITS, _IN_WORD = 6, WORD - 1
_LAST = np.uint64(_IN_WORD)


@dataclass(frozen=True)
class Layout:
    """A board of `columns` by `rows` squares, on which `length` stones in a row win."""

    columns: int
    rows: int
    length: int
    exact: bool = False

    @property
    def stride(self) -> int:
        """The bits of a row."""
        return self.columns + 1

    @property
    def cells(self) -> int:
        """The number of squares."""
        return self.columns * self.rows

    @functools.cached_property
    def bits(self) -> tuple[int, ...]:
        """The bit of each square, row by row from the top."""
        return tuple(self.stride * r + c for r in range(self.rows) for c in range(self.columns))

    @property
    def words(self) -> int:
        """The words that the bits of a side take."""
        return self.bits[-1] // WORD + 1

    @property
    def steps(self) -> tuple[int, int, int, int]:
        """The bits to the next square of a row, a column, and both kinds of diagonals."""
        return (1, self.stride, self.stride + 1, self.stride - 1)

    @property
    def pad(self) -> int:
        """The empty words on either side of a room."""
        return (self.length + 1) * (self.stride + 1) // WORD + 1

    def masks(self, squares: int) -> tuple[np.uint64, ...]:
        """Return bits as words."""
        return tuple(np.uint64(squares >> WORD * w & (1 << WORD) - 1) for w in range(self.words))

    @functools.cached_property
    def board(self) -> tuple[np.uint64, ...]:
        """The squares, as words."""
        return self.masks(sum(1 << bit for bit in self.bits))

    @functools.cached_property
    def windows(self) -> tuple[np.uint64, ...]:
        """The squares where `length` squares in a row begin, for each of `steps`, as words."""
        squares = sum(1 << bit for bit in self.bits)
        found: list[np.uint64] = []
        for step in self.steps:
            begins = squares
            for k in range(1, self.length):
                begins &= squares >> k * step
            found += self.masks(begins)
        return tuple(found)


@functools.cache
def room_for(layout: Layout) -> tuple[Any, Any, Any]:
    """Return how a board is put where it can be moved: `room`, `put` and `moved`.

    `room()` is a pointer to words of the caller's own, `put(position, first, room)` copies a side
    whose first word is so numbered there, with nothing around it, and `moved(room, word, by)`
    returns a word of the board moved by so many bits: bit b of it is what was bit b + `by`.
    """
    words, pad = layout.words, layout.pad

    @jit
    def put(position: Any, first: int, room: Any) -> None:
        for k in range(pad):
            room[k] = room[pad + words + k] = ZERO
        for k in range(words):
            room[pad + k] = position[first + k]

    @jit
    def moved(room: Any, word: int, by: int) -> Word:
        place, bits = pad + word + (by >> _WORD_BITS), np.uint64(by & _IN_WORD)
        return room[place] >> bits | (room[place + 1] << ONE) << (_LAST - bits)

    return room_of(words + 2 * pad), put, moved


@functools.cache
def line_of(layout: Layout) -> Any:
    """Return `has_line(position, first)`: whether a side has won, its first word so numbered."""
    steps, words, length, exact = layout.steps, layout.words, layout.length, layout.exact
    room, put, moved = room_for(layout)

    @jit
    def has_line(position: Any, first: int) -> bool:
        stones = room()
        put(position, first, stones)
        for step in steps:
            for word in range(words):
                line = moved(stones, word, 0)
                for k in range(1, length):
                    line &= moved(stones, word, k * step)
                if exact:
                    line &= ~(moved(stones, word, -step) | moved(stones, word, length * step))
                if line != ZERO:
                    return True
        return False

    return has_line


class Windows(NamedTuple):
    """Functions over the windows of a layout; rooms are those of `room_for`."""

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
