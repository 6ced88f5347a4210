"""Boards with stones, as small SVG elements: patterns of squares.

Dark stones are X in a position's text: those of the side to move. With several kinds of pieces all
but the first bear their sign; pieces of neither side are grey. Where pieces stand on the crossings
of lines, several kinds are all light with their letter, red for the first player and black for the
second, as those of Chinese chess are. Squares that nothing ever stands on are light.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup

from samuel.games.board import Board
from samuel.games.interface import Game
from samuel.reports.scenes import SMALL

STONES = {"X": "#16191c", "O": "#f7f7f2"}
_NOBODY = "#7d8590"
_CLOTH = ("#8fa89855", "#6f9e7f", "#2b4a3755")
"""Faded squares, the others and the lines between them."""
_LIGHT = "#ece6d3"
"""Squares that nothing stands on."""
_WOOD, _PALE_WOOD, _DARK_LINE = "#dcb878", "#dcb87866", "#5b4520"
_IVORY, _INKS = "#f9edd2", {STONES["X"]: "#b3261e", STONES["O"]: "#16191c", _NOBODY: "#7d8590"}
_SIDE, _WIDTH = 20, 140
"""Least side of a square, and width of a board of few squares, in pixels."""
_EDGE = 5
_TEXT_LINE = 15


def board_svg(contents: Mapping[str, str], game: Game, captions: Sequence[str]) -> Markup:
    """Return a board as an SVG element."""
    assert game.board is not None
    board = game.board
    rows, columns = board.shape
    side = max(_SIDE, _WIDTH // columns)
    wide, high = columns * side, rows * side
    corners = [(k % columns * side, k // columns * side) for k in range(rows * columns)]
    places = {
        name: corner for name, corner in zip(game.squares, corners, strict=True) if name in contents
    }
    stones = [(*place, contents[name]) for name, place in places.items()]
    scale = (wide + 2 * _EDGE) / SMALL
    line_of_text = Markup('<text x="{}" y="{:.1f}">{}</text>')
    text = Markup("").join(
        line_of_text.format(wide // 2, high + _TEXT_LINE * scale * (k + 1), caption)
        for k, caption in enumerate(captions)
    )
    tall = high + _TEXT_LINE * scale * len(captions) + 2 * _EDGE
    light = _squares([corners[k] for k in board.unused], side)
    faded, plain, line = (_PALE_WOOD, _WOOD, _DARK_LINE) if board.lines else _CLOTH
    return Markup(
        '<svg role="img" aria-label="{label}" width="{small}" '
        'viewBox="-{edge} -{edge} {width} {height:.1f}">'
        '<path fill="{faded}" d="M0 0h{wide}v{high}h-{wide}z"/>'
        '<path fill="{plain}" d="{squares}"/>'
        '<path fill="{pale}" d="{light}"/>'
        '<path fill="none" stroke="{line}" d="{lines}"/>'
        '{pieces}<g fill="currentColor" font-size="{size:.1f}" text-anchor="middle">{text}</g>'
        "</svg>"
    ).format(
        label="; ".join(captions),
        width=wide + 2 * _EDGE,
        height=tall,
        small=SMALL,
        size=11 * scale,
        edge=_EDGE,
        wide=wide,
        high=high,
        faded=faded,
        plain=plain,
        pale=_LIGHT,
        light=light,
        line=line,
        squares=_squares(places.values(), side),
        lines=_lines(board, side),
        pieces=_pieces(board, stones, side),
        text=text,
    )


def _squares(places: Iterable[tuple[int, int]], side: int) -> str:
    """Return the path around squares whose upper left corners are given."""
    return "".join(f"M{x} {y}h{side}v{side}h-{side}z" for x, y in places)


def _lines(board: Board, side: int) -> str:
    """Return the path of a board's lines: those it has, or else those between its squares."""
    rows, columns = board.shape
    if not board.lines:
        across = [f"M0 {y}h{columns * side}" for y in range(0, rows * side + 1, side)]
        return "".join(
            across + [f"M{x} 0v{rows * side}" for x in range(0, columns * side + 1, side)]
        )
    ends = (
        [
            (square % columns * side + side // 2, square // columns * side + side // 2)
            for square in pair
        ]
        for pair in board.lines
    )
    return "".join(f"M{x} {y}L{x2} {y2}" for (x, y), (x2, y2) in ends)


def _pieces(board: Board, stones: Sequence[tuple[int, int, str]], side: int) -> Markup:
    """Return the pieces on squares whose upper left corners are given."""
    colours, radius = _colours(board), round((0.45 if board.lines else 0.4) * side)
    are_lettered = bool(board.lines) and len(board.pieces) > 1
    kinds = "".join(board.pieces[0 if are_lettered else 1 :])
    discs: dict[str, list[str]] = {colour: [] for colour in colours.values()}
    signs = Markup("")
    for x, y, sign in stones:
        if sign in colours:
            arcs = (f"a{radius} {radius} 0 1 0 {way}{2 * radius} 0" for way in ("", "-"))
            start = f"M{x + side // 2 - radius} {y + side // 2}"
            discs[colours[sign]].append("".join((start, *arcs, "z")))
        if sign in kinds:
            ink = STONES["X" if colours[sign] == STONES["O"] else "O"]
            ink = _INKS[colours[sign]] if are_lettered else ink
            letter = sign.upper() if are_lettered else sign
            signs += Markup('<text x="{}" y="{}" fill="{}">{}</text>').format(
                x + side // 2, y + round(0.68 * side), ink, letter
            )
    plain, edged = '<path fill="{}" d="{}"/>', '<path fill="{}" stroke="{}" d="{}"/>'
    paths = Markup("").join(
        Markup(edged).format(_IVORY, _INKS[colour], "".join(outlines))
        if are_lettered
        else Markup(plain).format(colour, "".join(outlines))
        for colour, outlines in discs.items()
    )
    lettered = Markup('<g font-size="{}" text-anchor="middle">{}</g>').format(side // 2, signs)
    return paths + (lettered if signs else Markup(""))


def _colours(board: Board) -> dict[str, str]:
    """Return the colour of each sign of a piece."""
    found: dict[str, str] = {}
    for signs in board.pieces:
        colours = STONES.values() if len(signs) == 2 else [_NOBODY]
        found |= dict(zip(signs, colours, strict=True))
    return found
