import numpy as np

from samuel.features import features_named
from samuel.games import game_named
from samuel.models.weights import Weights
from samuel.reports.boards import boards_figure
from samuel.reports.weights import square_tables


def test_classes_of_squares_stand_on_every_square_of_their_class():
    game = game_named("othello_6x6")
    features = features_named(["square_classes"], game.name)
    names = tuple(features[0].columns)
    numbers = np.array([np.arange(len(names)), -np.arange(len(names))], np.float32)
    weights = Weights(game, features, names, np.array([0, 30]), numbers, np.zeros(2, np.float32))
    (places,) = square_tables(names, game).values()
    figure = boards_figure(weights, places)
    titles = [axis.get_title() for axis in figure.axes[:-1]]  # the last is the scale
    assert titles == [f"{stage} {game.left_unit}" for stage in (30, 0)]
    start, end = ([text.get_text() for text in axis.texts] for axis in figure.axes[:-1])
    corner = float(names.index("square_classes_a1"))
    assert {float(start[k]) for k in (0, 5, 30, 35)} == {-corner}
    assert float(end[10]) == names.index("square_classes_b2")
