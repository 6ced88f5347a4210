"""Text for games of two kinds of stone on a rectangle: positions, moves, transcripts.

A position is one character a square, row by row from the top as printed, a blank, and the side
to move: `X` (moves first) or `O`; an empty square is `-`. The text is always as X sees the board.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.interface import PASS, Words

_SIGNS = {"X": 0, "x": 0, "*": 0, "O": 1, "o": 1, "-": 2, ".": 2}
_PRINTED = "XO-"
_TURNS = {"same": (1, 1), "mirrored": (-1, 1), "rotated": (-1, -1)}


@dataclass(frozen=True)
class GridNotation:
    """Positions of two words, the stones of the player and of the opponent.

    Attributes
    ----------
    rows, columns
        the size of the board.
    bits
        the bit of each square, row by row from the top as printed.
    move_names
        the text of each move; the index is the move. Empty where there is no such move.
    passes
        whether `pass` is a move.
    column_names, row_names
        one character each, from the left and from the top.
    check
        raises UserError for a board that no game reaches; takes (stones of X,
        stones of O, side to move), in the bits of the side to move.
    second_sees
        how the words show the board where O is to move: the "same" as to X, "mirrored" (its rows
        from the other end) or "rotated" (its columns too). Moves are named as the side to move
        sees them, and so are the rows and columns of the drawing.
    """

    rows: int
    columns: int
    bits: Sequence[int]
    move_names: Sequence[str]
    passes: bool = False
    column_names: str = "abcdefghijklmnop"
    row_names: str = "123456789"
    check: Callable[[int, int, int], None] = lambda first, second, side: None
    second_sees: Literal["same", "mirrored", "rotated"] = "same"

    def __post_init__(self) -> None:
        if self.second_sees not in _TURNS:
            raise UserError(f"second_sees is one of {', '.join(_TURNS)}, not {self.second_sees!r}")

    @property
    def squares(self) -> tuple[tuple[str, int], ...]:
        """The squares by name, each with its bit, row by row from the top."""
        columns = self.column_names[: self.columns]
        names = [column + row for row in self.row_names[: self.rows] for column in columns]
        return tuple(zip(names, self.bits, strict=True))

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.columns

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, 2) have stones on squares only, no two on one.

        What rows of more or fewer words mean is their game's own affair: all may be.
        """
        if positions.shape[1] != 2:
            return np.ones(len(positions), bool)
        board = np.uint64(sum(1 << bit for bit in self.bits))
        first, second = positions.T
        return ((first | second) & ~board == 0) & (first & second == 0)

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words, and the side to move (0 for X)."""
        size = self.rows * self.columns
        parts = text.split()
        if len(parts) != 2 or len(parts[0]) != size:
            found = f"{len(parts[0])} characters" if len(parts) == 2 else "what is given"
            raise UserError(
                f"a position is {size} characters (X, O or -), a blank and the side to move "
                f"(X or O), not {found}: {text!r}"
            )
        board, mover = parts
        side = _SIGNS.get(mover, 2)
        if side == 2:
            raise UserError(f"the side to move is X or O, not {mover!r}")
        stones, bits = [0, 0, 0], self._bits(side)
        for square, sign in enumerate(board):
            if sign not in _SIGNS:
                raise UserError(
                    f"{sign!r} (character {square + 1}) is no square: use X, O or - for empty"
                )
            stones[_SIGNS[sign]] |= 1 << bits[square]
        self.check(stones[0], stones[1], side)
        return (stones[side], stones[1 - side]), side

    def write(self, words: Words, side: int) -> str:
        """Return the text that `read` takes back."""
        return f"{self._signs(words, side)} {_PRINTED[side]}"

    def board(self, words: Words, side: int) -> str:
        """Return the board drawn with its coordinates, and who is to move."""
        signs = self._signs(words, side).replace("-", ".")
        by_row, by_column = self._turn(side)
        header = "  " + " ".join(self.column_names[: self.columns][::by_column])
        lines = [
            f"{name} " + " ".join(signs[row * self.columns : (row + 1) * self.columns])
            for row, name in enumerate(self.row_names[: self.rows][::by_row])
        ]
        counts = f"X {signs.count('X')}, O {signs.count('O')}"
        return "\n".join([header, *lines, f"{_PRINTED[side]} to move ({counts})"])

    def _signs(self, words: Words, side: int) -> str:
        first, second = (words[0], words[1]) if side == 0 else (words[1], words[0])
        return "".join(
            "X" if first >> bit & 1 else "O" if second >> bit & 1 else "-"
            for bit in self._bits(side)
        )

    def _turn(self, side: int) -> tuple[int, int]:
        """Return the steps through rows and columns that show a side's board as X sees it."""
        return _TURNS[self.second_sees if side else "same"]

    def _bits(self, side: int) -> list[int]:
        """Return the bit of each printed square in the words of the side to move."""
        by_row, by_column = self._turn(side)
        rows = [self.bits[k * self.columns : (k + 1) * self.columns] for k in range(self.rows)]
        return [bit for row in rows[::by_row] for bit in row[::by_column]]

    def read_move(self, text: str) -> int:
        """Return the move that `text` names."""
        name = text.strip().lower()
        if self.passes and name in ("pass", "pa", "--"):
            return PASS
        if name and name in self.move_names:
            return self.move_names.index(name)
        example = max(filter(None, self.move_names))
        raise UserError(f"{text!r} is not a move; moves are written like {example}")

    def write_move(self, move: int) -> str:
        """Return the move's text."""
        return "pass" if move == PASS else self.move_names[move]

    def read_moves(self, transcript: str) -> list[int]:
        """Return the moves of a transcript, with or without blanks between them."""
        width = max(map(len, self.move_names))
        moves = []
        for word in transcript.lower().split():
            for name in re.findall(rf"pass|--|.{{1,{width}}}", word):
                moves.append(self.read_move(name))
        return moves


def require_turns(first: int, second: int, side: int) -> None:
    """Raise UserError unless the stones of X and of O are as many as turns give."""
    if first.bit_count() - second.bit_count() != side:
        raise UserError(
            f"X has {first.bit_count()} stones and O {second.bit_count()}: with {'XO'[side]} to "
            f"move X must have {'as many as' if side == 0 else 'one more than'} O"
        )
