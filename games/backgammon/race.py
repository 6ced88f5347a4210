"""Races solved exactly: how long bearing off takes, and who wins.

Where the checkers have passed one another neither side is in the other's way. The moves of a side
are then a table of its own, made by the rules as they are, and values go back from the end through
it (R. Bellman, "Dynamic programming", 1957).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TypeAlias

from samuel.common.errors import UserError
from samuel.games.backgammon.checkers import DICE, MINE, THEIRS, has_contact
from samuel.games.backgammon.identifiers import checkers_of, words_of
from samuel.games.backgammon.rules import FACES, GAME
from samuel.games.position import Position

Side: TypeAlias = tuple[int, int]
"""The low and the high word of a side."""

MOST_SIDES, MOST_PAIRS = 60_000, 1_000_000
"""Positions of one side (15 checkers at home have 54,264, which take minutes), and of both."""
_OFF: Side = words_of({})
_OUT_OF_THE_WAY = words_of({1: 1})
_THROWS = {a << 3 | b: 1 if a == b else 2 for a in range(1, FACES + 1) for b in range(1, a + 1)}


def expected_rolls(position: Position) -> float:
    """Return how many throws the side to move needs on average to bear off as soon as it can.

    Raises
    ------
    UserError
        It is no race whose dice are to be thrown, or one of too many positions.
    """
    mine, theirs = _sides_of(position)
    _require_few(mine, theirs, alone=True)

    @functools.cache
    def rolls(side: Side) -> float:
        return 0.0 if side == _OFF else 1 - _mean(side, lambda after: -rolls(after))

    return rolls(mine)


def winning_chance(position: Position) -> float:
    """Return the chance that the side to move bears off first, where both play for that alone.

    Raises
    ------
    UserError
        As `expected_rolls`.
    """
    return (1 + _value(position, lambda loser: 1.0)) / 2


def expected_points(position: Position) -> float:
    """Return the points that the side to move wins on average, where both play for the most.

    Raises
    ------
    UserError
        As `expected_rolls`.
    """
    return _value(position, lambda loser: -GAME.utility_of(GAME.row((*loser, *_OFF, 0))))


def _value(position: Position, points_won: Callable[[Side], float]) -> float:
    """Return what the side to move wins on average; `points_won` is of where the loser stands."""
    mine, theirs = _sides_of(position)
    _require_few(mine, theirs)

    @functools.cache
    def value(mover: Side, other: Side) -> float:
        if other == _OFF:
            return -points_won(mover)
        return _mean(mover, lambda after: -value(other, after))

    return value(mine, theirs)


def _mean(side: Side, worth: Callable[[Side], float]) -> float:
    """Return the mean over all throws of what the best play of each is worth."""
    total = sum(
        weight * max(map(worth, after))
        for weight, after in zip(_THROWS.values(), _plays(side), strict=True)
    )
    return total / FACES**2


@functools.lru_cache(maxsize=2 * MOST_SIDES)
def _plays(side: Side) -> tuple[tuple[Side, ...], ...]:
    """Return where a side can stand after a play, for each throw."""
    found = []
    for throw in _THROWS:
        row = GAME.row((*side, *_OUT_OF_THE_WAY, throw))
        children = [GAME.child_of(row, move) for move in GAME.moves_in(row).tolist()]
        found.append(tuple((int(c[THEIRS]), int(c[THEIRS + 1])) for c in children))
    return tuple(found)


def _sides_of(position: Position) -> tuple[Side, Side]:
    words = position.words
    if position.game is not GAME or words[DICE] or has_contact(position.row):
        raise UserError(
            f"{position.text} is not a race that can be solved: all checkers must have passed "
            "one another, and the dice must not be thrown yet"
        )
    return (words[MINE], words[MINE + 1]), (words[THEIRS], words[THEIRS + 1])


def _require_few(mine: Side, theirs: Side, alone: bool = False) -> None:
    """Raise UserError where too many positions may come before the end."""
    sides = [_most(mine), 1 if alone else _most(theirs)]
    if max(sides) > MOST_SIDES or sides[0] * sides[1] > MOST_PAIRS:
        raise UserError(
            f"this race has too many positions to solve (at most {MOST_PAIRS:,} of both sides, "
            f"{MOST_SIDES:,} of one); give fewer checkers, or checkers nearer to home"
        )


def _most(side: Side) -> int:
    """Return how many ways there are to have no more checkers on the same points and nearer."""
    places = checkers_of(*side)[1:]
    farthest = max((place for place, n in enumerate(places, 1) if n), default=0)
    return math.comb(farthest + sum(places), farthest)
