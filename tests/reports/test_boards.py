import xml.etree.ElementTree as ElementTree

import pandas as pd
import pytest

from samuel.games import Position, game_named
from samuel.reports.boards import STONES, board_svg, pattern_figure, position_figure


def stones_in(svg):
    """Return how many stones a board has of the side to move, and of the other."""
    picture = ElementTree.fromstring(svg)
    paths = {path.get("fill"): path.get("d") for path in picture.iter("path")}
    return tuple(paths[STONES[who]].count("M") for who in "XO")


@pytest.mark.parametrize(
    ("game", "moves", "stones"),
    [
        ("othello", "", (2, 2)),
        ("othello", "f5", (1, 4)),  # white is to move, and has one disc
        ("othello_6x6", "", (2, 2)),
        ("tic_tac_toe", "a1b2c3", (1, 2)),
        ("connect_four", "", (0, 0)),
    ],
)
def test_positions_show_the_stones_of_both_sides(game, moves, stones):
    position = Position.from_transcript(moves, game)
    svg = position_figure(position.words, position.game, ["score +1, outcome -2", "ply 9"])
    assert stones_in(svg) == stones
    assert "score +1, outcome -2" in svg and "ply 9" in svg


def test_stones_stand_on_their_squares():
    svg = board_svg({"b1": "X", "h8": "O"}, game_named("othello"), [])
    paths = {path.get("fill"): path.get("d") for path in ElementTree.fromstring(svg).iter("path")}
    assert paths[STONES["X"]].startswith("M22 10")  # radius 8 in a square 20 wide
    assert paths[STONES["O"]].startswith("M142 150")


@pytest.fixture
def table():
    rows = [
        ("edge", ("a1", "b1", "c1"), "XXX", 12.25, 4321),
        ("edge", ("a1", "b1", "c1"), "-X-", -7.5, 50),
        ("corner", ("a1", "b2"), "OX", -9.0, 1234),
        ("corner", ("a1", "b2"), "X-", 3.0, 99),
        ("corner", ("a1", "b2"), "--", 0.0, 99999),
    ]
    return pd.DataFrame(rows, columns=["shape", "squares", "contents", "weight", "count"])


def test_patterns_from_the_best_and_from_the_worst(table):
    best, worst = pattern_figure(table, game_named("othello"), n=5).split("\n")
    assert best.index("+12.2  (4,321") < best.index("+3.0  (99")
    assert worst.index("-9.0  (1,234") < worst.index("-7.5  (50")
    assert best.count("<svg") == worst.count("<svg") == 2
    first = best[best.index("<svg") : best.index("</svg>") + 6]
    assert stones_in(first) == (3, 0)
    assert pattern_figure(table, game_named("othello"), n=1).count("<svg") == 2


def test_no_pattern_no_picture(table):
    assert pattern_figure(table.head(0), game_named("othello")) is None
    assert "XXX" not in pattern_figure(table, game_named("connect_four"))
