"""Symmetries of the board: images of positions, and one canonical image for all of them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import int64, types, uint64
from numpy.typing import ArrayLike, NDArray

from samuel.games.board import Board
from samuel.games.game import Game
from samuel.games.rows import possible_rows
from samuel.games.rules import ROW, ROWS
from samuel.kernels.bits import ZERO, Word, mix
from samuel.kernels.jit import jit

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
