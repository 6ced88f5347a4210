"""Inputs of efficiently updatable networks: pieces on squares, as each side sees them.

A half of the first layer may choose its view of the board by the square of its king: it mirrors
the board, so left and right are exchanged, or has rows for the area where the king stands.
"""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import int32, int64, types
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.board import MOVER
from samuel.games.changes import board_of, codes_of
from samuel.games.game import Game
from samuel.games.rows import left_of
from samuel.games.rules import ROWS
from samuel.kernels.bits import ONE, trailing_zeros
from samuel.kernels.jit import jit
from samuel.models.networks.steps import Inputs
from samuel.models.nnue.shape import MOST_AREAS, Shape


def inputs_of(game: Game) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the inputs of a game: of each kind on each square, and the same piece's for the other.

    Both are (kinds, squares): input `kind * squares + square`, kinds as in `Board.kept` and
    squares row by row from the top, and the input that it is from the other side.
    """
    mine, theirs = codes_of(game)
    own = np.arange(mine.size).reshape(mine.shape)
    by_code = dict(zip(mine.ravel().tolist(), own.ravel().tolist(), strict=True))
    return own, np.array([by_code[code] for code in theirs.ravel().tolist()]).reshape(own.shape)


def rows_by_code(game: Game, areas: int = 1) -> NDArray[np.int32]:
    """Return the row of each code, int32 (2 * areas, 2, codes).

    The first axis is how a half sees the board: 2 * area of its king, and 1 where it mirrors the
    board. The second is 0 for the side to move and 1 for the other. Each area has a row for each
    input; a bit that no square has is the row behind the last.
    """
    mine, _ = codes_of(game)
    own, other = inputs_of(game)
    squares = np.arange(own.shape[1]).reshape(board_of(game).shape)
    found = np.full((areas, 2, 2, 64 * board_of(game).words), areas * own.size, np.int32)
    of_area = own.size * np.arange(areas)[:, None, None]
    for mirrors, columns in enumerate((squares, squares[:, ::-1])):
        place = columns.ravel()
        found[:, mirrors, 0, mine] = of_area + own[:, place]
        kinds, on = np.divmod(other, squares.size)
        found[:, mirrors, 1, mine] = of_area + kinds * squares.size + place[on]
    return found.reshape(2 * areas, 2, -1)


def learned_rows_by_code(game: Game, areas: int) -> NDArray[np.int32]:
    """Return the rows of each code that a fit adds up, int32 (parts, 2 * areas, 2, codes)."""
    if areas == 1:
        return rows_by_code(game)[None]
    shared, own = np.tile(rows_by_code(game), (areas, 1, 1)), rows_by_code(game, areas)
    return np.stack([shared, inputs_of(game)[0].size + own])


@jit(types.void(ROWS, int64, int32[:, :, :, ::1], int64[:, ::1], int64[::1], int32[:, ::1]))
def _list_inputs(
    positions: Any, words: int, row_of: Any, views: Any, starts: Any, inputs: Any
) -> None:
    """List the inputs of positions, one position's behind another's; `starts` says where.

    `views` (n, 2) says how halves see the board; `row_of` is that of `learned_rows_by_code`.
    """
    for i in range(positions.shape[0]):
        place = starts[i]
        for k in range(words):
            word = positions[i, k]
            while word:
                code = 64 * k + trailing_zeros(word)
                for part in range(row_of.shape[0]):
                    for half in range(2):
                        inputs[half, place] = row_of[part, views[i, half], half, code]
                    place += 1
                word &= word - ONE


def inputs_in(game: Game, shape: Shape, positions: NDArray[np.uint64]) -> Inputs:
    """Return the inputs of positions (n, K), both halves, for a network that learns."""
    words, row_of = board_of(game).words, learned_rows_by_code(game, shape.n_areas)
    counts = np.bitwise_count(positions[:, :words]).sum(axis=1, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(len(row_of) * counts)])
    inputs = np.zeros((2, starts[-1]), np.int32)
    _list_inputs(positions, words, row_of, views_in(game, shape, positions), starts, inputs)
    return starts, inputs, np.ones(starts[-1], np.float32)


def areas_of(game: Game, king: str, given: int | Sequence[int] | None) -> tuple[int, ...]:
    """Return the area of a king on each square as its side sees it, row by row from the top."""
    board, most = board_of(game), MOST_AREAS
    if given is None or (isinstance(given, int | np.integer) and given is not True):
        rows = 1 if given is None else int(given)
        if not 1 <= rows <= min(board.rows, most):
            raise UserError(
                f"king_areas must be from 1 to {min(board.rows, most)} rows, or give each square "
                f"an area (got {rows})"
            )
        from_below = np.arange(board.rows)[::-1]
        areas = np.repeat(np.minimum(from_below, rows - 1), board.columns).tolist()
    else:
        areas = list(np.ravel(np.asarray(given, object)))
        is_whole = all(isinstance(one, int | np.integer) and one is not True for one in areas)
        size = board.rows * board.columns
        found = sorted(set(areas)) if is_whole else [-1]
        if len(areas) != size or found != list(range(len(found))) or len(found) > most:
            raise UserError(
                f"king_areas must be a number, or {size} numbers: the area of each square, from 0 "
                f"to at most {most - 1} without a gap (got {reprlib.repr(given)})"
            )
    if max(areas) and not king:
        raise UserError("king_areas needs a king; give its sign as well, such as king=K")
    return tuple(map(int, areas)) if max(areas) else ()


class Kings(NamedTuple):
    """Where the pieces stand by which halves choose their view of the board."""

    words: tuple[int, int]  # of the side to move, and of the other
    views: NDArray[np.int32]  # view of each half by the bit of its king (2, bits)


def kings_of(game: Game, king: str, areas: Sequence[int] = ()) -> Kings | None:
    """Return the kings of both sides by their sign, or None for no sign."""
    board = board_of(game)
    if not king:
        return None
    kinds = [k for k, one in enumerate(board.kept) if one.whose == MOVER and one.signs[0] == king]
    if not kinds:
        signs = ", ".join(one.signs[0] for one in board.kept if one.whose == MOVER)
        raise UserError(
            f"king must be a sign of a piece of {game.name}: {signs} (got {king!r:.60})"
        )
    mine, theirs = codes_of(game)
    (kind,), bits = kinds, 64 * board.words_each
    is_left = np.arange(mine.shape[1]) % board.columns < board.columns // 2
    view_of = dict(zip(mine[kind].tolist(), 2 * np.array(areas or 0) + is_left, strict=True))
    views, words = np.zeros((2, bits), np.int32), []
    for half, seen in enumerate((mine, theirs)):
        is_king = np.isin(seen, mine[kind])
        codes = mine[is_king]
        words.append(int(codes.min()) // bits * board.words_each)
        views[half, codes % bits] = [view_of[code] for code in seen[is_king].tolist()]
    return Kings((words[0], words[1]), views)


def views_in(game: Game, shape: Shape, positions: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return how each half sees the board in positions (n, K): (n, 2), see `rows_by_code`."""
    found = np.zeros((len(positions), 2), np.int64)
    kings = kings_of(game, shape.king, shape.king_areas)
    if kings is not None:
        for half, bit in zip(*np.nonzero(kings.views), strict=True):
            word = positions[:, kings.words[half] + bit // 64]
            stands = word >> np.uint64(bit % 64) & np.uint64(1) != 0
            found[:, half] = np.maximum(found[:, half], stands * kings.views[half, bit])
    return found


def buckets_in(game: Game, buckets: int, positions: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Return the stage of positions (n, K) among so many, int32 (n,)."""
    left = np.clip(left_of(game, positions), 0, game.most_left)
    return (left * buckets // (game.most_left + 1)).astype(np.int32)
