"""Answer of a player that is asked for a move."""

from __future__ import annotations

from typing import NamedTuple


class Choice(NamedTuple):
    """Move, its score in the game's unit (None if it is not known), depth and nodes."""

    move: int
    score: float | None = None
    depth: int = 0
    nodes: int = 0
