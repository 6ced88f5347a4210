"""The positions that legal moves lead to, of many positions at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import int32, int64, types
from numpy.typing import ArrayLike, NDArray

from samuel.errors import UserError
from samuel.games.interface import ROWS, RULES, SAME, Game, Rules
from samuel.games.possible import count_moves, possible_rows
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at

_INTS, _INT64S = types.Array(int32, 1, "C"), types.Array(int64, 1, "C")


@dataclass(frozen=True)
class Successors:
    """The m positions after the legal moves of n positions, one position's behind another's.

    Attributes
    ----------
    positions
        uint64 (m, K), each seen by the side that is then to move.
    parents
        int64 (m,), from which of the n each comes.
    moves
        int32 (m,), the move that led there.
    signs
        int64 (m,), -1 where the other side is then to move, 1 where the same is.
    """

    positions: NDArray[np.uint64]
    parents: NDArray[np.int64]
    moves: NDArray[np.int32]
    signs: NDArray[np.int64]


def successors(game: Game, positions: ArrayLike) -> Successors:
    """Return the successors of positions (n, K), none of one in which the game is over.

    Raises
    ------
    UserError
        The game has dice: they come between a move and who judges it.
    """
    if game.outcomes is not None:
        raise UserError(f"in {game.name} dice are thrown between a move and what comes of it")
    rows = possible_rows(game, positions)
    starts = np.concatenate([[0], np.cumsum(count_moves(game, rows), dtype=np.int64)])
    m = int(starts[-1])
    found = Successors(
        np.zeros((m, game.words), np.uint64),
        np.zeros(m, np.int64),
        np.zeros(m, np.int32),
        np.zeros(m, np.int64),
    )
    listed = np.zeros(game.max_moves, np.int32)
    arrays = found.positions, found.parents, found.moves, found.signs
    _fill(game.rules_of_play, rows, starts, listed, *arrays)
    return found


@jit(types.void(RULES, ROWS, _INT64S, _INTS, ROWS, _INT64S, _INTS, _INT64S))
def _fill(
    rules: Rules,
    positions: Any,
    starts: Any,
    listed: Any,
    children: Any,
    parents: Any,
    moves: Any,
    signs: Any,
) -> None:
    for i in range(positions.shape[0]):
        if starts[i + 1] == starts[i]:
            continue
        rules.legal_moves(at(positions, i), at(listed, 0))
        for k in range(starts[i + 1] - starts[i]):
            place = starts[i] + k
            turn = rules.play(at(positions, i), int64(listed[k]), at(children, place))
            parents[place], moves[place] = i, listed[k]
            signs[place] = 1 if turn & SAME else -1
