"""Changes that a move makes on the board: pieces that go and pieces that come, by comparing words.

A state that follows the line (games/evaluator.py) is brought up to date by these changes. A piece
on a square is one number, its code: `kind * bits + bit`, a kind being a place in `Board.kept` and
`bits` 64 for each word of a kind. Changes are codes as the side to move before the move sees them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import int64, uint64
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.board import MOVER, NOBODY, OPPONENT, Board
from samuel.games.game import Game
from samuel.games.notation import TURNS
from samuel.kernels.bits import (
    ONE,
    ZERO,
    Word,
    bit,
    popcount,
    reversed_bits,
    swapped_bytes,
    trailing_zeros,
)
from samuel.kernels.jit import jit
from samuel.kernels.pointers import WORDS, Pointer, compose_later

CHANGES = int64(WORDS, WORDS, WORDS)
"""`changes(before, after, found)` returns COUNTS in one number, or -1 where there are more than
MOST of a kind; see `changes_of`."""
MOST = 24
"""Pieces that go, or come, at most; where there are more, a state is made anew."""
ROOM = 2 * MOST
_WORD = 64
_LOWEST = 0xFF
_UPSIDE_DOWN = 56
"""Bits of a square's number that differ where 8 rows of 8 squares change places."""


def board_of(game: Game) -> Board:
    """Return the board of a game; UserError where it has none."""
    if game.board is None:
        raise UserError(f"{game.name} has no board of squares, which patterns and networks read")
    return game.board


def turned_squares(game: Game) -> NDArray[np.int64]:
    """Return for each square (row by row from the top) which one the other side sees there."""
    board = board_of(game)
    squares = np.arange(board.rows * board.columns).reshape(board.shape)
    by_row, by_column = TURNS[game.notation.second_sees]
    return squares[::by_row, ::by_column].ravel()


def other_kinds(board: Board) -> list[int]:
    """Return for each of `Board.kept` what the other side calls it."""
    kinds = [(content.signs, content.whose) for content in board.kept]
    other = {MOVER: OPPONENT, OPPONENT: MOVER, NOBODY: NOBODY}
    return [
        kinds.index((signs if whose == NOBODY else signs[::-1], other[whose]))
        for signs, whose in kinds
    ]


def codes_of(game: Game) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes (kinds, squares) of pieces as the side to move and the other see them."""
    board = board_of(game)
    bits, size = np.array(board.bits), _WORD * board.words_each
    kinds = np.arange(len(board.kept))[:, None]
    mine = kinds * size + bits
    theirs = np.array(other_kinds(board))[:, None] * size + bits[turned_squares(game)]
    return mine, theirs


_SOURCE = """
def changes(before, after, found):
{views}
    if {is_turned}:
        return list_changes(before, found, {turned}, 1)
    return list_changes(before, found, {same}, 0)
"""


@jit
def _list_bits(word: Word, base: int, n: int, start: int, found: Pointer) -> int:
    """List the bits of a word as codes behind n that are listed; return how many there are."""
    while word:
        if n < MOST:
            found[start + n] = uint64(base + trailing_zeros(word))
        word &= word - ONE
        n += 1
    return n


@jit
def list_changes(before: Pointer, found: Pointer, views: Any, turned: int) -> int:
    """List how the words before a move differ from `views`, those after it; see CHANGES."""
    gone = come = int64(0)
    for k in range(len(views)):
        differs = before[k] ^ views[k]
        if differs:
            gone = _list_bits(differs & before[k], _WORD * k, gone, 0, found)
            come = _list_bits(differs & views[k], _WORD * k, come, MOST, found)
    return int64(-1) if max(gone, come) > MOST else gone | come << 8 | int64(turned) << 16


@jit
def gone_in(counts: int) -> int:
    """Return how many pieces go, of what `changes` returned."""
    return counts & _LOWEST


@jit
def come_in(counts: int) -> int:
    """Return how many pieces come."""
    return counts >> 8 & _LOWEST


@jit
def is_turned_in(counts: int) -> bool:
    """Return whether it is the other side's turn, so far as the pieces tell."""
    return counts >> 16 != 0


@jit
def moved_bits(word: Word, places: Any) -> Word:
    """Return a word with bit b at `places[b]`; one whose place is below 0 is left out."""
    found = ZERO
    while word:
        place = places[trailing_zeros(word)]
        if place >= 0:
            found |= bit(place)
        word &= word - ONE
    return found


@functools.lru_cache(maxsize=64)
def changes_of(game: Game) -> Any:
    """Return `changes(before, after, found)` of a game, compiled (CHANGES)."""
    board = board_of(game)
    kinds, each = len(board.kept), board.words_each
    same = [f"after[{word}]" for word in range(kinds * each)]
    turn, parts = _turning(game)
    turned = [turn(other * each, word) for other in other_kinds(board) for word in range(each)]
    differences = [
        "+".join(f"popcount(before[{k}] ^ {view}[{k}])" for k in range(kinds * each))
        for view in ("seen", "kept")
    ]
    views = f"    seen = ({', '.join(turned)},)\n    kept = ({', '.join(same)},)"
    is_turned = "True" if game.alternates else f"{differences[0]} <= {differences[1]}"
    source = _SOURCE.format(views=views, is_turned=is_turned, turned="seen", same="kept")
    parts |= {"list_changes": list_changes, "popcount": popcount}
    return compose_later("changes", source, parts, CHANGES)


def _turning(game: Game) -> tuple[Callable[[int, int], str], dict[str, Any]]:
    """Return what writes a word as the other side sees it, and the functions that it names."""
    board = board_of(game)
    each, bits = board.words_each, np.array(board.bits)
    images = bits[turned_squares(game)]
    if np.array_equal(bits, images):
        return (lambda first, word: f"after[{first + word}]"), {}
    words, other = bits // _WORD, images // _WORD
    orders = list(range(each)), list(range(each))[::-1]
    source = next((of for of in orders if (other == np.take(of, words)).all()), None)
    bits_of_word, images_of_word = bits % _WORD, images % _WORD
    sums = set((bits_of_word + images_of_word).tolist())
    if source is not None and np.array_equal(images_of_word, bits_of_word ^ _UPSIDE_DOWN):
        return (lambda first, word: f"turn(after[{first + source[word]}])"), {"turn": swapped_bytes}
    if source is not None and len(sums) == 1:
        shift = _WORD - 1 - sums.pop()
        by = f">> uint64({shift})" if shift >= 0 else f"<< uint64({-shift})"
        parts = {"turn": reversed_bits, "uint64": uint64}
        return (lambda first, word: f"(turn(after[{first + source[word]}]) {by})"), parts
    return _bit_by_bit(bits, images, each)


def _bit_by_bit(
    bits: NDArray[np.int64], images: NDArray[np.int64], each: int
) -> tuple[Callable[[int, int], str], dict[str, Any]]:
    """Return what writes a word whose bits go each to a place of its own."""

    def places(word: int, other: int) -> tuple[int, ...]:
        found = [-1] * _WORD
        for b, image in zip(bits.tolist(), images.tolist(), strict=True):
            if b // _WORD == other and image // _WORD == word:
                found[b % _WORD] = image % _WORD
        return tuple(found)

    def turn(first: int, word: int) -> str:
        moved = [
            f"moved_bits(after[{first + other}], {places(word, other)})" for other in range(each)
        ]
        return f"({' | '.join(moved)})"

    return turn, {"moved_bits": moved_bits}
