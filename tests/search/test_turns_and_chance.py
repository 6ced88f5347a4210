"""Search where a side moves again, and where there are dice, against ten lines of Python."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numba import int64, types, uint64

from samuel.common.errors import UserError
from samuel.games import Game, Position
from samuel.games.interface import CHANCE, OTHER, SAME
from samuel.games.perft import perft
from samuel.kernels.bits import ONE, ZERO, mix
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at as address
from samuel.search import AlphaBeta, SearchOptions, new_memory, search, solve
from samuel.search.alphabeta.memory import keep_turn, side_at, stack_at
from samuel.search.alphabeta.ordering import keep_cutoff, put_first
from samuel.search.alphabeta.table import key_at
from samuel.search.reference.node import PositionNode
from samuel.search.reference.reference import ALGORITHMS
from samuel.search.score import MOST_DEPTH, SCORE_UNIT, from_outcomes
from samuel.testing.minimax import minimax
from tests.rarely import rarely, rarely_but
from tests.search.test_switches import VARIANTS
from tests.search.toys import GAMES, Minimax, noise, noise_within, some_positions
from tests.toys import RACE
from tests.toys.notation import PlainNotation

BLOCK = types.Array(int64, 1, "C")
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
        found = search(position, oracle.evaluator, depth=depth, exact_from=0, table_bits=table_bits)
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
    assert (chances > 5) == (game.outcomes is not None)


@each_game
def test_an_evaluation_that_knows_the_window_changes_no_score(game: Game) -> None:
    evaluator, knows = noise(game), noise_within(game)
    assert knows.within is not None and evaluator.within is None
    for number, position in enumerate(sampled(game, 60, seed=3)):
        depth = 1 + number % 6
        expected = search(position, evaluator, depth=depth, exact_from=0)
        found = search(position, knows, depth=depth, exact_from=0)
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
            found = search(position, evaluator, nodes=nodes, exact_from=0, method=method)
            if not 0 < found.depth < 6:
                continue
            before = search(
                position, evaluator, depth=found.depth, nodes=1 << 40, exact_from=0, method=method
            )
            deeper = found.depth + 1
            gained = worth(position, found.move, deeper) - worth(position, before.move, deeper)
            assert gained >= 0
            better += gained > 0
    assert better > 0 or game.outcomes is not None  # with dice there are few moves to change


@each_game
def test_every_method_alone_and_together_leaves_the_score_as_it_is(game: Game) -> None:
    evaluator, positions = noise(game), sampled(game, 24, seed=2)
    for shift, (name, options) in enumerate(VARIANTS.items()):
        memory = new_memory(game, 2 if shift % 2 else 12, 2, options)
        for number, position in enumerate(positions):
            depth = 2 + (number + shift) % 6
            expected = minimax(position, evaluator, depth)
            for _ in range(2):  # the second finds what the first has left
                found = search(position, evaluator, depth=depth, exact_from=0, memory=memory)
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
    rarely_but([g for g in GAMES if g.outcomes], "short_pig", "coined"),
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
                found = search(
                    *(position, evaluator), depth=depth, exact_from=0, method=method, memory=memory
                )
                assert found.score == expected, name
                nodes[name] += found.nodes
            if depth <= 3:
                assert ALGORITHMS[name](root, depth) == expected * SCORE_UNIT
    assert all(memory.contradictions == 0 for memory in memories.values())
    assert len(set(nodes.values())) == len(nodes)  # each goes a way of its own


def test_a_number_of_probes_has_a_range() -> None:
    with pytest.raises(UserError, match="probes"):
        search(Position.start(RACE), noise(RACE), method=AlphaBeta(chance="star2", probes=0))


@each_game
def test_threads_find_the_score_of_one(game: Game) -> None:
    evaluator = noise(game)
    for number, position in enumerate(sampled(game, 12, seed=3)):
        depth = 5 + number % 3
        expected = minimax(position, evaluator, depth)
        limits = {"depth": depth, "exact_from": 0, "table_bits": 12}
        assert search(position, evaluator, threads=3, **limits).score == expected


@each_game
def test_all_moves_are_scored(game: Game) -> None:
    oracle = Minimax(game, noise(game))
    for number, position in enumerate(sampled(game, 20, seed=4)):
        depth = 1 + number % 4
        found = search(position, oracle.evaluator, depth=depth, exact_from=0, all_moves=True)
        moves = [] if position.is_chance else game.moves_in(position.row)
        assert found.moves == {
            game.notation.write_move(move): oracle.after(position.row, move, depth - 1) / SCORE_UNIT
            for move in moves
        }


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


@each_game
def test_within_limits_the_deepest_finished_search_counts(game: Game) -> None:
    evaluator, depths = noise(game), set()
    start = at(game, game.row(game.start))
    for nodes in (1, 5, 30, 200, 1000, 5000):
        found = search(start, evaluator, nodes=nodes, exact_from=0)
        assert found.nodes <= nodes + 100
        if found.depth:
            assert found.score == minimax(start, evaluator, found.depth)
        depths.add(found.depth)
    assert len(depths) > 2
    assert search(start, evaluator, seconds=0.05, exact_from=0).depth >= 1


def test_chance_after_chance_without_end_stops_the_search() -> None:
    @jit
    def tosses(position: Any, outcomes: Any, weights: Any) -> int:
        outcomes[0], weights[0] = 0, 1
        return 1

    @jit
    def toss(position: Any, move: int, child: Any) -> int:
        child[0], child[1], child[2] = position[0], position[1], position[2]
        return SAME | CHANCE

    game = replace(RACE, name="tossed", outcomes=tosses, play=toss, chances=1)
    found = search(at(game, game.row(game.start)), noise(game), depth=3, exact_from=0)
    assert (found.depth, found.move) == (0, None)


def test_means_are_rounded_alike_from_both_sides() -> None:
    for total, mean in ((7, 4), (5, 3), (6, 3), (1, 1), (0, 0)):
        assert (from_outcomes(total, 2), from_outcomes(-total, 2)) == (mean, -mean)
    assert from_outcomes(1, 3) == 0 and from_outcomes(-2, 3) == -1


def test_a_node_of_chance_has_a_key_of_its_own() -> None:
    memory = new_memory(RACE)
    assert len({_key(memory.block(), turn) for turn in (OTHER, SAME)}) == 1
    block = memory.block()
    assert _key(block, OTHER) != _key(block, OTHER | CHANCE) == _key(block, SAME | CHANCE)


@jit(uint64(BLOCK, int64))
def _key(block: Any, turn: int) -> int:
    return key_at(stack_at(address(block, 0)), int64(0), turn)


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
        found = search(position, noise(WIDE), depth=depth, exact_from=0, all_moves=left > 3)
        assert found.score == expected
    assert perft(Position(WIDE, (999, 7)), 2) == 512
    with pytest.raises(UserError, match="999 plies are too many to solve"):
        solve(Position(WIDE, (999, 7)), noise(WIDE))


@jit
def _one_outcome(position: Any, outcomes: Any, weights: Any) -> int:
    outcomes[0], weights[0] = 1, 1
    return np.int64(position[0] & ONE)


@jit
def _play_or_toss(position: Any, move: int, child: Any) -> int:
    child[0], child[1] = position[0] - ONE, position[1]
    return OTHER | CHANCE if child[0] & ONE == ONE else SAME


@jit
def _one_move(position: Any, moves: Any) -> int:
    moves[0] = 0
    return np.int64(position[0] != ZERO)


def test_the_deepest_search_has_room_for_chance_before_each_decision() -> None:
    game = replace(
        WIDE, name="tossed", legal_moves=_one_move, play=_play_or_toss, outcomes=_one_outcome
    )
    for left in (600, 601):
        position = Position(game, (left, 7))
        found = search(position, noise(game), depth=MOST_DEPTH, exact_from=0)
        expected = minimax(position, noise(game), MOST_DEPTH)
        assert (found.score, found.depth) == (expected, MOST_DEPTH)


@jit(int64(BLOCK, int64, int64))
def _put_first(block: Any, first: int, n: int) -> int:
    work = stack_at(address(block, 0))
    return put_first(work, int64(0), n, first)


def test_of_moves_that_look_alike_to_the_table_the_one_that_is_known_whole_is_first() -> None:
    wide = [0x53E99, 7, 0x13E99, 8]
    for first, expected in ((0x13E99, 0x13E99), (0x3E99, 0x53E99), (8, 8), (9, None)):
        memory = new_memory(RACE)
        memory.moves = np.zeros((len(memory.moves), 4), np.int32)
        memory.moves[0] = wide
        known = _put_first(memory.block(), first, 4)
        assert known == (expected is not None)
        assert memory.moves[0, 0] == (wide[0] if expected is None else expected)
        assert sorted(memory.moves[0]) == sorted(wide)


@jit(int64(BLOCK, int64, int64))
def _side_after(block: Any, first: int, second: int) -> int:
    work = stack_at(address(block, 0))
    keep_turn(work, int64(0), first)
    keep_turn(work, int64(1), second)
    keep_cutoff(work, int64(2), int64(5), 7)
    return side_at(work, int64(2))


def test_killers_and_history_are_of_the_side_whose_turn_it_is() -> None:
    for turns, side in (((OTHER, OTHER), 0), ((SAME, OTHER), 1), ((SAME, SAME), 0)):
        memory = new_memory(RACE, options=SearchOptions(history=True))
        assert _side_after(memory.block(), *turns) == side
        assert memory.killers[2, turns.count(SAME) % 2, 0] == 7
        assert memory.history_scores[side, 7] == 25 and memory.history_scores.sum() == 25
