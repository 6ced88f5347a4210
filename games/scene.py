"""A position as a picture for players: places, what lies on them, and the clicks of a move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

Shape = Literal["square", "dark", "cross", "up", "down", "tray"]
Colour = Literal["first", "second", "nobody"]
SIDES: tuple[Colour, Colour] = ("first", "second")


class Place(NamedTuple):
    """Place where pieces can lie: a square, a crossing of lines, a point up or down, or a tray."""

    name: str
    x: float
    y: float
    width: float
    height: float
    shape: Shape


class Piece(NamedTuple):
    """A piece: where, whose, the letter of its kind (empty for the first), and how many."""

    place: str
    colour: Colour
    letter: str
    number: int = 1


class Figure(NamedTuple):
    """How pieces of a kind are drawn: SVG paths in a square of 100 by 100."""

    name: str
    outline: str
    detail: str = ""


@dataclass(frozen=True)
class Scene:
    """A picture."""

    width: float
    height: float
    places: tuple[Place, ...]
    pieces: tuple[Piece, ...]
    lines: tuple[tuple[float, float, float, float], ...] = ()
    labels: tuple[tuple[float, float, str], ...] = ()
    caption: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    turns: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self)
