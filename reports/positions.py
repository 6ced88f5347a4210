"""Views of positions and of datasets."""

from __future__ import annotations

import functools

from markupsafe import Markup

from samuel.common.displayable import Picture, Table
from samuel.common.units import counted
from samuel.games.position import Position
from samuel.reports.scenes import board_html, boards_html
from samuel.reports.views import View
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.shard import word_columns

_FIRST_ROWS, _SAMPLES = 50, 5
"""First rows of a dataset, and samples shown of them."""


def position_view(position: Position) -> View:
    """Return the board, and whose move it is."""
    title = position.game.defaults.title or position.game.name
    if position.is_terminal:
        words = "the game is over"
    else:
        player = ("first", "second")[position.side]
        words = f"{'the throw' if position.is_chance else 'the move'} is the {player} player's"
    board = Picture("", functools.partial(board_html, position))
    return View(title, [f"{title}: {words}"], [board])


def dataset_view(dataset: Dataset) -> View:
    """Return how a dataset was made, and some of its positions."""
    settings = dataset.manifest["settings"]
    keys = ("evaluator", "depth", "epsilon", "seed")
    rows = [[key, str(settings[key])] for key in keys if settings.get(key) is not None]
    line = (
        f"{dataset.folder}: {counted(dataset.games, 'game')} of {dataset.manifest['game']}, "
        f"{counted(len(dataset), 'position')}"
    )
    positions = Picture("Positions", functools.partial(_some, dataset))
    return View("Dataset", [line], [Table("Settings", ["", ""], rows), positions])


def _some(dataset: Dataset) -> Markup:
    """Return some of the first positions of a dataset as boards."""
    game, table = dataset.game, next(dataset.batches(size=_FIRST_ROWS))
    boards = {}
    for _, row in table.iloc[:: max(1, len(table) // _SAMPLES)].head(_SAMPLES).iterrows():
        words = tuple(int(row[name]) for name in word_columns(game))
        caption = f"ply {row['ply']}, outcome {row['outcome']:+z.1f} for the side to move"
        boards[caption] = Position(game, words, int(row["side"]))
    return boards_html(boards)
