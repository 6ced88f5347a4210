"""Bitboards of Othello against slow references that walk the board square by square."""

from typing import Any

import numpy as np
import pytest
from numba import int64, uint64

from samuel.games import game_named
from samuel.games.othello.bits import (
    VECTOR,
    final_difference,
    flips_of_plain,
    moves_of_plain,
    neighbours,
    replies_to_plain,
    stable_discs_within,
)
from samuel.games.playing import random_positions
from samuel.kernels.bits import (
    ONE,
    STREAM,
    ZERO,
    below,
    bit,
    leading_zeros,
    next_word,
    popcount,
    trailing_zeros,
)
from samuel.kernels.jit import DISABLED, jit
from tests.rarely import rarely

OTHELLO = game_named("othello")
DIRECTIONS = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]
AXES = [(0, 1), (1, 0), (1, 1), (1, -1)]
WORD_OF_TWO = uint64(uint64, uint64)
START = tuple(np.uint64(word) for word in OTHELLO.start)
VECTOR_MOVES_OF, VECTOR_FLIPS_OF, VECTOR_REPLIES_TO, AT_ONCE = VECTOR

Board = dict[tuple[int, int], bool]
"""What stands on each square that is not empty: whether it is the player's."""


def random_boards(n: int, seed: int) -> Any:
    """Return n boards (n, 2) from empty to full, any disc anywhere."""
    random = np.random.default_rng(seed)
    density = random.uniform(0, 1, (n, 1))
    filled = random.uniform(0, 1, (n, 64)) < density
    mine = random.uniform(0, 1, (n, 64)) < random.uniform(0, 1, (n, 1))
    bits = np.uint64(1) << np.arange(64, dtype=np.uint64)
    words = [np.where(filled & side, bits, np.uint64(0)).sum(axis=1) for side in (mine, ~mine)]
    return np.ascontiguousarray(np.stack(words, axis=1).astype(np.uint64))


BOARDS = random_boards(100_000, seed=1)
FEW = np.concatenate([BOARDS[:200], random_positions(OTHELLO, 200, seed=3)])


def board_of(player: int, opponent: int) -> Board:
    squares = ((s, player >> s & 1, opponent >> s & 1) for s in range(64))
    return {divmod(s, 8): bool(mine) for s, mine, theirs in squares if mine or theirs}


def flips_by_walking(board: Board, square: tuple[int, int]) -> set[tuple[int, int]]:
    found = set()
    for row_step, column_step in DIRECTIONS:
        run, (row, column) = [], square
        while True:
            row, column = row + row_step, column + column_step
            if board.get((row, column)) is not False:
                break
            run.append((row, column))
        if board.get((row, column)):
            found.update(run)
    return found


def word_of(squares: Any) -> int:
    return sum(1 << 8 * row + column for row, column in squares)


@jit
def differs(player: Any, opponent: Any) -> bool:
    """Return whether vector code and plain code differ in moves, flips or the count of replies."""
    moves, empty = moves_of_plain(player, opponent), ~(player | opponent)
    same = VECTOR_MOVES_OF(player, opponent) == moves
    left = empty
    while left:
        square = trailing_zeros(left)
        left &= left - ONE
        flips = flips_of_plain(player, opponent, square)
        same &= VECTOR_FLIPS_OF(player, opponent, square) == flips
        same &= (flips != ZERO) == (moves & bit(square) != ZERO)
    while moves:
        replies, first = 0, moves
        for _ in range(AT_ONCE):
            if moves:
                replies += replies_to_plain(player, opponent, empty, moves)
            moves &= moves - ONE
        same &= VECTOR_REPLIES_TO(player, opponent, empty, first) == replies
    return not same


@jit(int64(STREAM, int64))
def count_differences_on_random_boards(stream: Any, n: int) -> int:
    """Look at n boards from nearly empty to nearly full, any disc anywhere."""
    different = 0
    for i in range(n):
        occupied = next_word(stream)
        for _ in range(i % 4):
            occupied = occupied | next_word(stream) if i & 4 else occupied & next_word(stream)
        mine = next_word(stream)
        different += differs(occupied & mine, occupied & ~mine)
    return different


@jit(int64(STREAM, int64))
def count_differences_in_random_games(stream: Any, n: int) -> int:
    """Look at the first n positions of random games, one after the other."""
    different = 0
    player = opponent = ZERO
    for _ in range(n):
        moves = moves_of_plain(player, opponent)
        if moves == ZERO and moves_of_plain(opponent, player) == ZERO:
            player, opponent = START
            moves = moves_of_plain(player, opponent)
        different += differs(player, opponent)
        if moves == ZERO:
            player, opponent = opponent, player
            continue
        for _ in range(below(stream, popcount(moves))):
            moves &= moves - ONE
        square = trailing_zeros(moves)
        flips = flips_of_plain(player, opponent, square)
        player, opponent = opponent ^ flips, player ^ flips ^ bit(square)
    return different


@jit(WORD_OF_TWO)
def moves(player: Any, opponent: Any) -> Any:
    return moves_of_plain(player, opponent)


@jit(WORD_OF_TWO)
def stable(player: Any, opponent: Any) -> Any:
    return stable_discs_within(player, opponent, ZERO)


@jit(uint64(uint64, uint64, int64))
def flips(player: Any, opponent: Any, square: int) -> Any:
    return flips_of_plain(player, opponent, square)


@pytest.mark.skipif(DISABLED, reason="there is no vector code as plain Python")
@pytest.mark.parametrize(
    "count", [count_differences_on_random_boards, count_differences_in_random_games]
)
def test_vector_code_equals_plain_code_on_a_million_positions(count: Any) -> None:
    stream = np.zeros(1, np.uint64)
    assert count(stream, 1_000_000) == 0
    assert stream[0] != 0


def test_moves_and_flips_equal_a_walk_over_the_board() -> None:
    for player, opponent in FEW:
        board = board_of(int(player), int(opponent))
        legal = set()
        for square in set(np.ndindex(8, 8)) - board.keys():
            turned = flips_by_walking(board, square)
            number = 8 * square[0] + square[1]
            assert int(flips(player, opponent, number)) == word_of(turned)
            if turned:
                legal.add(square)
        assert int(moves(player, opponent)) == word_of(legal)


def stable_by_definition(board: Board) -> set[tuple[int, int]]:
    """Return the least fixed point that games/othello/bits.stable_discs_within describes."""
    full = {}
    for axis in AXES:
        for square in np.ndindex(8, 8):
            line = [
                (square[0] + k * axis[0], square[1] + k * axis[1])
                for k in range(-7, 8)
                if 0 <= square[0] + k * axis[0] < 8 and 0 <= square[1] + k * axis[1] < 8
            ]
            full[square, axis] = all(place in board for place in line)
    mine = {square for square, is_mine in board.items() if is_mine}
    found: set[tuple[int, int]] = set()
    while True:
        more = {
            (row, column)
            for row, column in mine - found
            if all(
                full[(row, column), (r, c)]
                or any(
                    not (0 <= row + sign * r < 8 and 0 <= column + sign * c < 8)
                    or (row + sign * r, column + sign * c) in found
                    for sign in (1, -1)
                )
                for r, c in AXES
            )
        }
        if not more:
            return found
        found |= more


LATE = random_positions(OTHELLO, 500, seed=5, min_plies=30, max_plies=57)


@pytest.mark.parametrize(
    "boards",
    [LATE, rarely(random_boards(500, seed=6)), BOARDS[:300]],
    ids=["late", "random", "any"],
)
def test_stable_discs_equal_the_slow_fixed_point(boards: Any) -> None:
    for player, opponent in boards:
        for mine, theirs in ((player, opponent), (opponent, player)):
            expected = word_of(stable_by_definition(board_of(int(mine), int(theirs))))
            assert int(stable(mine, theirs)) == expected


def test_stable_discs_are_never_flipped() -> None:
    random = np.random.default_rng(8)
    for row in LATE[:150]:
        held = [int(stable(row[0], row[1])), int(stable(row[1], row[0]))]
        position = row
        while len(legal := OTHELLO.moves_in(position)) > 0:
            position = OTHELLO.child_of(position, int(random.choice(legal)))
            held.reverse()
            for discs, word in zip(held, position, strict=True):
                assert discs & ~int(word) == 0


@pytest.mark.parametrize(
    ("player", "opponent", "expected"),
    [
        (0, 0, 0),
        (1, 0, 1),
        (0, 1, -1),
        (0xFF, 0xFF00, 0),
        (0xFFFFFFFFFFFFFFFF, 0, 64),
        (0xFFFF, 0xFF0000, 8 + 40),
    ],
)
def test_empty_squares_go_to_the_winner(player: int, opponent: int, expected: int) -> None:
    expected = {1: 64, -1: -64}.get(expected, expected)
    empty = np.uint64(~(player | opponent) & (1 << 64) - 1)
    assert final_difference(np.uint64(player), np.uint64(opponent), empty) == expected


def test_neighbours_equal_a_walk() -> None:
    for player, _ in FEW[:100]:
        squares = board_of(int(player), 0).keys()
        near = {(r + dr, c + dc) for r, c in squares for dr, dc in DIRECTIONS}
        near = {(r, c) for r, c in near if 0 <= r < 8 and 0 <= c < 8} | set(squares)
        assert int(neighbours(player)) == word_of(near)


@pytest.mark.parametrize("word", [0, 1, 2, 1 << 63, (1 << 64) - 1, 0x0123456789ABCDEF])
def test_bit_counts(word: int) -> None:
    assert popcount(np.uint64(word)) == word.bit_count()
    assert leading_zeros(np.uint64(word)) == 64 - word.bit_length()
    lowest = (word & -word).bit_length() - 1 if word else 64
    assert trailing_zeros(np.uint64(word)) == lowest


def test_one_bit() -> None:
    assert [int(bit(k)) for k in (0, 1, 63)] == [1, 2, 1 << 63]
    assert ZERO == 0
