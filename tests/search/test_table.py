"""Entries of the transposition table, and scores as the kernels keep them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import float32, int64, types, uint64

from games import NO_MOVE, PASS
from games.abi import MAX_MOVE, ROW, ROWS
from games.connect_four import GAME as CONNECT_FOUR
from games.othello import GAME as OTHELLO
from games.pointers import at
from jit import jit
from search.score import (
    INFINITY,
    MAX_PLY,
    POINTS,
    from_evaluation,
    from_utility,
    limits,
    shift_proven,
)
from search.table import (
    EXACT,
    LOWER,
    UPPER,
    bound_of,
    depth_of,
    key_of,
    move_of,
    new_table,
    probe,
    score_of,
    store,
)

_NUMBERS = types.Array(int64, 1, "C")


@jit(types.void(ROWS, uint64, int64, int64, int64, int64))
def put(table: Any, key: Any, score: int, move: int, depth: int, bound: int) -> None:
    store(at(table, 0), table.shape[0], key, score, move, depth, bound)


@jit(types.void(ROWS, uint64, _NUMBERS))
def get(table: Any, key: Any, numbers: Any) -> None:
    entry = probe(at(table, 0), table.shape[0], key)
    numbers[0], numbers[1] = score_of(entry), move_of(entry)
    numbers[2], numbers[3] = depth_of(entry), bound_of(entry)


@jit(uint64(ROW))
def key(position: Any) -> Any:
    return key_of(at(position, 0), position.shape[0])


@jit(int64(float32, int64))
def of_evaluation(evaluation: float, limit: int) -> int:
    return from_evaluation(evaluation, limit)


@jit(int64(float32, int64, int64))
def of_utility(utility: float, ply: int, proven: int) -> int:
    return from_utility(utility, ply, proven)


@jit(int64(int64, int64, int64))
def shifted(points: int, plies: int, proven: int) -> int:
    return shift_proven(points, plies, proven)


def got(table: Any, of: int) -> tuple[int, ...]:
    numbers = np.zeros(4, np.int64)
    get(table, np.uint64(of), numbers)
    return tuple(numbers.tolist())


EMPTY = (0, NO_MOVE, 0, 0)
KEYS = st.integers(0, 2**63 - 1).map(lambda n: 2 * n + 1)
ENTRIES = st.tuples(
    st.integers(-INFINITY, INFINITY),
    st.one_of(st.sampled_from([PASS, NO_MOVE, 0, MAX_MOVE]), st.integers(0, MAX_MOVE)),
    st.integers(1, MAX_PLY),
    st.sampled_from([LOWER, UPPER, EXACT]),
)


@given(KEYS, ENTRIES, st.integers(1, 6))
@settings(max_examples=300, deadline=None)
def test_what_is_stored_comes_back(of: int, entry: tuple[int, ...], bits: int) -> None:
    table = new_table(bits)
    assert got(table, of) == EMPTY
    put(table, np.uint64(of), *entry)
    assert got(table, of) == entry


@given(st.lists(st.tuples(KEYS, ENTRIES), max_size=40))
@settings(max_examples=100, deadline=None)
def test_a_key_gives_its_own_entry_or_none(stored: list[Any]) -> None:
    table, latest = new_table(3), {}
    for of, entry in stored:
        put(table, np.uint64(of), *entry)
        latest[of] = entry
        assert got(table, of) == entry, "the last entry stored is always there"
    entries: dict[int, set[Any]] = {}
    for of, entry in stored:
        entries.setdefault(of, set()).add(entry)
    for of in latest:
        assert got(table, of) in entries[of] | {EMPTY}


def test_a_bucket_keeps_the_deeper_search_and_the_latest() -> None:
    table = new_table(1)  # a single bucket
    put(table, np.uint64(1), 10, 1, 9, EXACT)
    put(table, np.uint64(3), 20, 2, 2, EXACT)
    put(table, np.uint64(5), 30, 3, 4, EXACT)
    assert got(table, 1) == (10, 1, 9, EXACT)
    assert got(table, 3) == EMPTY
    assert got(table, 5) == (30, 3, 4, EXACT)
    put(table, np.uint64(7), 40, 4, 9, LOWER)
    assert got(table, 1) == EMPTY
    assert got(table, 7) == (40, 4, 9, LOWER)


@pytest.mark.parametrize("bits", [-1, 0, 1, 5])
def test_a_table_has_two_rows_at_least(bits: int) -> None:
    assert new_table(bits).shape == (1 << max(1, bits), 2)


def test_keys_are_odd_and_different() -> None:
    random = np.random.default_rng(0)
    positions = random.integers(0, 2**63, (5000, 2), dtype=np.uint64)
    swapped = np.ascontiguousarray(positions[:, ::-1])
    keys = [int(key(row)) for row in (*positions, *swapped)]
    assert all(k & 1 for k in keys)
    assert len(set(keys)) == len(keys)
    assert key(np.zeros(2, np.uint64)) != 0


@given(st.floats(width=32))
@settings(max_examples=300, deadline=None)
def test_an_evaluation_is_clipped_and_keeps_its_sign(evaluation: float) -> None:
    limit = 64 * POINTS
    points = of_evaluation(evaluation, limit)
    assert -limit <= points <= limit
    if np.isfinite(evaluation) and abs(evaluation) < 64:
        assert abs(points - evaluation * POINTS) <= 0.5001
    elif not np.isnan(evaluation):
        assert points == (limit if evaluation > 0 else -limit)


@given(st.integers(-(2**20), 2**20), st.integers(0, MAX_PLY))
@settings(max_examples=300, deadline=None)
def test_shifting_there_and_back_changes_nothing(points: int, plies: int) -> None:
    proven, _ = limits(CONNECT_FOUR)
    there = shifted(points, plies, proven)
    if abs(points) < proven:
        assert there == points
    else:
        assert shifted(there, -plies, proven) == points


def test_wins_at_any_ply_are_proven_and_others_are_not() -> None:
    proven, limit = limits(CONNECT_FOUR)
    scores = [of_utility(1.0, ply, proven) for ply in range(MAX_PLY + 1)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == POINTS
    assert min(scores) == proven > limit
    assert [of_utility(-1.0, ply, proven) for ply in range(MAX_PLY + 1)] == [-s for s in scores]
    assert of_utility(0.0, 7, proven) == 0


def test_in_othello_plies_do_not_matter() -> None:
    proven, limit = limits(OTHELLO)
    assert limit == 64 * POINTS
    for discs in (-64, -1, 0, 3, 64):
        assert of_utility(discs, 50, proven) == discs * POINTS
