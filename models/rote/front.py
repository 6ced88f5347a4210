"""A store in front of an evaluator: one probe, and what is not stored is evaluated.

The index has each position in all its images, so that a probe is two hashes of the position as it
stands. A slot is four integers: 62 bits of a second hash, which no other position can be thought to
share; the number of the entry, from 1; its score, in 1 / 65536 of a unit. Slots are a power of two,
at least twice the rows, and one that is taken sends to the next.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int32, int64, types
from numpy.typing import NDArray

from samuel.games.evaluator import Evaluator, SharingEvaluator, derived
from samuel.games.rows import seen_under
from samuel.games.rules import EVALUATE, ROWS
from samuel.kernels.bits import Word, mix
from samuel.kernels.jit import jit
from samuel.kernels.laid_out import FieldsIn, laid_out, reading
from samuel.kernels.pointers import Pointer, at, compose_closure
from samuel.kernels.records import array, inner_evaluator, number, record, room
from samuel.models.rote.store import Store

_SLOT, _NUMBER, _SCORE = 4, 2, 3
_PARTS = 65536
_SALT, _OTHER_SALT = np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344)
"""The first digits of pi."""
_31_BITS, _33 = np.uint64((1 << 31) - 1), np.uint64(33)


@record
class _Parameters(NamedTuple):
    """An evaluator with a store in front of it."""

    words: int = number("words per position")
    side_word: int = number("which of them has the side to move, or -1")
    mask: int = number("how many slots there are, less one")
    slots: Any = array(int32, ("slots", _SLOT), "the index")
    own: Any = inner_evaluator("what evaluates the rest")
    uses: Any = room(float32, ("uses",), "of each entry, where they are counted")
    counts: int = number("whether they are, 0 or 1")


@jit
def _hash(position: Pointer, words: int, left_out: int, salt: Word) -> Word:
    key = salt
    for k in range(words):
        if k != left_out:
            key = mix(key, position[k])
    return key


@jit
def _slot_of(position: Pointer, words: int, left_out: int, mask: int, slots: Pointer) -> int:
    """Return where the slot of a position begins, or the empty one where it would be."""
    key, check = (
        _hash(position, words, left_out, _SALT),
        _hash(position, words, left_out, _OTHER_SALT),
    )
    low, high = int32(int64(check & _31_BITS)), int32(int64(check >> _33))
    place = int64(key & np.uint64(mask))
    while True:
        slot = _SLOT * place
        if slots[slot + _NUMBER] == 0:
            return slot
        if slots[slot] == low and slots[slot + 1] == high:
            return slot
        place = (place + 1) & mask


@jit(types.void(ROWS, int32[::1], int64, int32[:, ::1]))
def _fill(rows: Any, scores: Any, left_out: int, index: Any) -> None:
    """Enter images (S * n, K), all of an entry after those of the one before, with scores (n,)."""
    images = rows.shape[0] // max(1, scores.shape[0])
    words, mask, slots = rows.shape[1], index.shape[0] - 1, at(index, 0)
    for i in range(rows.shape[0]):
        slot = _slot_of(at(rows, i), words, left_out, mask, slots)
        if slots[slot + _NUMBER] == 0:
            check = _hash(at(rows, i), words, left_out, _OTHER_SALT)
            slots[slot] = int32(int64(check & _31_BITS))
            slots[slot + 1] = int32(int64(check >> _33))
            slots[slot + _NUMBER] = int32(i // images + 1)
            slots[slot + _SCORE] = scores[i // images]


def in_front_of(evaluator: Evaluator, store: Store) -> Evaluator:
    """Return an evaluator that takes the score of a store where a position is in it."""
    made = Evaluator(**_values(evaluator, store, counts=False))
    return derived(made, in_front_of, evaluator, store)


def in_front_counting(evaluator: Evaluator, store: Store) -> tuple[Evaluator, NDArray[np.float32]]:
    """Return the same, and an array (n,) in which all its searches count their uses of entries."""
    values = _values(evaluator, store, counts=True)
    uses = FieldsIn(_Parameters, values["integers"], values["floats"]).uses[: len(store)]
    return SharingEvaluator.of(values.pop("floats"), **values), uses.view(np.ndarray)


def _values(evaluator: Evaluator, store: Store, *, counts: bool) -> dict[str, Any]:
    """Return what the evaluator with a store is made of."""
    evaluator.require_game(store.game)
    game, slots = store.game, _slots_of(store)
    side = -1 if game.turns.side_word is None else game.turns.side_word
    uses = np.zeros(len(store) if counts else 0, np.float32)
    header = game.words, side, len(slots) - 1
    integers, floats = laid_out(_Parameters(*header, slots, evaluator, uses, int(counts)))
    return {
        "name": f"{evaluator.name}+{store.name}",
        "game": game.name,
        "evaluate": _evaluate_of(evaluator.entry_point),
        "words": game.words,
        "integers": integers,
        "floats": floats,
        "origin": f"{evaluator.origin}; {len(store):,} positions by rote",
        "probcut": evaluator.probcut,
        "wdl": evaluator.wdl,
        "check": evaluator.check,
    }


def _slots_of(store: Store) -> NDArray[np.int32]:
    game, n = store.game, len(store)
    images = len(game.symmetries)
    slots = np.zeros((1 << max(4, (2 * images * n).bit_length()), _SLOT), np.int32)
    rows = np.repeat(store.entries.positions, images, axis=0)
    scores = np.round(store.entries.scores.astype(np.float64) * _PARTS).astype(np.int32)
    left_out = -1 if game.turns.side_word is None else game.turns.side_word
    _fill(seen_under(game, rows, np.tile(np.arange(images), n)), scores, left_out, slots)
    return slots


@functools.cache
def _evaluate_of(own: Any) -> Any:
    read = reading(_Parameters)

    def evaluate(position: Pointer, integers: Pointer, floats: Pointer) -> float:
        its = read(integers, floats)
        slots, uses = its.slots, its.uses
        slot = _slot_of(position, its.words, its.side_word, its.mask, slots)
        entry = int64(slots[slot + _NUMBER]) - 1
        if entry >= 0:
            if its.counts:
                uses[entry] += float32(1)
            return float32(slots[slot + _SCORE] / _PARTS)
        return own(position, its.own.integers, its.own.floats)

    return compose_closure(evaluate, EVALUATE)
