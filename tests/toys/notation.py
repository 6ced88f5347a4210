"""How the toys write positions and moves: words and numbers."""

from __future__ import annotations

from samuel.common.errors import UserError
from samuel.games.board import Board
from samuel.games.notation import Notation
from samuel.games.rules import PASS, Words


class PlainNotation(Notation):
    """Positions such as `12/0/1 X`, moves by their names, a transcript with blanks between."""

    def __init__(self, words: int, names: dict[int, str], grid: Board | None = None) -> None:
        self.grid = grid
        self.words = words
        self.names = {**names, PASS: "pass"}
        self.moves = {name: move for move, name in self.names.items()}

    def read(self, text: str) -> tuple[Words, int]:
        try:
            numbers, side = text.split()
            words = tuple(int(word) for word in numbers.split("/"))
            if len(words) == self.words:
                return words, "XO".index(side)
        except ValueError:
            pass
        raise UserError(f"{text!r} is no position")

    def write(self, words: Words, side: int) -> str:
        return "/".join(str(int(word)) for word in words) + " " + "XO"[side]

    def board(self, words: Words, side: int) -> str:
        return self.write(words, side)

    def read_move(self, text: str) -> int:
        if text not in self.moves:
            raise UserError(f"{text!r} is no move")
        return self.moves[text]

    def write_move(self, move: int) -> str:
        return self.names[move]
