"""Methods that sample, against what is known exactly."""

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import Game, Position
from samuel.games.catalog import game_named
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search import analyse, new_memory
from samuel.search.trees.method import UCT, MonteCarlo
from samuel.search.trees.nodes import NODES_USED
from tests.minimax import minimax
from tests.rarely import rarely

TIC_TAC_TOE = game_named("tic_tac_toe")
ZERO = load_evaluator("zero", TIC_TAC_TOE)


def positions_of(game: Game, n: int, seed: int) -> list[Position]:
    rows = random_positions(game, n, seed, max_plies=4)
    return [Position(game, tuple(map(int, row))) for row in rows]


def best_moves(position: Position, evaluator: object, depth: int) -> set[str]:
    """Return the moves after which plain minimax keeps the most."""
    worth = {}
    for move in position.legal_moves():
        child = position.play(move)
        value = minimax(child, evaluator, depth - 1)
        worth[move] = np.sign(value if child.side == position.side else -value)
    return {move for move, value in worth.items() if value == max(worth.values())}


def test_uct_plays_an_optimal_move() -> None:
    method, right = UCT(playouts=20_000), 0
    for position in positions_of(TIC_TAC_TOE, 60, seed=1):
        found = analyse(position, ZERO, method=method)
        right += found.move in best_moves(position, ZERO, 9)
    assert right >= 59


@pytest.mark.slow
def test_playouts_are_right_late_in_connect_four() -> None:
    game = game_named("connect_four")
    zero, method = load_evaluator("zero", game), UCT(playouts=200_000, tree_bits=19)
    rows = random_positions(game, 40, 3, 22, 30)
    right = []
    for row in rows:
        position = Position(game, tuple(map(int, row)))
        exact = analyse(position, zero, depth=1, exact_from=42, all_moves=True).moves or {}
        sign = np.sign(max(exact.values()))
        best = {move for move, score in exact.items() if np.sign(score) == sign}
        right.append(analyse(position, zero, method=method).move in best)
    assert len(right) == 40 and np.mean(right) >= 0.9


def test_a_win_that_is_there_is_proven_and_ends_the_search() -> None:
    position = Position.parse("XX--O-O-- X", TIC_TAC_TOE)
    found = analyse(position, ZERO, method=UCT(playouts=10**9))
    assert found.move == "c1" and found.score == 1 and found.exact
    # what was never tried has no score
    rated = analyse(position, ZERO, method=UCT(playouts=10**9), all_moves=True)
    assert rated.moves is not None and rated.moves["c1"] == 1 and len(rated.moves) <= 4
    # X threatens c1, b3 and c3: whoever must lose plays on
    lost = Position.parse("XX-OXO--- O", TIC_TAC_TOE)
    last = analyse(lost, ZERO, method=UCT(playouts=10**9))
    assert last.move is not None and last.exact and last.score == -1 and last.depth == 4
    start = analyse(Position.start(TIC_TAC_TOE), ZERO, method=UCT(playouts=100))
    assert not start.exact


def test_pure_monte_carlo_is_the_mean_of_random_games() -> None:
    # two squares are left: one move wins at once, the other leaves a draw
    position = Position.parse("XXOOOX-X- O", TIC_TAC_TOE)
    found = analyse(position, ZERO, method=MonteCarlo(playouts=50), all_moves=True)
    exact = {move: -minimax(position.play(move), ZERO, 2) for move in position.legal_moves()}
    assert found.moves is not None
    assert {m: np.sign(v) for m, v in found.moves.items()} == {
        m: np.sign(v) for m, v in exact.items()
    }
    start = analyse(
        Position.start(TIC_TAC_TOE), ZERO, method=MonteCarlo(playouts=4000), all_moves=True
    )
    assert start.moves is not None and start.move == "b2"
    assert start.margins is not None and set(start.margins) == set(start.moves)
    # a game counts -1, 0 or 1: 1.96 / sqrt(4000) at most
    assert all(0.02 < margin < 0.032 for margin in start.margins.values())
    # the sum over all lines of play, each with its chance: X wins 58.5 % of random games, O 28.8 %
    assert np.mean(list(start.moves.values())) == pytest.approx(0.585 - 0.288, abs=0.02)


def test_chance_is_drawn_by_its_weights() -> None:
    game = game_named("pig_5")
    found = analyse(Position.start(game), "zero", method=UCT(playouts=500_000, tree_bits=20))
    chance = 0.797047970480  # as tests/games/test_pig.py finds it
    assert found.score == pytest.approx(2 * chance - 1, abs=0.03)
    rolled = Position.start(game).play("roll")
    thrown = analyse(rolled, "zero", method=UCT(playouts=500_000, tree_bits=20))
    assert thrown.move is None
    assert thrown.score == pytest.approx(2 * chance - 1, abs=0.03)


def test_memory_of_another_game_or_method_is_refused() -> None:
    position, othello = Position.start(TIC_TAC_TOE), Position.start()
    small = UCT(playouts=9).new_memory(TIC_TAC_TOE)
    analyse(position, ZERO, method=UCT(playouts=9), memory=small)
    for method, memory, where in (
        (UCT(), small, othello),
        (UCT(), new_memory(othello.game, 2, 2), othello),
        (None, UCT().new_memory(othello.game), othello),
    ):
        with pytest.raises(
            ValueError, match="this memory was made for another game or method than"
        ):
            analyse(where, "zero", method=method, memory=memory)


@pytest.mark.parametrize("name", [rarely("connect_four"), "pig"])
def test_every_search_grows_a_sound_tree_of_its_own(name: str) -> None:
    game, method = game_named(name), UCT(playouts=3000)
    memory, position = method.new_memory(game), Position.start(game)
    for _ in range(2):
        found = analyse(position, "zero", method=method, memory=memory)
        alone = analyse(position, "zero", method=method)
        assert (found.score, found.pv, found.nodes) == (alone.score, alone.pv, alone.nodes)
        places, nodes = [], [memory.root]
        for node in nodes:
            children = node.children
            nodes += children
            # a family lies together behind what is above it, and no other node lies there
            places += [child.place for child in children]
            assert all(child.place > node.place for child in children)
            assert sum(child.visits for child in children) <= node.visits
        assert len(set(places)) == len(places) == memory.size[NODES_USED] - 1
        assert max(places) < memory.size[0]
        root = memory.root
        assert root.visits == 3000
        assert [child.move for child in root.children] == game.moves_in(position.row).tolist()
        counted = [len(root.children), *(child.visits for child in root.children)]
        assert memory.visits[: len(counted)].tolist() == counted
        position = position.play(str(found.move))
        if position.is_chance:
            position = position.play("3")


@pytest.mark.parametrize("method", ["uct", "montecarlo"])
def test_a_method_that_samples_has_one_thread(method: str) -> None:
    with pytest.raises(UserError, match=r"uses one thread; leave threads out \(got 2\)"):
        analyse(Position.start(TIC_TAC_TOE), ZERO, method=method, threads=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("udt", "no method called 'udt'"),
        ("uct:x=1", "setting of uct"),
        ("uct:playouts=1.5", "playouts of uct must be an integer"),
        ("uct:playouts", "must be an integer"),
        ("uct:candidates=1", "must be true or false"),
        ("uct:seed=99999999999999999999", "seed"),
        ("uct:seed=1,seed=2", "seed of uct is set twice"),
        (f"uct:exploration=1{'0' * 400}", "exploration"),
        (f"uct:playouts={'[' * 100_000}", "must be an integer"),
        ("alphabeta:probes=3", "setting of alphabeta"),
        ("expectiminimax:probcut=1.4", "expectiminimax has no settings"),
        ("uct:playouts=0", "playouts"),
        ("uct:exploration=-1", "exploration"),
        ("uct:playout_plies=-1", "playout_plies"),
        ("star2:chance=x", "setting of star2"),
    ],
)
def test_what_is_no_method_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        analyse(Position.start(TIC_TAC_TOE), ZERO, method=text)
