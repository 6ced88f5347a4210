"""OpenSpiel: states are our positions, bots play, and games of OpenSpiel keep our contract."""

import random

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from samuel.common.errors import UserError  # noqa: E402
from samuel.games import Position, game_named  # noqa: E402
from samuel.games.perft import perft  # noqa: E402
from samuel.play.openspiel import GAMES, SpielBot, SpielEvaluator  # noqa: E402
from samuel.search import Limits, analyse  # noqa: E402
from samuel.testing import check_game  # noqa: E402
from tests.test_examples import load  # noqa: E402


def played(game, actions, seed):
    chosen, state = random.Random(seed), game.new_initial_state()
    while len(state.history()) < actions and not state.is_terminal():
        state.apply_action(chosen.choice(state.legal_actions()))
    return state


def count(state, depth):
    if depth == 0 or state.is_terminal():
        return int(depth == 0)
    return sum(count(state.child(action), depth - 1) for action in state.legal_actions())


@pytest.mark.parametrize("name", GAMES)
def test_each_move_of_a_state_is_an_action(name):
    game = pyspiel.load_game(name)
    ours = SpielEvaluator(game, "zero")
    for seed in range(6):
        state = played(game, 3 * seed, seed)
        if not state.is_terminal():
            position, side = ours.position(state), 1 - state.current_player()
            wanted = {position.play(move).words for move in position.legal_moves()}
            found = [ours.position(state.child(one), side).words for one in state.legal_actions()]
            assert len(found) == len(wanted) and set(found) == wanted


def test_a_bot_wins_and_blocks():
    game = pyspiel.load_game("tic_tac_toe")
    bots = [SpielBot(game, "zero", Limits(depth=9)), pyspiel.make_uniform_random_bot(1, 3)]
    assert all(pyspiel.evaluate_bots(game.new_initial_state(), bots, k)[0] >= 0 for k in range(10))
    state = game.new_initial_state()
    for action in (0, 4, 1):  # x at 0 and 1: o has to take 2
        state.apply_action(action)
    bots[0].restart_at(state)
    assert bots[0].step(state) == 2


@pytest.mark.parametrize("name", GAMES)
def test_a_bot_plays_whole_games(name):
    game = pyspiel.load_game(name)
    for seed in range(2):
        bots = [SpielBot(game, "zero"), pyspiel.make_uniform_random_bot(1, seed)]
        assert len(pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)) == 2


def test_an_evaluator_of_mcts_gives_returns_of_both_players():
    from open_spiel.python.algorithms import mcts

    game = pyspiel.load_game("othello")
    ours = SpielEvaluator(game, "classic")
    state = played(game, 9, 1)
    returns = ours.evaluate(state)
    assert returns.sum() == 0 and 0 < np.abs(returns).max() < 1
    score = ours._analysed(state).score
    assert np.sign(returns[state.current_player()]) == np.sign(score)
    bot = mcts.MCTSBot(game, 1.4, 20, ours, random_state=np.random.RandomState(1))
    assert bot.step(state) in state.legal_actions()


@pytest.mark.parametrize("text", ["connect_four(rows=5)", "go", "checkers"])
def test_other_games_are_refused(text):
    with pytest.raises(UserError, match="plays chess, connect_four, othello, tic_tac_toe"):
        SpielEvaluator(pyspiel.load_game(text), "zero")


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "breakthrough", "mancala"])
def test_games_of_openspiel_keep_the_contract(name):
    load("openspiel_game")
    game = game_named(f"openspiel_{name}")
    check_game(game)
    state = pyspiel.load_game(name).new_initial_state()
    for depth in (1, 2, 3):
        assert perft(Position.start(game), depth) == count(state, depth)
    if name in ("tic_tac_toe", "connect_four"):
        assert perft(Position.start(game), 6) == perft(Position.start(name), 6)


@pytest.mark.parametrize(
    ("text", "said"),
    [("kuhn_poker", "secrets"), ("backgammon", "chance"), ("chess", "too long")],
)
def test_games_that_do_not_fit_are_refused(text, said):
    register = load("openspiel_game").register
    with pytest.raises(UserError, match=said):
        register(text)


@pytest.mark.parametrize("text", ["0,0", "9", "x", "0,1,2,3,4,5,6,7,8", "-1", "70000", ""])
def test_bad_positions_are_refused(text):
    load("openspiel_game")
    with pytest.raises(UserError):
        Position.parse(text, "openspiel_tic_tac_toe")


def test_an_exception_in_a_rule_ends_a_search(monkeypatch):
    example = load("openspiel_game")
    game = example.register("connect_four(rows=4)")

    def after(self, state, action):
        raise ValueError("no such action")

    monkeypatch.setattr(example.States, "after", after)
    for use in (lambda start: analyse(start, "zero", depth=3), lambda start: perft(start, 2)):
        with pytest.raises(UserError, match="a rule of OpenSpiel raised ValueError: no such"):
            use(Position.start(game))
