"""The board of xiangqi in words, and where each piece may go from each square.

The side to move has rows 0 to 4 below the river; square 9 * row + column is bit 9 * row + column of
the first word of a kind of piece, and those beyond the river are the bits from 0 of the second. So
the board is turned by half by reversing the bits of both words and exchanging them.

The moves of a chariot and a cannon on a line are looked up by the content of the row or the column,
as a number with a bit a square: which squares are free up to the first piece either way, the first
pieces, and the second ones, which a cannon takes over its screen.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from samuel.games.board import Board, crossing_lines
from samuel.kernels.bits import ONE, Word, reversed_bits
from samuel.kernels.jit import jit

ROWS, COLUMNS = 10, 9
SQUARES, HALF = ROWS * COLUMNS, ROWS * COLUMNS // 2
KINDS = GENERAL, ADVISOR, ELEPHANT, HORSE, CHARIOT, CANNON, SOLDIER = tuple(range(7))
NAMES = ("general", "advisor", "elephant", "horse", "chariot", "cannon", "soldier")
LOW, HIGH = 0, 1
"""The words of a kind, below and beyond the river."""
FIRST, SECOND = np.uint64(10), np.uint64(20)
"""Places of the first and the second pieces in an entry of lines; the free squares are at 0."""


def _bits() -> list[int]:
    """Return the bit of each square from the top."""
    squares = (COLUMNS * (ROWS - 1 - row) + column for row in range(ROWS) for column in range(9))
    return [square if square < HALF else square - HALF + 64 for square in squares]


def _drawn_lines() -> list[tuple[int, int]]:
    """Return the lines of the board; those of the inner columns end at the river."""
    across, down = np.split(np.array(crossing_lines(ROWS, COLUMNS)), [ROWS])
    inner, shore = down[1:-1], COLUMNS * (ROWS // 2 - 1)
    above = [(first, first + shore) for first, _ in inner]
    below = [(last - shore, last) for _, last in inner]
    palaces = [(top + a, top + b) for top in (0, 7 * COLUMNS) for a, b in ((3, 23), (5, 21))]
    whole = [*across.tolist(), *down[[0, -1]].tolist()]
    return [(int(start), int(end)) for start, end in (*whole, *above, *below, *palaces)]


BOARD = Board(
    ROWS,
    COLUMNS,
    bits=_bits(),
    pieces=["Kk", "Aa", "Bb", "Nn", "Rr", "Cc", "Pp"],
    symmetric="sideways",
    row_names=[str(row) for row in range(ROWS, 0, -1)],
    lines=_drawn_lines(),
)

_ORTHOGONAL = ((0, 1), (0, -1), (1, 0), (-1, 0))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_PALACE_SQUARES = [9 * row + column for row in range(3) for column in (3, 4, 5)]
PALACE = np.uint64(sum(1 << square for square in _PALACE_SQUARES))
ELEPHANT_SQUARES = sum(1 << square for square in (2, 6, 18, 22, 26, 38, 42))
ADVISOR_SQUARES = sum(1 << square for square in (3, 5, 13, 21, 23))
_LEGS = 4


def _step(square: int, rows: int, columns: int) -> int:
    """Return the square so far away; -1 where there is none."""
    row, column = square // COLUMNS + rows, square % COLUMNS + columns
    return COLUMNS * row + column if 0 <= row < ROWS and 0 <= column < COLUMNS else -1


def _put(words: NDArray[np.uint64], square: int) -> None:
    words[square // HALF] |= np.uint64(1 << square % HALF)


def _leaps() -> NDArray[np.uint64]:
    """Return the squares (kinds, 90, 2) of pieces that nothing blocks."""
    found = np.zeros((len(KINDS), SQUARES, 2), np.uint64)
    for kind, steps in ((GENERAL, _ORTHOGONAL), (ADVISOR, _DIAGONAL)):
        for square in _PALACE_SQUARES:
            for end in (_step(square, *step) for step in steps):
                if end in _PALACE_SQUARES:
                    _put(found[kind, square], end)
    for square in range(SQUARES):
        ways = ((1, 0),) if square < HALF else ((1, 0), (0, 1), (0, -1))
        for end in (_step(square, *way) for way in ways):
            if end >= 0:
                _put(found[SOLDIER, square], end)
    return found


def _legs() -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return what may block horses and elephants (kinds, 90, 4), and the squares beyond it."""
    legs = np.zeros((len(KINDS), SQUARES, _LEGS), np.int64) + np.arange(SQUARES)[:, None]
    beyond = np.zeros((len(KINDS), SQUARES, _LEGS, 2), np.uint64)
    for square in range(SQUARES):
        for k, (rows, columns) in enumerate(_ORTHOGONAL):
            for aside in (-1, 1):
                end = _step(square, 2 * rows + aside * columns, 2 * columns + aside * rows)
                if end >= 0:
                    legs[HORSE, square, k] = _step(square, rows, columns)
                    _put(beyond[HORSE, square, k], end)
        for k, (rows, columns) in enumerate(_DIAGONAL):
            end = _step(square, 2 * rows, 2 * columns)
            if square < HALF and 0 <= end < HALF:
                legs[ELEPHANT, square, k] = _step(square, rows, columns)
                _put(beyond[ELEPHANT, square, k], end)
    return legs, beyond


def _steps_to() -> NDArray[np.uint64]:
    """Return from where (kinds, 2, 90, 2) what nothing blocks steps to a square, for both sides."""
    found = np.zeros((len(KINDS), 2, SQUARES, 2), np.uint64)
    for kind in (GENERAL, ADVISOR, SOLDIER):
        for start in range(SQUARES):
            low, high = map(int, LEAPS[kind, start])
            for end in range(SQUARES):
                if (low | high << HALF) >> end & 1:
                    _put(found[kind, 0, end], start)
                    _put(found[kind, 1, SQUARES - 1 - end], SQUARES - 1 - start)
    return found


def _leaps_to() -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return what may block horses and elephants on the way to a square (90, 4), and from where."""
    legs = np.zeros((SQUARES, _LEGS), np.int64) + np.arange(SQUARES)[:, None]
    starts = np.zeros((len(KINDS), SQUARES, _LEGS, 2), np.uint64)
    for square in range(SQUARES):
        for k, (rows, columns) in enumerate(_DIAGONAL):
            leg = _step(square, rows, columns)
            if leg >= 0:
                legs[square, k] = leg
            for away in ((2 * rows, columns), (rows, 2 * columns)):
                start = _step(square, *away)
                if start >= 0:
                    _put(starts[HORSE, square, k], start)
            start = _step(square, 2 * rows, 2 * columns)
            if start >= 0 and start // HALF == square // HALF:
                _put(starts[ELEPHANT, square, k], start)
    return legs, starts


def _lines(length: int) -> NDArray[np.uint32]:
    """Return what is seen from each place of a line of each content (length, 2^length)."""
    contents = np.arange(1 << length, dtype=np.uint32)
    found = np.zeros((length, len(contents)), np.uint32)
    for place in range(length):
        for step in (1, -1):
            seen = np.zeros(len(contents), np.uint32)
            for other in range(place + step, length if step > 0 else -1, step):
                piece = contents >> np.uint32(other) & np.uint32(1)
                for at, visible in enumerate(
                    (piece + seen == 0, (piece == 1) & (seen == 0), (piece == 1) & (seen == 1))
                ):
                    found[place] |= visible.astype(np.uint32) << np.uint32(other + 10 * at)
                seen += piece
    return found


LEAPS = _leaps()
LEGS, BEYOND = _legs()
STEPS_TO = _steps_to()
LEGS_TO, LEAPS_TO = _leaps_to()
_FROM_A_LEG = np.uint64(1) << LEGS_TO[:27].astype(np.uint64)
HORSES_AT = np.ascontiguousarray(LEAPS_TO[HORSE, :27, :, LOW])
SOLDIERS_AT = np.ascontiguousarray(STEPS_TO[SOLDIER, 1, :27, LOW])
BLOCKS = np.where(HORSES_AT, _FROM_A_LEG, np.uint64(0))
HORSES_NEAR = np.bitwise_or.reduce(HORSES_AT, axis=1)
BLOCKS_NEAR = np.bitwise_or.reduce(BLOCKS, axis=1)
"""From where the opponent's horses and soldiers attack the first three rows, and what blocks."""
ROW_LINES, COLUMN_LINES = _lines(COLUMNS), _lines(ROWS)

_ROW, _TEN = np.uint64((1 << COLUMNS) - 1), np.uint64((1 << ROWS) - 1)
_COLUMN = np.uint64(sum(1 << 9 * row for row in range(5)))
_GATHER, _GATHERED, _FIVE = np.uint64(0x0101010101), np.uint64(32), np.uint64(5)
_FIVE_BITS = np.uint64(31)
_SPREAD = np.array(
    [sum(1 << 9 * row for row in range(5) if k >> row & 1) for k in range(32)], np.uint64
)
_UNUSED = np.uint64(64 - HALF)


@jit
def turned(word: Word) -> Word:
    """Return half a board as the other side sees it, as its other half."""
    return reversed_bits(word) >> _UNUSED


@jit
def row_of(low: Word, high: Word, row: int) -> Word:
    """Return the content of a row: a bit a column."""
    return (low >> uint64(9 * row) if row < 5 else high >> uint64(9 * row - HALF)) & _ROW


@jit
def column_of(low: Word, high: Word, column: int) -> Word:
    """Return the content of a column: a bit a row.

    The bits 9 * i, times the sum of 2^(8 * (4 - i)), come to be next to each other at 32 + i, and
    no other product falls there.
    """
    place = uint64(column)
    below = ((low >> place) & _COLUMN) * _GATHER >> _GATHERED & _FIVE_BITS
    beyond = ((high >> place) & _COLUMN) * _GATHER >> _GATHERED & _FIVE_BITS
    return below | beyond << _FIVE


@jit
def on_row(squares: Word, row: int) -> tuple[Word, Word]:
    """Return the words of some squares of a row."""
    none = squares & ~squares
    if row < 5:
        return squares << uint64(9 * row), none
    return none, squares << uint64(9 * row - HALF)


@jit
def on_column(squares: Word, column: int) -> tuple[Word, Word]:
    """Return the words of some squares of a column."""
    place = uint64(column)
    low, high = _SPREAD[int64(squares & _FIVE_BITS)], _SPREAD[int64(squares >> _FIVE)]
    return low << place, high << place


@jit
def along_row(low: Word, high: Word, square: int) -> Word:
    """Return what is seen from a square along its row (entries of lines)."""
    row = square // COLUMNS
    return uint64(ROW_LINES[square - COLUMNS * row, int64(row_of(low, high, row))])


@jit
def along_column(low: Word, high: Word, square: int) -> Word:
    """Return what is seen from a square along its column (entries of lines)."""
    row = square // COLUMNS
    column = square - COLUMNS * row
    return uint64(COLUMN_LINES[row, int64(column_of(low, high, column))])


@jit
def line_targets(low: Word, high: Word, square: int, over: Word) -> tuple[Word, Word]:
    """Return the free squares along both lines, and the first or (SECOND) second pieces."""
    row = square // COLUMNS
    seen = along_row(low, high, square)
    low_1, high_1 = on_row((seen | seen >> over) & _ROW, row)
    seen = along_column(low, high, square)
    low_2, high_2 = on_column((seen | seen >> over) & _TEN, square - COLUMNS * row)
    return low_1 | low_2, high_1 | high_2


@jit
def leg_targets(low: Word, high: Word, square: int, kind: int) -> tuple[Word, Word]:
    """Return where a horse or an elephant may go among pieces, of whichever side."""
    ends_low = ends_high = low & ~low
    for k in range(_LEGS):
        leg = LEGS[kind, square, k]
        word = low >> uint64(leg) if leg < HALF else high >> uint64(leg - HALF)
        free = (word & ONE) - ONE  # all bits or none: nobody could foresee a branch
        ends_low |= BEYOND[kind, square, k, LOW] & free
        ends_high |= BEYOND[kind, square, k, HIGH] & free
    return ends_low, ends_high


@jit
def targets(low: Word, high: Word, square: int, kind: int) -> tuple[Word, Word]:
    """Return where a piece may go among pieces (`low`, `high`), those of its own side included."""
    if kind == CHARIOT:
        return line_targets(low, high, square, FIRST)
    if kind == CANNON:
        return line_targets(low, high, square, SECOND)
    if kind in (HORSE, ELEPHANT):
        return leg_targets(low, high, square, kind)
    return LEAPS[kind, square, LOW], LEAPS[kind, square, HIGH]
