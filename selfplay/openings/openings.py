"""Openings in an order, what games begin with, and lines of moves played through."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from samuel.games.game import Game
from samuel.games.playing import new_game_state
from samuel.games.position import Position
from samuel.games.rows import canonical_keys, possible_rows
from samuel.games.rules import PASS
from samuel.games.transcripts import transcript
from samuel.selfplay.openings.kernel import follow_lines, mix_all

Opening: TypeAlias = tuple[str, tuple[int, ...]]
"""Text of a position, nothing for the initial one, and the moves from there."""

Line: TypeAlias = tuple[tuple[int, ...], NDArray[np.uint64]]
"""Moves from the initial position, and the position after them."""


@dataclass(frozen=True, eq=False, repr=False)
class Openings:
    """Openings in the order in which a match uses them.

    Attributes
    ----------
    game
        Game of the openings.
    name
        Name in tables, such as "balanced book, 8 plies, scores up to 0.9 discs".
    moves
        Moves of each opening, forced passes included.
    positions
        Positions after the moves, uint64 (n, K), from the side to move.
    starts
        Positions before the moves and who is to move there; None for the initial position.

    Examples
    --------
    >>> import samuel
    >>> openings = samuel.openings_for("tic_tac_toe", "random", pairs=3)
    >>> len(openings), openings.positions.shape
    (3, (3, 2))
    """

    game: Game
    name: str
    moves: tuple[tuple[int, ...], ...]
    positions: NDArray[np.uint64]
    starts: Starts | None = None

    def __len__(self) -> int:
        return len(self.moves)

    def __repr__(self) -> str:
        return f"Openings({self.game.name}, {self.name!r}, {len(self)})"

    def __getitem__(self, part: slice) -> Openings:
        return self.take(np.arange(len(self))[part])

    def take(self, places: Sequence[int] | NDArray[np.int64]) -> Openings:
        """Return the openings at given places, in the order of the places."""
        chosen = np.asarray(places, np.int64)
        moves = tuple(self.moves[place] for place in chosen)
        starts = None if self.starts is None else Starts._make(one[chosen] for one in self.starts)
        return Openings(self.game, self.name, moves, self.positions[chosen], starts)

    def with_lines(self, lines: Iterator[Line], n: int) -> Openings:
        """Return these openings followed by at most n lines."""
        some = list(itertools.islice(lines, n))
        moves = self.moves + tuple(line for line, _ in some)
        positions = np.concatenate([self.positions, *(position[None] for _, position in some)])
        return replace(self, moves=moves, positions=positions)

    def start(self, place: int) -> str:
        """Return the text of the position where an opening begins."""
        if self.starts is None:
            return ""
        position = self._start(place)
        return "" if position == Position.start(self.game) else position.text

    def opening(self, place: int) -> Opening | None:
        """Return the opening at a place."""
        return (self.start(place), self.moves[place]) if place < len(self) else None

    def _start(self, place: int) -> Position:
        if self.starts is None:
            return Position.start(self.game)
        words, side = self.starts.positions[place].tolist(), self.starts.sides[place]
        return Position(self.game, tuple(words), int(side))

    def transcripts(self) -> list[str]:
        """Return the openings as transcripts; a pass is written only as the last move."""
        return [
            transcript(self._start(k), line) + (" pass" if line and line[-1] == PASS else "")
            for k, line in enumerate(self.moves)
        ]


def shuffled(openings: Openings, seed: int) -> Openings:
    """Return the openings in an order that the seed gives; that of two depends on no third."""
    keys = canonical_keys(openings.game, openings.positions)
    mixed = np.zeros_like(keys)
    mix_all(np.uint64(seed % (1 << 64)), keys, mixed)
    return openings.take(np.argsort(mixed, kind="stable"))


class Followed(NamedTuple):
    """Lines of moves played through."""

    lines: list[tuple[int, ...]]
    positions: NDArray[np.uint64]
    sides: NDArray[np.int8]
    faults: NDArray[np.int8]


class Starts(NamedTuple):
    """Positions where lines begin: sides to move, plies before, and reversible ones to the end."""

    positions: NDArray[np.uint64]
    sides: NDArray[np.int8]
    plies: NDArray[np.int16]
    reversible: NDArray[np.int16]

    @classmethod
    def initial(cls, game: Game, n: int = 1) -> Starts:
        """Return the initial position n times; once is for all lines."""
        return cls.of(np.repeat(game.rows([game.start]), n, axis=0), np.zeros(n, np.int8))

    @classmethod
    def of(cls, positions: NDArray[np.uint64], sides: NDArray[np.int8]) -> Starts:
        """Return positions (n, K) of which no past is known."""
        return cls(positions, sides, *np.zeros((2, len(sides)), np.int16))

    @classmethod
    def parse(cls, game: Game, texts: Sequence[str]) -> Starts:
        """Read the positions of n lines; an empty text is the initial one."""
        if not any(texts):
            return cls.initial(game, len(texts))
        read = game.notation.read
        found = [read(text) if text else (game.start, 0) for text in texts]
        words, sides = zip(*found, strict=True)
        return cls.of(possible_rows(game, words), np.array(sides, np.int8))


def follow_line(
    game: Game, lines: Sequence[Sequence[int]], starts: Starts | None = None
) -> Followed:
    """Play n lines of moves through, and put in the forced passes that are missing."""
    starts = starts or Starts.initial(game)
    n, ends = len(lines), np.cumsum([len(line) for line in lines], dtype=np.int64)
    moves = np.array([move for line in lines for move in line], np.int32)
    positions = np.zeros((n, game.words), np.uint64)
    sides, faults = np.zeros(n, np.int8), np.zeros(n, np.int8)
    played, lengths = np.zeros(2 * len(moves), np.int32), np.zeros(n, np.int64)
    follow_lines(
        game.rules_of_play,
        starts.positions,
        starts.sides,
        new_game_state(game),
        moves,
        ends,
        played,
        lengths,
        positions,
        sides,
        faults,
    )
    firsts, all_played = 2 * np.append(0, ends)[:-1], played.tolist()
    whole_lines = [
        tuple(all_played[first : first + length])
        for first, length in zip(firsts.tolist(), lengths.tolist(), strict=True)
    ]
    return Followed(whole_lines, positions, sides, faults)
