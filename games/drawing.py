"""The picture of a position, and the clicks of a move, from its board or from its notation."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from samuel.games.board import Board
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.scene import SIDES, Piece, Place, Scene, Shape


def side_names(game: Game) -> tuple[str, str]:
    """Return what people call the first player of a game, and the second."""
    if game.defaults.sides:
        return game.defaults.sides
    players = game.notation.players
    return (players[0], players[1]) if players else ("the first player", "the second player")


def scene_of(position: Position) -> Scene | None:
    """Return the picture of a position; None for a game that has no board."""
    own, board = position.game.notation.scene(position.words, position.side), position.game.board
    return own if own or board is None else _on_board(position, board)


def paths_of(position: Position, move: int) -> list[list[str]]:
    """Return the places that may be clicked, one after the other, to play a move."""
    game = position.game
    own = game.notation.paths(move, position.side)
    if own is not None:
        return own
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
    notation = position.game.notation
    shape: Shape = (
        "cross" if board.lines else "dark" if board.unused or notation.figures else "square"
    )
    light = {k for k, place in at.items() if notation.figures and sum(place) % 2 == 0}
    places = tuple(
        Place(name, *at[k], 1, 1, "square" if k in board.unused or k in light else shape)
        for k, name in enumerate(board.squares)
    )
    pieces = tuple(_pieces(board, signs_of(position), side_names(position.game)))
    if notation.figures:
        pieces = tuple(piece._replace(letter=piece.letter.upper()) for piece in pieces)
    middle = 0.5
    lines = tuple(
        (at[a][0] + middle, at[a][1] + middle, at[b][0] + middle, at[b][1] + middle)
        for a, b in board.lines
    )
    labels = [(x + middle, rows + middle, board.column_names[x]) for x in range(columns)]
    labels += [(-middle, y + middle, str(board.row_names[y])) for y in range(rows)]
    turns = notation.second_sees != "same"
    return Scene(
        *(columns, rows, places, pieces, lines, tuple(labels)),
        figures=notation.figures,
        turns=turns,
    )


def signs_of(position: Position) -> str:
    """Return the sign of what each square has, as the first player sees the board."""
    return position.game.notation.signs(position.words, position.side)


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
