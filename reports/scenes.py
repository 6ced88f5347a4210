"""Positions as players know them, as SVG: the pictures of the board in the browser, lying still."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from samuel.games.drawing import scene_of, side_names
from samuel.games.position import Position
from samuel.games.scene import Piece
from samuel.reports.html import environment

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
