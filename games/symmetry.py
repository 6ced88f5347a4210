"""Symmetries of the board: images of positions, and one canonical image for all of them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types, uint64
from numpy.typing import ArrayLike, NDArray

from samuel.games.interface import ROWS, Game
from samuel.kernels.bits import ZERO, Word, mix
from samuel.kernels.jit import jit

_TABLES = types.Array(uint64, 3, "C")
_EIGHT, _BYTE = np.uint64(8), np.uint64(0xFF)


@functools.lru_cache(maxsize=16)
def _byte_tables(game: Game) -> NDArray[np.uint64]:
    """Return for each symmetry, byte of a word and value of the byte the word it becomes."""
    tables = np.zeros((len(game.symmetries), 8, 256), np.uint64)
    values = np.arange(256)
    for table, permutation in zip(tables, game.symmetries, strict=True):
        for square in range(64):
            held = (values >> (square % 8) & 1).astype(bool)
            table[square // 8, held] |= np.uint64(1 << int(permutation[square]))
    return tables


@jit
def _image(word: Word, table: Any) -> Word:
    image = ZERO
    for byte in range(8):
        image |= table[byte, word & _BYTE]
        word >>= _EIGHT
    return image


@jit(types.void(ROWS, _TABLES, ROWS))
def _canonical(positions: Any, tables: Any, canonical: Any) -> None:
    """Fill in for each position the image that is smallest, words compared in order."""
    words = positions.shape[1]
    image = np.zeros(words, np.uint64)
    for i in range(positions.shape[0]):
        for s in range(tables.shape[0]):
            for k in range(words):
                image[k] = _image(positions[i, k], tables[s])
            smaller = s == 0
            for k in range(words):
                if s > 0 and image[k] != canonical[i, k]:
                    smaller = image[k] < canonical[i, k]
                    break
            if smaller:
                canonical[i] = image


@jit(types.void(ROWS, types.Array(uint64, 1, "C")))
def _keys(positions: Any, keys: Any) -> None:
    for i in range(positions.shape[0]):
        key = ZERO
        for k in range(positions.shape[1]):
            key = mix(key, positions[i, k])
        keys[i] = key


def images(game: Game, position: ArrayLike) -> NDArray[np.uint64]:
    """Return the images (S, K) of one position (K,) under the game's symmetries."""
    tables = _byte_tables(game)
    row = np.asarray(position, np.uint64)
    data = row.astype("<u8").view(np.uint8).reshape(game.words, 8)
    parts = tables[:, np.arange(8), data]  # (S, K, 8)
    return np.bitwise_or.reduce(parts, axis=-1)


def canonical(game: Game, positions: ArrayLike) -> NDArray[np.uint64]:
    """Return for each position (n, K) the smallest of its images."""
    rows = game.rows(positions)
    smallest = np.zeros_like(rows)
    _canonical(rows, _byte_tables(game), smallest)
    return smallest


def canonical_keys(game: Game, positions: ArrayLike) -> NDArray[np.uint64]:
    """Return a 64-bit key (n,) for each position, the same for all its images.

    Among n different positions two share a key with probability about n**2 / 2**65.
    """
    smallest = canonical(game, positions)
    keys = np.zeros(len(smallest), np.uint64)
    _keys(smallest, keys)
    return keys
