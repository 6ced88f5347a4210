"""What positions and moves from elsewhere may be: many at once, before any kernel trusts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, int32, types
from numpy.typing import ArrayLike, NDArray

from samuel.errors import UserError
from samuel.games.interface import MOST_MOVES, ROWS, RULES, Game, PositionsLike, Rules
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at

_INTS, _BOOLS = types.Array(int32, 1, "C"), types.Array(boolean, 1, "C")
_ROOM = MOST_MOVES + 2
"""Positions that no game reaches may have more than `max_moves`; the moves of nearly all games are
numbers below this, and rules list none twice. One whose moves are larger refuses such positions."""

_AT_ONCE = 4096
"""Rows that are looked at together: what they need meanwhile fits in a cache."""


class ImpossibleError(UserError, ValueError):
    """Words are no position of the game; scikit-learn expects a ValueError."""


def are_possible(game: Game, positions: PositionsLike) -> NDArray[np.bool_]:
    """Return which of positions (n, K) the game's notation can hold; all where it does not say.

    It says so by `holds(positions)` (games.interface.Notation), as GridNotation does.
    """
    rows = game.rows(positions)
    holds = getattr(game.notation, "holds", None)
    if holds is None or not len(rows):
        return np.ones(len(rows), bool)
    return np.concatenate([holds(rows[k : k + _AT_ONCE]) for k in range(0, len(rows), _AT_ONCE)])


def possible_rows(game: Game, positions: PositionsLike) -> NDArray[np.uint64]:
    """Return positions (n, K) that come from outside as kernels take them (Game.rows).

    Raises
    ------
    ValueError
        They are of another shape or type.
    ImpossibleError
        One of them is no position of the game.
    """
    rows = game.rows(positions)
    possible = are_possible(game, rows)
    if not possible.all():
        first = int(np.argmin(possible))
        words = " ".join(map(hex, rows[first].tolist()))
        raise ImpossibleError(
            f"row {first} is no position of {game.name} ({words}): two pieces stand on one square, "
            "pieces beside the board, or numbers are out of range; give words as "
            "Position.words and Dataset.positions have them"
        )
    return rows


def are_legal(game: Game, positions: ArrayLike, moves: ArrayLike) -> NDArray[np.bool_]:
    """Return which of moves (n,) are legal in positions (n, K) that are possible.

    None is where a position has more moves than the game says that any has.
    """
    rows = game.rows(positions)
    legal = np.zeros(len(rows), bool)
    listed = np.zeros(_ROOM, np.int32)
    played = np.require(moves, np.int32, ["C", "W"])
    _are_legal(game.rules_of_play, rows, played, game.max_moves, listed, legal)
    return legal


def count_moves(game: Game, positions: ArrayLike) -> NDArray[np.int32]:
    """Return how many legal moves (n,) there are in positions (n, K) that are possible."""
    rows = game.rows(positions)
    counts = np.zeros(len(rows), np.int32)
    _count_moves(game.rules_of_play, rows, np.zeros(_ROOM, np.int32), counts)
    return counts


@jit(types.void(RULES, ROWS, _INTS, _INTS))
def _count_moves(rules: Rules, positions: Any, listed: Any, counts: Any) -> None:
    for i in range(positions.shape[0]):
        counts[i] = rules.legal_moves(at(positions, i), at(listed, 0))


@jit(types.void(RULES, ROWS, _INTS, types.int64, _INTS, _BOOLS))
def _are_legal(
    rules: Rules, positions: Any, moves: Any, max_moves: int, listed: Any, legal: Any
) -> None:
    for i in range(positions.shape[0]):
        n = rules.legal_moves(at(positions, i), at(listed, 0))
        if n <= max_moves:
            for k in range(n):
                if listed[k] == moves[i]:
                    legal[i] = True
