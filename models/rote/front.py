"""A store in front of an evaluator: one probe, and what is not stored is evaluated.

The index has each position in all its images, so that a probe is two hashes of the position as it
stands. A slot is four integers: 62 bits of a second hash, which no other position can be thought to
share; the number of the entry, from 1; its score, in 1 / 65536 of a unit. Slots are a power of two,
at least twice the rows, and one that is taken sends to the next.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import float32, int32, int64, types
from numpy.typing import NDArray

from samuel.games.evaluator import ANY_LENGTH, Evaluation, Evaluator
from samuel.games.interface import ROWS, Row
from samuel.games.symmetry import seen_under
from samuel.kernels.bits import Word, mix
from samuel.kernels.jit import EntryPoint, jit
from samuel.kernels.pointers import at, view
from samuel.models.rote.store import Store

_WORDS, _SIDE_WORD, _MASK, _USES_AT, _OWN_AT, _SLOTS_AT = range(6)
"""Places in the integers: how many words, which of them says whose turn it is or -1, how many slots
less one, where in the floats uses are counted or -1, and where the evaluator's own integers begin.
Slots begin at _SLOTS_AT."""
_SLOT, _NUMBER, _SCORE = 4, 2, 3
_PARTS = 65536
_SALT, _OTHER_SALT = np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344)
"""The first digits of pi."""
_31_BITS, _33 = np.uint64((1 << 31) - 1), np.uint64(33)


@jit
def _hash(position: Row, integers: Any, salt: Word) -> Word:
    key, left_out = salt, int64(integers[_SIDE_WORD])
    for k in range(int64(integers[_WORDS])):
        if k != left_out:
            key = mix(key, position[k])
    return key


@jit
def _slot_of(position: Row, integers: Any) -> int:
    """Return where the slot of a position begins, or the empty one where it would be."""
    key, check = _hash(position, integers, _SALT), _hash(position, integers, _OTHER_SALT)
    low, high = int32(int64(check & _31_BITS)), int32(int64(check >> _33))
    mask = int64(integers[_MASK])
    place = int64(key & np.uint64(mask))
    while True:
        slot = _SLOTS_AT + _SLOT * place
        if integers[slot + _NUMBER] == 0:
            return slot
        if integers[slot] == low and integers[slot + 1] == high:
            return slot
        place = (place + 1) & mask


_INTEGERS = types.Array(int32, 1, "C")


@jit(types.void(ROWS, _INTEGERS, _INTEGERS))
def _fill(rows: Any, scores: Any, integers: Any) -> None:
    """Enter images (S * n, K), all of an entry after those of the one before, with scores (n,)."""
    images = rows.shape[0] // max(1, scores.shape[0])
    for i in range(rows.shape[0]):
        slot = _slot_of(rows[i], integers)
        if integers[slot + _NUMBER] == 0:
            check = _hash(rows[i], integers, _OTHER_SALT)
            integers[slot] = int32(int64(check & _31_BITS))
            integers[slot + 1] = int32(int64(check >> _33))
            integers[slot + _NUMBER] = int32(i // images + 1)
            integers[slot + _SCORE] = scores[i // images]


def in_front_of(evaluator: Evaluator, store: Store) -> Evaluator:
    """Return an evaluator that takes the score of a store where a position is in it.

    Raises
    ------
    UserError
        The evaluator is for another game.
    """
    return _Stored.of(evaluator, store, counts=False)


def in_front_counting(evaluator: Evaluator, store: Store) -> tuple[Evaluator, NDArray[np.float32]]:
    """Return the same, and an array (n,) in which all its searches count their uses of entries."""
    counting = _Stored.of(evaluator, store, counts=True)
    return counting, counting.shared[len(counting.shared) - len(store) :]


class _Stored(Evaluator):
    """An evaluator with a store; where it counts, all its searches share the floats."""

    shared: NDArray[np.float32] = np.zeros(0, np.float32)

    @classmethod
    def of(cls, evaluator: Evaluator, store: Store, *, counts: bool) -> _Stored:
        evaluator.require_game(store.game)
        index = _index_of(store)
        index[_OWN_AT], floats = len(index), evaluator.floats
        if counts:
            index[_USES_AT] = len(floats) - 1  # the first entry is number 1
            floats = np.concatenate([floats, np.zeros(len(store), np.float32)])
        found = cls(
            f"{evaluator.name}+{store.name}",
            store.game.name,
            _evaluate_of(evaluator.evaluate),
            store.game.words,
            np.concatenate([index, evaluator.integers]),
            floats,
            f"{evaluator.origin}; {len(store):,} positions by rote",
            evaluator.probcut,
            check=evaluator.check,
        )
        if counts:
            object.__setattr__(found, "shared", floats)
        return found

    def evaluation(self) -> Evaluation:
        """Return what a kernel takes."""
        usual = super().evaluation()
        return usual._replace(floats=self.shared) if len(self.shared) else usual


def _index_of(store: Store) -> NDArray[np.int32]:
    """Return the header and the slots."""
    game, n = store.game, len(store)
    images = len(game.symmetries)
    slots = 1 << max(4, (2 * images * n).bit_length())
    index = np.zeros(_SLOTS_AT + _SLOT * slots, np.int32)
    side = -1 if game.side_word is None else game.side_word
    index[:_SLOTS_AT] = game.words, side, slots - 1, -1, 0
    rows = np.repeat(store.entries.positions, images, axis=0)
    scores = np.round(store.entries.scores.astype(np.float64) * _PARTS).astype(np.int32)
    _fill(seen_under(game, rows, np.tile(np.arange(images), n)), scores, index)
    return index


@functools.cache
def _evaluate_of(own: Any) -> Any:
    takes_pointers = isinstance(own, EntryPoint)

    @jit
    def evaluate(position: Row, integers: Any, floats: Any) -> float:
        slot = _slot_of(position, integers)
        number = int64(integers[slot + _NUMBER])
        if number > 0:
            uses = int64(integers[_USES_AT])
            if uses >= 0:
                floats[uses + number] += float32(1)
            return integers[slot + _SCORE] / _PARTS
        first = int64(integers[_OWN_AT])
        if takes_pointers:
            return own(at(position, 0), at(integers, first), at(floats, 0))
        return own(position, view(at(integers, first), ANY_LENGTH), floats)

    return evaluate
