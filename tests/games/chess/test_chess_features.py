"""Features of chess against plain Python, and from either side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samuel.features import column_names, extract, feature_names, features_named
from samuel.games import Position, game_named
from samuel.games.feature import Feature
from samuel.games.playing import random_positions
from samuel.games.rows import are_possible
from samuel.kernels.jit import jit
from samuel.models.evaluate import evaluate
from samuel.models.named import handmade, handmade_model
from samuel.testing import check_feature

GAME = game_named("chess")
NAMES = feature_names("chess")
POSITIONS = random_positions(GAME, 300, seed=7, max_plies=160)
FILES = "abcdefgh"


def of(name: str, fen: str) -> dict[str, float]:
    """Return the numbers of a feature in a position, by the names of its columns."""
    (feature,) = features_named([name], "chess")
    words = np.array([Position.parse(fen, GAME).words], np.uint64)
    values = extract([feature], words)[0].tolist()
    columns = [column.removeprefix(f"{name}_") for column in feature.columns]
    return {column: value for column, value in zip(columns, values, strict=True) if value}


@pytest.mark.parametrize("name", NAMES)
def test_a_feature_keeps_the_contract(name: str) -> None:
    check_feature(features_named([name], "chess")[0])


def test_the_other_side_sees_every_number_negated() -> None:
    turned = POSITIONS.copy()
    swapped = POSITIONS[:, :12].byteswap()
    turned[:, 0:12:2], turned[:, 1:12:2] = swapped[:, 1::2], swapped[:, 0::2]
    turned[:, 12] = 0
    may_be = are_possible(GAME, turned)
    assert may_be.sum() > 200
    features = features_named([name for name in NAMES if name != "tempo"], "chess")
    mine, theirs = extract(features, POSITIONS[may_be]), extract(features, turned[may_be])
    assert np.allclose(mine, -theirs, atol=1e-4)


def test_a_feature_that_sums_its_numbers_sums_them_as_they_are() -> None:
    (feature,) = features_named(["piece_squares"], "chess")
    weights = np.random.default_rng(1).normal(size=len(feature.columns)).astype(np.float32)
    assert isinstance(feature, Feature)
    summed: Any = feature.summed

    @jit
    def total(position: Any, numbers: Any) -> float:
        return summed(position, numbers)

    expected = extract([feature], POSITIONS) @ weights
    found = [total(row, weights) for row in POSITIONS]
    assert found == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("name", ["classic", "pesto", "material"])
def test_a_hand_made_evaluator_is_its_weights_times_its_features(name: str) -> None:
    model = handmade_model(name, GAME)
    assert model is not None
    columns = extract(model.features, POSITIONS).astype(float)
    weights = np.array([block.weights for block in model.blocks], float)
    pieces = np.bitwise_count(POSITIONS).astype(int)
    phase = pieces[:, 2] + pieces[:, 3] + pieces[:, 4] + pieces[:, 5]
    phase = np.minimum(24, phase + 2 * (pieces[:, 6] + pieces[:, 7]))
    queens = pieces[:, 8] + pieces[:, 9]
    phase = np.minimum(24, phase + 4 * queens)[:, None] / 24
    scores = columns @ weights.T
    expected = scores[:, 0] if len(weights) == 1 else None
    if expected is None:
        expected = (scores[:, :1] * (1 - phase) + scores[:, 1:] * phase)[:, 0]
    assert evaluate(handmade(name, GAME), GAME, POSITIONS) == pytest.approx(expected, abs=2e-3)


def test_material_and_squares_are_counted() -> None:
    fen = "4k3/p7/8/8/8/8/PPN5/4K3 w - -"
    assert of("material", fen) == {"pawn": 1, "knight": 1}
    squares = {"pawn_b2": 1, "knight_c2": 1}  # a2 and a7, and the kings, stand for each other
    assert of("piece_squares", fen) == squares
    black = {"pawn_b2": -1, "knight_c2": -1}
    assert of("piece_squares", fen.replace(" w ", " b ")) == black
    assert of("bishop_pair", "2b1k3/8/8/8/8/8/8/2B1KB2 w - -") == {"bishop_pair": 1}


def test_pawns_are_told_apart() -> None:
    assert of("pawns", "4k3/8/8/8/8/8/P7/4K3 w - -") == {"passed_2": 1, "isolated": 1}
    assert of("pawns", "4k3/1p6/8/8/P7/8/8/4K3 w - -") == {}  # neither is passed, both are alone
    doubled = of("pawns", "4k3/8/8/8/8/P7/P7/4K3 w - -")
    assert doubled == {"passed_3": 1, "isolated": 2, "doubled": 1}
    chain = of("pawns", "4k3/8/8/8/3P4/2P5/8/4K3 w - -")
    assert chain == {"passed_4": 1, "passed_3": 1, "defended": 1}
    assert of("pawns", "4k3/8/8/8/2PP4/8/8/4K3 w - -")["phalanx"] == 2
    backward = of("pawns", "4k3/8/8/3p4/1P6/2P5/8/4K3 w - -")
    assert backward["backward"] == 1


def test_passed_pawns_look_ahead() -> None:
    found = of("passers", "8/4k3/8/P7/8/8/R7/4K3 w - -")
    assert found == {"free": 2, "own_king": 5, "their_king": 4, "rook_behind": 1}
    assert "free" not in of("passers", "8/8/n7/P7/8/8/8/K6k w - -")


def test_places_are_told() -> None:
    assert of("rooks", "4k3/8/8/8/8/8/1p6/RR2K3 w - -") == {"open": 1, "half_open": 1}
    assert of("rooks", "4k3/R7/8/8/8/8/8/4K3 w - -") == {"open": 1, "seventh": 1}
    assert of("outposts", "4k3/8/8/3N4/4P3/8/8/4K3 w - -") == {"knight": 1}
    assert of("outposts", "4k3/2p5/8/3N4/4P3/8/8/4K3 w - -") == {}
    sheltered = of("shelter", "4k3/8/8/8/8/8/5PPP/6K1 w - -")
    assert sheltered == {"near": 3, "open": -3}


def test_activity_counts_attacks() -> None:
    knight = of("activity", "4k3/8/8/8/8/8/8/N3K3 w - -")
    assert knight["mobility_knight"] == 2
    pinned = of("activity", "4k3/8/8/3n4/4P3/8/8/4K3 w - -")
    assert pinned["threat_pawn"] == 1
    assert pinned["hanging"] == 1
    danger = of("activity", "6k1/4R3/8/8/8/5Q2/8/7K w - -")
    assert danger["king_attackers"] == 2
    assert danger["king_danger"] > 0


def test_columns_have_a_name_each() -> None:
    names = column_names(features_named(NAMES, "chess"))
    assert len(names) == len(set(names)) == 414
