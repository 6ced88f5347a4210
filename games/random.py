"""Random positions: where uniformly random games come by."""

from __future__ import annotations

import numpy as np
from numba import int64
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.interface import ROW, RULES, Game, Row, Rules
from samuel.games.playing import GAME_STATE, GameState, begin, new_game_state, playout
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.kernels.records import to_pointers

_PATIENCE = 10_000
"""Random games in a row that end too soon, before the search for positions is given up."""


@jit(int64(RULES, ROW, GAME_STATE, int64))
def _play_random(rules: Rules, start: Row, arrays: GameState, plies: int) -> int:
    state = to_pointers(arrays)
    begin(rules, state, at(start, 0), int64(0))
    return playout(rules, state, plies)


def random_positions(
    game: Game, n: int, seed: int = 0, min_plies: int = 0, max_plies: int | None = None
) -> NDArray[np.uint64]:
    """Return n positions (n, K) from uniformly random play, none of them finished.

    The number of plies of each is uniform from `min_plies` to `max_plies`, by default of all that a
    game can last; of a first random game where there is no bound.

    Raises
    ------
    UserError
        Random games hardly ever last so long.
    """
    start, room = game.row(game.start), new_game_state(game)
    room.stream[0] = np.uint64(seed % (1 << 64))
    longest = game.most_plies - 1 if max_plies is None else max_plies
    if max_plies is None and game.plies_left is None:
        longest = max(min_plies, _play_random(game.rules_of_play, start, room, longest) - 1)
    positions = np.zeros((n, game.words), np.uint64)
    lengths = np.random.default_rng(seed)
    found = failed = 0
    while found < n:
        plies = int(lengths.integers(min_plies, longest + 1))
        played = _play_random(game.rules_of_play, start, room, plies)
        if played == plies and not game.is_over(room.position):
            positions[found] = room.position
            found, failed = found + 1, 0
        elif (failed := failed + 1) == _PATIENCE:
            raise UserError(
                f"random games of {game.name} hardly ever last {plies} plies and more; "
                "ask for fewer plies"
            )
    return positions
