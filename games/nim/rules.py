"""Nim: in turn, a side takes as many objects as it likes of one heap, at least one.

In normal play who takes the last object has won, in misère play lost. The games begin with 3, 5 and
7 objects; other heaps are other positions. Heap k takes bits 5k to 5k + 4 of the one word: up to
eight heaps of up to 31 objects. Source of the theory: C. L. Bouton, "Nim, a game with a complete
mathematical theory" (1901).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numba import int32, int64
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.feature import feature
from samuel.games.game import Game
from samuel.games.groups import Defaults, Handmade
from samuel.games.notation import Notation
from samuel.games.rules import Row, Words
from samuel.kernels.bits import ONE, ZERO, Word
from samuel.kernels.jit import jit

HEAPS, LARGEST = 8, 31
"""The most heaps, and the most objects of one."""
BITS = 5
_BITS, _LARGEST = np.uint64(BITS), np.uint64(LARGEST)


@jit
def heap_at(position: Row, heap: int) -> Word:
    """Return the objects of a heap."""
    return position[0] >> _BITS * np.uint64(heap) & _LARGEST


@jit
def objects_of(position: Row) -> int:
    """Return the objects of all heaps."""
    objects = ZERO
    for heap in range(HEAPS):
        objects += heap_at(position, heap)
    return int64(objects)


@jit
def nim_sum_of(position: Row) -> Word:
    """Return the exclusive or of the heaps."""
    total = ZERO
    for heap in range(HEAPS):
        total ^= heap_at(position, heap)
    return total


@jit
def heaps_from(position: Row, least: int) -> int:
    """Return the number of heaps of `least` objects and more."""
    n = 0
    for heap in range(HEAPS):
        n += 1 if heap_at(position, heap) >= np.uint64(least) else 0
    return n


@jit
def wins(position: Row) -> bool:
    """Return whether the side to move wins where the last to take wins."""
    return nim_sum_of(position) != ZERO


@jit
def wins_misere(position: Row) -> bool:
    """Return whether the side to move wins where the last to take loses."""
    normal = wins(position)
    return normal if heaps_from(position, 2) > 0 else not normal


_POSITION = re.compile(r"([0-9]{1,3}(?:-[0-9]{1,3})*)\s+([XO])", re.IGNORECASE)
_MOVE = re.compile(r"([1-9]):([1-9][0-9]?)")


class HeapNotation(Notation):
    """Heaps in order, empty ones as 0, those at the end left out; X is the first player."""

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, 1) are heaps and no more."""
        return positions[:, 0] < np.uint64(1 << BITS * HEAPS)

    def read(self, text: str) -> tuple[Words, int]:
        """Return the word, and the side to move (0 for the first player)."""
        found = _POSITION.fullmatch(text.strip())
        if found is None:
            raise UserError(
                "a position of Nim must be its heaps and the side to move, like 3-5-7 X (got "
                f"{text!r})"
            )
        heaps = [int(heap) for heap in found[1].split("-")]
        if len(heaps) > HEAPS or max(heaps) > LARGEST:
            raise UserError(f"Nim can have up to {HEAPS} heaps of up to {LARGEST} objects")
        word = sum(heap << BITS * k for k, heap in enumerate(heaps))
        return (word,), "XO".index(found[2].upper())

    def write(self, words: Words, side: int) -> str:
        """Return the text that `read` takes back."""
        return f"{'-'.join(map(str, self._heaps(words)))} {'XO'[side]}"

    def board(self, words: Words, side: int) -> str:
        """Return the heaps drawn one a line, and who is to move."""
        heaps = self._heaps(words)
        lines = [f"{k} {'o' * heap}".rstrip() for k, heap in enumerate(heaps, 1)]
        return "\n".join([*lines, f"{'XO'[side]} to move ({sum(heaps)} left)"])

    def read_move(self, text: str) -> int:
        """Return the move that `text` names."""
        found = _MOVE.fullmatch(text.strip())
        if found is None or int(found[1]) > HEAPS or int(found[2]) > LARGEST:
            raise UserError(
                f"{text!r} is not a move; write heap:taken, like 2:3 for three objects from "
                "the second heap"
            )
        return (int(found[1]) - 1 << BITS) + int(found[2])

    def write_move(self, move: int) -> str:
        """Return the move's text."""
        return f"{(move >> BITS) + 1}:{move & LARGEST}"

    def _heaps(self, words: Words) -> list[int]:
        """Return the heaps, up to the last that is not empty; one that is, of none."""
        heaps = [int(words[0]) >> BITS * k & LARGEST for k in range(HEAPS)]
        return heaps[: max((k for k, heap in enumerate(heaps, 1) if heap), default=1)]


@jit
def is_terminal(position: Row) -> bool:
    """Return whether nothing is left to take."""
    return position[0] == ZERO


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List what can be taken: heap * 32 + objects."""
    n = 0
    for heap in range(HEAPS):
        for taken in range(1, np.int64(heap_at(position, heap)) + 1):
            moves[n] = int32((heap << BITS) + taken)
            n += 1
    return n


@jit
def play(position: Row, move: int, child: Row) -> None:
    """Take objects from a heap."""
    taken = np.uint64(move & LARGEST)
    child[0] = position[0] - (taken << _BITS * np.uint64(move >> BITS))


@jit
def utility(position: Row) -> float:
    """Return -1: the other side has taken the last object."""
    return -1.0


@jit
def utility_misere(position: Row) -> float:
    """Return 1: the other side had to take the last object."""
    return 1.0


BOUTON = Handmade("who wins, by Bouton's theorem", ("winner",), {"winner": (1.0,)})


def _nim(name: str, title: str, utility: Any) -> Game:
    return Game(
        name=name,
        start=(3 | 5 << BITS | 7 << 2 * BITS,),
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=objects_of,
        notation=HeapNotation(),
        max_moves=HEAPS * LARGEST,
        max_plies=HEAPS * LARGEST,
        defaults=Defaults(
            opening_plies=2,
            title=title,
            sides=("X", "O"),
            features_in="samuel.games.nim.rules",
            # what `winner` says is there to be learned
            features=("heaps", "ones", "nim_sum", "nim_sum_bits"),
            evaluators={"bouton": BOUTON},
        ),
    )


GAME = _nim("nim", "Nim", utility)
GAME_MISERE = _nim("nim_misere", "Nim, misère", utility_misere)


def define(game: Game) -> None:
    """Define the features of a game of Nim."""
    if game not in (GAME, GAME_MISERE):  # a variant has none of them
        return
    is_won = wins_misere if game is GAME_MISERE else wins

    @feature(game=game.name)
    def heaps(position: Row) -> float:
        """Number of heaps that are not empty."""
        return heaps_from(position, 1)

    @feature(game=game.name)
    def ones(position: Row) -> float:
        """Number of heaps of one object."""
        return heaps_from(position, 1) - heaps_from(position, 2)

    @feature(game=game.name)
    def nim_sum(position: Row) -> float:
        """Exclusive or of the heaps."""
        return float(nim_sum_of(position))

    @feature(game=game.name)
    def objects(position: Row) -> float:
        """Number of objects in all heaps."""
        return objects_of(position)

    @feature(game=game.name, outputs=tuple(str(1 << k) for k in range(BITS)))
    def nim_sum_bits(position: Row, values: Any) -> None:
        """Bits of the nim sum: 1 if set, else 0."""
        total = nim_sum_of(position)
        for k in range(BITS):
            values[k] = np.int64(total >> np.uint64(k) & ONE)

    @feature(game=game.name)
    def winner(position: Row) -> float:
        """Result by the closed form (Bouton 1901): 1 if the side to move wins, else -1."""
        return 1.0 if is_won(position) else -1.0
