"""Openings in an order: what the games of a match begin with, and random ones."""

from __future__ import annotations

import functools
import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samuel.arena.openings.book import Starts
from samuel.arena.openings.kernel import draw_lines, mix_all
from samuel.errors import UserError
from samuel.games.interface import PASS, Game
from samuel.games.playing import new_game_state
from samuel.games.position import Position
from samuel.games.symmetry import canonical_keys
from samuel.games.transcripts import transcript


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
        """Return the openings at given places, in the order of the places.

        Parameters
        ----------
        places
            Places of the openings, from 0.

        Returns
        -------
        Openings
            Chosen openings, in this order.
        """
        chosen = np.asarray(places, np.int64)
        moves = tuple(self.moves[place] for place in chosen)
        starts = self.starts
        if starts is not None:
            starts = Starts(starts.positions[chosen], starts.sides[chosen])
        return Openings(self.game, self.name, moves, self.positions[chosen], starts)

    def start(self, place: int) -> str:
        """Return the text of the position where an opening begins.

        Parameters
        ----------
        place
            Place of the opening, from 0.

        Returns
        -------
        str
            Position; nothing for the initial one.
        """
        position = self._start(place)
        return "" if position == Position.start(self.game) else position.text

    def _start(self, place: int) -> Position:
        if self.starts is None:
            return Position.start(self.game)
        words, side = self.starts.positions[place].tolist(), self.starts.sides[place]
        return Position(self.game, tuple(words), int(side))

    @functools.cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of the game and the lines, in their order; not of the name."""
        lines = ";".join(" ".join(map(str, line)) for line in self.moves)
        starts = b"" if self.starts is None else b"".join(one.tobytes() for one in self.starts)
        return hashlib.sha256(f"{self.game.name}:{lines}".encode() + starts).hexdigest()[:16]

    def transcripts(self) -> list[str]:
        """Return the openings as transcripts; a pass is written only as the last move.

        Returns
        -------
        list[str]
            One transcript per opening; a position and a colon stand before the moves of one that
            does not begin at the initial position.
        """
        return [
            transcript(self._start(k), line) + (" pass" if line and line[-1] == PASS else "")
            for k, line in enumerate(self.moves)
        ]


def shuffled(openings: Openings, seed: int, *, first: Openings | None = None) -> Openings:
    """Return the openings in an order that the seed gives; that of two depends on no third.

    Those that are among `first`, where it is given, come before all others.
    """
    keys = canonical_keys(openings.game, openings.positions)
    mixed = np.zeros_like(keys)
    mix_all(np.uint64(seed % (1 << 64)), keys, mixed)
    later = np.zeros(len(keys), np.bool_)
    if first is not None:
        later = ~np.isin(keys, canonical_keys(first.game, first.positions))
    return openings.take(np.lexsort((mixed, later)))


_FRUITLESS_ROUNDS = 8
_LEAST_DRAWN = 4096
"""Lines of a round: so many that what eight rounds do not show is as good as not there."""
_MOST_DRAWN = 1 << 18
_PATIENCE = 10_000
"""Random games in a row that end too soon, before the search for openings is given up."""


def random_openings(
    game: Game, n: int, plies: int, seed: int = 0, *, fewer: bool = False
) -> Openings:
    """Return n openings of `plies` uniformly random moves, all different up to symmetry.

    Where dice make the games differ anyway, openings may be alike: these come before each move.
    More openings of the same seed begin with these. Where there are not so many, all that were
    found are returned if `fewer`, with a warning.

    Raises
    ------
    UserError
        There are fewer than n such openings, or so it seems after many tries.
    """
    lines: list[tuple[int, ...]] = []
    positions, keys = np.zeros((0, game.words), np.uint64), np.zeros(0, np.uint64)
    drawn = fruitless = 0
    # where there are dice, each line has room for a whole game
    size = min(_MOST_DRAWN if game.outcomes is None else _LEAST_DRAWN, max(_LEAST_DRAWN, n))
    while len(lines) < n and fruitless < _FRUITLESS_ROUNDS:
        more, places = _drawn(game, plies, seed, drawn, size)
        drawn += size
        both = np.concatenate([keys, canonical_keys(game, places)])
        first = np.arange(len(both))
        if game.outcomes is None:
            first = np.sort(np.unique(both, return_index=True)[1])
        fruitless = fruitless + 1 if len(first) == len(keys) else 0
        keys = both[first]
        lines += more
        lines = [lines[k] for k in first]
        positions = np.concatenate([positions, places])[first]
        if not len(lines) and drawn >= _PATIENCE:
            raise UserError(
                f"random games of {game.name} rarely last {plies} plies or more; give fewer "
                "opening plies"
            )
    if fewer and len(lines) < n:
        warnings.warn(f"only {len(lines)} different openings of {plies} plies exist", stacklevel=3)
    elif len(lines) < n:
        raise UserError(
            f"only {len(lines)} different openings of {plies} plies were found, not {n}; "
            f"play at most {len(lines)} pairs, or from more opening plies"
        )
    return Openings(game, f"random, {plies} plies", tuple(lines[:n]), positions[:n])


def _drawn(
    game: Game, plies: int, seed: int, first: int, n: int
) -> tuple[list[tuple[int, ...]], NDArray[np.uint64]]:
    """Return the lines with the numbers from `first` to `first + n`, and the positions after."""
    longest = plies if game.outcomes is None else game.max_plies
    lines, lengths = np.zeros((n, longest), np.int32), np.zeros(n, np.int64)
    positions = np.zeros((n, game.words), np.uint64)
    found = draw_lines(
        game.rules_of_play,
        game.row(game.start),
        np.uint64(seed % (1 << 64)),
        first,
        plies,
        new_game_state(game),
        lines,
        lengths,
        positions,
    )
    pairs = zip(lines, lengths[:found].tolist(), strict=False)
    return [tuple(line[:length].tolist()) for line, length in pairs], positions[:found]
