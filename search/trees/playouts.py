"""Random games compiled for a game: its rules inlined, and nothing kept that it does not ask for.

Most of what a simulation does is one random move after another. Called through pointers, with the
keys of all positions on the way, a move takes twice the time.
"""

from __future__ import annotations

import functools
from typing import Any

from numba import int64

from samuel.games.interface import CHANCE, SAME, Game
from samuel.games.playing import DICE, MOST_PLIES, PLAYED, SIDE, playout
from samuel.kernels.compose import compose_closure
from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, view
from samuel.kernels.random import below
from samuel.search.trees.frame import PLAY_ON, thaw


@jit(PLAY_ON)
def _with_past(frame: Pointer) -> int:
    """Play on where draws by rule ask for the past."""
    rules, _, _, tree = thaw(frame)
    return playout(rules, tree, tree.plies)


def _closure_of(
    legal_moves: Any, play: Any, outcomes: Any, words: int, width: int, has_dice: bool
) -> Any:
    """Return `play_on`, put together of the rules of a game."""

    def play_on(frame: Pointer) -> int:
        """Play at random from the tree's table; return the moves played, dice not counted."""
        tree = thaw(frame).tree
        position, child = view(tree.position, words), view(tree.child, words)
        moves, weights = view(tree.moves, width), view(tree.weights, width)
        side, dice = int64(tree.turn[SIDE]), int64(tree.turn[DICE])
        played, most = int64(tree.draws[PLAYED]), int64(tree.draws[MOST_PLIES])
        moved = int64(0)
        while True:
            if has_dice and dice != 0:
                n, left = outcomes(position, moves, weights), int64(0)
                for i in range(n):
                    left += weights[i]
                left = below(tree.stream, left)
                chosen = n - 1
                for i in range(n):
                    left -= weights[i]
                    if left < 0:
                        chosen = int64(i)
                        break
            elif moved == tree.plies or played >= most:
                break
            else:
                n = legal_moves(position, moves)
                if n == 0:
                    break
                chosen = below(tree.stream, n)
                moved += 1
            turn = play(position, int64(moves[chosen]), child)
            for k in range(words):
                position[k] = child[k]
            if turn & SAME == 0:
                side = 1 - side
            played += 1
            dice = turn & CHANCE if played < most else int64(0)
        tree.turn[SIDE], tree.turn[DICE], tree.draws[PLAYED] = side, dice, played
        return moved

    return play_on


@functools.lru_cache(maxsize=256)
def playout_of(game: Game) -> Any:
    """Return `playout` (games/playing.py) at a tree's table, compiled for a game.

    Raises
    ------
    UserError
        A rule is no code that numba can compile.
    """
    if game.has_draws:
        return _with_past
    return compose_closure(
        _closure_of(
            game.legal_moves,
            game.whole_play,
            game.outcomes or game.legal_moves,
            game.words,
            game.max_moves,
            game.outcomes is not None,
        ),
        PLAY_ON,
    )
