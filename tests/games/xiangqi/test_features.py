"""Features and evaluators of xiangqi, on positions made for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samuel.features import extract, feature_names, features_named
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.games.rows import images
from samuel.models import evaluate, load_evaluator
from samuel.search import SearchOptions, analyse
from samuel.testing import check_evaluator
from tests.minimax import minimax

GAME = game_named("xiangqi")
MOST_NODES = 3_000_000
ATTACKED = "3ak4/4a4/4b4/9/4C4/9/4p4/9/3p5/R4K3 w"


def values_at(name: str, text: str) -> dict[str, float]:
    (made,) = features_named([name], GAME.name)
    row = Position.parse(text, GAME).row
    values = extract([made], row.reshape(1, -1))[0].tolist()
    named = zip(made.columns, values, strict=True)
    return {column.removeprefix(f"{name}_"): value for column, value in named if value}


def turned(text: str) -> str:
    """Return a FEN with the sides exchanged and the board turned by half."""
    board, side = text.split()
    return f"{board[::-1].swapcase()} {'b' if side == 'w' else 'w'}"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "material",
            {"advisor": -2, "elephant": -1, "chariot": 1, "cannon": 1, "soldier": -2},
        ),
        ("crossed", {"opponent": 2}),
        (
            "piece_squares",
            {
                **{"general_d1": 1, "general_e1": -1, "chariot_a1": 1, "cannon_e6": 1},
                **{"advisor_d1": -1, "advisor_e2": -1, "elephant_e3": -1},
                **{"soldier_e7": -1, "soldier_d9": -1},
            },
        ),
        (
            # the cannon: down to e5, aside on eight squares, up to e7, and over e8 the advisor
            "mobility",
            {"chariot": 13, "cannon": 11},
        ),
        (
            "imbalance",
            {
                **{"advisor_and_advisor": -4, "elephant_and_elephant": -1},
                **{"chariot_and_chariot": 1, "cannon_and_cannon": 1, "soldier_and_soldier": -4},
                **{"advisor_and_elephant": -2, "advisor_and_soldier": -4},
                **{"elephant_and_soldier": -2, "chariot_and_cannon": 1},
                **{"advisor_against_chariot": -2, "advisor_against_cannon": -2},
                **{"elephant_against_chariot": -1, "elephant_against_cannon": -1},
                **{"chariot_against_soldier": 2, "cannon_against_soldier": 2},
            },
        ),
        ("bared", {"player": 8, "opponent": 3}),
    ],
)
def test_values(name: str, expected: dict[str, float]) -> None:
    assert values_at(name, ATTACKED) == expected


def test_a_hollow_cannon_has_no_piece_before_the_general() -> None:
    """A cannon of the mover, one of the opponent; a horse in between makes it a check."""
    assert values_at("hollow_cannon", "4k4/9/9/4C4/9/9/9/9/9/3K5 w") == {"player": 1}
    assert values_at("hollow_cannon", "3k5/9/9/9/4c4/9/9/9/9/4K4 w") == {"opponent": 1}
    assert values_at("hollow_cannon", "4k4/4N4/9/4C4/9/9/9/9/9/3K5 b") == {}


def test_either_side_and_either_image_read_the_same() -> None:
    features = features_named(feature_names(GAME.name), GAME.name)
    rows = random_positions(GAME, 60, seed=3, max_plies=150)
    texts = [Position(GAME, tuple(row.tolist()), int(row[-1])).text for row in rows]
    values = extract(features, rows)
    exchanged = np.array([Position.parse(turned(text), GAME).row for text in texts])
    assert (extract(features, exchanged) == values).all()
    mirrored = np.stack([images(GAME, row)[1] for row in rows])
    assert (extract(features, mirrored) == values).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["classic", "material"])
def test_evaluators(name: str) -> None:
    evaluator = load_evaluator(name, GAME)
    check_evaluator(evaluator, GAME)
    texts = [
        "3k5/9/9/9/9/9/9/9/9/R3K4 w",
        "3k5/9/9/9/9/9/9/9/9/N3K4 w",
        "r3k4/9/9/9/9/9/9/9/9/3K5 w",
    ]
    rows = np.array([Position.parse(text, GAME).words for text in texts])
    chariot, horse, behind = evaluate(evaluator, GAME, rows)
    assert -GAME.scores.max_utility < behind < 0 < horse < chariot < GAME.scores.max_utility


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [8, pytest.param(30, marks=pytest.mark.slow)], ids=["some", "30"]
)
def test_the_search_of_full_width_is_minimax(number: int) -> None:
    full_width = replace(
        SearchOptions(),
        **dict.fromkeys(("null_move", "check_extensions", "futility", "exchange"), False),
    )
    evaluator, checked = load_evaluator("material", GAME), 0
    for k, row in enumerate(random_positions(GAME, number, seed=2, max_plies=200)):
        position, depth = Position(GAME, tuple(row.tolist()), int(row[-1])), 1 + k % 2
        expected = minimax(position, evaluator, depth, budget=MOST_NODES)
        if expected is None:
            continue  # captures upon captures
        checked += 1
        for options in (full_width, SearchOptions.none()):
            assert analyse(position, evaluator, depth=depth, options=options).score == expected
    assert checked > number / 3
