"""Text for games on a rectangle of squares: positions, moves, transcripts.

A position is one character a square, row by row from the top as printed, a blank, and the side
to move: with one kind of piece `X` (moves first) or `O`; an empty square is `-`. The text is always
as the first player sees the board. The signs are the board's (games.board).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.board import EMPTY, Board
from samuel.games.notation import TURNS, Notation
from samuel.games.rules import PASS, Words

_FEW, _LONGEST_SHOWN = 10, 120
"""Moves that a message lists, and characters of a text in it."""
_PASSES = ("pass", "pa", "ps", "--")


@dataclass(frozen=True)
class GridNotation(Notation):
    """Positions whose first words are those of a board; what comes after them is not written.

    Attributes
    ----------
    move_names
        the text of each move; the index is the move. Empty where there is no such move.
    passes
        whether `pass` is a move.
    check
        `check(words, side)` raises UserError for a position that no game reaches.
    second_sees
        view of the board where the second player is to move: the "same" as the first's, "mirrored"
        (its rows from the other end) or "rotated" (its columns too). Moves are named as the side to
        move sees them, and so are the rows and columns of the drawing.
    header
        text over the columns of the drawing; by default their names.
    players
        the signs of the two sides; by default those of the first kind of piece.
    """

    grid: Board = field()
    move_names: Sequence[str]
    passes: bool = False
    check: Callable[[Words, int], None] = lambda words, side: None
    second_sees: Literal["same", "mirrored", "rotated"] = "same"
    header: Sequence[str] = ()
    players: str = ""

    def __post_init__(self) -> None:
        if self.second_sees not in TURNS:
            raise UserError(
                f"second_sees must be one of {', '.join(TURNS)} (got {self.second_sees!r})"
            )
        object.__setattr__(self, "players", self.players or self.grid.pieces[0])

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, K) have pieces on squares only, no two on one."""
        return self.grid.holds(positions)

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words, and the side to move (0 for the first player)."""
        size, first = len(self.grid.squares), self.players
        parts = text.split()
        if len(parts) != 2 or len(parts[0]) != size:
            found = f"{len(parts[0])} characters" if len(parts) == 2 else "what is given"
            raise UserError(
                f"a position must be {size} characters ({self._known}), a blank and the side "
                f"to move ({' or '.join(first)}), but this is {found}: {_shortened(text)!r}"
            )
        squares, mover = parts
        side = first.find(self._sign(mover))
        if side < 0 or len(mover) != 1:
            raise UserError(f"the side to move must be {' or '.join(first)} (got {mover!r})")
        signs = [self._sign(typed) for typed in squares]
        for place, sign in enumerate(signs):
            if sign not in self._every_sign:
                raise UserError(
                    f"{squares[place]!r} (character {place + 1}) is not allowed in a position: use "
                    f"{self._known} ({EMPTY} is an empty square)"
                )
        words = self.words_of(signs, side)
        self.check(words, side)
        return words, side

    def write(self, words: Words, side: int) -> str:
        """Return the text that `read` takes back."""
        return f"{self.signs(words, side)} {self.players[side]}"

    def board(self, words: Words, side: int) -> str:
        """Return the board drawn with its coordinates, and who is to move."""
        signs = self.signs(words, side).replace(EMPTY, ".")
        by_row, by_column = self._turn(side)
        columns, rows = self.grid.columns, self.grid.row_names[: self.grid.rows]
        width = max(map(len, rows))
        header = (self.header or self.grid.column_names)[:columns][::by_column]
        lines = [
            f"{name:>{width}} " + " ".join(signs[row * columns : (row + 1) * columns])
            for row, name in enumerate(rows[::by_row])
        ]
        counts = ", ".join(f"{sign} {signs.count(sign)}" for sign in "".join(self.grid.pieces))
        to_move = f"{self.players[side]} to move ({counts})"
        return "\n".join([" " * (width + 1) + " ".join(header), *lines, to_move])

    def read_move(self, text: str) -> int:
        """Return the move that `text` names."""
        if text in self._moves:
            return self._moves[text]
        name = text.strip().lower()
        if self.passes and name in _PASSES:
            return PASS
        if name in self._moves:
            return self._moves[name]
        names = [one for one in dict.fromkeys(self.move_names) if one]
        written = ", ".join(names) if len(names) <= _FEW else f"written like {max(names)}"
        said = f"{text!r} is not a move; moves are {written}"
        if name in _PASSES:
            said += "; a game in which a side may have to pass gives GridNotation(..., passes=True)"
        raise UserError(said)

    def write_move(self, move: int) -> str:
        """Return the move's text."""
        return "pass" if move == PASS else self.move_names[move]

    def texts_of(self, transcript: str) -> list[str]:
        """Return the moves of a transcript, with or without blanks between them."""
        names: list[str] = []
        for word in transcript.lower().split():
            at = 0
            while at < len(word):
                for width in self._widths:
                    name = word[at : at + width]
                    if name in self._moves or name in _PASSES:
                        break
                else:
                    name = word[at : at + max(map(len, self._moves))]
                names.append(name)
                at += len(name)
        return names

    @functools.cached_property
    def _widths(self) -> list[int]:
        """The lengths of names, longest first."""
        return sorted({len(name) for name in (*self._moves, *_PASSES)}, reverse=True)

    @functools.cached_property
    def _moves(self) -> dict[str, int]:
        """The moves by name; of two with one name the first."""
        numbered = [*enumerate(self.move_names)]
        return {name: move for move, name in reversed(numbered) if name}

    @property
    def _known(self) -> str:
        """The signs of a text, as people list them."""
        return f"{', '.join(''.join(self.grid.pieces))} or {EMPTY}"

    def _sign(self, typed: str) -> str:
        """Return the sign that is meant: X and O may be small, X a star, and emptiness a point."""
        if typed in self._every_sign:
            return typed
        return {"*": "X", ".": EMPTY}.get(typed, typed.upper())

    @functools.cached_property
    def _every_sign(self) -> frozenset[str]:
        return frozenset("".join(self.grid.pieces) + EMPTY)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def require_turns(words: Words, side: int) -> None:
    """Raise UserError unless the stones of X and of O are as many as turns give."""
    first, second = (words[side].bit_count(), words[1 - side].bit_count())
    if first - second != side:
        raise UserError(
            f"X has {first} stones and O {second}: with {'XO'[side]} to "
            f"move X must have {'as many as' if side == 0 else 'one more than'} O"
        )
