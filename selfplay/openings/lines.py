"""Lines of moves from given positions, played through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samuel.games.game import Game
from samuel.games.playing import new_game_state
from samuel.games.rows import possible_rows
from samuel.selfplay.openings.kernel import follow_lines


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
