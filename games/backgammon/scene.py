"""Backgammon's board as players see it: X goes home in the lower right corner."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from samuel.games.backgammon.checkers import BAR, OFF, POINTS
from samuel.games.scene import SIDES, Piece, Place, Scene

_HIGH, _HALF, _MIDDLE = 11.0, 5.0, 6
"""The height of the board and of a point, and how many points stand left of the bar."""
_BAR_AT, _TRAY_AT, _WIDTH = 6.0, 13.0, 14.0


def place_name(place: int, side: int) -> str:
    """Return the name of a side's place: points as the first player counts them."""
    if place in (BAR, OFF):
        return f"{'bar' if place == BAR else 'off'}-{SIDES[side]}"
    return str(place if side == 0 else BAR - place)


def scene(counts: Sequence[Sequence[int]], side: int, dice: str) -> Scene:
    """Return the picture of a position.

    Parameters
    ----------
    counts
        of the side to move and of the other: checkers at their places 0 (off) to 25 (the bar).
    side
        who is to move.
    dice
        what was thrown, or nothing.
    """
    places = tuple(_places())
    pieces = []
    for who, held in zip((side, 1 - side), counts, strict=True):
        pieces += [
            Piece(place_name(place, who), SIDES[who], "", count)
            for place, count in enumerate(held)
            if count
        ]
    labels = []
    for place in places:
        if place.name.isdecimal():
            y = -0.5 if place.shape == "down" else _HIGH + 0.5
            labels.append((place.x + 0.5, y, place.name))
    caption = f"dice: {dice[0]} and {dice[1]}" if dice else "the dice are to be thrown"
    return Scene(_WIDTH, _HIGH, places, tuple(pieces), labels=tuple(labels), caption=caption)


def _places() -> Iterator[Place]:
    for point in range(1, POINTS + 1):
        column = POINTS // 2 - point if point <= POINTS // 2 else point - POINTS // 2 - 1
        x = float(column + (column >= _MIDDLE))
        if point <= POINTS // 2:
            yield Place(str(point), x, _HIGH - _HALF, 1, _HALF, "up")
        else:
            yield Place(str(point), x, 0, 1, _HALF, "down")
    for who, y in zip(SIDES, (_HIGH - _HALF, 0.0), strict=True):
        yield Place(f"bar-{who}", _BAR_AT, y, 1, _HALF, "tray")
        yield Place(f"off-{who}", _TRAY_AT, y, 1, _HALF, "tray")


def paths(steps: Sequence[tuple[int, int]], side: int) -> list[list[str]]:
    """Return the ways to click a play: its steps in every order."""
    named = [(place_name(a, side), place_name(b, side)) for a, b in steps]
    orders = dict.fromkeys(itertools.permutations(named))
    return [list(itertools.chain.from_iterable(order)) for order in orders]
