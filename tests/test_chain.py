"""The whole chain on games that are like Othello in little: turns, dice, boards, pieces."""

from dataclasses import replace

import numpy as np
import pytest

import samuel
from samuel.features import feature, feature_names, set_names
from samuel.games import Position
from samuel.learning.probcut import fit_probcut
from samuel.search import analyse
from samuel.testing import check_evaluator, check_game
from tests.rarely import rarely
from tests.toys import DOTS_AND_BOXES, PIG, RACE, RETREAT
from tests.toys.gomoku import GAME as GOMOKU
from tests.toys.kings import GAME as KINGS
from tests.toys.thousand import GAME as THOUSAND

GAMES = [DOTS_AND_BOXES, RACE, *map(rarely, (PIG, KINGS, RETREAT, GOMOKU, THOUSAND))]
# training warns of data as small as these
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def words_as_numbers(game):
    """A feature for a game without a board: what its words hold."""

    @feature(game=game.name, outputs=[str(k) for k in range(game.words)])
    def words(position, values):
        for k in range(len(values)):
            values[k] = np.float32(position[k])


@pytest.fixture(scope="module", params=GAMES, ids=lambda game: game.name)
def played(request, tmp_path_factory):
    game = request.param
    if not feature_names(game.name):
        words_as_numbers(game)
    deep, games = (1, 12) if game in (GOMOKU, THOUSAND) else (2, 60)
    plan = samuel.SelfplayPlan(game=game.name, evaluator="zero", depth=deep, epsilon=0.2, seed=5)
    return game, samuel.generate(plan, games, tmp_path_factory.mktemp(game.name) / "data")


def test_the_contract(played):
    check_game(played[0])


@pytest.mark.parametrize("model", ["ridge", rarely("tuples2")])
def test_a_model_is_trained_saved_loaded_and_plays(played, model, tmp_path):
    game, dataset = played
    if model == "tuples2" and model not in set_names(game):
        pytest.skip("it has no board, or more lines than are read")
    trained = samuel.train(dataset, model, out=tmp_path / "model")
    evaluator = samuel.load_evaluator(str(tmp_path / "model"), game)
    check_evaluator(evaluator, game)
    seen = dataset.positions[:50]
    of_both = samuel.evaluate(evaluator, game, seen), samuel.evaluate(trained.evaluator, game, seen)
    assert np.allclose(*of_both)

    def results():
        return samuel.match(evaluator, "zero", pairs=4, depth=1, seed=3).results

    assert results().shape == (4, 2) and np.array_equal(results(), results())


def test_a_generation_learns(played, tmp_path):
    game = played[0]
    small = {"games": 12, "depth": 1, "match_depth": 1, "gate_pairs": 4, "curve_pairs": 4}
    run = samuel.learn(tmp_path / "run", generations=1, game=game.name, model="ridge", **small)
    assert run.generations == 1


@pytest.mark.slow
def test_corrections_and_selective_cuts_leave_the_moves_legal(played):
    game, dataset = played
    if game is THOUSAND:
        pytest.skip("512 moves to the fourth ply take minutes, 800 times over")
    trained = samuel.train(dataset, "ridge").evaluator
    corrected = samuel.SearchOptions(correction=True)
    ways = [(trained, {"options": corrected})]
    if game.chance is None:  # with dice there is no ProbCut
        fit = fit_probcut(trained, game, dataset.positions, positions=400, max_depth=4)
        ways.append((replace(trained, probcut=fit.parameters), {"probcut": 1.0}))
    for row in dataset.positions[::20][:10]:
        position = Position(game, tuple(map(int, row)))
        for evaluator, how in ways:
            found = analyse(position, evaluator, depth=4, exact_from=0, **how)
            assert found.move in position.legal_moves()
