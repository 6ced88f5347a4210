"""Boards with stones, as small SVG elements: positions, and patterns of squares.

Dark stones are X in a position's text: those of the side to move, where nothing else is said. Of
several kinds of pieces all but the first bear their sign; what is nobody's is grey.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd

from samuel.games.board import Board
from samuel.games.interface import Game, Words

STONES = {"X": "#16191c", "O": "#f7f7f2"}
_NOBODY = "#7d8590"
_GROUND, _FADED, _LINE = "#6f9e7f", "#8fa89855", "#2b4a3755"
_SIDE, _WIDTH = 20, 140
"""Of a square, and of a board whose squares are therefore larger, in pixels."""
_EDGE = 5
_TEXT_LINE = 15


def board_svg(contents: Mapping[str, str], game: Game, captions: Sequence[str]) -> str:
    """Return a board as an SVG element.

    Parameters
    ----------
    contents
        For the names of squares the signs of what they have; squares that are not named are faded.
    game
        Whose `board` is not None.
    captions
        Lines of text below the board.
    """
    assert game.board is not None
    rows, columns = game.board.shape
    side = max(_SIDE, _WIDTH // columns)
    wide, high, radius = columns * side, rows * side, round(0.4 * side)
    colours, kinds = _colours(game.board), "".join(game.board.pieces[1:])
    squares: list[str] = []
    stones: dict[str, list[str]] = {colour: [] for colour in colours.values()}
    signs = ""
    for number, name in enumerate(game.squares):
        x, y = number % columns * side, number // columns * side
        if name in contents:
            squares.append(f"M{x} {y}h{side}v{side}h-{side}z")
            disc = f"M{x + side // 2 - radius} {y + side // 2}" + "".join(
                f"a{radius} {radius} 0 1 0 {way}{2 * radius} 0" for way in ("", "-")
            )
            sign = contents[name]
            if sign in colours:
                stones[colours[sign]].append(disc + "z")
            if sign in kinds:
                ink = STONES["X" if colours[sign] == STONES["O"] else "O"]
                place = f'x="{x + side // 2}" y="{y + round(0.68 * side)}"'
                signs += f'<text {place} fill="{ink}">{escape(sign)}</text>'
    lines = [f"M0 {y}h{wide}" for y in range(0, high + 1, side)]
    lines += [f"M{x} 0v{high}" for x in range(0, wide + 1, side)]
    text = "".join(
        f'<text x="{wide // 2}" y="{high + _TEXT_LINE * (k + 1)}">{escape(caption)}</text>'
        for k, caption in enumerate(captions)
    )
    paths = "".join(f'<path fill="{colour}" d="{"".join(d)}"/>' for colour, d in stones.items())
    if signs:
        paths += f'<g font-size="{side // 2}" text-anchor="middle">{signs}</g>'
    label = escape("; ".join(captions), quote=True)
    tall = high + _TEXT_LINE * len(captions) + _EDGE
    return (
        f'<svg role="img" aria-label="{label}" width="{wide + 2 * _EDGE}" height="{tall + _EDGE}" '
        f'viewBox="-{_EDGE} -{_EDGE} {wide + 2 * _EDGE} {tall + _EDGE}">'
        f'<path fill="{_FADED}" d="M0 0h{wide}v{high}h-{wide}z"/>'
        f'<path fill="{_GROUND}" d="{"".join(squares)}"/>'
        f'<path fill="none" stroke="{_LINE}" d="{"".join(lines)}"/>{paths}'
        f'<g fill="currentColor" font-size="11" text-anchor="middle">{text}</g></svg>'
    )


def _colours(board: Board) -> dict[str, str]:
    """Return the colour of each sign of a piece."""
    found: dict[str, str] = {}
    for signs in board.pieces:
        colours = STONES.values() if len(signs) == 2 else [_NOBODY]
        found |= dict(zip(signs, colours, strict=True))
    return found


def position_figure(words: Words, game: Game, captions: Sequence[str], side: int = 0) -> str | None:
    """Return a position as an SVG element; None where the game's text is not a row of squares.

    Dark stones are those of the side to move, or with `side` 1 those of the other.
    """
    signs = game.notation.write(words, side).split()[0]
    if game.shape is None or len(signs) != len(game.squares):
        return None
    return board_svg(dict(zip(game.squares, signs, strict=True)), game, captions)


def pattern_figure(table: pd.DataFrame, game: Game, n: int = 6) -> str | None:
    """Return the n most valuable patterns, and the n most harmful, as two rows of SVG elements.

    Parameters
    ----------
    table
        Patterns: `squares`, a tuple of names; `contents`, a sign for each, as the board has them
        where the first player, X, is to move;
        `weight`, in the game's unit; `count`, how many training positions had it.
    n
        How many of each.

    Returns
    -------
    str or None
        HTML; None where the game has no board or the table no pattern.
    """
    if game.shape is None or table.empty:
        return None
    ordered = table.sort_values("weight", ascending=False, kind="stable")
    best, worst = ordered[ordered["weight"] > 0].head(n), ordered[ordered["weight"] < 0].tail(n)
    return "\n".join(
        f'<div class="boards">{"".join(_patterns(part, game))}</div>'
        for part in (best, worst.iloc[::-1])
        if len(part)
    )


def _patterns(table: pd.DataFrame, game: Game) -> list[str]:
    digits = 1 if game.max_utility > 8 else 3
    return [
        board_svg(
            dict(zip(squares, contents, strict=True)),
            game,
            [f"{weight:+.{digits}f}  ({count:,} positions)"],
        )
        for squares, contents, weight, count in zip(
            table["squares"], table["contents"], table["weight"], table["count"], strict=True
        )
    ]
