"""Features against slow plain references; names, digests, the scikit-learn transformer."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel.common.errors import UserError
from samuel.features import (
    Features,
    column_names,
    extract,
    feature,
    feature_names,
    features_digest,
    features_named,
)
from samuel.games import game_named
from samuel.games.connect_four.rules import BITS as CONNECT_FOUR_BITS
from samuel.games.playing import random_positions
from samuel.games.rows import images
from samuel.kernels.bits import popcount
from samuel.models import compile_model
from tests.rarely import rarely_but

OTHELLO = game_named("othello")
SIZES = {"othello": 8, "othello_6x6": 6, "othello_4x4": 4}
SLOW_BUT_ONE = rarely_but(SIZES, "othello")
PLACES = {game: random_positions(game_named(game), 300, seed=11) for game in SIZES}
POSITIONS = PLACES["othello"]


def values_of(name: str, game: str = "othello", positions: Any = POSITIONS) -> Any:
    return extract(features_named([name], game), positions)


@pytest.mark.parametrize("game", SIZES)
def test_square_classes_are_sums_over_the_images_of_a_square(game: str) -> None:
    rules = game_named(game)
    columns = column_names(features_named(["square_classes"], game))
    bits = dict(zip(rules.squares, rules.board.bits, strict=True))
    place = {bit: k for k, bit in enumerate(bits.values())}
    found = values_of("square_classes", game, PLACES[game])
    by_square = values_of("squares", game, PLACES[game])
    for k, column in enumerate(columns):
        word = 1 << bits[column.removeprefix("square_classes_")]
        orbit = {int(image).bit_length() - 1 for image in images(rules, (word, 0))[:, 0]}
        squares = [place[bit] for bit in orbit]
        assert np.array_equal(found[:, k], by_square[:, squares].sum(axis=1)), column
    assert np.array_equal(found.sum(axis=1), by_square.sum(axis=1)), "a square in no class"


def test_stability_counts_the_stable_discs() -> None:
    full = np.array([[0x00000000000000FF, 0x8100000000000000]], np.uint64)
    assert values_of("stability", positions=full).tolist() == [[8, 2]]
    swapped = values_of("stability", positions=np.ascontiguousarray(POSITIONS[:, ::-1]))
    assert np.array_equal(values_of("stability"), swapped[:, ::-1])


@pytest.mark.parametrize("game", SLOW_BUT_ONE)
def test_features_of_othello_are_invariant_under_symmetries(game: str) -> None:
    features = features_named(feature_names(game), game)
    names = np.array(column_names(features))
    for row in PLACES[game][:60]:
        values = extract(features, images(game_named(game), row))
        varying = names[np.any(values != values[0], axis=0)]
        assert all(name.startswith("squares_") for name in varying), varying


@pytest.mark.parametrize(
    ("game", "bits"),
    [("othello", range(64)), ("connect_four", CONNECT_FOUR_BITS), ("tic_tac_toe", range(9))],
)
def test_the_feature_squares_is_permuted_by_symmetries(game: str, bits: Any) -> None:
    rules = game_named(game)
    assert tuple(rules.board.bits) == tuple(bits)
    for row in random_positions(rules, 30, seed=3):
        values = values_of("squares", game, images(rules, row))
        for symmetry, moved in zip(rules.symmetries, values, strict=True):
            assert np.array_equal(moved[symmetry], values[0])


def test_threats_by_cell_are_mirrored_with_the_board() -> None:
    rules = game_named("connect_four")
    positions = random_positions(rules, 60, seed=3)
    assert values_of("threats", rules.name, positions).any()
    for row in positions:
        values = values_of("threats", rules.name, images(rules, row)).reshape(2, 4, -1)
        assert np.array_equal(values[1][:, rules.symmetries[1]], values[0])


LINES = {
    "connect_four": (7, 6, 4, 3, lambda column, row: 7 * column + row),
    "tic_tac_toe": (3, 3, 3, 2, lambda column, row: 3 * row + column),
}


@pytest.mark.parametrize("game", LINES)
def test_open_lines_equal_a_plain_count(game: str) -> None:
    columns, rows, length, longest, bit_of = LINES[game]
    lines = [
        [bit_of(c + k * dc, r + k * dr) for k in range(length)]
        for c in range(columns)
        for r in range(rows)
        for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
        if 0 <= c + (length - 1) * dc < columns and 0 <= r + (length - 1) * dr < rows
    ]
    assert len(lines) == {"connect_four": 69, "tic_tac_toe": 8}[game]
    positions = random_positions(game_named(game), 200, seed=5)
    for row, found in zip(positions, values_of("open_lines", game, positions), strict=True):
        counts = np.zeros((2, longest), int)
        for line in lines:
            stones = [sum(int(word) >> bit & 1 for bit in line) for word in row]
            for side in (0, 1):
                if stones[side] and not stones[1 - side]:
                    counts[side, min(stones[side], longest) - 1] += 1
        assert np.array_equal(found, counts.ravel())


@pytest.mark.parametrize("game", ["connect_four", "tic_tac_toe"])
def test_features_of_lines_are_invariant_under_symmetries(game: str) -> None:
    rules = game_named(game)
    features = features_named(feature_names(game), game)
    names = np.array(column_names(features))
    for row in random_positions(rules, 60, seed=6):
        values = extract(features, images(rules, row))
        varying = names[np.any(values != values[0], axis=0)]
        assert all(name.startswith(("squares_", "threats_")) for name in varying), varying


def test_names_of_columns() -> None:
    features = features_named(["mobility", "parity", "disc_difference"])
    assert column_names(features) == [
        "mobility_player",
        "mobility_opponent",
        "parity_odd_regions",
        "parity_odd_empties",
        "disc_difference",
    ]
    assert column_names(features_named(["squares"]))[:2] == ["squares_a1", "squares_b1"]


def defined_anew(body: Callable[[Any], Any], name: str) -> str:
    body.__name__ = body.__qualname__ = name
    return features_digest((feature()(body),))


def test_the_digest_stays_when_a_feature_is_only_rewritten() -> None:
    def doubled(position: Any) -> float:
        return popcount(position[0]) * 2

    def written_otherwise(position: Any) -> float:
        total = 0
        for _ in range(2):
            total += popcount(position[0])
        return total

    def tripled(position: Any) -> float:
        return popcount(position[0]) * 3

    first = defined_anew(doubled, "weight")
    assert defined_anew(written_otherwise, "weight") == first
    assert defined_anew(tripled, "weight") != first
    assert defined_anew(doubled, "another_name") != first


def test_an_own_feature_is_found_by_its_name() -> None:
    @feature(game="tic_tac_toe", outputs=("both", "half"))
    def stones(position: Any, values: Any) -> None:
        values[0] = popcount(position[0] | position[1])
        values[1] = values[0] / 2

    assert "stones" in feature_names("tic-tac-toe")
    found = values_of("stones", "tic_tac_toe", np.array([[3, 4], [0, 0]], np.uint64))
    assert found.tolist() == [[3, 1.5], [0, 0]]
    assert column_names([stones]) == ["stones_both", "stones_half"]


def test_the_name_of_a_feature_of_the_package_is_taken() -> None:
    def mobility(position: Any) -> float:
        return 0

    with pytest.raises(UserError, match="othello already has a feature 'mobility'; give yours"):
        feature()(mobility)
    assert values_of("mobility").any()

    def open_lines(position: Any) -> float:
        return 0

    feature()(open_lines)  # another game's feature may be called that
    with pytest.raises(
        UserError, match="the name of a feature must be letters, digits, _ and -, at"
    ):
        feature()(lambda position: 0)


NAMES = ["mobility", "corners"]


def test_the_transformer_is_the_extraction() -> None:
    transformer = Features(NAMES)
    found = transformer.fit(POSITIONS).transform(POSITIONS)
    assert np.array_equal(found, extract(features_named(NAMES), POSITIONS))
    assert np.array_equal(found, Features(NAMES).fit_transform(POSITIONS))
    assert transformer.n_features_in_ == 2
    assert list(transformer.get_feature_names_out()) == [
        "mobility_player",
        "mobility_opponent",
        "corners_player",
        "corners_opponent",
    ]


def test_the_transformer_gives_frames_and_takes_them() -> None:
    frame = pd.DataFrame(POSITIONS, columns=["word_0", "word_1"], index=range(5, 305))
    transformer = Features(NAMES).set_output(transform="pandas")
    found = transformer.fit_transform(frame)
    assert isinstance(found, pd.DataFrame)
    assert list(found.columns) == list(transformer.get_feature_names_out())
    assert list(found.index) == list(frame.index)
    assert np.array_equal(found.to_numpy(), extract(features_named(NAMES), POSITIONS))


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_columns_of_a_frame_are_put_in_order_or_refused() -> None:
    expected = Features(NAMES).fit_transform(POSITIONS)
    for names in (["word_0", "word_1"], [0, 1]):
        frame = pd.DataFrame(POSITIONS, columns=names)[names[::-1]]
        assert np.array_equal(Features(NAMES).fit_transform(frame), expected)
    with pytest.raises(ValueError, match=r"must be word_0 to word_1 \(got own, other\)"):
        Features(NAMES).fit(pd.DataFrame(POSITIONS, columns=["own", "other"]))
    reader = Features(NAMES).fit(POSITIONS)
    columns = pd.DataFrame(expected, columns=reader.get_feature_names_out())
    target = expected[:, 0]
    for order, is_fine in ((columns.columns, True), (columns.columns[::-1], False)):
        pipeline = make_pipeline(reader, Ridge().fit(columns[order], target))
        if is_fine:
            compile_model(pipeline, "x")
        else:
            with pytest.raises(UserError, match="fit it to the columns in that order"):
                compile_model(pipeline, "x")


@pytest.mark.parametrize(
    ("positions", "complaint"),
    [
        (POSITIONS[:, :1], "positions of othello must be an array"),
        (POSITIONS[0], "positions of othello must be an array"),
        (np.zeros((4, 3), np.uint64), "positions of othello must be an array"),
        (POSITIONS.astype(float), "An outer merge in pandas turns words into float64 and"),
        (np.array([["a", "b"]]), "An outer merge in pandas turns words into float64 and"),
    ],
)
def test_arrays_that_are_no_positions_are_refused(positions: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Features(NAMES).fit(positions)
    with pytest.raises(ValueError, match=complaint):
        Features(NAMES).fit(POSITIONS).transform(positions)
