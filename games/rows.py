"""Many positions at once, as rows of words: which are possible, what is left, where moves lead.

Positions and moves from elsewhere are checked here before any kernel trusts them. By symmetries of
the board a position has images, and one canonical image stands for all of them.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import boolean, int32, int64, types, uint64
from numpy.typing import ArrayLike, NDArray

from samuel.common.errors import UserError
from samuel.games.board import Board
from samuel.games.game import Game
from samuel.games.rules import MOST_MOVES, NO_MOVE, ROW, ROWS, RULES, Rules
from samuel.games.words import PositionsLike
from samuel.kernels.bits import ZERO, Word, mix
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at

_ROOM = MOST_MOVES + 2
"""Positions that no game reaches may have more than `max_moves`; the moves of nearly all games are
numbers below this, and rules list none twice. One whose moves are larger refuses such positions."""

_AT_ONCE = 4096
"""Rows that are looked at together: what they need meanwhile fits in a cache."""


class ImpossibleError(UserError, ValueError):
    """Words are no position of the game; scikit-learn expects a ValueError."""


def are_possible(game: Game, positions: PositionsLike) -> NDArray[np.bool_]:
    """Return which of positions (n, K) the game's notation can hold; all where it does not say."""
    rows = game.rows(positions)
    parts = [rows[k : k + _AT_ONCE] for k in range(0, len(rows), _AT_ONCE)]
    return np.concatenate([np.ones(0, bool), *map(game.notation.holds, parts)])


def possible_rows(game: Game, positions: PositionsLike) -> NDArray[np.uint64]:
    """Return positions (n, K) that come from outside as kernels take them (Game.rows)."""
    rows = game.rows(positions)
    possible = are_possible(game, rows)
    if not possible.all():
        first = int(np.argmin(possible))
        words = " ".join(map(hex, rows[first].tolist()))
        raise ImpossibleError(
            f"row {first} is not a position of {game.name} ({words}): two pieces on one "
            "square, pieces outside the board, or numbers out of range; give words as in "
            "Position.words and Dataset.positions"
        )
    return rows


def are_legal(game: Game, positions: ArrayLike, moves: ArrayLike) -> NDArray[np.bool_]:
    """Return which of moves (n,) are legal in positions (n, K) that are possible."""
    rows = game.rows(positions)
    legal = np.zeros(len(rows), bool)
    listed = np.zeros(_ROOM, np.int32)
    played = np.require(moves, np.int32, ["C", "W"])
    _are_legal(game.rules_of_play, rows, played, game.max_moves, listed, legal)
    return legal


def count_moves(game: Game, positions: ArrayLike) -> NDArray[np.int32]:
    """Return how many legal moves (n,) there are in positions (n, K) that are possible."""
    rows = game.rows(positions)
    counts = np.zeros(len(rows), np.int32)
    _count_moves(game.rules_of_play, rows, np.zeros(_ROOM, np.int32), counts)
    return counts


@jit(types.void(RULES, ROWS, int32[::1], int32[::1]))
def _count_moves(rules: Rules, positions: Any, listed: Any, counts: Any) -> None:
    for i in range(positions.shape[0]):
        counts[i] = rules.legal_moves(at(positions, i), at(listed, 0))


@jit(types.void(RULES, ROWS, int32[::1], types.int64, int32[::1], boolean[::1]))
def _are_legal(
    rules: Rules, positions: Any, moves: Any, max_moves: int, listed: Any, legal: Any
) -> None:
    for i in range(positions.shape[0]):
        n = rules.legal_moves(at(positions, i), at(listed, 0))
        if n <= max_moves:
            for k in range(n):
                if listed[k] == moves[i]:
                    legal[i] = True


def are_quiet(game: Game, positions: ArrayLike) -> NDArray[np.bool_]:
    """Return which of positions (n, K) that are possible are quiet."""
    rows = game.rows(positions)
    quiet = np.zeros(len(rows), bool)
    _are_quiet(game.rules_of_play, rows, np.zeros(_ROOM, np.int32), quiet)
    return quiet


@jit(types.void(RULES, ROWS, int32[::1], boolean[::1]))
def _are_quiet(rules: Rules, positions: Any, listed: Any, quiet: Any) -> None:
    for i in range(positions.shape[0]):
        n = rules.noisy(at(positions, i), NO_MOVE, 0, at(listed, 0))
        is_quiet = n >= 0
        for k in range(n):
            is_quiet = is_quiet and rules.exchange(at(positions, i), int64(listed[k])) <= 0
        quiet[i] = is_quiet


@jit(types.void(RULES, ROWS, int64[::1]))
def _left(rules: Rules, positions: Any, counts: Any) -> None:
    for i in range(positions.shape[0]):
        counts[i] = rules.left(at(positions, i))


def left_of(game: Game, positions: ArrayLike) -> NDArray[np.int64]:
    """Return how much of the game is left (`Game.left`) in each of positions (n, K)."""
    rows = possible_rows(game, positions)
    counts = np.zeros(len(rows), np.int64)
    _left(game.rules_of_play, rows, counts)
    return counts


_EIGHT, _BYTE = np.uint64(8), np.uint64(0xFF)


@functools.lru_cache(maxsize=16)
def _byte_tables(board: Board | None) -> NDArray[np.uint64]:
    """Return what each byte of the words of a kind of piece becomes, (S, bytes, 256, words)."""
    if board is None:
        return np.zeros((1, 0, 256, 0), np.uint64)
    words, bits = board.words_each, np.array(board.bits)
    tables = np.zeros((len(board.symmetries), 8 * words, 256, words), np.uint64)
    values = np.arange(256)
    for table, symmetry in zip(tables, board.symmetries, strict=True):
        image = np.arange(64 * words)
        image[bits] = bits[symmetry]
        for bit, place in enumerate(image.tolist()):
            held = (values >> (bit % 8) & 1).astype(bool)
            table[bit // 8, held, place // 64] |= np.uint64(1 << place % 64)
    return tables


@jit
def _word_image(word: Word, table: Any) -> Word:
    """Return the image of the one word that a kind of piece takes."""
    image = ZERO
    for byte in range(8):
        image |= table[byte, word & _BYTE, 0]
        word >>= _EIGHT
    return image


@jit
def _see(position: Any, table: Any, kinds: int, image: Any) -> None:
    """Fill in the image of a position: of so many kinds of piece; what follows is copied."""
    each = table.shape[2]
    for k in range(kinds * each, position.shape[0]):
        image[k] = position[k]
    if each == 1:
        for k in range(kinds):
            image[k] = _word_image(position[k], table)
        return
    for k in range(kinds * each):
        image[k] = ZERO
    for k in range(kinds * each):
        first, word = k - k % each, position[k]
        for byte in range(8):
            value = word >> np.uint64(8 * byte) & _BYTE
            if value:
                for j in range(each):
                    image[first + j] |= table[8 * (k % each) + byte, value, j]


@jit(types.void(ROWS, uint64[:, :, :, ::1], int64, ROW, ROWS))
def _canonical(positions: Any, tables: Any, kinds: int, image: Any, canonical: Any) -> None:
    """Fill in for each position the image that is smallest, words compared in order."""
    words = positions.shape[1]
    for i in range(positions.shape[0]):
        for s in range(tables.shape[0]):
            _see(positions[i], tables[s], kinds, image)
            smaller = s == 0
            for k in range(words):
                if s > 0 and image[k] != canonical[i, k]:
                    smaller = image[k] < canonical[i, k]
                    break
            if smaller:
                for k in range(words):
                    canonical[i, k] = image[k]


@jit(types.void(ROWS, uint64[:, :, :, ::1], int64, int64[::1], ROWS))
def _see_each(positions: Any, tables: Any, kinds: int, symmetry: Any, seen: Any) -> None:
    for i in range(positions.shape[0]):
        _see(positions[i], tables[symmetry[i]], kinds, seen[i])


@jit(types.void(ROWS, uint64[::1]))
def _keys(positions: Any, keys: Any) -> None:
    for i in range(positions.shape[0]):
        key = ZERO
        for k in range(positions.shape[1]):
            key = mix(key, positions[i, k])
        keys[i] = key


def seen_under(game: Game, positions: ArrayLike, symmetry: ArrayLike) -> NDArray[np.uint64]:
    """Return each of positions (n, K) under the symmetry whose number `symmetry` (n,) has."""
    rows, numbers = game.rows(positions), np.require(symmetry, np.int64, ["C", "W"])
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(game.symmetries):
        raise ValueError(f"{game.name} has {len(game.symmetries)} symmetries")
    seen = np.zeros_like(rows)
    _see_each(rows, *_tables_of(game), numbers, seen)
    return seen


def images(game: Game, position: ArrayLike) -> NDArray[np.uint64]:
    """Return the images (S, K) of one position (K,) under the game's symmetries."""
    count = len(game.symmetries)
    return seen_under(game, np.tile(game.rows(position), (count, 1)), np.arange(count))


def canonical(game: Game, positions: ArrayLike) -> NDArray[np.uint64]:
    """Return for each position (n, K) the smallest of its images."""
    rows = possible_rows(game, positions)
    smallest = np.zeros_like(rows)
    _canonical(rows, *_tables_of(game), np.zeros(game.words, np.uint64), smallest)
    return smallest


def _tables_of(game: Game) -> tuple[NDArray[np.uint64], int]:
    """Return the tables of a game's board, and how many kinds of piece they are for."""
    return _byte_tables(game.board), len(game.board.kept) if game.board else 0


def canonical_keys(game: Game, positions: ArrayLike) -> NDArray[np.uint64]:
    """Return a 64-bit key (n,) for each position, the same for all its images."""
    smallest = canonical(game, positions)
    keys = np.zeros(len(smallest), np.uint64)
    _keys(smallest, keys)
    return keys
