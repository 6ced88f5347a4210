"""Levels, and evaluators that err."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from samuel.games import game_named, game_names
from samuel.games.catalog import is_of_the_package
from samuel.games.playing import random_positions
from samuel.models import evaluate, load_evaluator
from samuel.play.levels import erring, levels_of, spread_of_scores

OTHELLO = game_named("othello")


@pytest.mark.parametrize("name", [n for n in game_names() if is_of_the_package(n)])
def test_levels_grow(name):
    levels = levels_of(game_named(name))
    assert len(levels) == 12
    depths = [level.depth for level in levels]
    assert depths == sorted(depths)
    assert levels[-1].errors == 0 and levels[-1].exact_from is None
    for below, above in itertools.pairwise(levels):
        deeper = above.depth > below.depth
        assert deeper or above.errors < below.errors
        assert above.nodes > below.nodes


@pytest.mark.parametrize("name", ["classic", "learned"])
def test_errors_have_their_size_and_are_the_same_of_the_same_position(name):
    right, positions = load_evaluator(name, OTHELLO), random_positions(OTHELLO, 3000, seed=5)
    wrong = erring(right, OTHELLO, 0.5, seed=1)
    errors = evaluate(wrong, OTHELLO, positions) - evaluate(right, OTHELLO, positions)
    size = 0.5 * spread_of_scores(right, OTHELLO)
    assert np.std(errors) == pytest.approx(size, rel=0.05)
    assert abs(np.mean(errors)) < 0.1 * size
    assert np.array_equal(evaluate(wrong, OTHELLO, positions), evaluate(wrong, OTHELLO, positions))
    elsewhere = evaluate(erring(right, OTHELLO, 0.5, seed=2), OTHELLO, positions)
    assert abs(np.corrcoef(errors, elsewhere - evaluate(right, OTHELLO, positions))[0, 1]) < 0.1
