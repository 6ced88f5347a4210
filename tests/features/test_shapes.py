"""Shapes of squares: the named sets, files and lists, and the weights that symmetries share."""

import itertools
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samuel.common.errors import UserError
from samuel.features import PatternSet, Shape, pattern_set, set_names
from samuel.features.shapes import MOST_INSTANCES
from samuel.games import game_named
from tests.rarely import rarely

GAMES = ("othello", "othello_6x6", "othello_4x4", "connect_four", "tic_tac_toe")
DIGIT = {"O": -1, "-": 0, "X": 1}


def orbits(patterns: PatternSet, shape: int) -> list[frozenset[frozenset[tuple[int, int]]]]:
    """Return for each configuration its images that lie on the shape's own squares."""
    game = game_named(patterns.game)
    bits = [game.squares.index(name) for name in patterns.shapes[shape].squares]
    found = []
    for text in patterns.contents(shape):
        held = [(bit, DIGIT[letter]) for bit, letter in zip(bits, text, strict=True)]
        every = [frozenset((int(s[bit]), digit) for bit, digit in held) for s in game.symmetries]
        found.append(frozenset(image for image in every if {bit for bit, _ in image} == set(bits)))
    return found


def require_folded(patterns: PatternSet) -> None:
    """Assert that two configurations share a weight exactly when a symmetry maps one to the other.

    Weights are numbered without a gap, and no two shapes share one.
    """
    total = 0
    for number in range(len(patterns.shapes)):
        weights = patterns.weight_of[slice(*patterns.starts[number : number + 2])].tolist()
        classes = orbits(patterns, number)
        assert len(set(zip(weights, classes, strict=True))) == len(set(weights))
        assert len(set(classes)) == len(set(weights))
        assert set(weights) == set(range(total, total + len(set(classes))))
        total += len(set(classes))
    assert patterns.n_weights == total


@pytest.mark.parametrize(
    ("name", "shapes", "instances", "configurations", "weights"),
    [
        # 32 classes of neighbours with 9 configurations; the 8 that a mirror maps to themselves
        # (d1 e1 to d4 e4, a2 b1 to d5 e4) have (9 + 3) / 2 weights
        ("tuples2", 32, 210, 288, 264),
        # M. Buro, 1998: 12 rows and columns, 18 diagonals, 4 edges, 4 corners 3 by 3, 8 of 2 by 5
        ("logistello", 11, 46, None, None),
        # and four of each wider one, but two of that with all corners
        ("large", 16, 64, None, None),
    ],
)
def test_known_counts(
    name: str, shapes: int, instances: int, configurations: int | None, weights: int | None
) -> None:
    patterns = pattern_set(name)
    assert len(patterns.shapes) == shapes
    assert len(patterns.instances) == instances
    if configurations is not None:
        assert patterns.size == configurations
        assert patterns.n_weights == weights
    assert patterns.size == sum(3 ** len(shape.squares) for shape in patterns.shapes)


@pytest.mark.parametrize("game", GAMES)
def test_tuples_are_all_straight_lines(game: str) -> None:
    rules = game_named(game)
    place = {name: (ord(name[0]) - ord("a"), int(name[1:]) - 1) for name in rules.squares}
    number_of = {where: number for number, where in enumerate(place.values())}
    for n in range(2, 7):
        lines = set()
        for (x, y), (dx, dy) in itertools.product(
            place.values(), [(1, 0), (0, 1), (1, 1), (1, -1)]
        ):
            line = [(x + k * dx, y + k * dy) for k in range(n)]
            if all(where in number_of for where in line):
                lines.add(frozenset(number_of[where] for where in line))
        if not lines:
            assert f"tuples{n}" not in set_names(game)
            continue
        found = [frozenset(bits) for _, bits in pattern_set(f"tuples{n}", game).instances]
        assert len(found) == len(set(found))
        assert set(found) == lines


@pytest.mark.parametrize("game", GAMES)
def test_every_set_that_is_named_can_be_made_and_no_other(game: str) -> None:
    known = set_names(game)
    for name in {name for one in GAMES for name in set_names(one)}:
        if name in known:
            assert pattern_set(name, game_named(game)) == pattern_set(name, game)
        else:
            with pytest.raises(UserError, match=f"no set of patterns called '{name}'"):
                pattern_set(name, game)
    assert all(known.values())


@pytest.mark.parametrize("game", GAMES)
def test_instances_are_all_images_of_a_shape_each_once(game: str) -> None:
    rules = game_named(game)
    patterns = pattern_set("tuples3", game)
    for number, shape in enumerate(patterns.shapes):
        bits = [rules.squares.index(name) for name in shape.squares]
        every = {tuple(int(symmetry[bit]) for bit in bits) for symmetry in rules.symmetries}
        found = [squares for shape_of, squares in patterns.instances if shape_of == number]
        assert set(found) <= every
        assert Counter(map(frozenset, found)) == dict.fromkeys(map(frozenset, every), 1)


@pytest.mark.parametrize(
    ("name", "game"),
    [("tuples2", game) for game in GAMES]
    + [rarely("logistello", "othello_4x4"), ("tuples4", "connect_four")],
)
def test_configurations_that_a_symmetry_makes_the_same_share_a_weight(name: str, game: str) -> None:
    require_folded(pattern_set(name, game))


@settings(max_examples=30, deadline=None)
@given(data=st.data(), game=st.sampled_from(GAMES))
def test_shapes_of_any_squares_are_folded_so(data: st.DataObject, game: str) -> None:
    names = game_named(game).squares
    shape = st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True)
    require_folded(pattern_set(data.draw(st.lists(shape, min_size=1, max_size=3)), game))


def test_the_long_diagonal_reads_the_same_from_both_ends_and_from_both_sides() -> None:
    patterns = pattern_set(["a1 b2 c3 d4 e5 f6 g7 h8"])
    assert len(patterns.instances) == 2
    assert patterns.n_weights == (3**8 + 3**4) / 2
    edge = pattern_set("logistello").shapes[-3]
    assert edge.squares == ("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "b2", "g2")
    # its mirror leaves 3**5 configurations as they are: four pairs, b2 and g2
    assert pattern_set([edge]).n_weights == (3**10 + 3**5) / 2


def test_contents_are_the_digits_with_the_first_square_the_lowest() -> None:
    patterns = pattern_set(["a1 b1"], "othello_4x4")
    assert patterns.contents(0) == ["OO", "-O", "XO", "O-", "--", "X-", "OX", "-X", "XX"]


def test_the_order_of_shapes_does_not_change_what_each_has() -> None:
    one, other = ["a1 b1 c1", "a1 b2"], ["a1 b2", "a1 b1 c1"]
    a, b = pattern_set(one), pattern_set(other)
    assert (a.size, a.n_weights) == (b.size, b.n_weights)
    assert a.contents(0) == b.contents(1)
    assert a.digest != b.digest
    assert a.digest == pattern_set(one).digest != pattern_set(one, "othello_6x6").digest


def test_a_file_a_list_of_lines_of_squares_and_of_shapes_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text(
        "# corners of an Othello board\n\nsmall corner: a1 b1 a2  # three squares\n  a1 b2\n"
    )
    expected = (Shape("small corner", ("a1", "b1", "a2")), Shape("a1 b2", ("a1", "b2")))
    assert pattern_set(file).shapes == pattern_set(str(file)).shapes == expected
    assert pattern_set(["small corner: a1 b1 a2", "a1 b2"]).shapes == expected
    assert pattern_set([expected[0], ["a1", "b2"]]).shapes == expected
    assert pattern_set(expected).shapes == expected
    known = pattern_set(file)
    assert pattern_set(known) is known


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([], "at least one shape"),
        ([[]], "0 squares"),
        (["corner:"], "shape 'corner' must have 1 to 10 squares"),
        (["a1 i9"], "no square 'i9'"),
        (["a1 b1 a1"], "names a square twice"),
        (
            [[f"{f}{r}" for r in (1, 2) for f in "abcdefgh"][:11]],
            "b1 c1 d1 e1 f1 g1 h1 a2 b2 c2' must have 1 to 10 squares",
        ),
        ("tupels2", "no set of patterns called 'tupels2'.*tuples2"),
        (Path("nowhere.txt"), "txt is neither a file of shapes nor the name of a set"),
        ("nowhere/shapes.txt", "txt is neither a file of shapes nor the name of a set"),
    ],
)
def test_shapes_that_are_none_are_refused_with_one_sentence(shapes: object, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        pattern_set(shapes)
    assert "\n" not in str(caught.value)


def test_files_that_hold_no_shapes_are_refused(tmp_path: Path) -> None:
    for content, message in [
        (b"", "at least one shape"),
        (b"# nothing\n", "at least one shape"),
        (b"a1 z1\n", "no square 'z1'"),
        (b"\xff\xfe\x00", "txt is not a text file; write one shape per line, as a"),
    ]:
        (tmp_path / "shapes.txt").write_bytes(content)
        with pytest.raises(UserError, match=message):
            pattern_set(tmp_path / "shapes.txt")
    os.truncate(tmp_path / "shapes.txt", 1 << 40)
    with pytest.raises(UserError, match="txt cannot be read: it has 1,099,511,627,776 bytes, and"):
        pattern_set(tmp_path / "shapes.txt")
    for path in (tmp_path, Path("/dev/zero")):
        with pytest.raises(UserError, match=f"{path} cannot be read: it is not a file"):
            pattern_set(path)


def test_shapes_of_another_board_are_refused() -> None:
    with pytest.raises(UserError, match="for othello, not for othello_6x6"):
        pattern_set(pattern_set("tuples2"), "othello_6x6")
    with pytest.raises(UserError, match="othello_4x4 has no square 'e1'"):
        pattern_set(["d1 e1"], "othello_4x4")


def test_more_instances_than_are_read_are_refused() -> None:
    names = game_named("othello").squares
    pairs = [list(pair) for pair in itertools.combinations(names, 2)]
    most = MOST_INSTANCES // 8
    assert len(pattern_set(pairs[:most]).instances) <= MOST_INSTANCES
    with pytest.raises(UserError, match=f"the most is {MOST_INSTANCES:,}"):
        pattern_set(pairs[: 4 * most])


def test_as_many_squares_as_are_allowed_can_be_read() -> None:
    shape = [f"{f}{r}" for r in (1, 2) for f in "abcde"]
    patterns = pattern_set([shape])
    assert len(shape) == 10
    assert patterns.size == patterns.n_weights == 3**10
    assert np.array_equal(patterns.weight_of, np.arange(3**10))
