"""How people write EinStein würfelt nicht!.

The board with a5 at the top left, X's corner, as in T. van der Storm's rules (Computer Chess Club,
9 June 2005). X has the stones 1 to 6 and O the stones A to F; a position is the 25 squares row by
row, the side to move, and what the die shows where it is thrown:

    123--45---6---F---ED--CBA X 4

A move is the squares it goes from and to (`a5b4`), as the side to move sees them; a throw of the
die is its number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.board import Board
from samuel.games.interface import Words
from samuel.games.notation import GridNotation


@dataclass(frozen=True)
class EinsteinNotation(GridNotation):
    """A board and a die, which is a word of its own."""

    @classmethod
    def on(cls, board: Board) -> EinsteinNotation:
        """Return the notation for a square board with as many faces of the die as stones a side."""
        size, names = board.columns, []
        for square, name in enumerate(board.squares):
            right, down = square % size < size - 1, square < size * (size - 1)
            for step, fits in ((1, right), (size, down), (size + 1, right and down)):
                names.append(name + board.squares[square + step] if fits else "")
        faces = [str(k + 1) for k in range(len(board.pieces))]
        return cls(board, [*names, "", *faces], second_sees="rotated", players="XO")

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, K) have each stone once at most, no two on a square."""
        stones, die = positions[:, :-1], positions[:, -1]
        once = (stones & (stones - np.uint64(1)) == 0).all(axis=1)
        return super().holds(positions) & once & (die <= len(self.grid.pieces))

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words, and the side to move (0 for X)."""
        squares, _, die = text.strip().rpartition(" ")
        faces = [str(k + 1) for k in range(len(self.grid.pieces))]
        if len(text.split()) != 3:
            squares, die = text, "0"
        elif die not in faces:
            raise UserError(f"the die shows 1 to {faces[-1]}, not {die!r}")
        words, side = super().read(squares)
        for word, stone in enumerate(words):
            if stone & (stone - 1):
                sign = self.grid.kept[word].signs[side]
                raise UserError(f"the stone {sign} stands on two squares")
        return (*words, int(die)), side

    def write(self, words: Words, side: int) -> str:
        """Return the text that `read` takes back."""
        return super().write(words, side) + (f" {words[-1]}" if words[-1] else "")

    def board(self, words: Words, side: int) -> str:
        """Return the board drawn with its coordinates, who is to move, and the die."""
        lines = super().board(words, side).splitlines()[:-1]
        die = f"with a {words[-1]}" if words[-1] else "after the die"
        return "\n".join([*lines, f"{self.players[side]} to move, {die}"])
