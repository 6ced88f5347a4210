"""`OutcomeNetworks`: chances of outcomes, a network for each class, labels by looking ahead.

Backgammon's outcomes are six; the classes are races, crashed positions and other contact.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from samuel.features import extract, features_named
from samuel.games import Position, game_named
from samuel.games.backgammon.identifiers import words_of
from samuel.games.backgammon.rules import START
from samuel.games.playing import random_positions
from samuel.models import OutcomeNetworks, evaluate, load_evaluator, save
from samuel.models.contributions.contributions import contributions
from samuel.models.saved.loading import start_from

GAME = game_named("backgammon")
ROWS = random_positions(GAME, 3000, seed=3, max_plies=150)
PHASES = extract(features_named(["phase"], GAME.name), ROWS)[:, 0]
OUTCOMES = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
PIPS = extract(features_named(["pips"], GAME.name), ROWS)
LEAD = np.sign(PIPS[:, 1] - PIPS[:, 0] + 0.5) * np.where(PHASES == 0, 1, 2)
Y = np.where(np.arange(len(ROWS)) % 50 == 0, 3.0, LEAD)
KEPT = "must keep the units and the features"


def networks(**settings: Any) -> OutcomeNetworks:
    given = {"classes": "phase", "units": 8, "random_state": 1} | settings
    return OutcomeNetworks(["expert", "tesauro", "phase"], GAME.name, **given)


def test_it_learns_the_chance_of_each_outcome() -> None:
    model = networks(epochs=20).fit(ROWS, Y)
    assert model.outcomes_.tolist() == OUTCOMES.tolist()
    chances, scores = model.chances(ROWS), model.predict(ROWS)
    assert np.allclose(OUTCOMES[0] + chances @ np.diff(OUTCOMES), scores, atol=1e-4)
    wins = chances[:, 2]
    assert wins[Y > 0].mean() > 0.9 > 0.1 > wins[Y < 0].mean()
    assert 0.005 < chances[:, 4].mean() < 0.05  # one in fifty wins three points


def worth(model: OutcomeNetworks, position: Position) -> NDArray[np.float64]:
    """Return the chances after the best move, for the side to move."""
    found = []
    for move in position.legal_moves():
        child = position.play(move)
        if child.is_terminal:
            chances = np.array(child.utility() >= OUTCOMES[1:], float)
        else:
            chances = model.chances([child])[0].astype(float)
        found.append(1 - chances[::-1])
    return max(found, key=lambda chances: float(chances @ np.diff(OUTCOMES)))


@pytest.mark.parametrize("checkers", [START, {1: 3, 2: 1}], ids=["start", "end"])
def test_labels_ahead_are_means_over_the_dice(checkers: dict[int, int]) -> None:
    model = networks(warm_start=True).fit(ROWS, Y)
    position = Position(GAME, (*words_of(checkers), *words_of(checkers), 3 << 3 | 1), 0)
    _, own = model._looked_ahead(position.row[None], throws=False)
    assert np.allclose(own[0], worth(model, position), atol=1e-5)
    after, targets = model._looked_ahead(position.row[None], throws=True)
    children = [position.play(move) for move in position.legal_moves()]
    child = children[int(evaluate(model.compiled().evaluator("it"), GAME, children).argmin())]
    assert child.words == tuple(after[0].tolist())
    mean = sum(weight * worth(model, child.play(throw)) for throw, weight in child.outcomes()) / 36
    assert np.allclose(targets[0], mean, atol=1e-5)


def test_a_fit_to_labels_ahead_needs_an_earlier_one() -> None:
    rows = ROWS[:200]
    plain, ahead = (networks(ahead=one).fit(rows, Y[:200]) for one in (None, "throws"))
    assert np.array_equal(plain.predict(rows), ahead.predict(rows))
    further = networks(warm_start=True).fit(rows, Y[:200])
    one, other = (
        copy.deepcopy(further).set_params(ahead="throws").fit(rows, sign * Y[:200])
        for sign in (1, -1)
    )
    assert np.array_equal(one.predict(rows), other.predict(rows))


def test_classes_that_a_warm_start_adds_begin_as_copies() -> None:
    model = networks(warm_start=True).fit(ROWS, Y)
    before = model.predict(ROWS)
    model.set_params(features=["expert", "tesauro", "plan"], classes="plan", epochs=0).fit(ROWS, Y)
    assert len(model.numbers_.biases) == 11
    assert np.allclose(before, model.predict(ROWS), atol=1e-5)
    with pytest.raises(ValueError, match=KEPT):
        model.set_params(features=["expert", "tesauro", "phase"], classes="phase").fit(ROWS, Y)
    names = ["expert", "tesauro", "phase", "plan"]
    model = networks(warm_start=True).set_params(features=names, classes="plan").fit(ROWS, Y)
    with pytest.raises(ValueError, match=KEPT):
        model.set_params(classes="phase").fit(ROWS, Y)
    model = networks(classes=None, warm_start=True).fit(ROWS, Y)
    before = model.predict(ROWS)
    assert np.allclose(
        before, model.set_params(classes="phase", epochs=0).fit(ROWS, Y).predict(ROWS), atol=1e-5
    )
    with pytest.raises(ValueError, match=KEPT):
        model.set_params(classes=None).fit(ROWS, Y)


def test_saved_read_and_gone_on_with(tmp_path: Path) -> None:
    model = networks(warm_start=True).fit(ROWS, Y)
    save(tmp_path / "it", model, name="it")
    evaluator = load_evaluator(tmp_path / "it")
    assert evaluator.ignores_chance
    assert np.allclose(evaluate(evaluator, GAME, ROWS), model.predict(ROWS), atol=1e-6)
    found = contributions(evaluator, Position.parse("4HPwATDgc/ABMA X 31", GAME))
    total = sum(part.value for part in found.parts) + found.rest
    assert found.rest and total == pytest.approx(found.score, abs=1e-4)
    other = networks(warm_start=True)
    start_from(other, tmp_path / "it")
    again = [one.fit(ROWS[:500], Y[:500]).predict(ROWS) for one in (model, other)]
    assert np.array_equal(*again)
