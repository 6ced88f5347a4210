"""Features against slow plain references; names, digests, the scikit-learn transformer."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

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
from samuel.games.symmetry import images
from samuel.kernels.bits import popcount
from samuel.models import compile_model
from tests.processes import ROOT, run
from tests.rarely import rarely, rarely_but

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


def test_the_edges_of_a_smaller_board_make_discs_stable() -> None:
    # on 6 by 6: the top row b2 to g2 of the bits, and the corner g7 with its neighbour f7
    discs = np.array([[0x7E00, 0x0060000000000000]], np.uint64)
    assert values_of("stability", "othello_6x6", discs).tolist() == [[6, 2]]
    assert values_of("stability", "othello", discs).tolist() == [[0, 0]]
    late = random_positions(game_named("othello_6x6"), 100, 3, 20, 28)
    assert values_of("stability", "othello_6x6", late).mean() > 1


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
        assert all(name.startswith("squares_") for name in varying), varying


@pytest.mark.parametrize("game", [*map(rarely, SIZES), "connect_four", "tic_tac_toe"])
def test_columns_have_names_of_their_own(game: str) -> None:
    features = features_named(feature_names(game), game)
    names = column_names(features)
    assert len(set(names)) == len(names)
    positions = random_positions(game_named(game), 10, seed=1)
    together = extract(features, positions)
    assert together.shape == (10, len(names))
    assert together.dtype == np.float32
    apart = np.concatenate([extract([f], positions) for f in features], axis=1)
    assert np.array_equal(together, apart)


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


def test_unknown_features_are_refused_with_those_there_are() -> None:
    with pytest.raises(UserError, match=r"no feature called 'beauty'; there are .*mobility"):
        features_named(["mobility", "beauty"])
    with pytest.raises(UserError, match="tic_tac_toe has no feature called 'mobility'"):
        features_named(["mobility"], "tic_tac_toe")
    with pytest.raises(UserError, match="no game called"):
        features_named(["mobility"], "shogi")


def test_no_positions_give_no_rows() -> None:
    assert values_of("mobility", positions=np.zeros((0, 2), np.uint64)).shape == (0, 2)


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


def test_the_digest_is_that_of_the_features_in_their_order() -> None:
    one, other = features_named(["mobility", "corners"]), features_named(["corners", "mobility"])
    assert features_digest(one) != features_digest(other)
    assert features_digest(one) == features_digest(features_named(["mobility", "corners"]))


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


def test_the_name_is_taken_even_before_the_packages_features_are_loaded(tmp_path: Path) -> None:
    script = tmp_path / "early.py"
    script.write_text(
        "from samuel.common.errors import UserError\n"
        "from samuel.features import feature\n"
        "try:\n"
        "    @feature()\n"
        "    def mobility(position):\n"
        "        return 0\n"
        "except UserError as error:\n"
        "    print(error)\n"
    )
    assert "othello already has a feature 'mobility'; give yours" in run(script)


@pytest.mark.slow
def test_features_need_no_scikit_learn(tmp_path: Path) -> None:
    script = tmp_path / "light.py"
    script.write_text(
        "import sys\n"
        "from samuel import features, games, search, models, arena, selfplay\n"
        "import samuel.games.othello.features.numbers\n"
        "print([m for m in ('sklearn', 'matplotlib') if m in sys.modules])\n"
    )
    assert run(script).strip() == "[]"
    assert (ROOT / "features").is_dir()


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


def test_the_transformer_is_cloned_and_copied() -> None:
    transformer = Features(NAMES, "othello").fit(POSITIONS)
    copy = clone(transformer)
    assert copy.get_params() == {"features": NAMES, "game": "othello", "sparse": False}
    with pytest.raises(NotFittedError):
        copy.transform(POSITIONS)
    loaded = pickle.loads(pickle.dumps(transformer))
    assert np.array_equal(loaded.transform(POSITIONS), transformer.transform(POSITIONS))
    assert copy.set_params(features=["parity"]).fit_transform(POSITIONS).shape[1] == 2


def test_the_transformer_in_a_pipeline() -> None:
    target = values_of("mobility") @ [1.0, -1.0]
    pipeline = make_pipeline(Features(NAMES), StandardScaler(), Ridge(1e-6))
    pipeline.fit(POSITIONS, target)
    assert pipeline.predict(POSITIONS) == pytest.approx(target, abs=1e-3)
    names = pipeline[:-1].get_feature_names_out()
    assert list(names) == list(pipeline[0].get_feature_names_out())
    again = clone(pipeline).set_params(features__features=["squares"]).fit(POSITIONS, target)
    assert again[-1].coef_.shape == (64,)


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


def test_the_transformer_of_another_game() -> None:
    positions = random_positions(game_named("connect_four"), 20, seed=1)
    transformer = Features(["squares", "open_lines"], game="connect_four")
    assert transformer.fit_transform(positions).shape == (20, 42 + 6)


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


def test_arrays_of_any_order_and_read_only_ones_are_taken() -> None:
    # joblib hands large arrays to its workers read-only, pandas gives columns
    expected = values_of("mobility")
    read_only = POSITIONS.copy()
    read_only.flags.writeable = False
    for positions in (read_only, np.asfortranarray(POSITIONS), np.repeat(POSITIONS, 2, 0)[::2]):
        assert np.array_equal(values_of("mobility", positions=positions), expected)
        assert np.array_equal(Features(["mobility"]).fit_transform(positions), expected)


def test_positions_of_another_shape_are_not_read() -> None:
    for shape in ((300, 1), (200, 3), (10, 2, 2)):
        with pytest.raises(ValueError, match="positions of othello must be an array"):
            values_of("mobility", positions=np.zeros(shape, np.uint64))


def test_signed_words_are_the_same_bits() -> None:
    signed = POSITIONS.view(np.int64)
    assert np.array_equal(Features(NAMES).fit_transform(signed), values_of_all(NAMES))


def values_of_all(names: list[str]) -> Any:
    return extract(features_named(names), POSITIONS)


def test_wrong_names_are_refused_when_fitted() -> None:
    with pytest.raises(UserError, match="no feature called 'beauty'"):
        Features(["beauty"]).fit(POSITIONS)
    with pytest.raises(UserError, match="no game called 'shogi'"):
        Features(NAMES, "shogi").fit(POSITIONS)
    with pytest.raises(UserError, match="at least one feature"):
        Features([]).fit(POSITIONS)


@pytest.mark.parametrize("outputs", [None, ("player", "opponent")])
def test_a_feature_of_other_arguments_is_refused_where_it_is_written(outputs):
    def one(position):
        return 1.0

    def several(position, values):
        values[0] = values[1] = 1.0

    wrong = several if outputs is None else one
    with pytest.raises(UserError, match=f"{wrong.__name__} takes \\(position.*: without outputs"):
        feature(game="tic_tac_toe", outputs=outputs)(wrong)
    assert wrong.__name__ not in feature_names("tic_tac_toe")


def test_names_are_a_list_and_a_game_is_one_by_its_name() -> None:
    with pytest.raises(UserError, match=r"list of names, such as \['mobility', 'corners'\]"):
        features_named("mobility,corners")
    assert feature_names(game_named("othello_4x4")) == feature_names("othello_4x4")
