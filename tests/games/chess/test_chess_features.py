"""Features of chess against plain Python, and from either side."""

from __future__ import annotations

import numpy as np
import pytest

from samuel.features import extract, feature_names, features_named
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.games.rows import are_possible
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


def test_activity_counts_attacks() -> None:
    knight = of("activity", "4k3/8/8/8/8/8/8/N3K3 w - -")
    assert knight["mobility_knight"] == 2
    pinned = of("activity", "4k3/8/8/3n4/4P3/8/8/4K3 w - -")
    assert pinned["threat_pawn"] == 1
    assert pinned["hanging"] == 1
    danger = of("activity", "6k1/4R3/8/8/8/5Q2/8/7K w - -")
    assert danger["king_attackers"] == 2
    assert danger["king_danger"] > 0
