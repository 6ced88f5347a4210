"""Search where a side moves again, and where there are dice, against ten lines of Python."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import Chance, Game, Position
from samuel.games.perft import perft
from samuel.games.rules import CHANCE, OTHER, SAME
from samuel.kernels.bits import ONE, ZERO, mix
from samuel.kernels.jit import jit
from samuel.search import AlphaBeta, SearchOptions, analyse, new_memory, solve
from samuel.search.reference.node import PositionNode
from samuel.search.reference.reference import ALGORITHMS
from samuel.search.score import SCORE_UNIT
from tests.minimax import minimax
from tests.rarely import rarely, rarely_but
from tests.search.test_options import VARIANTS
from tests.search.toys import GAMES, Minimax, noise, noise_within, some_positions
from tests.toys import RACE
from tests.toys.notation import PlainNotation

each_game = pytest.mark.parametrize(
    "game", rarely_but(GAMES, "dots_won", "coined"), ids=lambda game: game.name
)


def at(game: Game, row: np.ndarray) -> Position:
    return Position(game, tuple(map(int, row)))


def number_of(position: Position, move: str | None) -> int:
    return position.game.notation.read_move(move or "none")


def sampled(game: Game, number: int, seed: int) -> list[Position]:
    return [at(game, row) for row in some_positions(game, number, seed)]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("table_bits", [2, rarely(12)], ids=["tiny table", "large table"])
def test_the_search_is_minimax(game: Game, table_bits: int) -> None:
    oracle, chances = Minimax(game, noise(game)), 0
    for number, position in enumerate(sampled(game, 60, seed=1)):
        depth = 1 + number % 6
        expected = oracle.score(position.row, depth) / SCORE_UNIT
        found = analyse(
            position, oracle.evaluator, depth=depth, exact_from=0, table_bits=table_bits
        )
        assert found.score == expected
        assert minimax(position, oracle.evaluator, depth) == expected
        chances += position.is_chance
        if position.is_chance:
            assert (found.move, found.pv) == (None, [])
            continue
        assert found.move == found.pv[0]
        child, turn = game.after(position.row, number_of(position, found.move))
        after = oracle.score(child, depth - 1, ply=1) / SCORE_UNIT
        assert (after if turn & SAME else -after) == expected
    assert (chances > 5) == (game.chance is not None)


@each_game
def test_an_evaluation_that_knows_the_window_changes_no_score(game: Game) -> None:
    evaluator, knows = noise(game), noise_within(game)
    assert knows.within is not None and evaluator.within is None
    for number, position in enumerate(sampled(game, 60, seed=3)):
        depth = 1 + number % 6
        expected = analyse(position, evaluator, depth=depth, exact_from=0)
        found = analyse(position, knows, depth=depth, exact_from=0)
        assert found.score == expected.score == minimax(position, knows, depth)


@each_game
@pytest.mark.parametrize("table", [True, rarely(False)])
def test_what_a_stopped_search_plays_is_no_worse_than_what_it_knew(game: Game, table: bool) -> None:
    evaluator = noise(game)
    method = AlphaBeta(options=SearchOptions(table=table))

    def worth(position: Position, move: str | None, depth: int) -> float:
        child, turn = game.after(position.row, number_of(position, move))
        score = minimax(at(game, child), evaluator, depth - 1, ply=1)
        assert score is not None
        return score if turn & SAME else -score

    better = 0
    for position in (p for p in sampled(game, 12, seed=7) if not p.is_chance):
        for nodes in range(2, 400, 9):
            found = analyse(position, evaluator, nodes=nodes, exact_from=0, method=method)
            if not 0 < found.depth < 6:
                continue
            before = analyse(
                position, evaluator, depth=found.depth, nodes=1 << 40, exact_from=0, method=method
            )
            deeper = found.depth + 1
            gained = worth(position, found.move, deeper) - worth(position, before.move, deeper)
            assert gained >= 0
            better += gained > 0
    assert better > 0 or game.chance is not None  # with dice there are few moves to change


@each_game
def test_every_method_alone_and_together_leaves_the_score_as_it_is(game: Game) -> None:
    evaluator, positions = noise(game), sampled(game, 24, seed=2)
    for shift, (name, options) in enumerate(VARIANTS.items()):
        memory = new_memory(game, 2 if shift % 2 else 12, 2, options)
        for number, position in enumerate(positions):
            depth = 2 + (number + shift) % 6
            expected = minimax(position, evaluator, depth)
            for _ in range(2):  # the second finds what the first has left
                found = analyse(position, evaluator, depth=depth, exact_from=0, memory=memory)
                assert found.score == expected, name
        assert memory.contradictions == 0, name


FORMS = {
    "expectiminimax": AlphaBeta(chance="expectiminimax"),
    "star1": AlphaBeta(chance="star1"),
    "star2": AlphaBeta(chance="star2"),
    "star2.5": AlphaBeta(chance="star2", probes=2),
}


@pytest.mark.parametrize(
    "game",
    rarely_but([g for g in GAMES if g.chance], "short_pig", "coined"),
    ids=lambda game: game.name,
)
@pytest.mark.parametrize("table_bits", [2, rarely(12)], ids=["tiny table", "large table"])
def test_cuts_through_chance_leave_the_score_as_it_is(game: Game, table_bits: int) -> None:
    evaluator, nodes = noise(game), dict.fromkeys(FORMS, 0)
    memories = {name: new_memory(game, table_bits) for name in nodes}
    for number, position in enumerate(sampled(game, 60, seed=5)):
        depth = 1 + number % 5
        expected = minimax(position, evaluator, depth)
        root = PositionNode.root(position, evaluator)
        for name, memory in memories.items():
            method = FORMS[name]
            for _ in range(2):  # the second finds what the first has left
                found = analyse(
                    *(position, evaluator), depth=depth, exact_from=0, method=method, memory=memory
                )
                assert found.score == expected, name
                nodes[name] += found.nodes
            if depth <= 3:
                assert ALGORITHMS[name](root, depth) == expected * SCORE_UNIT
    assert all(memory.contradictions == 0 for memory in memories.values())
    assert len(set(nodes.values())) == len(nodes)  # each goes a way of its own


@each_game
def test_endings_are_solved(game: Game) -> None:
    oracle = Minimax(game, noise(game))
    for position in sampled(game, 20, seed=5):
        found = solve(position, oracle.evaluator)
        assert found.exact
        assert found.score == oracle.score(position.row, depth=20) / SCORE_UNIT
        if found.pv:
            child, turn = game.after(position.row, number_of(position, found.pv[0]))
            score = minimax(at(game, child), oracle.evaluator, 20, ply=1)
            assert score is not None
            assert (score if turn & SAME else -score) == found.score


def test_chance_after_chance_without_end_stops_the_search() -> None:
    @jit
    def tosses(position: Any, outcomes: Any, weights: Any) -> int:
        outcomes[0], weights[0] = 0, 1
        return 1

    @jit
    def toss(position: Any, move: int, child: Any) -> int:
        child[0], child[1], child[2] = position[0], position[1], position[2]
        return SAME | CHANCE

    game = replace(RACE, name="tossed", chance=Chance(tosses, 1), play=toss)
    found = analyse(at(game, game.row(game.start)), noise(game), depth=3, exact_from=0)
    assert (found.depth, found.move) == (0, None)


@jit
def _wide_moves(position: Any, moves: Any) -> int:
    n = 0 if position[0] == ZERO else 512 if position[0] & ONE == ONE else 1
    for move in range(n):
        moves[move] = move
    return n


@jit
def _play_wide(position: Any, move: int, child: Any) -> int:
    child[0], child[1] = position[0] - ONE, mix(position[1], np.uint64(move))
    return OTHER


WIDE = Game(
    name="wide",
    start=(1000, 0),
    legal_moves=_wide_moves,
    play=_play_wide,
    is_terminal=jit(lambda position: position[0] == ZERO),
    utility=jit(lambda position: np.float32(position[1] & np.uint64(1))),
    plies_left=jit(lambda position: np.int64(position[0])),
    notation=PlainNotation(2, {k: str(k) for k in range(512)}),
    max_moves=512,
    max_plies=1000,
)


def test_games_have_up_to_512_moves_and_1000_plies() -> None:
    for left, depth in ((1000, 3), (999, 2), (999, 3), (3, 3)):
        position = Position(WIDE, (left, 7))
        expected = minimax(position, noise(WIDE), depth)
        found = analyse(position, noise(WIDE), depth=depth, exact_from=0, all_moves=left > 3)
        assert found.score == expected
    assert perft(Position(WIDE, (999, 7)), 2) == 512
    with pytest.raises(UserError, match="999 plies are too many to solve"):
        solve(Position(WIDE, (999, 7)), noise(WIDE))
