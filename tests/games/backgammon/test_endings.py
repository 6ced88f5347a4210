"""Solved bearing off of backgammon, against solved races, games played out, and damaged files."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.backgammon.bearoff import THROWS, Tables, number_of, rows_of, size_of
from samuel.games.backgammon.checkers import CHECKERS
from samuel.games.backgammon.endings import count, solve, with_endings
from samuel.games.backgammon.identifiers import words_of
from samuel.games.backgammon.race import expected_points, expected_rolls, winning_chance
from samuel.games.endings import load_endings, save_endings
from samuel.models import evaluate, load_evaluator

GAME = game_named("backgammon")
SIDES = ({1: 1}, {6: 1}, {2: 1, 5: 1}, {3: 2}, {1: 2, 4: 1}, {6: 3}, {2: 2, 3: 1, 6: 1})


@pytest.fixture(scope="module")
def four() -> Tables:
    return solve(4)


@pytest.fixture(scope="module")
def all_of_them() -> Tables:
    return solve(CHECKERS)


def test_each_position_has_its_number_and_every_row_is_a_distribution(all_of_them: Tables) -> None:
    assert count(all_of_them) == 54_264
    assert all_of_them.chances.shape == (54_264 + 15_504, THROWS)
    assert np.allclose(all_of_them.chances.sum(axis=1), 1, atol=1e-5)
    places = itertools.combinations_with_replacement(range(7), 4)  # 0 for those borne off
    sides = [words_of(Counter(place for place in some if place)) for some in places]
    numbers = {number_of(np.uint64(low)) for low, _ in sides}
    assert numbers == set(range(size_of(4)))


def test_the_mean_is_that_of_a_race_solved_by_itself(four: Tables) -> None:
    for side in SIDES:
        words = words_of(side)
        position = Position(GAME, (*words, *words_of({1: 1}), 0), 0)
        mean = four.chances[number_of(np.uint64(words[0]))] @ np.arange(THROWS)
        assert mean == pytest.approx(expected_rolls(position), abs=1e-5)


def test_points_are_close_to_those_of_races_solved_for_both_sides(four: Tables) -> None:
    evaluator = with_endings(load_evaluator("pubeval", GAME), four)
    for mine in SIDES:
        for theirs in SIDES:
            position = Position(GAME, (*words_of(mine), *words_of(theirs), 0), 0)
            (score,) = evaluate(evaluator, GAME, position.row)
            # each side hurries, wherever it stands; that costs a little where it is behind
            assert score == pytest.approx(2 * winning_chance(position) - 1, abs=0.02)


def test_a_gammon_counts_where_no_checker_is_off(all_of_them: Tables) -> None:
    evaluator = with_endings(load_evaluator("pubeval", GAME), all_of_them)
    for mine, theirs, exact in (({1: 2}, {6: 15}, 2.0), ({6: 2}, {1: 15}, None)):
        position = Position(GAME, (*words_of(mine), *words_of(theirs), 0), 0)
        (score,) = evaluate(evaluator, GAME, position.row)
        expected = exact if exact is not None else expected_points(position)
        assert score == pytest.approx(expected, abs=0.01)
    # to move with 15 checkers left against two: bears one off, but for some throws
    position = Position(GAME, (*words_of({6: 15}), *words_of({1: 2}), 0), 0)
    (score,) = evaluate(evaluator, GAME, position.row)
    stays = 19 / 36  # all throws but those with a 6, 51, 42, 22 and 33
    assert score == pytest.approx(-1 - stays, abs=1e-5)


def test_elsewhere_the_evaluator_itself_is_asked(four: Tables) -> None:
    own = load_evaluator("pubeval", GAME)
    evaluator = with_endings(own, four)
    words = words_of({1: 2, 4: 1})
    for row in (
        GAME.row(GAME.start),
        GAME.row((*words, *words, 2 << 3 | 1)),
        GAME.row((*words_of({7: 1}), *words, 0)),
        GAME.row((*words, *words_of({1: 5}), 0)),
    ):
        assert evaluate(evaluator, GAME, row) == evaluate(own, GAME, row)


def test_a_file_reads_back_or_is_refused(tmp_path: Path, four: Tables) -> None:
    save_endings(tmp_path / "four", GAME, four)
    again = load_endings(tmp_path / "four", GAME)
    assert again.pieces == 4
    assert (again.chances == four.chances).all()
    content = (tmp_path / "four").read_bytes()
    (tmp_path / "cut").write_bytes(content[:-1])
    wild = np.frombuffer(content[-4 * THROWS * rows_of(4) :], np.float32).copy()
    wild[5] = np.nan
    (tmp_path / "wild").write_bytes(content[: -len(wild.tobytes())] + wild.tobytes())
    (tmp_path / "other").write_bytes(content.replace(b"backgammon", b"checkers", 1))
    for name, message in (
        ("cut", "cut off"),
        ("wild", "cut off or altered"),
        ("other", "other is not a file of backgammon endings; samuel models"),
    ):
        with pytest.raises(UserError, match=message):
            load_endings(tmp_path / name, GAME)
