"""Games small enough for full minimax in Python: one in which a side moves again, one with dice."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from samuel.errors import UserError
from samuel.games import Evaluator, Game
from samuel.games.interface import CHANCE, OTHER, SAME, Row, Words
from samuel.kernels.bits import ZERO, bit, mix, popcount
from samuel.kernels.jit import jit
from samuel.models import evaluate
from samuel.search.score import POINTS, limits


class Plain:
    """Words as numbers, and the side to move: `5 0 0 X`."""

    def read(self, text: str) -> tuple[Words, int]:
        *words, side = text.split()
        if side not in "XO" or not all(word.isdigit() for word in words):
            raise UserError(f"{text!r} is no position")
        return tuple(map(int, words)), "XO".index(side)

    def write(self, words: Words, side: int) -> str:
        return " ".join(map(str, words)) + " " + "XO"[side]

    board = write

    def read_move(self, text: str) -> int:
        if not text.isdigit():
            raise UserError(f"{text!r} is no move")
        return int(text)

    def write_move(self, move: int) -> str:
        return str(move)

    def read_moves(self, transcript: str) -> list[int]:
        return [self.read_move(text) for text in transcript.split()]


# Boxes: four boxes in a square, twelve edges. Who draws the last edge of a box owns it and moves
# again. Words: edges that are drawn, my boxes, the other's. Edges 0 to 5 lie, 6 to 11 stand.

EDGES = 12
BOXES = np.array(
    [
        1 << k | 1 << k + 2 | 1 << 6 + k // 2 * 3 + k % 2 | 1 << 7 + k // 2 * 3 + k % 2
        for k in range(4)
    ],
    np.uint64,
)


@jit
def _edges_moves(position: Any, moves: Any) -> int:
    n = 0
    for edge in range(EDGES):
        if position[0] & bit(edge) == ZERO:
            moves[n] = edge
            n += 1
    return n


@jit
def _draw(position: Any, move: int, child: Any) -> int:
    child[0] = position[0] | bit(move)
    closed = ZERO
    for box in range(4):
        if child[0] & BOXES[box] == BOXES[box] and position[0] & BOXES[box] != BOXES[box]:
            closed |= bit(box)
    if closed != ZERO:
        child[1], child[2] = position[1] | closed, position[2]
        return SAME
    child[1], child[2] = position[2], position[1]
    return OTHER


@jit
def _all_drawn(position: Any) -> bool:
    return position[0] == np.uint64((1 << EDGES) - 1)


@jit
def _boxes_ahead(position: Any) -> float:
    return np.float32(popcount(position[1]) - popcount(position[2]))


@jit
def _who_has_more(position: Any) -> float:
    return np.float32(np.sign(popcount(position[1]) - popcount(position[2])))


@jit
def _edges_left(position: Any) -> int:
    return EDGES - popcount(position[0])


def boxes(result_only: bool = False) -> Game:
    """Return the game; with `result_only` a sooner win is a better one."""
    return Game(
        name="boxes_won" if result_only else "boxes",
        start=(0, 0, 0),
        legal_moves=_edges_moves,
        play=_draw,
        is_terminal=_all_drawn,
        utility=_who_has_more if result_only else _boxes_ahead,
        plies_left=_edges_left,
        notation=Plain(),
        max_moves=EDGES,
        max_plies=EDGES,
        unit="result" if result_only else "boxes",
        max_utility=1.0 if result_only else 4.0,
        sooner_is_better=result_only,
        alternates=False,
    )


# Race: each side brings two runners home, three steps each. First a coin is tossed, then the die
# of that coin is thrown; one of its faces gives the turn away, a 3 moves again. Words: the steps
# of my runners (four bits each), the other's, and what was thrown: nothing, a coin, or a die.

CHANCES = 6
LOW_COIN, HIGH_COIN, GIVEN = 8, 9, 4
FACES = np.array([[1, 2, GIVEN], [2, 3, 1]], np.int32)
WEIGHTS = np.array([[3, 2, 1], [1, 2, 3]], np.int32)


@jit
def _throws(position: Any, outcomes: Any, weights: Any) -> int:
    thrown = np.int64(position[2])
    if _is_home(position) or 0 < thrown < LOW_COIN:
        return 0
    if thrown == 0:
        outcomes[0], outcomes[1], weights[0], weights[1] = LOW_COIN, HIGH_COIN, 4, 2
        return 2
    for k in range(3):
        outcomes[k], weights[k] = FACES[thrown - LOW_COIN, k], WEIGHTS[thrown - LOW_COIN, k]
    return 3


@jit
def _is_home(position: Any) -> bool:
    return position[0] == ZERO or position[1] == ZERO


@jit
def _runners(position: Any, moves: Any) -> int:
    n = 0
    for runner in range(0 if _is_home(position) else 2):
        if (position[0] >> np.uint64(4 * runner)) & np.uint64(15) != ZERO:
            moves[n] = runner
            n += 1
    return n


@jit
def _run(position: Any, move: int, child: Any) -> int:
    thrown = np.int64(position[2])
    if thrown == 0 or thrown >= LOW_COIN:  # `move` is what chance brings
        child[0], child[1], child[2] = position[0], position[1], np.uint64(move)
        if move >= LOW_COIN:
            return SAME | CHANCE
        if move != GIVEN:
            return SAME
        child[0], child[1], child[2] = position[1], position[0], np.uint64(1)
        return OTHER
    at = np.uint64(4 * move)
    left = np.int64((position[0] >> at) & np.uint64(15))
    mine = (position[0] & ~(np.uint64(15) << at)) | (np.uint64(max(0, left - thrown)) << at)
    child[2] = ZERO
    if mine != ZERO and thrown == 3:
        child[0], child[1] = mine, position[1]
        return SAME | CHANCE
    child[0], child[1] = position[1], mine
    return OTHER if mine == ZERO else OTHER | CHANCE


@jit
def _steps_of(runners: Any) -> int:
    return np.int64(runners & np.uint64(15)) + np.int64(runners >> np.uint64(4))


@jit
def _race_result(position: Any) -> float:
    return np.float32(_steps_of(position[1]) - _steps_of(position[0]))


@jit
def _race_left(position: Any) -> int:
    return _steps_of(position[0]) + _steps_of(position[1])


def race() -> Game:
    """Return the game: its unit is the steps that the loser has still to go."""
    return Game(
        name="race",
        start=(0x33, 0x33, 0),
        legal_moves=_runners,
        play=_run,
        is_terminal=_is_home,
        utility=_race_result,
        plies_left=_race_left,
        notation=Plain(),
        max_moves=3,
        max_plies=12,
        unit="steps",
        max_utility=6.0,
        alternates=False,
        outcomes=_throws,
        chances=CHANCES,
    )


@jit
def _noise(position: Any, integers: Any, floats: Any) -> float:
    key = mix(mix(mix(ZERO, position[0]), position[1]), position[2])
    return np.float32(np.int64(key & np.uint64(255)) - 128) * floats[0]


def noise(game: Game) -> Evaluator:
    """Return an evaluator that says nothing: what differs by a bit differs by anything."""
    scale = np.array([game.max_utility / 200], np.float32)
    return Evaluator("noise", game.name, _noise, game.words, floats=scale)


@dataclass
class Minimax:
    """Minimax, and expectiminimax, by the book; scores in points."""

    game: Game
    evaluator: Evaluator

    def score(self, row: Row, depth: int, ply: int = 0) -> int:
        """Return the score of a position `ply` plies from the root, for its side to move."""
        game, (outcomes, weights) = self.game, self.game.outcomes_in(row)
        if len(outcomes):
            pairs = zip(outcomes, weights, strict=True)
            total = sum(int(w) * self.after(row, o, depth, ply) for o, w in pairs)
            mean = Decimal(total) / game.chances
            return int(mean.to_integral_value(ROUND_HALF_UP))
        if game.is_over(row):
            points = round(game.utility_of(row) * POINTS)
            return points - ply * int(np.sign(points)) * game.sooner_is_better
        if depth == 0:
            points = float(evaluate(self.evaluator, game, row)[0]) * POINTS
            return round(max(-limits(game)[1], min(limits(game)[1], points)))
        return max(self.after(row, move, depth - 1, ply) for move in game.moves_in(row))

    def after(self, row: Row, move: int, depth: int, ply: int = 0) -> int:
        """Return the score of a move or an outcome, the child searched to `depth`."""
        child, turn = self.game.after(row, int(move))
        score = self.score(child, depth, ply + 1)
        return score if turn & SAME else -score


def walk(game: Game, random: np.random.Generator) -> list[Row]:
    """Return the positions of a random game, chance's too, in which somebody or chance moves."""
    row, rows = game.row(game.start), []
    while not game.is_over(row):
        rows.append(row)
        outcomes, weights = game.outcomes_in(row)
        if len(outcomes):
            row = game.after(row, int(random.choice(outcomes, p=weights / game.chances)))[0]
        else:
            row = game.after(row, int(random.choice(game.moves_in(row))))[0]
    return rows
