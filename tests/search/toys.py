"""More games for the search, made of the toys, and minimax by the book to compare it with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from samuel.games import Evaluator, Game
from samuel.games.groups import Scores
from samuel.games.playing import random_positions
from samuel.games.rules import CHANCE, EVALUATE, EVALUATE_WITHIN, SAME, Row
from samuel.kernels.bits import ZERO, mix
from samuel.kernels.jit import jit
from samuel.models import evaluate
from samuel.search.score import SCORE_UNIT, limits
from tests.toys import DOTS_AND_BOXES, PIG, RACE, race
from tests.toys.notation import PlainNotation


@jit
def _who_has_more(position: Any) -> float:
    return np.float32(np.sign(np.int64(position[1]) - np.int64(position[2])))


DOTS_WON = replace(
    DOTS_AND_BOXES,
    name="dots_won",
    utility=_who_has_more,
    scores=Scores(),
)
"""A side moves again, and a sooner win is a better one."""

COIN = np.uint64(100)
WEIGHTS = np.array([[1, 1, 2, 4], [3, 3, 1, 1]], np.int32)
"""A coin before the die says which weights it has: chance after chance."""


@jit
def _toss_and_throw(position: Any, listed: Any, weights: Any) -> int:
    if position[2] == ZERO and not race.is_terminal(position):
        listed[0], listed[1], weights[0], weights[1] = 100, 101, 5, 3
        return 2
    if position[2] < COIN:
        return 0
    for k in range(4):
        listed[k] = race.ROLLS + 1 + k
        weights[k] = WEIGHTS[np.int64(position[2] - COIN), k]
    return 4


@jit
def _play_coined(position: Any, move: int, child: Any) -> int:
    if move < 100:
        return race.play(position, move, child)
    child[0], child[1], child[2] = position[0], position[1], np.uint64(move)
    return SAME | CHANCE


COINED = replace(
    RACE,
    name="coined",
    chance=replace(RACE.chance, outcomes=_toss_and_throw),
    play=_play_coined,
    notation=PlainNotation(3, {k: str(k) for k in range(102)}),
)
GAMES = [DOTS_AND_BOXES, DOTS_WON, PIG, RACE, COINED]


@jit
def _noise(position: Any, integers: Any, floats: Any) -> float:
    key = ZERO
    for word in position:
        key = mix(key, word)
    return np.float32(np.int64(key & np.uint64(255)) - 128) * floats[0]


def noise(game: Game) -> Evaluator:
    """Return an evaluator that says nothing: what differs by a bit differs by anything."""
    scale = np.array([game.scores.max_utility / 200], np.float32)
    return Evaluator("noise", game.name, _noise, game.words, floats=scale)


@jit
def _pointed(position: Any, words: int, floats: Any) -> float:
    key = ZERO
    for k in range(words):
        key = mix(key, position[k])
    return np.float32(np.int64(key & np.uint64(255)) - 128) * floats[0]


def noise_within(game: Game) -> Evaluator:
    """Return `noise` that knows the window, and looks no closer where it is outside."""
    words, scale = game.words, noise(game).floats

    @jit(EVALUATE)
    def evaluate(position: Any, integers: Any, floats: Any) -> float:
        return _pointed(position, words, floats)

    @jit(EVALUATE_WITHIN)
    def within(position: Any, integers: Any, floats: Any, low: float, high: float) -> float:
        score, error = _pointed(position, words, floats), np.float32(20) * floats[0]
        rough = np.float32(round(score / error)) * error
        if rough + error <= low:
            return rough + error
        if rough - error >= high:
            return rough - error
        return score

    evaluate.within = within
    return Evaluator("noise within", game.name, evaluate, words, floats=scale)


@dataclass
class Minimax:
    """Minimax, and expectiminimax, by the book; scores in points."""

    game: Game
    evaluator: Evaluator
    known: dict[tuple[bytes, int, int], int] = field(default_factory=dict)

    def score(self, row: Row, depth: int, ply: int = 0) -> int:
        """Return the score of a position `ply` plies from the root, for its side to move."""
        key = row.tobytes(), depth, ply * self.game.sooner_is_better
        if key not in self.known:
            self.known[key] = self._score(row, depth, ply)
        return self.known[key]

    def _score(self, row: Row, depth: int, ply: int) -> int:
        game, (outcomes, weights) = self.game, self.game.outcomes_in(row)
        if len(outcomes):
            pairs = zip(outcomes, weights, strict=True)
            total = sum(int(w) * self.after(row, o, depth, ply) for o, w in pairs)
            return int((Decimal(total) / game.chances).to_integral_value(ROUND_HALF_UP))
        if game.is_over(row):
            points = round(game.utility_of(row) * SCORE_UNIT)
            return points - ply * int(np.sign(points)) * game.sooner_is_better
        if depth == 0:
            points, most = (
                float(evaluate(self.evaluator, game, row)[0]) * SCORE_UNIT,
                limits(game)[1],
            )
            return round(max(-most, min(most, points)))
        return max(self.after(row, move, depth - 1, ply) for move in game.moves_in(row))

    def after(self, row: Row, move: int, depth: int, ply: int = 0) -> int:
        """Return the score of a move or an outcome, the child searched to `depth`."""
        child, turn = self.game.after(row, int(move))
        score = self.score(child, depth, ply + 1)
        return score if turn & SAME else -score


def some_positions(game: Game, number: int, seed: int) -> list[Row]:
    """Return positions not too far from the end, every fifth of chance where there is any."""
    found = []
    for row in random_positions(game, 20 * number, seed=seed):
        chances = [game.after(row, int(move))[0] for move in game.moves_in(row)]
        chances = [child for child in chances if len(game.outcomes_in(child)[0])]
        row = chances[0] if len(found) % 5 == 0 and chances else row
        if game.plies_left_in(row) <= 8:
            found.append(row)
    return found[:number]
