"""Models of patterns and of squares on boards of five contents, and of more than 64 squares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel.features import Features
from samuel.games import Game
from samuel.games.rows import images, seen_under
from samuel.models import (
    PatternClassifier,
    PatternNetwork,
    PatternRegressor,
    compile_model,
    evaluate,
    load_evaluator,
    save,
)
from tests.games.test_board import plain_signs, positions_of
from tests.rarely import rarely
from tests.toys.gomoku import GAME as GOMOKU
from tests.toys.kings import GAME as KINGS

TOYS = pytest.mark.parametrize("game", [KINGS, rarely(GOMOKU)], ids=lambda game: game.name)
WORTH = {"X": 1.0, "O": -1.0, "K": 3.0, "Q": -3.0, "-": 0.0}


def material(game: Game, positions: Any) -> Any:
    """Return the pieces of the side to move less those of the other, a king for three."""
    return np.array([sum(WORTH[s] for s in plain_signs(game, row)) for row in positions])


def models(game: Game) -> list[Any]:
    # to the end: how far the usual tolerance comes on so few rows, rounding decides
    linear = PatternRegressor("tuples2", game.name, stages=2, alpha=0.1, tol=1e-6, max_iter=500)
    return [
        linear,
        PatternNetwork(linear, "tuples2", game.name, epochs=2, random_state=0),
        make_pipeline(Features(["squares"], game=game.name), Ridge(0.1)),
    ]


@TOYS
@pytest.mark.parametrize(
    "number",
    [
        pytest.param(0, id="patterns", marks=pytest.mark.slow),
        pytest.param(1, id="network", marks=pytest.mark.slow),  # test_pattern_network has others
        pytest.param(2, id="squares"),
    ],
)
def test_the_compiled_evaluator_says_what_the_estimator_predicts(game: Game, number: int) -> None:
    positions = positions_of(game, 400)
    target = material(game, positions)
    model = models(game)[number].fit(positions, target)
    compiled = compile_model(model, "m")
    scores = evaluate(compiled, game, positions)
    np.testing.assert_allclose(scores, model.predict(positions), atol=0.1)
    assert np.corrcoef(scores, target)[0, 1] > 0.95
    if number < 2:  # patterns know no side of the board from another
        turned = evaluate(compiled, game, images(game, positions[0]))
        np.testing.assert_allclose(turned, turned[0], atol=1e-5)


def test_a_model_of_five_contents_is_saved_and_read(tmp_path: Path) -> None:
    positions = positions_of(KINGS, 400)
    model = PatternRegressor("tuples3", KINGS.name, stages=2).fit(
        positions, material(KINGS, positions)
    )
    save(tmp_path / "model", model, name="m")
    again = load_evaluator(tmp_path / "model", KINGS)
    expected = evaluate(compile_model(model, "m"), KINGS, positions)
    np.testing.assert_array_equal(evaluate(again, KINGS, positions), expected)


def test_a_classifier_of_patterns_learns_who_is_ahead() -> None:
    positions = positions_of(KINGS, 400)
    ahead = material(KINGS, positions) > 0
    model = PatternClassifier("tuples2", KINGS.name, stages=1, tol=1e-3).fit(positions, ahead)
    assert model.score(positions, ahead) > 0.9


@TOYS
def test_rows_are_seen_in_every_image(game: Game) -> None:
    positions = positions_of(game, 10)
    for number in range(len(game.symmetries)):
        seen = seen_under(game, positions, np.full(10, number, np.int8))
        assert (seen == [images(game, row)[number] for row in positions]).all()
    with pytest.raises(ValueError, match=f"{game.name} has {len(game.symmetries)} symmetries"):
        seen_under(game, positions[:1], np.array([99]))
