"""Text for Pig: the points of X and of O, what the turn has brought, the side to move: `12-30+7 X`.

Where the die is to be thrown a question mark stands behind: `12-30+7? X`. Moves are `roll` and
`hold`, what the die shows is `1` to `6`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.interface import Words

HOLD, ROLL = 0, 7
"""Moves; the numbers between are what the die shows."""
PIPS = 6
_NAMES = {HOLD: "hold", ROLL: "roll", **{pips: str(pips) for pips in range(1, PIPS + 1)}}
_MOVES = {name: move for move, name in _NAMES.items()}
_POSITION = re.compile(r"([0-9]{1,5})-([0-9]{1,5})(?:\+([0-9]{1,5})(\?)?)?\s+([XO])", re.IGNORECASE)


@dataclass(frozen=True)
class PointsNotation:
    """Of a game to `target` points; X is the first player."""

    target: int

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, 4) the game can have, by their numbers alone."""
        mine, others, brought, die = positions.T
        least, most, beyond = np.uint64(1), np.uint64(self.target), np.uint64(PIPS - 1)
        missing = (least <= mine) & (mine <= most) & (least <= others) & (others <= most)
        at_die = (die == least) & (brought < mine)
        return missing & (((die == np.uint64(0)) & (brought <= mine + beyond)) | at_die)

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words, and the side to move (0 for the first player)."""
        found = _POSITION.fullmatch(text.strip())
        if found is None:
            raise UserError(
                "a position of Pig is the points of X and of O, what the turn has brought (and ? "
                f"where the die is to be thrown) and the side to move, like 12-30+7 X, not {text!r}"
            )
        side = "XO".index(found[5].upper())
        missing = [self.target - int(points) for points in (found[1], found[2])]
        words = missing[side], missing[1 - side], int(found[3] or 0), int(found[4] is not None)
        if min(missing) < 1 or not self.holds(np.array([words], np.uint64))[0]:
            raise UserError(f"{text!r} is beyond the {self.target:,} points that win")
        return words, side

    def write(self, words: Words, side: int) -> str:
        """Return the text that `read` takes back."""
        first, second = self._points(words, side)
        return f"{first}-{second}+{words[2]}{'?' * int(words[3])} {'XO'[side]}"

    def board(self, words: Words, side: int) -> str:
        """Return the points of both sides, and who is to do what."""
        first, second = self._points(words, side)
        turn = "the die is thrown" if words[3] else "to move"
        return f"X {first}\nO {second}\n{'XO'[side]} {turn} ({words[2]} this turn)"

    def read_move(self, text: str) -> int:
        """Return the move, or what the die shows, that `text` names."""
        name = text.strip().lower()
        if name not in _MOVES:
            raise UserError(
                f"{text!r} is not a move; moves are roll and hold, the die shows 1 to 6"
            )
        return _MOVES[name]

    def write_move(self, move: int) -> str:
        """Return the text of a move, or of what the die shows."""
        return _NAMES[move]

    def read_moves(self, transcript: str) -> list[int]:
        """Return the moves of a transcript, and what the die showed, with blanks between them."""
        return [self.read_move(word) for word in transcript.split()]

    def _points(self, words: Words, side: int) -> tuple[int, int]:
        """Return the points of X and of O."""
        points = [self.target - int(words[0]), self.target - int(words[1])]
        return points[side], points[1 - side]
