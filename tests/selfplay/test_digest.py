"""The digest of an evaluator tells every change of it, and nothing else."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from samuel.features import Features
from samuel.games import Evaluator, game_named
from samuel.games.playing import random_positions
from samuel.models import compile_model, load_evaluator
from samuel.play.levels import erring
from samuel.selfplay.digest import evaluator_digest

GAME = game_named("tic_tac_toe")
POSITIONS = random_positions(GAME, 60, seed=1)


def own(position: Any, integers: Any, floats: Any) -> float:
    return floats[0] * float(position[0] & 7) + floats[1]


def fitted(estimator: Any, change: float) -> Evaluator:
    targets = np.arange(60.0)
    targets[7] += change
    pipeline = make_pipeline(Features(["squares"], game=GAME.name), clone(estimator))
    return compile_model(pipeline.fit(POSITIONS, targets), "mine")


def of_code(factor: float) -> Evaluator:
    def score(position: Any, integers: Any, floats: Any) -> float:
        return factor * float(position[0] & 7)

    return Evaluator("own", GAME.name, score)


def of_numbers(change: float) -> Evaluator:
    return Evaluator("own", GAME.name, own, floats=np.array([1, 3 + change], np.float32))


def named(change: float) -> Evaluator:
    found = load_evaluator("classic", GAME)
    return replace(found, floats=found.floats + np.float32(change))


KINDS = {
    "numbers of one's own function": of_numbers,
    "code": lambda change: of_code(1 + change),
    "a name": named,
    "a form": lambda change: fitted(Ridge(), 100 * change),
    "an estimator": lambda change: fitted(KNeighborsRegressor(3), change),
    "errs": lambda change: erring(of_numbers(change), GAME, 0.5),
    "an estimator that errs": lambda change: erring(
        fitted(KNeighborsRegressor(3), change), GAME, 0.5
    ),
}


@pytest.mark.filterwarnings("ignore:.*no compiled form", "ignore:.*the search clamps")
@pytest.mark.parametrize("kind", KINDS)
def test_the_last_digit_counts(kind: str) -> None:
    one, again, other = (evaluator_digest(KINDS[kind](change), GAME) for change in (0.0, 0.0, 2e-6))
    assert one == again != other
