"""Public objects pickle by what they are made from, here and into a process that knows nothing."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

import samuel
from samuel.common.errors import UserError
from samuel.features import Feature, Features, Patterns, features_digest, features_named
from samuel.games import Evaluator, Position, game_named
from samuel.games.playing import random_positions
from samuel.learning.fitting.options import FitOptions
from samuel.models import PatternRegressor, compile_model, evaluate, load_evaluator
from samuel.models.rote.front import in_front_counting, in_front_of
from samuel.models.rote.store import Store
from samuel.play.levels import erring
from samuel.search import AlphaBeta, analyse
from tests.processes import run

GAME = game_named("tic_tac_toe")
POSITIONS = random_positions(GAME, 60, seed=1)
TARGETS = np.arange(60.0)
TIME = {"depth": 1}
PLAN = samuel.SelfplayPlan("tic_tac_toe", evaluator="zero", depth=1, seed=1)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> samuel.Dataset:
    folder = tmp_path_factory.mktemp("data") / "games"
    return samuel.generate(PLAN, 40, folder)


def compiled(estimator: Any) -> Evaluator:
    return compile_model(estimator.fit(POSITIONS, TARGETS), "mine")


def slow() -> Evaluator:
    features = Features(["squares"], game=GAME.name)
    with pytest.warns(UserWarning, match="no compiled form"):
        return compiled(make_pipeline(features, KNeighborsRegressor(3)))


def errs(evaluator: Evaluator) -> Evaluator:
    return erring(evaluator, game_named(evaluator.game), 0.5, seed=3)


def remembers(evaluator: Evaluator) -> Evaluator:
    """Return it with the random positions that `facts` scores."""
    rows, n = np.unique(random_positions(GAME, 20, seed=2), axis=0), np.arange(4)
    return in_front_of(evaluator, Store(GAME).merged(rows[:4], n / 8, n + 1))


EVALUATORS: dict[str, Callable[[], Evaluator]] = {
    "errs": lambda: errs(load_evaluator("classic", GAME)),
    "errs without a form": lambda: errs(slow()),
    "errs, learned": lambda: replace(errs(load_evaluator("learned", "othello")), name="level 3"),
    "remembers": lambda: remembers(load_evaluator("classic", GAME)),
    "remembers and errs": lambda: errs(remembers(slow())),
    "renamed": lambda: replace(load_evaluator("classic", GAME), origin="a book", words=2),
    "renamed without a form": lambda: replace(slow(), name="its", ignores_chance=True),
}
MADE: dict[str, Callable[[samuel.Dataset], Any]] = {
    "Game": lambda _: GAME,
    "Game of a family": lambda _: game_named("pig_50"),
    "Position": lambda _: Position.from_transcript("a1 b2", GAME),
    "Evaluator": lambda _: load_evaluator("classic", GAME),
    "Evaluator, learned": lambda _: load_evaluator("learned", "othello"),
    "Evaluator of features": lambda _: compiled(
        make_pipeline(Features(["squares"], game=GAME.name), Ridge())
    ),
    "Evaluator of patterns": lambda _: compiled(
        PatternRegressor("tuples2", game=GAME.name, stages=1)
    ),
    "Evaluator without a form": lambda _: slow(),
    **{f"Evaluator, {name}": lambda _, make=make: make() for name, make in EVALUATORS.items()},
    "Feature": lambda _: features_named(["squares"], GAME.name)[0],
    "Features": lambda _: Features(["squares"], game=GAME.name).fit(POSITIONS),
    "Patterns": lambda _: Patterns("tuples2", game=GAME.name).fit(POSITIONS),
    "FitOptions": lambda _: FitOptions(),
    "SelfplayPlan": lambda _: PLAN,
    "SearchOptions": lambda _: samuel.SearchOptions(),
    "AlphaBeta": lambda _: AlphaBeta(),
    "UCT": lambda _: samuel.UCT(),
    "Result": lambda _: analyse(Position.start(GAME), "zero", depth=2),
    "Openings": lambda _: samuel.openings_for(GAME, pairs=3, plies=1),
    "Sprt": lambda _: samuel.Sprt(0, 10),
    "Dataset": lambda data: data,
    "Trained": lambda data: samuel.train(data, "ridge"),
    "Comparison": lambda data: samuel.compare(data, ["ridge"]),
    "MatchResult": lambda _: samuel.match("zero", "random", game=GAME, pairs=2, **TIME),
    "TournamentResult": lambda _: samuel.tournament(["zero", "random"], game=GAME, pairs=1, **TIME),
}


ABILITIES = ("words", "about", "ignores_chance", "orders_endings", "within", "incremental")


def facts(thing: Any) -> Any:
    """Return what is to be the same of a copy."""
    if isinstance(thing, Feature):
        return thing.name, features_digest((thing,))
    if isinstance(thing, Evaluator):
        rows = random_positions(game_named(thing.game), 20, seed=2)
        told = [getattr(thing, name) for name in ABILITIES]
        return repr(thing), told, repr(thing.probcut), evaluate(thing, thing.game, rows).tolist()
    if hasattr(thing, "evaluator"):
        return repr(thing), facts(thing.evaluator)
    return type(thing).__name__, repr(thing)


@pytest.mark.filterwarnings("ignore:only .* openings")
@pytest.mark.parametrize("what", MADE)
def test_it_pickles_and_is_copied(what: str, data: samuel.Dataset) -> None:
    thing = MADE[what](data)
    for other in (
        pickle.loads(pickle.dumps(thing)),
        copy.copy(thing),
        copy.deepcopy(thing),
    ):
        assert facts(other) == facts(thing)


OWN = """
from dataclasses import replace
from samuel import Evaluator, feature, game_named, register_evaluator, register_game
game = register_game(replace(game_named("tic_tac_toe"), name="own"))
@feature(game="own")
def odd(position):
    return float(position[0] & 1)
def score(position, integers, floats):
    return float(position[0] & 1)
register_evaluator(Evaluator("by_hand", "own", score))
"""

FAR = """
import pickle, sys
things = pickle.load(open(sys.argv[1], "rb"))
from tests.test_pickles import facts
print([facts(thing) for thing in things])
"""


def test_a_process_that_knows_nothing_has_the_same(data: samuel.Dataset, tmp_path: Path) -> None:
    """A user's game and feature come with the file that defines them."""
    file = tmp_path / "own.py"
    file.write_text(OWN)
    own = samuel.load_plugin(file)
    trained = samuel.train(data, "ridge")
    things = [
        Position.start(own.game),
        features_named(["odd"], "own")[0],
        load_evaluator("by_hand", own.game),
        data,
        trained,
        slow(),
        samuel.match("zero", "random", game=GAME, pairs=1, depth=1),
    ]
    kept = tmp_path / "things.pickle"
    kept.write_bytes(pickle.dumps(things))
    assert run("-c", FAR, str(kept)).strip() == str([facts(thing) for thing in things])


def test_what_another_process_could_not_know_is_said() -> None:
    """Copies in this process need nothing."""

    def one(position: Any, integers: Any, floats: Any) -> float:
        return 1.0

    own = [Evaluator("own", of, one) for of in (GAME.name, "any")]
    counting = in_front_counting(load_evaluator("classic", GAME), Store(GAME))[0]
    for thing in (*own, counting, replace(GAME, name="here")):
        with pytest.raises(
            UserError, match="exists only in this process, so other processes cannot"
        ):
            pickle.dumps(thing)
        assert copy.deepcopy([thing])[0] is thing is copy.copy(thing)
