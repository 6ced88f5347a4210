"""Openings in an order: what the games of a match begin with."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samuel.arena.openings.kernel import mix_all
from samuel.games.interface import PASS, Game
from samuel.games.symmetry import canonical_keys
from samuel.games.transcripts import transcript


@dataclass(frozen=True, eq=False, repr=False)
class Openings:
    """Openings in the order in which a match takes them.

    Attributes
    ----------
    name
        what they are, in words for tables: "balanced book, 8 plies, scores up to 0.9 discs".
    moves
        of each, from the initial position, forced passes included.
    positions
        uint64 (n, K), those after the moves, from the side to move.
    """

    game: Game
    name: str
    moves: tuple[tuple[int, ...], ...]
    positions: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.moves)

    def __repr__(self) -> str:
        return f"Openings({self.game.name}, {self.name!r}, {len(self)})"

    def __getitem__(self, part: slice) -> Openings:
        return Openings(self.game, self.name, self.moves[part], self.positions[part])

    def take(self, places: Sequence[int] | NDArray[np.int64]) -> Openings:
        """Return the openings at some places, in that order."""
        chosen = np.asarray(places, np.int64)
        moves = tuple(self.moves[place] for place in chosen)
        return Openings(self.game, self.name, moves, self.positions[chosen])

    @functools.cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of the game and the lines, in their order; not of the name."""
        lines = ";".join(" ".join(map(str, line)) for line in self.moves)
        return hashlib.sha256(f"{self.game.name}:{lines}".encode()).hexdigest()[:16]

    def transcripts(self) -> list[str]:
        """Return the openings as text; a pass is written down only where it is the last move."""
        return [
            transcript(self.game, line) + (" pass" if line and line[-1] == PASS else "")
            for line in self.moves
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
