import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pandas as pd

from samuel.features import column_names, features_named
from samuel.games import Position, game_named
from samuel.reports.boards import STONES, board_svg
from samuel.reports.comparison.figures import board_figure, square_weights
from tests.toys.kings import GAME as KINGS


def stones_in(svg):
    """Return how many stones a board has of the side to move, and of the other."""
    picture = ElementTree.fromstring(svg)
    paths = {path.get("fill"): path.get("d") for path in picture.iter("path")}
    return tuple(paths[STONES[who]].count("M") for who in "XO")


def contents_of(position):
    """Return what a pattern of all squares holds in a position."""
    squares = position.game.squares
    return dict(
        zip(squares, position.game.notation.signs(position.words, position.side), strict=True)
    )


def test_stones_stand_on_their_squares():
    svg = board_svg({"b1": "X", "h8": "O"}, game_named("othello"), [])
    paths = {path.get("fill"): path.get("d") for path in ElementTree.fromstring(svg).iter("path")}
    assert paths[STONES["X"]].startswith("M22 10")  # radius 8 in a square 20 wide
    assert paths[STONES["O"]].startswith("M142 150")


def test_pieces_of_chinese_chess_stand_on_crossings_with_their_letters():
    """The river has no lines but its banks and the outer columns; palaces have diagonals."""
    position = Position.from_transcript("h3e3 h10g8", "xiangqi")
    svg = board_svg(contents_of(position), position.game, ["ply 2"])
    ElementTree.fromstring(svg)
    signs = re.findall(r'<text x="(\d+)" y="(\d+)" fill="(.{7})">(\w)</text>', svg)
    assert len(signs) == 32 and sorted({x[3] for x in signs}) == sorted("KABNRCP")
    red = {(x, y, letter) for x, y, ink, letter in signs if ink == "#b3261e"}
    assert len(red) == 16 and ("90", "154", "C") in red and ("90", "194", "K") in red
    assert "M10 10L10 190" in svg and "M30 10L30 90" in svg and "M30 110L30 190" in svg
    assert "M70 10L110 50" in svg and "M110 150L70 190" in svg and "M30 10L30 190" not in svg


def test_each_kind_of_pieces_has_its_weights_on_a_board_of_its_own():
    names = [f"squares_{kind}{square}" for kind in ("", "K_") for square in KINGS.squares]
    weights = pd.DataFrame({30: range(40), 0: range(40, 80)}, index=names)
    assert square_weights(weights, KINGS)[30].tolist() == list(range(40))
    figure = board_figure(weights, KINGS)
    titles = [axis.get_title() for axis in figure.axes[:-1]]  # the last is the scale
    assert titles == [f"{kind}, {stage} {KINGS.left_unit}" for kind in "XK" for stage in (30, 0)]
    assert [axis.texts[0].get_text() for axis in figure.axes[:-1]] == [
        "0.0",
        "40.0",
        "20.0",
        "60.0",
    ]


def test_classes_of_squares_stand_on_every_board():
    game = game_named("othello_6x6")
    names = column_names(features_named(["square_classes"], game.name))
    weights = pd.DataFrame({30: np.arange(len(names))}, index=names)
    found = square_weights(weights, game)
    assert len(found) == 36
    own = [found.loc[corner, 30] for corner in ("a1", "f1", "a6", "f6")]
    assert own == [names.index("square_classes_a1")] * 4
    assert found.loc["e2", 30] == names.index("square_classes_b2")
