"""Many positions at once, as rows of words: which are possible, what is left, where moves lead.

Positions and moves from elsewhere are checked here before any kernel trusts them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import boolean, int32, int64, types
from numpy.typing import ArrayLike, NDArray

from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.games.rules import MOST_MOVES, NO_MOVE, ROWS, RULES, Rules
from samuel.games.words import PositionsLike
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at

_ROOM = MOST_MOVES + 2
"""Positions that no game reaches may have more than `max_moves`; the moves of nearly all games are
numbers below this, and rules list none twice. One whose moves are larger refuses such positions."""

_AT_ONCE = 4096
"""Rows that are looked at together: what they need meanwhile fits in a cache."""


class ImpossibleError(UserError, ValueError):
    """Words are no position of the game; scikit-learn expects a ValueError."""


def are_possible(game: Game, positions: PositionsLike) -> NDArray[np.bool_]:
    """Return which of positions (n, K) the game's notation can hold; all where it does not say."""
    rows = game.rows(positions)
    parts = [rows[k : k + _AT_ONCE] for k in range(0, len(rows), _AT_ONCE)]
    return np.concatenate([np.ones(0, bool), *map(game.notation.holds, parts)])


def possible_rows(game: Game, positions: PositionsLike) -> NDArray[np.uint64]:
    """Return positions (n, K) that come from outside as kernels take them (Game.rows)."""
    rows = game.rows(positions)
    possible = are_possible(game, rows)
    if not possible.all():
        first = int(np.argmin(possible))
        words = " ".join(map(hex, rows[first].tolist()))
        raise ImpossibleError(
            f"row {first} is not a position of {game.name} ({words}): two pieces on one "
            "square, pieces outside the board, or numbers out of range; give words as in "
            "Position.words and Dataset.positions"
        )
    return rows


def are_legal(game: Game, positions: ArrayLike, moves: ArrayLike) -> NDArray[np.bool_]:
    """Return which of moves (n,) are legal in positions (n, K) that are possible."""
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


@jit(types.void(RULES, ROWS, int32[::1], int32[::1]))
def _count_moves(rules: Rules, positions: Any, listed: Any, counts: Any) -> None:
    for i in range(positions.shape[0]):
        counts[i] = rules.legal_moves(at(positions, i), at(listed, 0))


@jit(types.void(RULES, ROWS, int32[::1], types.int64, int32[::1], boolean[::1]))
def _are_legal(
    rules: Rules, positions: Any, moves: Any, max_moves: int, listed: Any, legal: Any
) -> None:
    for i in range(positions.shape[0]):
        n = rules.legal_moves(at(positions, i), at(listed, 0))
        if n <= max_moves:
            for k in range(n):
                if listed[k] == moves[i]:
                    legal[i] = True


def are_quiet(game: Game, positions: ArrayLike) -> NDArray[np.bool_]:
    """Return which of positions (n, K) that are possible are quiet."""
    rows = game.rows(positions)
    quiet = np.zeros(len(rows), bool)
    _are_quiet(game.rules_of_play, rows, np.zeros(_ROOM, np.int32), quiet)
    return quiet


@jit(types.void(RULES, ROWS, int32[::1], boolean[::1]))
def _are_quiet(rules: Rules, positions: Any, listed: Any, quiet: Any) -> None:
    for i in range(positions.shape[0]):
        n = rules.noisy(at(positions, i), NO_MOVE, 0, at(listed, 0))
        is_quiet = n >= 0
        for k in range(n):
            is_quiet = is_quiet and rules.exchange(at(positions, i), int64(listed[k])) <= 0
        quiet[i] = is_quiet


@jit(types.void(RULES, ROWS, int64[::1]))
def _left(rules: Rules, positions: Any, counts: Any) -> None:
    for i in range(positions.shape[0]):
        counts[i] = rules.left(at(positions, i))


def left_of(game: Game, positions: ArrayLike) -> NDArray[np.int64]:
    """Return how much of the game is left (`Game.left`) in each of positions (n, K)."""
    rows = possible_rows(game, positions)
    counts = np.zeros(len(rows), np.int64)
    _left(game.rules_of_play, rows, counts)
    return counts
