"""Text for Nim: the heaps and the side to move, `3-5-7 X`; a move is `heap:taken`, `2:3`."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.interface import Words
from samuel.games.nim.heaps import BITS, HEAPS, LARGEST

_POSITION = re.compile(r"([0-9]{1,3}(?:-[0-9]{1,3})*)\s+([XO])", re.IGNORECASE)
_MOVE = re.compile(r"([1-9]):([1-9][0-9]?)")


class HeapNotation:
    """Heaps in order, empty ones as 0, those at the end left out; X is the first player.

    Move `heap * 32 + taken` is written with heaps counted from 1.
    """

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, 1) are heaps and no more."""
        return positions[:, 0] < np.uint64(1 << BITS * HEAPS)

    def read(self, text: str) -> tuple[Words, int]:
        """Return the word, and the side to move (0 for the first player)."""
        found = _POSITION.fullmatch(text.strip())
        if found is None:
            raise UserError(
                f"a position of Nim is its heaps and the side to move, like 3-5-7 X, not {text!r}"
            )
        heaps = [int(heap) for heap in found[1].split("-")]
        if len(heaps) > HEAPS or max(heaps) > LARGEST:
            raise UserError(f"Nim is played here with up to {HEAPS} heaps of up to {LARGEST}")
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
                f"{text!r} is not a move; moves are written heap:taken, like 2:3 for three "
                "objects of the second heap"
            )
        return (int(found[1]) - 1 << BITS) + int(found[2])

    def write_move(self, move: int) -> str:
        """Return the move's text."""
        return f"{(move >> BITS) + 1}:{move & LARGEST}"

    def read_moves(self, transcript: str) -> list[int]:
        """Return the moves of a transcript, with blanks between them."""
        return [self.read_move(word) for word in transcript.split()]

    def _heaps(self, words: Words) -> list[int]:
        """Return the heaps, up to the last that is not empty; one that is, of none."""
        heaps = [int(words[0]) >> BITS * k & LARGEST for k in range(HEAPS)]
        return heaps[: max((k for k, heap in enumerate(heaps, 1) if heap), default=1)]
