"""Results of `contributions`: the parts of a score, and how two scores differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from samuel.common.units import rounded
from samuel.games.changes import board_of, turned_squares
from samuel.games.game import Game

_LINES = 10
"""Differences that are shown."""


@dataclass(frozen=True)
class Part:
    """Contribution of a part."""

    name: str
    value: float  # in the game's unit, for the side asked about
    squares: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()  # of features, that its name is about


def part_of(column: str, number: float, value: float, game: Game) -> Part:
    """Return the part of a column of features, which has a number."""
    feature, _, last = column.rpartition("_")
    is_square = feature in ("squares", "places") and last in game.squares
    squares = (last,) if is_square else ()
    return Part(f"{column} = {rounded(number, 6)}", value, squares, (column,))


def names_seen(game: Game, side: int) -> list[str]:
    """Return the name of each square that a side sees; some games turn the board for the second."""
    squares = board_of(game).squares
    return [squares[k] for k in turned_squares(game)] if side else list(squares)


class PartOfBoth(NamedTuple):
    """Contributions of a part to the first of two scores, and to the second."""

    name: str
    first: float
    second: float


@dataclass(frozen=True, repr=False)
class Difference:
    """Difference between two static scores: `contributions(...).less(...)`."""

    first: float
    second: float
    parts: tuple[PartOfBoth, ...]  # the largest difference first
    method: str
    side: int  # 0 for the first player

    def lines(self) -> Iterator[str]:
        """Yield a line for each of the largest differences; parts that are alike are left out."""
        differ = [row for row in self.parts if round(abs(row.first - row.second), 2) > 0]
        for name, first, second in differ[:_LINES]:
            yield f"{first - second:+z.2f}  {name} ({first:+z.2f} and {second:+z.2f})"
        rest = differ[_LINES:]
        if rest:
            total = sum(row.first - row.second for row in rest)
            yield f"{total:+z.2f}  {len(rest):,} smaller parts"

    def __repr__(self) -> str:
        head = f"{self.first - self.second:+z.2f} ({self.first:+z.2f} and {self.second:+z.2f})"
        of = ("first", "second")[self.side]
        return "\n".join([f"Difference({head}, for the {of} player)", *self.lines()])


@dataclass(frozen=True)
class Contributions:
    """A static score, taken apart."""

    score: float  # in the game's unit, for the side asked about
    method: str
    parts: tuple[Part, ...]  # in the model's order
    rest: float = 0.0  # what several parts add together
    side: int = 0  # 0 for the first player

    def by_square(self) -> dict[str, float]:
        """Return what each square adds: its even share of every part that looks at it."""
        found: dict[str, float] = {}
        for part in self.parts:
            for square in part.squares:
                found[square] = found.get(square, 0.0) + part.value / len(part.squares)
        return found

    def less(self, other: Contributions) -> Difference:
        """Return what tells this score from another one, part by part.

        Parts that are told apart by what they hold are the same by their squares, or by their
        name up to an equals sign.
        """
        if self.side != other.side:
            raise ValueError(
                "contributions can be compared only from one side (contributions(side=...))"
            )
        here, there = self._named(), other._named()
        rows = [
            PartOfBoth(name, here.get(name, 0.0), there.get(name, 0.0)) for name in here | there
        ]
        rows.sort(key=lambda row: -abs(row.first - row.second))
        return Difference(self.score, other.score, tuple(rows), self.method, self.side)

    def _named(self) -> dict[str, float]:
        found: dict[str, float] = {"rest": self.rest} if self.rest else {}
        for part in self.parts:
            name = part.name.partition(" = ")[0]
            found[name] = found.get(name, 0.0) + part.value
        return found
