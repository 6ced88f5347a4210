"""A position as a picture for players: places, what lies on them, and the clicks of a move."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from samuel.games.board import Board

if TYPE_CHECKING:
    from samuel.games.interface import Game
    from samuel.games.position import Position

Shape = Literal["square", "dark", "cross", "up", "down", "tray"]
Colour = Literal["first", "second", "nobody"]
SIDES: tuple[Colour, Colour] = ("first", "second")


class Place(NamedTuple):
    """Place where pieces can lie: a square, a crossing of lines, a point up or down, or a tray."""

    name: str
    x: float
    y: float
    width: float
    height: float
    shape: Shape


class Piece(NamedTuple):
    """A piece: where, whose, the letter of its kind (empty for the first), and how many."""

    place: str
    colour: Colour
    letter: str
    number: int = 1


class Figure(NamedTuple):
    """How pieces of a kind are drawn: SVG paths in a square of 100 by 100."""

    name: str
    outline: str
    detail: str = ""


@dataclass(frozen=True)
class Scene:
    """A picture."""

    width: float
    height: float
    places: tuple[Place, ...]
    pieces: tuple[Piece, ...]
    lines: tuple[tuple[float, float, float, float], ...] = ()
    labels: tuple[tuple[float, float, str], ...] = ()
    caption: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    turns: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self)


def side_names(game: Game) -> tuple[str, str]:
    """Return what people call the first player of a game, and the second."""
    if game.defaults.sides:
        return game.defaults.sides
    players = getattr(game.notation, "players", "")
    return (
        tuple(players) if len(players) == len(SIDES) else ("the first player", "the second player")
    )


def scene_of(position: Position) -> Scene | None:
    """Return the picture of a position; None for a game that has no board."""
    own = getattr(position.game.notation, "scene", None)
    if own is not None:
        found: Scene = own(position.words, position.side)
        return found
    board = position.game.board
    return None if board is None else _on_board(position, board)


def paths_of(position: Position, move: int) -> list[list[str]]:
    """Return the places that may be clicked, one after the other, to play a move."""
    game = position.game
    own = getattr(game.notation, "paths", None)
    if own is not None:
        ways: list[list[str]] = own(move, position.side)
        return ways
    board, text = game.board, game.notation.write_move(move)
    if board is None:
        return []
    named = _named(text, board)
    if named:
        return [named]
    changed = _changed(game, position, move, board)
    column = changed[0] % board.columns if changed else 0
    if text in (str(board.column_names[column]), str(column + 1)):
        return [[board.squares[row * board.columns + column]] for row in range(board.rows)]
    return [[board.squares[square]] for square in changed]


def _on_board(position: Position, board: Board) -> Scene:
    rows, columns = board.shape
    at = {k: (k % columns, k // columns) for k in range(rows * columns)}
    shape: Shape = "cross" if board.lines else "dark" if board.unused else "square"
    places = tuple(
        Place(name, *at[k], 1, 1, "square" if k in board.unused else shape)
        for k, name in enumerate(board.squares)
    )
    pieces = tuple(_pieces(board, signs_of(position, board), side_names(position.game)))
    middle = 0.5
    lines = tuple(
        (at[a][0] + middle, at[a][1] + middle, at[b][0] + middle, at[b][1] + middle)
        for a, b in board.lines
    )
    labels = [(x + middle, rows + middle, board.column_names[x]) for x in range(columns)]
    labels += [(-middle, y + middle, str(board.row_names[y])) for y in range(rows)]
    turns = getattr(position.game.notation, "second_sees", "same") != "same"
    return Scene(columns, rows, places, pieces, lines, tuple(labels), turns=turns)


def signs_of(position: Position, board: Board) -> str:
    """Return the sign of what each square has, as the first player sees the board."""
    signs = getattr(position.game.notation, "signs", None)
    if signs is not None:
        return "".join(signs(position.words, position.side))
    digits = board.digits(position.game.rows([position.words]))[:, 0]
    return "".join(board.contents[digit].signs[position.side] for digit in digits)


def _pieces(board: Board, signs: str, sides: tuple[str, str]) -> Iterator[Piece]:
    for square, sign in zip(board.squares, signs, strict=True):
        for kind, pair in enumerate(board.pieces):
            if sign in pair:
                colour = SIDES[pair.index(sign)] if len(pair) == len(SIDES) else "nobody"
                is_lettered = kind > 0 or (bool(board.lines) and len(board.pieces) > 1)
                is_lettered |= len(board.pieces) > len(SIDES) or tuple(pair) == sides
                yield Piece(square, colour, sign if is_lettered else "")


def _named(text: str, board: Board) -> list[str]:
    """Return the squares that a move's text consists of, if it does."""
    names = sorted(board.squares, key=len, reverse=True)
    found = re.findall("|".join(map(re.escape, names)), text)
    return found if re.sub(r"[-x]", "", text) == "".join(found) else []


def _changed(game: Game, position: Position, move: int, board: Board) -> list[int]:
    """Return the squares on which a move puts something."""
    after = position.play(move)
    before = board.digits(game.rows([position.words]))[:, 0]
    now = board.digits(game.rows([after.words]))[:, 0]
    changed: list[int] = np.flatnonzero((before == board.empty) & (now != board.empty)).tolist()
    return changed
