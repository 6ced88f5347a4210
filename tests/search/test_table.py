"""Entries of the transposition table, and scores as the kernels keep them."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import boolean, float32, int64, types, uint64

from samuel.games import NO_MOVE, PASS
from samuel.games.rules import MOST_MOVES, ROW, ROWS
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.search.alphabeta.memory import new_table
from samuel.search.alphabeta.table import (
    EXACT,
    LOWER,
    UPPER,
    depth_of,
    key_of,
    lower_of,
    move_of,
    probe,
    store,
    upper_of,
)
from samuel.search.score import (
    INFINITY,
    MAX_PLY,
    SCORE_UNIT,
    from_evaluation,
    shift_proven,
)

_NUMBERS = types.Array(int64, 1, "C")


@jit(boolean(ROWS, uint64, _NUMBERS))
def put(table: Any, key: Any, entry: Any) -> bool:
    """Store (score, move, depth, bound, age)."""
    score, move, depth, bound, age = entry[0], entry[1], entry[2], entry[3], entry[4]
    return store(at(table, 0), table.shape[0], key, age, depth, score, bound, move)


@jit(types.void(ROWS, uint64, _NUMBERS))
def get(table: Any, key: Any, numbers: Any) -> None:
    head, bounds = probe(at(table, 0), table.shape[0], key)
    numbers[0], numbers[1] = lower_of(bounds), upper_of(bounds)
    numbers[2], numbers[3] = move_of(bounds), depth_of(head)


@jit(uint64(ROW, uint64))
def key(position: Any, salt: Any) -> Any:
    return key_of(at(position, 0), position.shape[0], salt)


@jit(int64(float32, int64))
def of_evaluation(evaluation: float, limit: int) -> int:
    return from_evaluation(evaluation, limit)


@jit(int64(int64, int64, int64))
def shifted(points: int, plies: int, proven: int) -> int:
    return shift_proven(points, plies, proven)


def keep(table: Any, of: int, *entry: int, age: int = 0) -> bool:
    return bool(put(table, np.uint64(of), np.array([*entry, age], np.int64)))


def got(table: Any, of: int) -> tuple[int, ...]:
    numbers = np.zeros(4, np.int64)
    get(table, np.uint64(of), numbers)
    return tuple(numbers.tolist())


EMPTY = (-INFINITY, -INFINITY, NO_MOVE, 0)
# keys are hashes: as good as never do two agree in all but their last 16 bits
KEYS = st.integers(0, 2**63 - 1).map(lambda n: (n * 0x9E3779B97F4A7C15) % 2**64 | 2**63)
ENTRIES = st.tuples(
    st.integers(1 - INFINITY, INFINITY - 1),
    st.one_of(st.sampled_from([PASS, NO_MOVE, 0, MOST_MOVES]), st.integers(0, MOST_MOVES)),
    st.integers(1, MAX_PLY),
    st.sampled_from([LOWER, UPPER, EXACT]),
)


@given(st.lists(st.tuples(KEYS, ENTRIES), max_size=40))
@settings(max_examples=100, deadline=None)
def test_a_key_gives_its_own_entry_or_none(stored: list[Any]) -> None:
    table, last = new_table(3), {}
    for of, entry in stored:
        keep(table, of, *entry)
        last[of] = entry
        row = got(table, of)
        assert row[2:] == entry[1:3], "the last entry stored is always there"
        assert row[0] <= row[1]
    for of, (_, move, depth, _) in last.items():
        assert got(table, of)[2:] in ((move, depth), EMPTY[2:])


def test_a_row_of_the_same_depth_is_narrowed() -> None:
    table, of = new_table(4), KEY
    assert keep(table, of, 10, 1, 5, LOWER)
    assert keep(table, of, 30, 2, 5, UPPER)
    assert got(table, of) == (10, 30, 2, 5)
    assert keep(table, of, 5, 3, 5, LOWER)
    assert got(table, of) == (10, 30, 3, 5)
    assert keep(table, of, 20, 4, 5, EXACT)
    assert got(table, of) == (20, 20, 4, 5)


def test_a_contradiction_is_told_and_replaces_the_row() -> None:
    table, of = new_table(4), KEY
    keep(table, of, 10, 1, 5, UPPER)
    assert not keep(table, of, 11, 2, 5, LOWER)
    assert got(table, of) == (11, INFINITY, 2, 5)
    keep(table, of, 7, 1, 6, EXACT)  # of another depth: nothing to contradict
    assert got(table, of) == (7, 7, 1, 6)
    assert not keep(table, of, 8, 1, 6, EXACT)


KEY = 2**63 + 2**40


def test_a_full_bucket_gives_up_the_shallowest_search_of_the_oldest() -> None:
    table = new_table(2)  # a single bucket of four
    keys = [KEY + k * 2**20 for k in range(6)]
    for of, depth in zip(keys, (9, 2, 4, 6), strict=False):
        keep(table, of, 10, 1, depth, EXACT)
    keep(table, keys[4], 10, 1, 1, EXACT)
    assert [got(table, of)[3] for of in keys] == [9, 0, 4, 6, 1, 0]
    keep(table, keys[4], 10, 1, 3, EXACT, age=1)
    keep(table, keys[5], 10, 1, 1, EXACT, age=1)
    assert [got(table, of)[3] for of in keys] == [9, 0, 0, 6, 3, 1]


def test_half_a_row_of_another_thread_is_no_row() -> None:
    one, other = new_table(2), new_table(2)
    keep(one, KEY, 10, 1, 9, EXACT)
    keep(other, KEY, 12, 3, 9, LOWER)
    torn = one.copy()
    torn[:, 1] = other[:, 1]
    assert got(torn, KEY) == EMPTY


def test_keys_are_different_and_differ_with_the_salt() -> None:
    random = np.random.default_rng(0)
    positions = random.integers(0, 2**63, (5000, 2), dtype=np.uint64)
    swapped = np.ascontiguousarray(positions[:, ::-1])
    rows = (*positions, *swapped)
    keys = [int(key(row, np.uint64(salt))) for row in rows for salt in (0, 1)]
    assert len(set(keys)) == len(keys)
    assert key(np.zeros(2, np.uint64), np.uint64(0)) != 0


@given(st.floats(width=32))
@settings(max_examples=300, deadline=None)
def test_an_evaluation_is_clipped_and_keeps_its_sign(evaluation: float) -> None:
    limit = 64 * SCORE_UNIT
    points = of_evaluation(evaluation, limit)
    assert -limit <= points <= limit
    if np.isfinite(evaluation) and abs(evaluation) < 64:
        assert abs(points - evaluation * SCORE_UNIT) <= 0.5001
    elif not np.isnan(evaluation):
        assert points == (limit if evaluation > 0 else -limit)
