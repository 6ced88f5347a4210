"""Words that are no position of a game are refused at every door, before a kernel sees them."""

from typing import Any

import numpy as np
import pytest

from samuel.errors import UserError
from samuel.features import Features, Patterns, Positions
from samuel.games import Position, game_named, game_names
from samuel.games.catalog import is_of_the_package
from samuel.games.feature import feature_names
from samuel.games.playing import random_positions
from samuel.games.rows import are_possible
from samuel.models import PatternRegressor, evaluate

OURS = [name for name in game_names() if is_of_the_package(name)]
"""Other modules of tests register more games."""


def _impossible(name: str) -> Any:
    """Return rows of ones and of chance, and of zeros where the game has no such position."""
    game = game_named(name)
    random = np.random.default_rng(1).integers(0, 2**64, (2, game.words), dtype=np.uint64)
    rows = np.vstack([np.full((1, game.words), 2**64 - 1, np.uint64), random])
    nothing = np.zeros((1, game.words), np.uint64)
    return rows if are_possible(game, nothing)[0] else np.vstack([rows, nothing])


@pytest.mark.parametrize("name", OURS)
def test_impossible_positions_are_refused_at_every_door(name: str) -> None:
    game = game_named(name)
    sound = random_positions(game, 20, seed=1)
    features = Features(feature_names(name), game=name)
    doors = [
        lambda X: Position(game, tuple(X[0].tolist())),
        lambda X: evaluate("zero", game, X),
        features.fit,
        features.transform,
        Positions(name).fit,
        Positions(name).fit(sound).transform,
    ]
    features.fit(sound)
    if game.board is not None:
        fitted = PatternRegressor(game=name)
        doors += [lambda X: fitted.fit(X, np.zeros(len(X))), Patterns(game=name).fit]
    for row in _impossible(name):
        for number, door in enumerate(doors):
            with pytest.raises(UserError, match="is no position of"):
                door(row[None])
                pytest.fail(f"door {number} took {row}")


@pytest.mark.parametrize("name", OURS)
def test_what_no_game_reaches_but_may_be_held_ends_no_process(name: str) -> None:
    """An empty board is held by the notation of many games."""
    game = game_named(name)
    nothing = np.zeros((1, game.words), np.uint64)
    if are_possible(game, nothing)[0]:
        assert len(Features(feature_names(name), game=name).fit_transform(nothing)) == 1


@pytest.mark.parametrize("name", ["othello", "checkers"])
def test_negative_words_are_refused_but_in_an_array_of_int64(name: str) -> None:
    game = game_named(name)
    words = [-1, *[0] * (game.words - 1)]
    for given in ([words], [tuple(words)], np.array([words], object), [np.array(words)]):
        with pytest.raises(ValueError, match="from 0 to"):
            game.rows(given)
    with pytest.raises(ValueError, match="from 0 to"):
        Position(game, tuple(words))
    assert game.rows(np.array([words]))[0, 0] == 2**64 - 1


def test_masked_words_and_differences_of_times_are_refused() -> None:
    game = game_named("othello")
    rows = np.array([game.start], np.uint64)
    with pytest.raises(ValueError, match="masked"):
        game.rows(np.ma.array(rows, mask=[[False, True]]))
    assert np.array_equal(game.rows(np.ma.array(rows)), rows)
    with pytest.raises(ValueError, match="not timedelta64"):
        game.rows(rows.astype("m8[ns]"))


def test_a_move_checks_no_position_again(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Position.start("othello")
    monkeypatch.setattr("samuel.games.position.possible_rows", None)
    assert place.play("d3").side == 1
