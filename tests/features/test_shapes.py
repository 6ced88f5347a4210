"""Shapes of squares: the named sets, files and lists, and the weights that symmetries share."""

import itertools
from collections import Counter
from pathlib import Path

import pytest

from samuel.common.errors import UserError
from samuel.features import PatternSet, Shape, pattern_set, set_names
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
