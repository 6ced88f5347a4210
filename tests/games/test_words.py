"""Every door that takes positions refuses arrays that cannot hold them, in one sentence."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from samuel.features import Features, Patterns, Positions, extract, features_named
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.games.rows import ImpossibleError, left_of, successors
from samuel.games.symmetry import canonical, canonical_keys
from samuel.learning.probcut import fit_probcut
from samuel.models import PatternRegressor, evaluate, load_evaluator
from samuel.search import search, solve
from samuel.selfplay.data.shard import word_columns, words_in

OTHELLO = game_named("othello")
POSITIONS = random_positions(OTHELLO, 40, seed=3)
DOORS: dict[str, Callable[[Any], Any]] = {
    "rows": OTHELLO.rows,
    "evaluate": lambda X: evaluate("classic", OTHELLO, X),
    "extract": lambda X: extract(features_named(["mobility"]), X),
    "Features.fit": lambda X: Features(["mobility"]).fit(X),
    "Features.transform": lambda X: Features(["mobility"]).fit(POSITIONS).transform(X),
    "Patterns": lambda X: Patterns().fit(POSITIONS).transform(X),
    "Positions": lambda X: Positions().fit(POSITIONS).transform(X),
    "PatternRegressor.fit": lambda X: PatternRegressor().fit(X, np.zeros(len(X))),
    "fit_probcut": lambda X: fit_probcut(load_evaluator("classic"), OTHELLO, X),
    "canonical": lambda X: canonical(OTHELLO, X),
    "canonical_keys": lambda X: canonical_keys(OTHELLO, X),
    "left_of": lambda X: left_of(OTHELLO, X),
    "successors": lambda X: successors(OTHELLO, X).moves,
    "words_in": lambda X: words_in(pd.DataFrame(X, columns=word_columns(OTHELLO)), OTHELLO),
    "moves_in": lambda X: OTHELLO.moves_in(X[0]),
    "search": lambda X: search(Position(OTHELLO, tuple(X[0])), "classic", depth=1),
    "solve": lambda X: solve(Position(OTHELLO, tuple(X[0])), "classic"),
}

OF_COLUMNS = ("words_in", "moves_in")
"""Doors whose words are looked at elsewhere: by who opens a dataset, and by `Position`."""
OF_WORDS = ("words_in", "moves_in", "search", "solve", "fit_probcut")
"""Doors that take words of columns, one row, a Position already, or more positions than these."""


@pytest.mark.parametrize("door", DOORS)
def test_floats_are_refused_by_every_door(door: str) -> None:
    with pytest.raises(ValueError, match=r"uint64 words, not float64; .* TrainingData.positions"):
        DOORS[door](POSITIONS.astype(np.float64))


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (POSITIONS.astype(np.float32), "not float32"),
        (POSITIONS.astype(object) + 0.5, "not float"),
        (POSITIONS > 5, "not bool"),
        (np.array([[-1, 0]], np.int8), "from 0 to .*, not -1"),
        ([[1 << 64, 0]], "from 0 to 2"),
        ([["a", "b"]], "uint64 words"),
        (pd.DataFrame({"p": [1.0, np.nan], "o": [2, 3]}), "not float64"),
        (POSITIONS[:, :1], r"array \(n, 2\)"),
        (POSITIONS[None], r"array \(n, 2\)"),
        ([[3, 1]], "row 0 is no position of othello"),
        ([[1, 2], [6, 2]], "row 1 is no position of othello"),
    ],
)
def test_what_else_is_no_position_is_refused(given: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        evaluate("classic", OTHELLO, given)


@pytest.mark.parametrize("door", [door for door in DOORS if door not in {"rows", *OF_COLUMNS}])
def test_what_no_board_can_hold_is_refused_by_every_door(door: str) -> None:
    with pytest.raises(ImpossibleError, match="row 0 is no position of othello"):
        DOORS[door](np.array([[3, 1], *POSITIONS], np.uint64))


@pytest.mark.parametrize("door", [door for door in DOORS if door not in OF_WORDS])
def test_position_objects_are_taken_by_every_door(door: str) -> None:
    objects = [Position(OTHELLO, tuple(row)) for row in POSITIONS.tolist()]
    expected, found = DOORS[door](POSITIONS), DOORS[door](objects)
    if isinstance(expected, np.ndarray):
        assert np.array_equal(found, expected)


def test_one_position_and_arrays_of_some_are_taken_and_other_games_refused() -> None:
    start, other = Position.start(), Position.start("connect_four")
    assert evaluate("classic", "othello", start) == evaluate("classic", OTHELLO, [start.words])[0]
    pair = [start, start.play("f5")]
    words = [position.words for position in pair]
    for given in (pair, tuple(pair), pd.Series(pair), np.array(pair, object), [pair[0], words[1]]):
        assert np.array_equal(OTHELLO.rows(given), words)
        assert np.array_equal(
            evaluate("classic", OTHELLO, given), evaluate("classic", OTHELLO, words)
        )
    with pytest.raises(ValueError, match="position 1 is one of connect_four, not of othello"):
        evaluate("classic", OTHELLO, [start, other])


@pytest.mark.parametrize(
    "same",
    [
        POSITIONS.astype(np.int64),
        POSITIONS.tolist(),
        POSITIONS.astype(object),
        pd.DataFrame(POSITIONS),
        np.asfortranarray(POSITIONS),
        POSITIONS.astype(">u8"),
    ],
)
def test_whole_words_are_taken_however_they_come(same: Any) -> None:
    assert np.array_equal(OTHELLO.rows(same), POSITIONS)


def test_small_and_large_words_in_one_list_are_exact() -> None:
    """Numpy makes floats of them."""
    words = [[1, (1 << 63) + 1]]
    assert np.array(words).dtype == np.float64
    assert OTHELLO.rows(words).tolist() == words


def test_a_position_has_as_many_words_as_its_game() -> None:
    with pytest.raises(ValueError, match=r"array \(n, 2\)"):
        search(Position(OTHELLO, (1,)), "classic", depth=1)
