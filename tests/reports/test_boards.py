import numpy as np
import pandas as pd

from samuel.features import column_names, features_named
from samuel.games import game_named
from samuel.reports.comparison.figures import board_figure, square_weights
from tests.toys.kings import GAME as KINGS


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
