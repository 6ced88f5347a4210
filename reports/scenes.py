"""Positions as players know them, as SVG: the pictures of the board in the browser, lying still.

Views of positions and of datasets.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from markupsafe import Markup

from samuel.common.displayable import Picture, Table, counted
from samuel.games.drawing import scene_of, side_names
from samuel.games.position import Position
from samuel.games.scene import Piece
from samuel.reports.html import environment
from samuel.reports.views import View
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.shard import word_columns

SMALL = 170
"""Width of a board among others, in pixels: six are in a row (style.css)."""
_MOST_STACKED = 5
"""Checkers that are drawn on one point; the last bears the number of more."""
_MARGIN = 1.0
_FILLS = {"first": "#16191c", "second": "#f7f7f2", "nobody": "#7d8590"}
_INKS = {"first": "#f7f7f2", "second": "#16191c", "nobody": "#ffffff"}


def position_svg(position: Position, pixels: int = 300, *captions: str) -> Markup | None:
    """Return a position as an SVG element; None for a game without a board."""
    scene = scene_of(position)
    if scene is None:
        return None
    is_light = side_names(position.game)[0] == "White"
    pieces: dict[str, list[Piece]] = {}
    for piece in scene.pieces:
        pieces.setdefault(piece.place, []).append(piece)
    drawn = (
        environment()
        .get_template("scene.svg")
        .render(
            scene=scene,
            shapes={place.shape for place in scene.places},
            pieces=pieces,
            label="; ".join(captions) or position.text,
            captions=[words for words in (scene.caption, *captions) if words],
            pixel=(scene.width + 2 * _MARGIN) / pixels,
            margin=_MARGIN,
            pixels=pixels,
            most=_MOST_STACKED,
            fills=_INKS if is_light else _FILLS,
            inks=_FILLS if is_light else _INKS,
        )
    )
    return Markup(drawn)


def board_html(position: Position, pixels: int = 300, *captions: str) -> Markup:
    """Return a position as a picture, or as text where its game has no board."""
    text = Markup("<pre>{}</pre>").format("\n".join([*captions, str(position)]))
    return position_svg(position, pixels, *captions) or text


def boards_html(positions: Mapping[str, Position]) -> Markup:
    """Return small boards in rows, given by their captions."""
    boards = [board_html(position, SMALL, caption) for caption, position in positions.items()]
    return Markup('<div class="boards">{}</div>').format(Markup("").join(boards))


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
