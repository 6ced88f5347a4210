"""A game under way: what was played, back and forth, and kept in a file."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Annotated, Any, TypedDict

import msgspec

from samuel.common.errors import UserError
from samuel.common.json_files import read_record, write_json
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import GameRecord
from samuel.games.transcripts import write_transcript

FORMAT = 1
MOST_MOVES = 10_000
"""Most moves of a game that is read from a file, so that no file takes hours to play through."""
_Moves = Annotated[list[str], msgspec.Meta(max_length=MOST_MOVES)]


class _File(TypedDict):
    format: int
    game: str
    start: str
    moves: _Moves
    undone: _Moves


class Session:
    """A game that goes on.

    Outcomes of chance are among its moves; `throw` draws one.
    """

    def __init__(
        self, start: Position, moves: list[str] | None = None, undone: list[str] | None = None
    ) -> None:
        self.positions = [start]
        self.numbers: list[int] = []
        self._undone: list[str] = []
        for number, move in enumerate(moves or [], 1):
            try:
                self.play(move)
            except UserError as error:
                raise UserError(f"move {number} of the game: {error}") from None
        self._undone = list(undone or [])

    @classmethod
    def along(cls, start: Position, transcript: str) -> Session:
        """Return a game after the moves of a transcript; forced passes may be left out."""
        session = cls(start)
        for number, position in start.along(transcript):
            session.numbers.append(number)
            session.positions.append(position)
        return session

    @property
    def game(self) -> Game:
        """Its game."""
        return self.positions[0].game

    @property
    def position(self) -> Position:
        """The position reached."""
        return self.positions[-1]

    def play(self, move: str | int) -> None:
        """Play a move, or an outcome of chance; what was taken back is forgotten then."""
        number = self.position.number_of(move)
        self.positions.append(self.position.play(number))
        self.numbers.append(number)
        self._undone = []

    def throw(self, chooser: random.Random) -> str:
        """Let chance bring something, and return it."""
        names, weights = zip(*self.position.outcomes(), strict=True)
        brought: str = chooser.choices(names, weights)[0]
        self.play(brought)
        return brought

    def undo(self, side: int | None = None) -> bool:
        """Take back the last move, or with a side all until it has a choice again.

        Returns whether there was anything to take back; if not, nothing is.
        """
        back = len(self.positions) - 2
        while side is not None and back >= 0 and not self._chooses(self.positions[back], side):
            back -= 1
        if back < 0:
            return False
        self._undone += reversed(self.moves[back:])
        del self.positions[back + 1 :], self.numbers[back:]
        return True

    def redo(self, side: int | None = None) -> bool:
        """Play again what was taken back: a move, or with a side all until it has a choice again.

        Returns whether there was anything.
        """
        if not self._undone:
            return False
        while self._undone:
            undone = self._undone[:-1]
            self.play(self._undone[-1])
            self._undone = undone
            if side is None or self._chooses(self.position, side):
                break
        return True

    @staticmethod
    def _chooses(position: Position, side: int) -> bool:
        return position.side == side and len(position.legal_moves()) > 1

    @property
    def moves(self) -> list[str]:
        """Moves that were played, as text."""
        return list(map(self.game.notation.write_move, self.numbers))

    @property
    def names(self) -> list[str]:
        """Moves that were played, as people read them."""
        pairs = zip(self.positions, self.moves, strict=False)
        return [position.names_of([move])[0] for position, move in pairs]

    @property
    def transcript(self) -> str:
        """The game on one line, as files of transcripts have it."""
        nobody = ("", "")
        return write_transcript(GameRecord(self.positions[0], 0, self.numbers, nobody, math.nan))

    def save(self, path: Path | str) -> None:
        """Keep it in a file, whole or not at all; `load` reads it."""
        write_json(path, {"format": FORMAT, **self.as_dict()})

    def as_dict(self) -> dict[str, Any]:
        """Return where it began, what was played and what was taken back, for JSON."""
        return {
            "game": self.game.name,
            "start": self.positions[0].text,
            "moves": self.moves,
            "undone": self._undone,
        }

    @classmethod
    def load(cls, path: Path | str, game: Game) -> Session:
        """Return the game that `save` has kept."""
        found = read_record(path, _File, "a folder", "name another file to begin", format=FORMAT)
        if found["game"] != game.name:
            raise UserError(
                f"{path} is a game of {found['game']}, not of {game.name}; add --game "
                f"{found['game']}, or give another file"
            )
        try:
            start = Position.parse(found["start"], game)
            return cls(start, found["moves"], found["undone"])
        except UserError as error:
            raise UserError(
                f"{path} is damaged: {error}; give another file to start a new game"
            ) from None
