"""Search where games are drawn by rule, against a plain search that keeps the whole game."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from samuel.games import DrawRules, Evaluator, Game, Position
from samuel.games.rules import CHECK, REVERSIBLE
from samuel.kernels.bits import popcount
from samuel.kernels.jit import jit
from samuel.search import SearchOptions, analyse, new_memory
from samuel.search.reference.node import PositionNode
from samuel.search.reference.reference import alphabeta, negamax
from samuel.search.reference.scorer import Scorer
from samuel.search.score import SCORE_UNIT, from_utility, limits
from tests.minimax import minimax
from tests.search.test_options import VARIANTS
from tests.search.toys import noise
from tests.toys import CHECKED_RETREAT, RETREAT

GAMES = [
    RETREAT,
    replace(RETREAT, name="retreat_repeated", draws=DrawRules(3)),
    replace(RETREAT, name="retreat_counted", draws=DrawRules(0, 6)),
    CHECKED_RETREAT,
]
each_game = pytest.mark.parametrize(
    "game",
    [
        pytest.param(
            game,
            id=game.name,
            marks=[pytest.mark.slow] * game.name.startswith("retreat"),
        )
        for game in GAMES
    ],
)
TWO_KINGS = (0, 0, 0b11, 1 << 16)
NO_TABLE = SearchOptions(table=False)


@dataclass
class Line:
    """A game as far as it has been played, or searched: all its positions, none dropped."""

    positions: list[Position]
    reversible: int = 0
    moves: tuple[int, ...] = ()
    checks: tuple[bool, ...] = ()

    def play(self, move: int) -> Line:
        here = self.positions[-1]
        child, turn = here.game.after(here.row, move)
        after = Position(here.game, tuple(map(int, child)), 1 - here.side)
        reversible = self.reversible + 1 if turn & REVERSIBLE else 0
        checks = (*self.checks, bool(turn & CHECK))
        return Line([*self.positions, after], reversible, (*self.moves, int(move)), checks)

    def end(self, root: int) -> int | None:
        """Return what the past makes of the last position in a search of the one at place `root`.

        That is the result for the side to move there, None where it goes on.
        """
        *before, here = self.positions
        game, stood = here.game, [k for k, one in enumerate(before) if one == here]
        stood = stood[::-1]  # the last time first
        if game.draws.repetitions and stood and stood[0] >= root:
            return self.result_of_round(stood[0])
        if game.draws.repetitions and len(stood) + 1 >= game.draws.repetitions:
            return self.result_of_round(stood[game.draws.repetitions - 2])
        return 0 if 0 < game.draws.reversible_plies <= self.reversible else None

    def result_of_round(self, first: int) -> int:
        """Return the result where the position stood at place `first`, for who moves there."""
        mine, theirs = all(self.checks[first::2]), all(self.checks[first + 1 :: 2])
        return theirs - mine


def plain(line: Line, scorer: Scorer, root: int, depth: int) -> int:
    """Return the score of the last position, in points, by minimax."""
    here, ply = line.positions[-1], len(line.positions) - 1 - root
    moves = here.game.moves_in(here.row)
    end = line.end(root)
    if len(moves) and end is not None:
        return int(from_utility(end, ply, limits(here.game)[0]))
    if depth == 0 or len(moves) == 0:
        return scorer.score(here.row, ply)
    return max(-plain(line.play(int(move)), scorer, root, depth - 1) for move in moves)


@cache
def lines(game: Game) -> list[Line]:
    """Return random games, not over; kings go rather than men, and back to where they were."""
    random, found = np.random.default_rng(1), []
    while len(found) < 100:
        line = Line([Position.start(game)])
        for _ in range(40):
            after = [line.play(int(move)) for move in game.moves_in(line.positions[-1].row)]
            again = [one for one in after if one.positions[-1] in line.positions]
            reversible = [one for one in after if one.reversible]
            chosen = next((c for c in (again, reversible) if c and random.random() < 0.9), after)
            line = chosen[random.integers(len(chosen))]
            if line.end(len(line.positions)) is not None or game.is_over(line.positions[-1].row):
                break
            if line.reversible > random.integers(6):
                found.append(line)
    return [found[k] for k in random.permutation(len(found))]


def position_of(line: Line) -> Position:
    """Return where a line ends, played move by move."""
    position = line.positions[0]
    for move in line.moves:
        position = position.play(move)
    return position


@each_game
def test_the_search_is_minimax_with_a_past(game: Game) -> None:
    evaluator, memory = noise(game), new_memory(game, 2, 2)
    scorer, unlike = Scorer(game, evaluator), 0
    for number, line in enumerate(lines(game)):
        depth, position = 1 + number % 3, position_of(line)
        assert len(position.past) == line.reversible > 0
        expected = plain(line, scorer, len(line.positions) - 1, depth) / SCORE_UNIT
        found = analyse(position, evaluator, depth=depth, options=NO_TABLE, memory=memory)
        assert found.score == expected
        assert minimax(position, evaluator, depth) == expected
        root = PositionNode.root(position, evaluator)
        assert negamax(root, depth) == alphabeta(root, depth) == expected * SCORE_UNIT
        unlike += analyse(replace(position, past=()), evaluator, depth=depth).score != expected
    assert unlike > 1  # the past matters


@pytest.mark.slow
@each_game
def test_deeper_searches_by_each_method_are_minimax(game: Game) -> None:
    evaluator = noise(game)
    for shift, (name, options) in enumerate(VARIANTS.items()):
        memory = new_memory(game, 2, 2, replace(options, table=False))
        for number, line in enumerate(lines(game)[shift : shift + 3]):
            depth, position = 4 + (number + shift) % 3, position_of(line)
            expected = minimax(position, evaluator, depth)
            assert analyse(position, evaluator, depth=depth, memory=memory).score == expected, name


@jit
def _kings_more(position: Any, integers: Any, floats: Any) -> float:
    return np.float32((popcount(position[2]) - popcount(position[3])) / 10)


def test_who_is_better_avoids_a_draw_and_who_is_worse_seeks_it() -> None:
    """Two kings against one go to and fro; once more, and the first position stands again."""
    evaluator, position = (
        Evaluator("kings", "retreat", _kings_more, 4),
        Position(RETREAT, TWO_KINGS),
    )
    line = [position]
    for move in ["b1c1", "a1b1", "c1b1", "b1a1", "b1c1", "a1b1", "c1b1"]:
        line.append(line[-1].play(move))
    for depth in (1, 2, 3, 4):
        worse = analyse(line[7], evaluator, depth=depth, all_moves=True)
        assert (worse.move, worse.score, worse.pv) == ("b1a1", 0, ["b1a1"])
        assert worse.moves is not None and sorted(worse.moves.values())[-2] < 0
        better = analyse(line[6], evaluator, depth=depth + 1, all_moves=True)
        assert better.moves is not None and better.moves["c1b1"] == 0 < better.score
        unpast = analyse(replace(line[6], past=()), evaluator, depth=2, all_moves=True)
        assert unpast.moves is not None and unpast.moves["c1b1"] > 0
    drawn = line[7].play("b1a1")
    found = analyse(drawn, evaluator, depth=3, all_moves=True)
    assert (found.score, found.move, found.pv, found.moves) == (0, None, [], {})


@each_game
@pytest.mark.parametrize("threads", [1, 2])
def test_with_a_table_scores_differ_seldom(game: Game, threads: int) -> None:
    evaluator, unlike = noise(game), 0
    for line in lines(game)[:20]:
        position = position_of(line)
        found = analyse(position, evaluator, depth=5, threads=threads, table_bits=12)
        unlike += found.score != minimax(position, evaluator, 5)
    assert unlike <= 3
