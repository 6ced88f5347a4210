"""Pig: a side throws a die as often as it likes; a 1 loses what the turn has brought.

Four words: the points that the side to move still misses, those that the other side misses, what
the turn has brought, and 1 where the die is to be thrown. So the rules are the same for every
target. A side that throws the missing points has won at once, for nobody would go on; nothing can
be held before the first throw of a turn. Games have no bound. Source: J. Scarne, "Scarne on Dice"
(1945).
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int64
from numpy.typing import NDArray

from samuel.common.errors import UserError, require_number
from samuel.games.feature import feature
from samuel.games.game import Game
from samuel.games.groups import Chance, Defaults, Handmade, Progress
from samuel.games.notation import Notation
from samuel.games.rules import CHANCE, MOST_PLIES, OTHER, SAME, Row, Words
from samuel.kernels.bits import ONE, ZERO
from samuel.kernels.jit import jit

HOLD, ROLL = 0, 7
"""Moves; the numbers between are what the die shows."""
DIE_SIDES = 6
_NAMES = {HOLD: "hold", ROLL: "roll", **{pips: str(pips) for pips in range(1, DIE_SIDES + 1)}}
_MOVES = {name: move for move, name in _NAMES.items()}
_POSITION = re.compile(r"([0-9]{1,5})-([0-9]{1,5})(?:\+([0-9]{1,5})(\?)?)?\s+([XO])", re.IGNORECASE)


@dataclass(frozen=True)
class PointsNotation(Notation):
    """Notation of a game to `target` points; X is the first player."""

    target: int

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, 4) the game can have, by their numbers alone."""
        mine, others, brought, die = positions.T
        least, most, beyond = np.uint64(1), np.uint64(self.target), np.uint64(DIE_SIDES - 1)
        missing = (least <= mine) & (mine <= most) & (least <= others) & (others <= most)
        at_die = (die == least) & (brought < mine)
        return missing & (((die == np.uint64(0)) & (brought <= mine + beyond)) | at_die)

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words, and the side to move (0 for the first player)."""
        found = _POSITION.fullmatch(text.strip())
        if found is None:
            raise UserError(
                "a position of Pig must be the points of X and of O, the points of this turn "
                f"(and ? before a throw) and the side to move, like 12-30+7 X (got {text!r})"
            )
        side = "XO".index(found[5].upper())
        missing = [self.target - int(points) for points in (found[1], found[2])]
        words = missing[side], missing[1 - side], int(found[3] or 0), int(found[4] is not None)
        if min(missing) < 1 or not self.holds(np.array([words], np.uint64))[0]:
            raise UserError(f"{text!r} has more than the {self.target:,} points that win")
        return words, side

    def write(self, words: Words, side: int) -> str:
        """Return the text that `read` takes back."""
        first, second = self._points(words, side)
        return f"{first}-{second}+{words[2]}{'?' * int(words[3])} {'XO'[side]}"

    def board(self, words: Words, side: int) -> str:
        """Return the points of both sides, and who is to do what."""
        first, second = self._points(words, side)
        turn = "the die is thrown" if words[3] else "to move"
        return f"X {first}\nO {second}\n{'XO'[side]} {turn} ({words[2]} this turn)"

    def read_move(self, text: str) -> int:
        """Return the move, or what the die shows, that `text` names."""
        name = text.strip().lower()
        if name not in _MOVES:
            raise UserError(
                f"{text!r} is not a move; moves are roll and hold, and 1 to 6 for the die"
            )
        return _MOVES[name]

    def write_move(self, move: int) -> str:
        """Return the text of a move, or of what the die shows."""
        return _NAMES[move]

    def _points(self, words: Words, side: int) -> tuple[int, int]:
        """Return the points of X and of O."""
        points = [self.target - int(words[0]), self.target - int(words[1])]
        return points[side], points[1 - side]


MINE, OTHERS, BROUGHT, DIE = range(4)
LEAST_TARGET, MOST_TARGET = 2, 1000
"""Scores are counted in thousandths of a win: beyond, a point would be worth nothing."""
_PLIES_A_POINT = 100
"""Sides that go on until a 1 comes need 12 plies a point or so to 100, and more to more."""


@jit
def is_terminal(position: Row) -> bool:
    """Return whether the turn has brought what was missing."""
    return position[BROUGHT] >= position[MINE]


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List what can be done: hold, where there is something to keep, and roll."""
    if is_terminal(position) or position[DIE] != ZERO:
        return 0
    n = 0
    if position[BROUGHT] != ZERO:
        moves[n] = HOLD
        n += 1
    moves[n] = ROLL
    return n + 1


@jit
def outcomes(position: Row, listed: Any, weights: Any) -> int:
    """List what the die can show."""
    if position[DIE] == ZERO:
        return 0
    for k in range(DIE_SIDES):
        listed[k], weights[k] = k + 1, 1
    return DIE_SIDES


@jit
def _leave(position: Row, kept: Any, child: Row) -> int:
    """End the turn."""
    child[MINE], child[OTHERS] = position[OTHERS], position[MINE] - kept
    child[BROUGHT], child[DIE] = ZERO, ZERO
    return OTHER


@jit
def play(position: Row, move: int, child: Row) -> int:
    """Roll, hold, or add what the die shows."""
    if move == HOLD:
        return _leave(position, position[BROUGHT], child)
    if move == 1:
        return _leave(position, ZERO, child)
    child[MINE], child[OTHERS] = position[MINE], position[OTHERS]
    if move == ROLL:
        child[BROUGHT], child[DIE] = position[BROUGHT], ONE
        return SAME | CHANCE
    child[BROUGHT], child[DIE] = position[BROUGHT] + np.uint64(move), ZERO
    return SAME


@jit
def utility(position: Row) -> float:
    """Return 1: the side to move has reached the target."""
    return 1.0


@jit
def missing_to_leader(position: Row) -> int:
    """Return what the side that misses least still misses, this turn's points counted."""
    mine = int64(position[MINE]) - int64(position[BROUGHT])
    return max(int64(0), min(mine, int64(position[OTHERS])))


@functools.cache
def pig(target: int) -> Game:
    """Return Pig to `target` points, 2 to 1,000; by name `pig`, or `pig_50`."""
    require_number("the target (N of pig_N)", target, LEAST_TARGET, MOST_TARGET)
    most = int64(target)

    @jit
    def progress(position: Row) -> int:
        return most - missing_to_leader(position)

    weight = 1 / target
    return Game(
        name="pig" if target == 100 else f"pig_{target}",
        start=(target, target, 0, 0),
        legal_moves=legal_moves,
        play=play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=None,
        progress=Progress(progress, target),
        notation=PointsNotation(target),
        max_moves=DIE_SIDES,
        max_plies=min(MOST_PLIES, _PLIES_A_POINT * target),
        chance=Chance(outcomes, DIE_SIDES),
        defaults=Defaults(
            opening_plies=0,
            sides=("X", "O"),
            title="Pig" if target == 100 else f"Pig to {target}",
            features_in="samuel.games.pig.rules",
            # what is missing says the same as the points
            features=("points", "turn_total"),
            # One decision deep, 20 points of a turn are as good held as thrown for: a throw adds 4
            # on average in five cases of six, and loses them in the sixth.
            evaluators={
                "hold_at_20": Handmade(
                    "the lead in points, with those of this turn: at depth 1 it stops at 20",
                    ("missing", "turn_total"),
                    {
                        "missing_player": (-weight,),
                        "missing_opponent": (weight,),
                        "turn_total": (weight,),
                    },
                )
            },
        ),
    )


GAME = pig(100)


def define(game: Game) -> None:
    """Define the features of Pig to some target."""
    assert game.progress is not None
    target = game.progress.most

    @feature(game=game.name, outputs=("player", "opponent"))
    def points(position: Row, values: Any) -> None:
        """Points that the side has kept."""
        values[0], values[1] = target - position[MINE], target - position[OTHERS]

    @feature(game=game.name, outputs=("player", "opponent"))
    def missing(position: Row, values: Any) -> None:
        """Points that the side needs to reach the target; points of this turn do not count."""
        values[0], values[1] = position[MINE], position[OTHERS]

    @feature(game=game.name)
    def turn_total(position: Row) -> float:
        """Points of the current turn."""
        return float(position[BROUGHT])
