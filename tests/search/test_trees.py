"""Methods that sample, against what is known exactly."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from samuel.arena import match
from samuel.arena.players import settings_of
from samuel.common.errors import UserError
from samuel.games import Game, Position
from samuel.games.catalog import game_named
from samuel.games.pig.values import win_chances
from samuel.games.playing import random_positions
from samuel.kernels import budget
from samuel.models import load_evaluator
from samuel.search import new_memory, search
from samuel.search.limits import Limits
from samuel.search.methods import METHODS, method_named
from samuel.search.trees.method import UCT, MonteCarlo
from samuel.search.trees.nodes import FIELDS, LANES, UctNodeView
from samuel.search.trees.uct import _CUT, _OF_ONE, _ROOTS_OF_LOGS
from samuel.testing.minimax import minimax
from tests.processes import TIMEOUT
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


@pytest.mark.parametrize("name", ["uct", rarely("uct:tuned=true")])
def test_uct_plays_an_optimal_move(name: str) -> None:
    method, right = method_named(f"{name}:playouts=20000".replace("true:", "true,")), 0
    for position in positions_of(TIC_TAC_TOE, 60, seed=1):
        found = search(position, ZERO, method=method)
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
        exact = search(position, zero, depth=1, exact_from=42, all_moves=True).moves or {}
        sign = np.sign(max(exact.values()))
        best = {move for move, score in exact.items() if np.sign(score) == sign}
        right.append(search(position, zero, method=method).move in best)
    assert len(right) == 40 and np.mean(right) >= 0.9


def test_a_win_that_is_there_is_proven_and_ends_the_search() -> None:
    position = Position.parse("XX--O-O-- X", TIC_TAC_TOE)
    found = search(position, ZERO, method=UCT(playouts=10**9))
    assert found.move == "c1" and found.score == 1 and found.exact
    # what was never tried has no score
    rated = search(position, ZERO, method=UCT(playouts=10**9), all_moves=True)
    assert rated.moves is not None and rated.moves["c1"] == 1 and len(rated.moves) <= 4
    # X threatens c1, b3 and c3: whoever must lose plays on
    lost = Position.parse("XX-OXO--- O", TIC_TAC_TOE)
    last = search(lost, ZERO, method=UCT(playouts=10**9))
    assert last.move is not None and last.exact and last.score == -1 and last.depth == 4
    start = search(Position.start(TIC_TAC_TOE), ZERO, method=UCT(playouts=100))
    assert not start.exact


def test_pure_monte_carlo_is_the_mean_of_random_games() -> None:
    # two squares are left: one move wins at once, the other leaves a draw
    position = Position.parse("XXOOOX-X- O", TIC_TAC_TOE)
    found = search(position, ZERO, method=MonteCarlo(playouts=50), all_moves=True)
    exact = {move: -minimax(position.play(move), ZERO, 2) for move in position.legal_moves()}
    assert found.moves is not None
    assert {m: np.sign(v) for m, v in found.moves.items()} == {
        m: np.sign(v) for m, v in exact.items()
    }
    start = search(
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
    found = search(Position.start(game), "zero", method=UCT(playouts=500_000, tree_bits=20))
    chance = win_chances(5)[5, 5, 0]
    assert found.score == pytest.approx(2 * chance - 1, abs=0.03)
    rolled = Position.start(game).play("roll")
    thrown = search(rolled, "zero", method=UCT(playouts=500_000, tree_bits=20))
    assert thrown.move is None
    assert thrown.score == pytest.approx(2 * chance - 1, abs=0.03)


@pytest.mark.parametrize("method", [UCT(playouts=300), MonteCarlo(playouts=30)])
def test_the_same_seed_is_the_same_search(method: UCT | MonteCarlo) -> None:
    position = Position.start(TIC_TAC_TOE)
    first, again = (search(position, ZERO, method=method, all_moves=True) for _ in range(2))
    assert (first.moves, first.pv, first.nodes) == (again.moves, again.pv, again.nodes)
    other = search(position, ZERO, method=replace(method, seed=1), all_moves=True)
    assert other.moves != first.moves


@pytest.mark.parametrize("method", [UCT(exploration=0.0), UCT(tuned=True), MonteCarlo()])
def test_all_moves_are_tried_before_one_is_tried_again(method: UCT | MonteCarlo) -> None:
    playouts = 9 if isinstance(method, UCT) else 1
    memory = method.new_memory(TIC_TAC_TOE)
    search(
        *(Position.start(TIC_TAC_TOE), ZERO),
        method=replace(method, playouts=playouts),
        memory=memory,
    )
    assert [node.visits for node in memory.root.children] == [1] * 9


def test_roots_of_logarithms_are_right_to_a_part_in_a_thousand() -> None:
    visits = np.array([*range(1, 5000), *np.geomspace(5000, 2.0**60, 5000)], np.float64)
    found = _ROOTS_OF_LOGS[(visits.view(np.int64) >> _CUT) - _OF_ONE]
    assert found == pytest.approx(np.sqrt(np.log(visits)), rel=1e-3)
    assert (found[:127] == np.sqrt(np.log(visits[:127]))).all()


def test_memory_of_another_game_or_method_is_refused() -> None:
    position, othello = Position.start(TIC_TAC_TOE), Position.start()
    small = UCT(playouts=9).new_memory(TIC_TAC_TOE)
    search(position, ZERO, method=UCT(playouts=9), memory=small)
    for method, memory, where in (
        (UCT(), small, othello),
        (UCT(), new_memory(othello.game, 2, 2), othello),
        (None, UCT().new_memory(othello.game), othello),
    ):
        with pytest.raises(
            ValueError, match="this memory was made for another game or method than"
        ):
            search(where, "zero", method=method, memory=memory)


def test_a_match_gives_a_tree_its_room_whatever_the_depth() -> None:
    assert len(UCT().new_memory(TIC_TAC_TOE, 8, 8).codes) == FIELDS << 20


@pytest.mark.parametrize("name", [rarely("connect_four"), "pig"])
def test_what_a_tree_knew_of_the_new_root_is_kept(name: str) -> None:
    game, random = game_named(name), np.random.default_rng(3)
    evaluator, method = load_evaluator("zero", game), UCT(playouts=3000)
    memory, position = method.new_memory(game), Position.start(game)
    kept = 0
    for _ in range(6):
        while position.is_chance:
            position = position.play(str(random.choice([n for n, _ in position.outcomes()])))
        if position.is_terminal or memory.root.proven:
            break
        found = search(position, evaluator, method=method, memory=memory)
        root, places, nodes = memory.root, [], [memory.root]
        for node in nodes:
            children = node.children
            nodes += children
            # a family lies together behind what is above it, and no other node lies there
            places += [child.place for child in children]
            assert all(child.place > node.place for child in children)
            assert sum(child.visits for child in children) <= node.visits
        assert len(set(places)) == len(places) == memory.size[1] - 1
        assert max(places) < memory.size[0]
        kept += root.visits - 3000
        assert root.visits >= 3000 or root.proven
        assert [child.move for child in root.children] == game.moves_in(position.row).tolist()
        counted = [len(root.children), *(child.visits for child in root.children)]
        assert memory.visits[: len(counted)].tolist() == counted
        side, position = position.side, position.play(found.move)
        while not position.is_terminal and (position.is_chance or position.side != side):
            choices = [n for n, _ in position.outcomes()] or position.legal_moves()
            position = position.play(str(random.choice(choices)))
    assert kept > 0


def test_a_depth_means_nothing_and_is_refused() -> None:
    with pytest.raises(UserError, match="takes nodes, seconds or playouts"):
        search(Position.start(TIC_TAC_TOE), ZERO, method=UCT(), depth=3)
    assert settings_of(Limits(4), UCT(playouts=9)) == "by uct:playouts=9"


def test_limits_end_it() -> None:
    position = Position.start(TIC_TAC_TOE)
    found = search(position, ZERO, method=UCT(), nodes=5000)
    assert 5000 <= found.nodes <= 5000 + budget.POLL_EVERY + 9
    assert search(position, ZERO, method=UCT(playouts=10**12), seconds=0.05).seconds < TIMEOUT


def test_a_full_tree_goes_on_sampling() -> None:
    found = search(Position.start(TIC_TAC_TOE), ZERO, method=UCT(playouts=3000, tree_bits=4))
    assert found.move == "b2"


def test_who_has_proven_a_win_still_has_to_play_it() -> None:
    played = match(
        *("zero", "zero"),
        game="tic_tac_toe",
        method="uct:playouts=2000",
        method_b="montecarlo:playouts=1",
        pairs=6,
        jobs=1,
    )
    assert {game.ending for pair in played.pairs for game in pair.games} == {"played"}


def test_methods_play_matches() -> None:
    result = match(
        *("zero", "zero"),
        game="tic_tac_toe",
        method="uct:playouts=200",
        method_b="montecarlo:playouts=1",
        pairs=12,
        jobs=1,
    )
    assert result.statistics.score > 0.6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("udt", "no method called 'udt'"),
        ("uct:x=1", "setting of uct"),
        ("uct:playouts=1.5", "playouts of uct must be a whole number"),
        ("uct:playouts", "must be a whole number"),
        ("uct:tuned=1", "must be true or false"),
        ("uct:seed=99999999999999999999", "seed"),
        ("uct:seed=1,seed=2", "seed of uct is set twice"),
        (f"uct:exploration=1{'0' * 400}", "exploration"),
        (f"uct:playouts={'[' * 100_000}", "must be a whole number"),
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
        search(Position.start(TIC_TAC_TOE), ZERO, method=text)


def test_every_method_has_a_name_that_is_read() -> None:
    for name, method in METHODS.items():
        assert method_named(name) == method
    assert method_named("uct:playouts=7,scale=2") == UCT(playouts=7, scale=2)


def families_below(root: UctNodeView) -> list[UctNodeView]:
    """Return the nodes that have children, the root among them."""
    found, left = [], [root]
    while left:
        node = left.pop()
        if node.count > 0:
            found.append(node)
            left += node.children
    return found


@pytest.mark.parametrize(("threads", "bits"), [(2, 20), (4, 8), (4, 12)])
def test_threads_grow_one_sound_tree(threads: int, bits: int) -> None:
    game, playouts = game_named("connect_four"), 30_000
    method = UCT(playouts=playouts, tree_bits=bits)
    memory = method.new_memory(game)
    search(Position.start(game), "zero", method=method, memory=memory, threads=threads)
    root = memory.root
    assert root.visits == playouts == sum(child.visits for child in root.children)
    parents = families_below(root)
    places = [node.children[0].place for node in parents]
    used = sorted(
        (place, place + FIELDS * -(-node.count // LANES) * LANES)
        for place, node in zip(places, parents, strict=True)
    )
    assert all(end <= after for (_, end), (after, _) in itertools.pairwise(used))
    assert used[-1][1] <= memory.size[0] <= len(memory.codes)
    assert sum(node.count for node in parents) + 1 == memory.size[1]
    for node in parents:
        below = sum(child.visits for child in node.children)
        assert below <= node.visits
        assert 0 <= node.reward <= node.visits and 0 <= node.square <= node.reward


def test_threads_prove_what_one_proves() -> None:
    proven = 0
    for position in positions_of(TIC_TAC_TOE, 12, seed=5):
        one = search(position, ZERO, method=UCT(playouts=2000))
        more = search(position, ZERO, method=UCT(playouts=50_000), threads=3)
        if one.exact and more.exact:
            assert more.score == one.score
            proven += 1
        assert more.move in best_moves(position, ZERO, 9)
    assert proven > 0


def test_threads_share_the_games_of_pure_monte_carlo() -> None:
    position, method = Position.start(TIC_TAC_TOE), MonteCarlo(playouts=500)
    memory = method.new_memory(TIC_TAC_TOE)
    found = search(position, ZERO, method=method, memory=memory, threads=3, all_moves=True)
    assert memory.root.visits == 500 * 9 and len(found.moves or {}) == 9


def test_threads_keep_to_limits_and_the_tree_goes_on() -> None:
    game = game_named("connect_four")
    method, position = UCT(), Position.start(game)
    memory = method.new_memory(game)
    for _ in range(2):
        found = search(position, "zero", method=method, memory=memory, threads=2, nodes=50_000)
        assert 25_000 <= found.nodes < 60_000
        position = position.play(str(found.pv[0])).play(found.pv[1])
        kept = memory.root.visits
    found = search(position, "zero", method=method, memory=memory, threads=2, nodes=1000)
    assert 0 < memory.root.visits < kept + 1000


def test_a_tree_that_threads_filled_grows_again_where_there_is_room() -> None:
    game = game_named("connect_four")
    method, position = UCT(playouts=3000, tree_bits=6), Position.start(game)
    memory = method.new_memory(game)
    for _ in range(3):  # too few for a win
        found = search(position, "zero", method=method, memory=memory, threads=3)
        assert found.move is not None and memory.root.count == len(position.legal_moves())
        position = position.play(found.move)
        position = position.play(position.legal_moves()[0])


def test_a_thread_that_waits_for_the_tree_visits_no_nodes() -> None:
    game = game_named("connect_four")
    method, position = UCT(playouts=300_000), Position.start(game)
    memory = method.new_memory(game)
    found = search(position, "zero", method=method, memory=memory, threads=2)
    kept = memory.root
    for move in found.pv[:2]:
        position = position.play(move)
        kept = next(n for n in kept.children if game.notation.write_move(n.move) == move)
    before = kept.visits
    # the first thread moves the tree to its new root meanwhile; a simulation has some 22 nodes
    search(position, "zero", method=method, memory=memory, threads=2, nodes=200_000)
    assert memory.root.visits > before + 2000
