"""An efficiently updatable network (NNUE) in whole numbers: its first layer by differences.

The first layer has two halves, the position as the side to move sees it and as the other side does;
each is a sum of 16-bit rows, one a piece. Sums wrap, so a state is the same however it was reached.
They are plain loops, which numba turns into code for the machine's vectors.
"""

from __future__ import annotations

from numba import float32, int16, int32, int64

from samuel.games.changes import MOST, come_in, gone_in
from samuel.kernels.bits import ONE, trailing_zeros
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, offset
from samuel.models.nnue.shape import ONE_UNIT, ONE_WEIGHT

_AT_ONCE = 16
"""Products that are added up in 32 bits."""


@jit
def _add_row(target: Pointer, row: Pointer, units: int) -> None:
    for u in range(units):
        target[u] = int16(target[u] + row[u])


@jit
def _take_row(target: Pointer, row: Pointer, units: int) -> None:
    for u in range(units):
        target[u] = int16(target[u] - row[u])


@jit
def view_in(position: Pointer, word: int, words: int, views: Pointer) -> int:
    """Return the highest view among the kings that `words` from `word` on have; 0 without one."""
    found = int64(0)
    for k in range(words):
        kings = position[word + k]
        while kings:
            found = max(found, int64(views[64 * k + trailing_zeros(kings)]))
            kings &= kings - ONE
    return found


@jit
def fill_half(
    position: Pointer,
    rows: Pointer,
    row_of: Pointer,
    biases: Pointer,
    sums: Pointer,
    words: int,
    units: int,
) -> None:
    """Write a half of the first layer for a position, whose first `words` are the board's."""
    for u in range(units):
        sums[u] = biases[u]
    for k in range(words):
        word = position[k]
        while word:
            row = int64(row_of[64 * k + trailing_zeros(word)])
            _add_row(sums, offset(rows, row * units), units)
            word &= word - ONE


@jit
def move_sums(
    source: Pointer,
    target: Pointer,
    rows: Pointer,
    row_of: Pointer,
    found: Pointer,
    counts: int,
    units: int,
) -> None:
    """Write a half after the changes that `changes` found (games/changes.py)."""
    gone, come = gone_in(counts), come_in(counts)
    if come == 1 and 1 <= gone <= 2:  # a move, a capture
        added = offset(rows, int64(row_of[int64(found[MOST])]) * units)
        taken = offset(rows, int64(row_of[int64(found[0])]) * units)
        if gone == 1:
            for u in range(units):
                target[u] = int16(source[u] + added[u] - taken[u])
        else:
            also = offset(rows, int64(row_of[int64(found[1])]) * units)
            for u in range(units):
                target[u] = int16(source[u] + added[u] - taken[u] - also[u])
        return
    for u in range(units):
        target[u] = source[u]
    for k in range(gone):
        _take_row(target, offset(rows, int64(row_of[int64(found[k])]) * units), units)
    for k in range(come):
        _add_row(target, offset(rows, int64(row_of[int64(found[MOST + k])]) * units), units)


@jit
def sum_of_units(sums: Pointer, weights: Pointer, units: int, squared: bool) -> int:
    """Return the weighted sum of clipped units, times ONE_UNIT once more where not squared."""
    total = int64(0)
    for start in range(0, units, _AT_ONCE):
        part = int32(0)
        for u in range(start, start + _AT_ONCE):
            value = int32(min(max(sums[u], int16(0)), int16(ONE_UNIT)))
            if squared:
                part = int32(part + int32(value * value) * int32(weights[u]))
            else:
                part = int32(part + value * int32(weights[u]))
        total += int64(part)
    return total if squared else total * ONE_UNIT


@jit
def clip_units(sums: Pointer, values: Pointer, units: int, squared: bool) -> None:
    """Write the clipped units, squared or not, as numbers from 0 to ONE_UNIT."""
    for u in range(units):
        value = int32(min(max(sums[u], int16(0)), int16(ONE_UNIT)))
        values[u] = int16(value * value // ONE_UNIT) if squared else int16(value)


@jit
def small_layer(
    values: Pointer,
    weights: Pointer,
    biases: Pointer,
    target: Pointer,
    inputs: int,
    units: int,
    squared: bool,
) -> None:
    """Write the clipped units of a layer over `values`; its weights are a row a unit."""
    for j in range(units):
        row, total = offset(weights, j * inputs), int32(biases[j])
        for u in range(inputs):
            total = int32(total + int32(values[u]) * int32(row[u]))
        value = min(max(int64(total) // ONE_WEIGHT, 0), ONE_UNIT)
        target[j] = int16(value * value // ONE_UNIT) if squared else int16(value)


@jit
def last_layer(values: Pointer, weights: Pointer, bias: int, inputs: int) -> int:
    """Return the sum of a layer of one unit, times ONE_UNIT."""
    total = int32(bias)
    for u in range(inputs):
        total = int32(total + int32(values[u]) * int32(weights[u]))
    return int64(total) * ONE_UNIT


@jit
def as_score(total: int, worth: float) -> float:
    """Return a sum as a score in single precision."""
    return float32(float32(total) * worth)
