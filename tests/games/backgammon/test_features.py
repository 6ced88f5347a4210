"""Features and evaluators of backgammon against known values and counts of their own.

Shots and escapes against the published table, and against the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from samuel.features import Feature, extract, features_named
from samuel.games import Position, game_named
from samuel.games.backgammon.checkers import BAR, DICE, THEIRS, count_at, has_contact
from samuel.games.backgammon.identifiers import checkers_of, words_of
from samuel.games.backgammon.pubeval import pubeval_score
from samuel.games.backgammon.rules import GAME
from samuel.games.playing import random_positions
from samuel.kernels.jit import jit
from samuel.testing import ContractError, check_feature

ROWS = random_positions(GAME, 400, seed=8, max_plies=150)
COUNTS = ("pips", "blots", "prime")


def counted(places: list[int]) -> list[int]:
    """Return the counts of a side in plain Python, in the order of COUNTS."""
    made = [n > 1 for n in places[1:25]]
    runs = "".join("x" if one else " " for one in made).split()
    return [
        sum(place * n for place, n in enumerate(places)),
        sum(n == 1 for n in places[1:25]),
        max(map(len, runs), default=0),
    ]


def test_counts() -> None:
    values = extract(features_named(COUNTS, GAME.name), ROWS)
    for row, found in zip(ROWS, values, strict=True):
        sides = [counted(checkers_of(row[0], row[1])), counted(checkers_of(row[2], row[3]))]
        assert found.tolist() == [n for both in zip(*sides, strict=True) for n in both]


def test_the_inputs_of_td_gammon() -> None:
    (made,) = features_named(["tesauro"], GAME.name)
    assert len(made.columns) == 198
    (values,) = extract([made], GAME.row(GAME.start)[None])
    named = dict(zip(made.columns, values.tolist(), strict=True))
    for side in ("player", "opponent"):
        units = [named[f"tesauro_{side}_13_{unit}"] for unit in ("1", "2", "3", "more")]
        assert units == [1, 1, 1, 1]
        assert [named[f"tesauro_{side}_24_{unit}"] for unit in ("1", "2", "3", "more")] == [
            1,
            1,
            0,
            0,
        ]
        assert [named[f"tesauro_{side}_{name}"] for name in ("bar", "off")] == [0, 0]
    assert (named["tesauro_player_to_move"], named["tesauro_opponent_to_move"]) == (1, 0)
    assert values.sum() == 2 * (2 + 4 + 3 + 4) + 1  # five checkers make four ones, three make three


def larger_die(position: Any) -> int:
    return int(position[DICE] >> np.uint64(3))


def test_a_feature_that_looks_at_the_dice_does_not_ignore_them() -> None:
    looks = Feature("larger_die", GAME.name, ("larger_die",), jit(larger_die), scalar=True)
    check_feature(looks)
    with pytest.raises(ContractError, match=r"larger_die, .* does not ignore chance"):
        check_feature(replace(looks, ignores_chance=True))


def test_pubeval_of_the_start_is_as_published() -> None:
    words = GAME.row(GAME.start)[:4]
    # as GNU Backgammon's copy of it, scored for the side that is not to move
    assert pubeval_score(*words[2:], *words[:2], True) == pytest.approx(6.84055, abs=1e-5)


@pytest.mark.slow
def test_ten_thousand_positions_as_gnu_backgammon_has_them() -> None:
    """Plays, identifiers and pubeval of PyPI's gnubg-nn, where it is installed."""
    gnubg = pytest.importorskip("gnubg_nn")
    game, throws = game_named("backgammon"), np.random.default_rng(2)
    for row in random_positions(game, 10_000, seed=9, max_plies=150):
        mine, theirs = checkers_of(row[0], row[1]), checkers_of(row[2], row[3])
        board = [theirs[1:], mine[1:]]
        larger, smaller = sorted(throws.integers(1, 7, 2).tolist(), reverse=True)
        row[4] = larger << 3 | smaller
        text = game.notation.write(tuple(map(int, row)), 0)
        assert gnubg.position_id(board) == text.split()[0]
        keys = gnubg.moves(board, larger, smaller)
        expected = {tuple(map(tuple, gnubg.board_from_position_key(key))) for key in keys} or {
            tuple(map(tuple, board))
        }
        children = [game.child_of(row, int(move)) for move in game.moves_in(row)]
        sides = [(checkers_of(c[0], c[1])[1:], checkers_of(c[2], c[3])[1:]) for c in children]
        assert {(tuple(a), tuple(b)) for a, b in sides} == expected, text
        score = pubeval_score(*row[2:4], *row[:2], bool(has_contact(row)))
        assert score == pytest.approx(gnubg.pub_eval_score(board), abs=1e-4), text


TABLE = {
    **{1: 11, 2: 12, 3: 14, 4: 15, 5: 15, 6: 17, 7: 6, 8: 6, 9: 5, 10: 3, 11: 2, 12: 3},
    **{13: 0, 14: 0, 15: 1, 16: 1, 17: 0, 18: 1, 19: 0, 20: 1, 21: 0, 22: 0, 23: 0},
}
"""Rolls of 36 that hit one blot so many places away with nothing between (Magriel 1976)."""


def rolls(name: str, row: Sequence[int]) -> list[float]:
    """Return a feature of a position in rolls of 36: the player's, the opponent's."""
    (found,) = extract(features_named([name], GAME.name), np.array([row], np.uint64))
    return [round(36 * float(share), 4) for share in found]


def lone(place: int) -> tuple[int, int]:
    """Return the words of a side with one checker, the others off."""
    low, high = words_of({place: 1})
    return low, high


@pytest.mark.parametrize(("made", "count"), [((2,), 17), ((2, 6), 15), ((3, 5), 14)])
def test_points_that_are_made_block_shots(made: tuple[int, ...], count: int) -> None:
    blocks = words_of({7: 1} | dict.fromkeys(made, 2))  # the blot is six away
    assert rolls("shots", (*lone(24), *blocks, 0))[0] == count


def hitting(row: np.ndarray) -> int:
    """Return how many rolls of 36 have a play that hits, by the rules."""
    start = Position(GAME, (*(int(word) for word in row[:4]), 0))
    total = 0
    for throw, weight in start.outcomes():
        rolled = start.play(throw)
        before = count_at(*row[THEIRS : THEIRS + 2], BAR)
        after = (rolled.play(play).row for play in rolled.legal_moves())
        total += weight * any(count_at(child[0], child[1], BAR) > before for child in after)
    return total


@pytest.mark.slow
def test_shots_are_those_of_the_rules() -> None:
    rows = random_positions(GAME, 20, seed=3, max_plies=120)
    shots = [rolls("shots", row)[0] for row in rows]
    by_rules = [hitting(row) for row in rows]
    assert all(found >= true for found, true in zip(shots, by_rules, strict=True))
    assert np.mean(np.array(shots) == by_rules) > 0.9  # the others need one die left unplayed
    assert sum(rows[:, 1] >> np.uint64(36) > 0) > 0  # some are on the bar
