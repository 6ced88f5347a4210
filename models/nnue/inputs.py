"""Inputs of efficiently updatable networks: pieces on squares, as each side sees them.

A half of the first layer may mirror the board: then left and right are exchanged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.board import MOVER
from samuel.games.changes import board_of, codes_of
from samuel.games.interface import Game
from samuel.games.rows import left_of


def inputs_of(game: Game) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the inputs of a game: of each kind on each square, and the same piece's for the other.

    Both are (kinds, squares): input `kind * squares + square`, kinds as in `Board.kept` and
    squares row by row from the top, and the input that it is from the other side.
    """
    mine, theirs = codes_of(game)
    own = np.arange(mine.size).reshape(mine.shape)
    by_code = dict(zip(mine.ravel().tolist(), own.ravel().tolist(), strict=True))
    return own, np.array([by_code[code] for code in theirs.ravel().tolist()]).reshape(own.shape)


def rows_by_code(game: Game) -> NDArray[np.int32]:
    """Return the input of each code, int32 (2, 2, codes).

    The first axis is 0 for a half that does not mirror the board and 1 for one that does, the
    second 0 for the side to move and 1 for the other. A bit that no square has is the input behind
    the last.
    """
    mine, _ = codes_of(game)
    own, other = inputs_of(game)
    squares = np.arange(own.shape[1]).reshape(board_of(game).shape)
    found = np.full((2, 2, 64 * board_of(game).words), own.size, np.int32)
    for mirrors, columns in enumerate((squares, squares[:, ::-1])):
        place = columns.ravel()
        found[mirrors, 0, mine] = own[:, place]
        kinds, on = np.divmod(other, squares.size)
        found[mirrors, 1, mine] = kinds * squares.size + place[on]
    return found


def king_masks(game: Game, king: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return where a king on the left stands: pairs of a word and a mask, of either side's king.

    Both as the side to move has the words; a side's left is what it sees there.

    Raises
    ------
    UserError
        The board has no such piece.
    """
    board = board_of(game)
    if not king:
        return [], []
    kinds = [k for k, one in enumerate(board.kept) if one.whose == MOVER and one.signs[0] == king]
    if not kinds:
        signs = ", ".join(one.signs[0] for one in board.kept if one.whose == MOVER)
        raise UserError(
            f"king must be a sign of a piece of {game.name}: {signs} (got {king!r:.60})"
        )
    mine, theirs = codes_of(game)
    is_left = np.arange(mine.shape[1]) % board.columns < board.columns // 2
    (kind,), found = kinds, []
    for codes in (mine[kind][is_left], mine[np.isin(theirs, mine[kind][is_left])]):
        words = np.unique(codes // 64)
        masks = [sum(1 << int(c) % 64 for c in codes if c // 64 == word) for word in words]
        found.append(list(zip(map(int, words), masks, strict=True)))
    return found[0], found[1]


def mirrors_in(game: Game, king: str, positions: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return for each half whether it mirrors the board in positions (n, K): 0 or 1, (n, 2)."""
    mirrors = np.zeros((len(positions), 2), np.int64)
    for half, masks in enumerate(king_masks(game, king)):
        for word, mask in masks:
            mirrors[:, half] |= positions[:, word] & np.uint64(mask) != 0
    return mirrors


def buckets_in(game: Game, buckets: int, positions: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return the stage of positions (n, K) among so many, int32 (n,)."""
    left = np.clip(left_of(game, positions), 0, game.most_left)
    return (left * buckets // (game.most_left + 1)).astype(np.int32)
