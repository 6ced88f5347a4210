"""Numbers in the files of a model that no model has: refused before a kernel meets them."""

import contextlib
import io
import itertools
import struct
import tracemalloc
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from samuel.common.errors import UserError
from samuel.features import features_named
from samuel.features.shapes import MOST_CONFIGURATIONS, pattern_set
from samuel.features.terms import MOST_TABLES, CountTable
from samuel.games import game_named
from samuel.kernels.records import filled
from samuel.models.compiled.features import FeatureModel, kernel_of, linear_block
from samuel.models.compiled.forms import read_compiled
from samuel.models.compiled.layers import mlp_block
from samuel.models.compiled.model import (
    CardError,
    array_in,
    arrays_bytes,
    arrays_for,
    arrays_in,
    arrays_of,
)
from samuel.models.compiled.sums import SumModel
from samuel.models.compiled.trees import FlatTree, trees_block
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel
from samuel.models.patterns.network_kernel import INNER, WIDTHS, layers_of
from tests.networks import random_network

GAME = "othello_4x4"
COUNTS = game_named(GAME).most_left + 1


# archives


def archive(*members: tuple[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as opened:
        for name, content in members:
            opened.writestr(name, content)
    return file.getvalue()


def member(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def header(text: str, numbers: bytes = b"") -> bytes:
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + numbers


@given(
    st_numpy.arrays(
        st.sampled_from([np.float32, np.int16, np.int32, np.int64]),
        st_numpy.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
    st.booleans(),
)
def test_arrays_come_back(array: np.ndarray, fortran: bool) -> None:
    array = np.asarray(array, order="F" if fortran else "C")
    back = arrays_in(arrays_bytes({"one": array, "two": array}))
    assert list(back) == ["one", "two"]
    assert back["two"].dtype == array.dtype
    np.testing.assert_array_equal(back["two"], array)


@given(st.data())
def test_an_altered_archive_is_read_or_refused_with_a_sentence(data: st.DataObject) -> None:
    content = bytearray(arrays_bytes({"a": np.arange(9), "b": np.zeros((2, 3), np.float32)}))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        arrays_in(bytes(content))
    except ValueError as error:
        assert str(error)


@contextlib.contextmanager
def no_more_than(size: int) -> Iterator[None]:
    """Fail where more bytes are taken at a time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < size
    finally:
        tracemalloc.stop()


def claiming(size: int) -> bytes:
    """Return an archive whose only member claims to inflate to so many bytes."""
    content = bytearray(archive(("weights.npy", member(np.zeros(100)))))
    for magic, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", content, content.index(magic) + place, size)
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK",
        archive(("a.npy", member(np.zeros(3))))[:-10],
        archive(("a.npy", b"nothing of numpy's")),
        archive(("a.npy", member(np.array([None])))),
        archive(("a.npy", member(np.zeros((1, 1, 1, 1, 1))))),
        archive(("a.npy", member(np.zeros(3))[:-1])),
        archive(("a.npy", member(np.zeros(3)) + b"\0")),
        archive(("a.npy", member(np.zeros(3))), compression=zipfile.ZIP_LZMA),
        claiming(0xFFFF0000),
    ],
)
def test_archives_of_no_model(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"archive|array|header claims|compressed"):
        arrays_in(content)


@pytest.mark.parametrize(
    "shape",
    [
        "(3000000000, 3000000000)",
        "(-1,)",
        "(2.5,)",
    ],
)
def test_shapes_that_are_not_what_is_there(shape: str) -> None:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n"
    with pytest.raises(ValueError, match="array"):
        array_in(header(text))


def test_what_inflates_to_far_more_than_it_holds_is_not_inflated() -> None:
    with (
        no_more_than(1 << 20),
        pytest.raises(ValueError, match="its header claims a size beyond what it can contain"),
    ):
        arrays_in(claiming(3 << 30))


# blocks

Arrays = dict[str, Any]
"""The fields of a block as a file has them."""


def check(kind: str, arrays: Arrays, columns: int = 2) -> None:
    """Read and check a block."""
    kernel = kernel_of(kind)
    kernel.check(filled(kernel.block, arrays_for(kernel.block, arrays)), columns)


def refuse(said: str, kind: str, arrays: Arrays, columns: int = 2) -> None:
    with pytest.raises(ValueError, match=said):
        check(kind, arrays, columns)


def changed(arrays: Arrays, name: str, place: int, number: float) -> Arrays:
    """Return a block with one number replaced."""
    array = arrays[name].copy()
    array.flat[place] = number
    return arrays | {name: array}


LINEAR = arrays_of(linear_block([1.0, 2.0], 0.5))
WEIGHTS, BIASES = (np.ones((2, 3)), np.ones((3, 1))), (np.zeros(3), np.zeros(1))
NETWORK = arrays_of(mlp_block(WEIGHTS, BIASES, "relu"))
STUMP = FlatTree(
    np.array([1, -1, 3, -1, -1]),
    np.array([2, -1, 4, -1, -1]),
    np.array([1, 0, 0, 0, 0]),
    np.array([0.5, 0, 1.5, 0, 0], np.float32),
    np.array([0.0, 1.0, 0.0, 2.0, 3.0]),
)
FOREST = arrays_of(trees_block([STUMP] * 5, 0.25))
BLOCKS = {"linear": LINEAR, "mlp": NETWORK, "trees": FOREST}
NOT_FINITE = [np.nan, np.inf, -np.inf, 3e38, -3e38]


def test_sound_blocks() -> None:
    for kind, arrays in BLOCKS.items():
        check(kind, arrays)
    check("trees", arrays_of(trees_block([STUMP], 0.0, 8.0)))
    for columns in (0, 1, 3):
        refuse("'weights' has the shape", "linear", LINEAR, columns)
        refuse("'widths' has the ends", "mlp", NETWORK, columns)
    refuse("'nodes' reads beyond the 1 columns", "trees", FOREST, 1)


@pytest.mark.parametrize("number", NOT_FINITE)
def test_weights_that_give_no_finite_score(number: float) -> None:
    for kind, arrays in BLOCKS.items():
        for name, array in arrays.items():
            if array.dtype == np.float32 and name != "thresholds":
                for place in range(array.size):
                    said = "gives scores (as large as|that are not finite)"
                    refuse(said, kind, changed(arrays, name, place, number))


def test_weights_whose_products_overflow() -> None:
    refuse("'weights' gives scores as large as", "linear", arrays_of(linear_block([1e30, -1e30])))
    weights, biases = [np.full((1, 1), 1e6)] * 8, [np.zeros(1)] * 8
    check("mlp", arrays_of(mlp_block(weights, biases, "tanh")), 1)
    for activation in ("relu", "identity"):
        arrays = arrays_of(mlp_block(weights, biases, activation))
        refuse("'parameters' gives scores as large as", "mlp", arrays, 1)


@pytest.mark.parametrize("activation", [-1, 4, 5, 6])
def test_activations_that_no_network_over_features_has(activation: int) -> None:
    arrays = arrays_of(mlp_block([np.ones((2, 3)), np.ones((3, 1))], [[0] * 3, [0]], "relu"))
    check("mlp", arrays)
    refuse("'activation' is", "mlp", arrays | {"activation": np.array([activation])})


def test_layers_whose_sizes_wrap_at_64_bits() -> None:
    # 2**31 - 1 units three times: the number of weights wraps to a small one
    widths = [2, *[2**31 - 1] * 3, 1]
    arrays = {"activation": np.array([1]), "widths": np.array(widths, np.int32)}
    for length in (0, 1, 3, 2**10):
        given = arrays | {"parameters": np.zeros(length, np.float32)}
        refuse("'parameters' has the shape", "mlp", given)


def test_trees_that_lead_back_or_far_away() -> None:
    nodes, grouped = FOREST["nodes"], FOREST["grouped"]
    n = len(nodes)
    inner = [k for k in range(n) if nodes[k, 1] > k]
    wrong = list(itertools.product([2 * k + 1 for k in inner[1:]], (-1, 0, n - 1, n)))
    wrong += itertools.product([2 * k for k in inner], (-1, 2))
    in_nodes = [("nodes", *one) for one in wrong]
    in_groups = [("grouped", *one) for one in itertools.product(range(grouped.size), (-1, n))]
    far = {(name, place, 2**31 - 1) for name, place, _ in in_nodes + in_groups}
    for name, place, number in (*in_nodes, *in_groups, *far):
        refuse(f"'{name}' (leads|reads)", "trees", changed(FOREST, name, place, number))
    refuse("'thresholds' contains NaN", "trees", changed(FOREST, "thresholds", 0, np.nan))


@given(st.sampled_from(sorted(BLOCKS)), st.data())
def test_integers_of_any_size_are_judged_without_failing(kind: str, data: st.DataObject) -> None:
    arrays = BLOCKS[kind]
    whole = [name for name, array in arrays.items() if array.dtype != np.float32 and array.size]
    for _ in range(data.draw(st.integers(1, 3)) if whole else 0):
        name = data.draw(st.sampled_from(whole))
        place = data.draw(st.integers(0, arrays[name].size - 1))
        arrays = changed(arrays, name, place, data.draw(st.integers(-(2**31), 2**31 - 1)))
    name = data.draw(st.sampled_from(sorted(arrays)))
    cut = arrays | {name: arrays[name][: data.draw(st.integers(0, len(arrays[name])))]}
    for one, read_as in itertools.product((arrays, cut), BLOCKS):
        with contextlib.suppress(ValueError):
            check(read_as, one)


# forms


def pattern_form(**changes: Any) -> PatternModel:
    card = {
        "kind": "patterns",
        "game": GAME,
        "shapes": [{"name": "pair", "squares": ["a1", "b1"]}],
        "tables": [],
    }
    patterns = pattern_set(["a1 b1"], GAME)
    arrays: dict[str, Any] = {
        "knots": np.array([0, 12]),
        "weights": np.ones((2, patterns.n_weights), np.float32),
        "intercept": np.zeros(1, np.float32),
    }
    for name, value in changes.items():
        (arrays if name in arrays else card)[name] = value
    form = read_compiled(card, arrays)
    assert isinstance(form, PatternModel)
    return form


def test_tables_whose_sizes_wrap_at_64_bits() -> None:
    for low, sizes in (
        ((0, 0), (2**33, 2**33 + 2**31)),
        ((0, 0), (2**32, 2**32)),
        ((0,), (2**64 + 1,)),
        ((1 << 40,), (4,)),
    ):
        assert not CountTable(("a", "b")[: len(low)], low, sizes).is_possible
    assert CountTable(("a",), (0,), (4,)).is_possible
    with pytest.raises(UserError, match=f"at most {MOST_TABLES} tables"):
        from samuel.features.terms import count_tables

        count_tables(["empties"] * (MOST_TABLES + 1), GAME, np.zeros((1, 2), np.uint64))


def test_patterns_have_the_weights_that_their_shapes_say() -> None:
    pattern_form().check()
    n = pattern_form().weights.shape[1]
    for change, said in (
        ({"weights": np.ones((2, n - 1))}, "'weights' has the shape"),
        ({"weights": np.ones((1, n))}, "does not fit"),
        ({"weights": np.ones((2, 0))}, "'weights' has 0 for"),
        ({"weights": np.full((2, n), 2e36)}, "'weights' gives scores as large as"),
        ({"weights": np.full((2, n), np.nan)}, "'weights' gives scores that are not finite"),
        ({"weights": np.full((2, n), np.inf)}, "'weights' gives scores that are not finite"),
        ({"intercept": np.full(1, 1e10)}, "'intercept' gives scores as large as 1e"),
        *(({"knots": np.array(knots)}, "ascending") for knots in ([0, 0], [12, 0])),
        ({"knots": np.array([0])}, "does not fit"),
    ):
        kind = np.int64 if "knots" in change else np.float32
        with pytest.raises(ValueError, match=said):
            pattern_form(**{name: one.astype(kind) for name, one in change.items()}).check()
    for wrong in (np.ones(n, np.float32), np.ones((2, n)), np.ones((2, n), np.int32)):
        with pytest.raises(
            ValueError, match="'weights' must be an array of float32 in 2 dimensions"
        ):
            pattern_form(weights=wrong)


@pytest.mark.parametrize(
    "changes",
    [
        {"shapes": [{"name": 3, "squares": ["a1"]}]},
        {"tables": [{"columns": ["a"], "low": [0.5], "sizes": [1]}]},
        {"kind": "oracle"},
    ],
)
def test_cards_that_describe_no_patterns(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"xpected|the kind of model"):
        pattern_form(**changes)


def test_shapes_cannot_ask_for_more_than_is_there() -> None:
    wide = [f"{file}{rank}" for rank in range(1, 3) for file in "abcdefgh"]
    many = list(itertools.islice(itertools.combinations(wide, 10), 80))
    with pytest.raises(UserError, match="the shapes have 1,600 instances; the most is 1,024"):
        pattern_set([list(shape) for shape in many] * 20, "othello")
    assert MOST_CONFIGURATIONS < 80 * 3**10
    with pytest.raises(UserError, match="the shapes have 4,723,920 configurations; the most is"):
        pattern_set([list(shape) for shape in many], "othello")
    squares = [f"{file}{rank}" for rank in "12" for file in "abcd"]
    with no_more_than(1 << 20):
        form = pattern_form(shapes=[{"name": "x", "squares": squares}])
        with pytest.raises(ValueError, match="'weights' has 9 for"):
            form.check()


UNITS = WIDTHS[0]


def network_form(units: int = UNITS, **changes: Any) -> NetworkModel:
    linear = pattern_form()
    numbers: dict[str, Any] = {
        "rows": np.ones((linear.terms.patterns.n_weights, units), np.int8),
        "steps": np.full(units, 0.5, np.float32),
        "biases": np.ones((COUNTS, units), np.float32),
        "layers": np.ones((2, layers_of(units).size), np.float32),
    }
    return NetworkModel(linear, **numbers | changes)


def with_inner(inner: np.ndarray) -> np.ndarray:
    """Return the layers with such weights of the inner layer, which the score leaves out."""
    biases, last = np.ones((2, INNER)), (np.zeros((2, INNER, 1)), np.zeros((2, 1)))
    return layers_of(UNITS).joined([(inner, biases), last])


def test_networks_over_patterns() -> None:
    form = network_form()
    read_compiled(form.described(), form.arrays()).check()
    for sound in (*(network_form(n) for n in WIDTHS), network_form(limit=0.0)):
        sound.check()
    for wrong in ({"rows": form.rows.astype(float)}, {"steps": np.zeros((2, 2), np.float32)}):
        with pytest.raises(ValueError, match=r"must be an array of"):
            read_compiled(form.described(), form.arrays() | wrong)


def unsound_networks() -> Iterator[tuple[dict[str, Any], str]]:
    """Yield numbers of networks that no search may run, and what is said of them."""
    arrays = network_form().arrays()
    for units in (1, UNITS - 1, 2 * max(WIDTHS)):
        yield {"units": units}, f"'steps' has {units} numbers"
    yield {"steps": arrays["steps"][1:]}, "'steps' has"
    for step in (0.0, -1.0, np.nan, np.inf, 1e38, 1e-42):
        yield {"steps": np.full(UNITS, step, np.float32)}, "'steps'"
    for name, number in itertools.product(("steps", "biases", "layers"), NOT_FINITE):
        array = arrays[name].copy()
        array.ravel()[-1] = number
        yield {name: array}, f"'{name}'"
    for name in ("biases", "layers"):
        yield {name: arrays[name][..., 1:]}, f"'{name}' has the shape"
    yield {"biases": arrays["biases"][1:]}, "'biases' has the shape"
    yield {"rows": np.ones((3, UNITS), np.int8)}, "'rows' has the shape"
    for limit in (-1.0, np.inf, np.nan):
        yield {"limit": limit}, "'limit'"
    too_many = np.repeat(arrays["layers"][:1], COUNTS + 1, axis=0)
    yield {"layers": too_many}, f"'layers' has {COUNTS + 1} stages"
    # not only the score: sums on the way to it, and what is held of weights
    huge, large = (with_inner(np.full((2, UNITS, INNER), by, np.float32)) for by in (3e38, 1000))
    yield {"layers": huge}, "'layers' gives scores"
    yield {"steps": np.full(UNITS, 9e36, np.float32), "layers": large}, "'layers' gives scores"


@pytest.mark.parametrize(("changes", "said"), list(unsound_networks()))
def test_crafted_networks_over_patterns(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        network_form(**changes).check()


def test_sums_are_of_a_base_and_a_network() -> None:
    game = game_named(GAME)
    form = SumModel((pattern_form(), random_network(game)))
    read_compiled(form.described(), form.arrays()).check()
    base, network = (part.described() for part in form.parts)
    for parts in ([], [base], [1, 2], {}):
        with pytest.raises(ValueError, match="xpected"):
            read_compiled({"kind": "sum", "game": GAME, "parts": parts}, form.arrays())
    for parts, said in (
        ([base, base], "no network over pieces"),
        ([network, network], "kind nnue"),
        ([form.described(), network], "kind sum"),
    ):
        with pytest.raises(CardError, match=said):
            read_compiled({"kind": "sum", "game": GAME, "parts": parts}, form.arrays())


def test_models_over_features() -> None:
    card = FeatureModel(
        "linear", game_named(GAME), features_named(["corners"], GAME), ()
    ).described()
    block = arrays_of(linear_block([1.0, 2.0]))
    arrays = {"knots": np.array([0])} | {f"0_{name}": array for name, array in block.items()}
    read_compiled(card, arrays).check()
    for name, wrong in itertools.product(arrays, (None, np.zeros(()), np.zeros((2, 2), np.int32))):
        with pytest.raises(ValueError, match=f"'{name}' must be an array"):
            read_compiled(
                card, {k: v for k, v in (arrays | {name: wrong}).items() if v is not None}
            )
    with pytest.raises(UserError, match="feature 'corners' is given 2 times; give it once"):
        read_compiled(card | {"features": ["corners"] * 2}, arrays)
