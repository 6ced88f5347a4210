"""Learning by rote: what games leave in the store, in a run that may be killed."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from samuel.games import Position, game_named
from samuel.learning.generations.loop import learn
from samuel.learning.options import LearnOptions
from samuel.learning.samuel.rote import learn_by_rote, with_direction
from samuel.models import load_evaluator
from samuel.models.game_of import is_store
from samuel.models.rote.store import Store, load_store
from samuel.search import analyse
from samuel.selfplay.plan import SelfplayPlan
from tests.processes import start

GAME = game_named("tic_tac_toe")
PLAN = SelfplayPlan("tic_tac_toe", "zero", depth=2, seed=3, opening_plies=1, epsilon=0.2).checked()
RUN = LearnOptions(
    game="tic_tac_toe",
    algorithm="rote",
    games=60,
    gate_pairs=10,
    curve_pairs=5,
    seed=1,
    epsilon=0.3,
)


def test_positions_are_kept_with_what_searches_found() -> None:
    evaluator = load_evaluator("zero", GAME)
    store = learn_by_rote(Store(GAME), evaluator, PLAN, 40)
    assert store.games == 40 and 20 < len(store) < 40 * 9
    for k in range(0, len(store), 5):
        position = Position(GAME, tuple(store.entries.positions[k].tolist()))
        found = analyse(position, evaluator, depth=2, exact_from=PLAN.exact_from)
        wanted = with_direction(GAME, [found.score], [found.depth])
        assert store.entries.scores[k] == wanted[0]


def test_parts_of_games_are_as_all_of_them_but_for_what_is_known_meanwhile() -> None:
    evaluator = load_evaluator("zero", GAME)
    once = learn_by_rote(Store(GAME), evaluator, PLAN, 20)
    more = learn_by_rote(once, evaluator, PLAN, 20)
    assert more.games == 40 and len(more) >= len(once)
    # what stood in the store was of use: it is younger than what was not
    assert more.entries.ages.min() < once.entries.ages.min()


def test_the_nearer_win_scores_more_and_the_farther_loss() -> None:
    near, far = with_direction(GAME, [0.999, 0.995], [9, 9])
    assert near > far > 0.85
    assert with_direction(GAME, [-0.999, -0.995], [9, 9]).tolist() == [-near, -far]
    shallow, deep = with_direction(GAME, [0.5, 0.5], [2, 6])
    assert 0.5 > shallow > deep > 0.49
    assert with_direction(game_named("othello"), [12.0, -3.0], [4, 8]).tolist() == [12.0, -3.0]


@pytest.mark.slow
def test_a_run_learns_by_rote_and_goes_on(tmp_path: Path) -> None:
    run = learn(tmp_path / "run", RUN, generations=2)
    assert run.generations == 2
    for generation in (1, 2):
        store = load_store(run.part(generation, "store.rote"), GAME)
        assert store.games == 60 * generation and store.name == f"generation {generation}"
        assert load_evaluator(run.evaluator(generation), GAME).name == f"zero+{store.name}"
    assert is_store(tmp_path / "run" / "best.rote") == bool(run.best_generation)
    assert learn(tmp_path / "run", RUN, generations=2).log == run.log


@pytest.mark.slow
def test_a_run_that_is_killed_ends_with_the_same_store(tmp_path: Path) -> None:
    told = "learn --game checkers --algorithm rote --games 100 --depth 2 --generations 1 --seed 4"
    more = "--gate-pairs 0 --curve-pairs 0 --jobs 1 --out"
    line = ["-c", "from samuel.cli.main import main; main()", *told.split(), *more.split()]
    broken, unbroken = (tmp_path / name / "generation-001" / "store.rote" for name in "ab")
    assert start(*line, tmp_path / "b").wait() == 0
    for merges in (1, 7, 16):
        process = start(*line, tmp_path / "a")
        while process.poll() is None and (
            not broken.exists() or load_store(broken).games < 5 * merges
        ):
            time.sleep(0.005)
        process.kill()
        process.wait()
        assert load_store(broken).games >= 5 * merges
    assert start(*line, tmp_path / "a").wait() == 0
    mine, its = load_store(broken), load_store(unbroken)
    assert mine.games == its.games == 100
    for one, other in zip(vars(mine.entries).values(), vars(its.entries).values(), strict=True):
        assert np.array_equal(one, other)
