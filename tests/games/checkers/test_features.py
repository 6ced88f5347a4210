"""Features of checkers, each counted again in plain Python or on positions made for it."""

from __future__ import annotations

import numpy as np
import pytest

from samuel.features import extract, feature_names, features_named
from samuel.games import Position, game_named
from samuel.models import evaluate, load_evaluator
from samuel.testing import check_evaluator, check_feature
from tests.games.checkers.test_rules import some_positions

GAME = game_named("checkers")


def values_at(name: str, text: str) -> list[float]:
    row = Position.parse(text, GAME).row
    return extract(features_named([name], GAME.name), row.reshape(1, -1))[0].tolist()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("men", "B:W21,22,K3:B1,K2", [1, 2]),
        ("kings", "B:W21,22,K3:B1,K2", [1, 1]),
        ("adv", "B:W16,32:B9,17", [0, 1]),  # 9 is on its 3rd row, 17 on its 5th; 16 on White's 5th
        ("apex", "B:W7:B12", [-1, 0]),
        ("apex", "B:W7:B12,26", [0, 0]),
        ("apex", "B:W7:B12,K26", [0, 0]),
        ("back", "B:W30,32:B1,3,5", [1, 1]),
        ("back", "B:W30,32,K9:B1,3,5", [0, 1]),
        ("cent", "B:W18,K19:B14,15", [2, 1]),
        ("cntr", "B:W32:B14", [2, 0]),
        ("corn", "B:W20:BK31,K30", [0, 0]),
        ("corn", "B:WK27:BK9,K10", [0, 1]),
        ("cramp", "B:W17,21,22,25:B13,9", [2, 0]),
        ("cramp", "W:W20,24:B8,11,12,16", [2, 0]),
        ("dia", "B:W29:B1,6,12", [2, 0]),
        ("dyke", "B:W32:B9,14,18", [1, 0]),
        ("expos", "B:W32:B15", [1, 0]),
        ("gap", "B:W32:B9,18", [3, 1]),
        ("guard", "B:W32:B2,3,7", [1, 0]),
        ("hole", "B:W32:B6,7,14", [1, 0]),
        ("kcent", "B:W32:BK10,15,K31", [1, 0]),
        ("mob", "B:W32:B1,K14", [6, 2]),
        ("move", "B:W32:B1", [1, 1]),
        ("node", "B:W32:B10,15", [2, 0]),
        ("oreo", "W:W26,30,31:B1", [1, 0]),
        ("pole", "B:W32:B10,15", [0, 0]),
        ("pole", "B:W32:B10", [1, 0]),
        ("thret", "B:W18:B9", [1, 1]),
        ("advancement", "B:W32:B1,9,28", [8, 0]),
        ("back_row", "B:W29,31,21:B1,2", [2, 2]),
        ("runaways", "B:W29:B20", [4, 0]),
        ("protected", "B:W32:B1,6,10", [2, 0]),
        ("trapped_kings", "B:W5,6,10:BK1", [1, 0]),
        ("crownings", "B:W18:B27,28", [2, 0]),
        ("takes", "B:W15:B11", [1, 1]),
        ("tempo", "B:W32:B1,9", [-2]),
        ("is_ahead", "B:W32:B1,9", [1]),
        ("exchange", "B:W32:B1,9", [np.float32(2 / 7)]),
        ("stuck", "W:W32:B27,28,23,24", [1, 0]),
    ],
)
def test_values(name: str, text: str, expected: list[float]) -> None:
    assert values_at(name, text) == expected


@pytest.mark.slow
def test_every_feature_is_checked_and_told() -> None:
    for one in features_named(feature_names(GAME.name), GAME.name):
        check_feature(one)
        assert one.about


def test_either_side_reads_the_same() -> None:
    """What the opponent reads is what the player reads when it is the opponent's turn."""
    features = features_named(feature_names(GAME.name), GAME.name)
    both = [f for f in features if len(f.columns) == 2]
    for position in some_positions(100):
        men, theirs, kings, their_kings, turn = position.words
        flip = lambda word: int(f"{word:035b}"[::-1], 2)  # noqa: E731
        other = [flip(theirs), flip(men), flip(their_kings), flip(kings), 1 - turn]
        rows = np.array([position.words, other], np.uint64)
        values = extract(both, rows).reshape(2, -1, 2)
        assert (values[0] == values[1][:, ::-1]).all()


@pytest.mark.parametrize("name", ["classic", "material"])
def test_evaluators(name: str) -> None:
    evaluator = load_evaluator(name, GAME)
    check_evaluator(evaluator, GAME)
    rows = np.array([Position.parse(f"B:W21,22,32:B1,{own}", GAME).words for own in ("2", "2,3,4")])
    fewer, more = evaluate(evaluator, GAME, rows)
    assert -1 < fewer < 0 < more < 1
