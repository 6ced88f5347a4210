"""States that follow the line: the same to the last bit as made anew, whatever happens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import int64, types

from samuel.games import Position, game_named
from samuel.games.changes import changes_of
from samuel.games.evaluator import Evaluator, Incremental
from samuel.games.game import Game
from samuel.games.playing import random_positions
from samuel.games.rules import NO_MOVE, REFRESH, ROWS, UPDATE
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.search import SearchOptions, analyse, new_memory
from samuel.search.alphabeta.method import AlphaBeta
from tests.lines import areas_in, evaluators_with_states, followed_lines, king_of
from tests.networks import plain, random_network
from tests.rarely import rarely
from tests.test_examples import load
from tests.toys import kings

GAMES = (
    "chess",
    "xiangqi",
    "checkers",
    "othello",
    "othello_6x6",
    "connect_four",
    "tic_tac_toe",
    "gomoku",
)
DEPTHS = {"chess": 6, "xiangqi": 3, "othello": 5, "gomoku": 2}

_REFRESH, _UPDATE = types.FunctionType(REFRESH), types.FunctionType(UPDATE)
_I32, _F32 = types.Array(types.int32, 1, "C"), types.Array(types.float32, 1, "C")


@jit(int64(_REFRESH, _UPDATE, ROWS, ROWS, _I32, _F32, ROWS))
def differences(
    refresh: Any, update: Any, before: Any, after: Any, integers: Any, floats: Any, states: Any
) -> int:
    """Return in how many pairs of positions the updated state is not the one made anew."""
    wrong = 0
    for i in range(before.shape[0]):
        refresh(at(before, i), at(integers, 0), at(floats, 0), at(states, 0))
        update(
            *(at(before, i), at(after, i), at(integers, 0), at(floats, 0)),
            *(at(states, 0), at(states, 1)),
        )
        refresh(at(after, i), at(integers, 0), at(floats, 0), at(states, 2))
        for k in range(states.shape[1]):
            if states[1, k] != states[2, k]:
                wrong += 1
                break
    return wrong


def numbers_of(evaluator: Evaluator) -> tuple[np.ndarray, np.ndarray]:
    """Return what the functions of an evaluator read, writable as the signature says."""
    return evaluator.integers.copy(), evaluator.floats.copy()


def moves_of(game: Game, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions, one for each move, and what follows; after moves the dice, too."""
    pairs = [(row, game.after(row, move)[0]) for row in rows for move in game.moves_in(row)]
    if game.chance is not None:
        few = pairs[:300]
        pairs += [(child, game.after(child, die)[0]) for _, child in few for die in range(2)]
    both = zip(*pairs, strict=True)
    return tuple(np.array(part) for part in both)  # type: ignore[return-value]


def pairs_of(game: Game, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return positions of random lines, and what each legal move, outcome or pass leads to."""
    rows = random_positions(game, n, seed=5)
    before, after = ([part] for part in moves_of(game, rows))
    for first in (0, 1):  # and unrelated positions, as after a search that was stopped
        before.append(rows[first::2][: n // 2])
        after.append(rows[1 - first :: 2][: n // 2])
    null_move = game.search.null_move
    if null_move is not None:
        passed = np.zeros_like(rows)
        may = [bool(null_move(row, child)) for row, child in zip(rows, passed, strict=True)]
        before.append(rows[may])
        after.append(passed[may])
    return tuple(np.ascontiguousarray(np.concatenate(part)) for part in (before, after))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("name", "has_areas"),
    [*((name, False) for name in GAMES[:4]), ("chess", True), ("othello_6x6", True)],
)
def test_an_updated_state_is_the_one_made_anew(name: str, has_areas: bool) -> None:
    game = game_named(name)
    network = random_network(game)
    if has_areas:  # of a piece of which there may be several, too, or none
        network = random_network(game, king=king_of(game) or "X", areas=areas_in(game))
    evaluator = network.evaluator("random")
    incremental = evaluator.incremental
    assert isinstance(incremental, Incremental)
    before, after = pairs_of(game, 400)
    numbers, states = numbers_of(evaluator), np.zeros((3, incremental.size), np.uint64)
    functions = incremental.refresh, incremental.update
    assert len(before) > 1000
    assert differences(*functions, before, after, *numbers, states) == 0


@pytest.mark.parametrize("name", GAMES)
def test_states_follow_random_lines(name: str) -> None:
    game = game_named(name)
    network = random_network(game, king=king_of(game), areas=3 if king_of(game) else 1)
    found = followed_lines(game, network.evaluator("x"), 100)
    assert found.wrong == 0 and found.compared > 500 and found.behind > 100
    assert (found.passed > 0) == (game.search.null_move is not None)
    assert (found.thrown > 0) == (game.chance is not None)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*GAMES, "kings", "moving_game"])
def test_every_form_of_state_follows_random_lines(name: str) -> None:
    own = {"kings": lambda: kings.GAME, "moving_game": lambda: load("moving_game").GAME}
    game = own[name]() if name in own else game_named(name)
    for about, evaluator in evaluators_with_states(game):
        assert followed_lines(game, evaluator, 200).wrong == 0, about


CASES = [
    *(("chess", "usual"), ("xiangqi", "usual"), ("othello_6x6", "plain")),
    *(("othello_6x6", "correction"), rarely("checkers", "usual"), rarely("gomoku", "usual")),
]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_search_with_a_state_finds_what_one_without_does(name: str, options: str) -> None:
    game = game_named(name)
    network = random_network(game, units=16, buckets=2)
    made = {
        "usual": None,
        "plain": SearchOptions.none(),
        "correction": SearchOptions(correction=True),
    }[options]
    depth = DEPTHS.get(name, 4) - (options == "plain")
    for row in random_positions(game, 3, seed=7):
        position = Position(game, tuple(map(int, row)), 0)
        found = [
            analyse(position, one, depth=depth, method=AlphaBeta(made), threads=1)
            for one in (network.evaluator("state"), plain(network.evaluator("plain")))
        ]
        assert (found[0].score, found[0].pv, found[0].nodes) == (
            found[1].score,
            found[1].pv,
            found[1].nodes,
        )


def test_states_survive_a_search_that_was_stopped_and_another_evaluator() -> None:
    game = game_named("chess")
    first, second = (random_network(game, units=16, seed=seed).evaluator("one") for seed in (1, 2))
    memory = new_memory(game)
    position = Position.start(game)
    for one in (first, second, first):
        stopped = analyse(position, one, nodes=3000, memory=memory)
        position = position.play(stopped.move)
        found = analyse(position, one, depth=1, memory=new_memory(game))
        again = analyse(position, one, depth=1, memory=memory)
        assert found.score == again.score


def test_a_move_of_chess_changes_what_it_moves() -> None:
    game = game_named("chess")
    changes = changes_of(game)

    @jit
    def count(before: Any, after: Any, room: Any) -> int:
        return changes(at(before, 0), at(after, 0), at(room, 0))

    castling = Position.parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", game)
    for move, gone, come in (("e1g1", 2, 2), ("a1a8", 2, 1), ("e1e2", 1, 1)):
        rows = (np.array(one.words, np.uint64) for one in (castling, castling.play(move)))
        found = count(*rows, np.zeros(64, np.uint64))
        assert (found & 0xFF, found >> 8 & 0xFF, found >> 16) == (gone, come, 1)
    assert NO_MOVE < 0
