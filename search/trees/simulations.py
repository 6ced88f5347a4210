"""Simulations compiled for a game: its rules inlined, and a game state that lies in registers.

Most of what a simulation does is one move after another. Through pointers to rules, with a state
in memory and the keys of all positions on the way, a random game takes twice the time. So the
state is scratch of the kernel: what a game does not have (dice, draws by rule) is constant there,
and all that asks for it goes.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from numba import int64

from samuel.games.interface import Game, Rules
from samuel.games.playing import MOST_PLIES, MOST_QUIET, REPETITIONS, GameState
from samuel.kernels.compose import compose_closure
from samuel.kernels.pointers import Pointer, cast_to, room_of
from samuel.search.trees.frame import SIMULATE, thaw
from samuel.search.trees.uct import sample

_counts = cast_to(int64)
_turns, _draws, _word = room_of(2), room_of(5), room_of(1)
"""Of a room to play in (games/playing.py)."""


class _Inlined(NamedTuple):
    """Of a game's rules those that a simulation asks, themselves and not pointers to them."""

    legal_moves: Any
    candidates: Any
    play: Any
    outcomes: Any
    is_terminal: Any
    utility: Any


def _closure_of(
    rules: _Inlined, words: int, repetitions: int, most_quiet: int, most: int, shared: bool
) -> Any:
    """Return `simulate`, put together of the rules of a game and what ends it."""
    # what a closure holds is one constant each: no tuple of entry points
    legal_moves, candidates, play, outcomes, is_terminal, utility = rules
    row = room_of(words)

    def simulate(context: Pointer) -> None:
        """Grow the tree."""
        its = thaw(context)
        inlined = _Inlined(legal_moves, candidates, play, outcomes, is_terminal, utility)
        tree, draws, stream = its.tree, _counts(_draws(), 0), _word()
        stream[0] = tree.state.stream[0]
        draws[REPETITIONS], draws[MOST_QUIET], draws[MOST_PLIES] = repetitions, most_quiet, most
        state = GameState(
            position=row(),
            child=row(),
            words=words,
            moves=tree.state.moves,
            weights=tree.state.weights,
            turn=_counts(_turns(), 0),
            path=tree.state.path if most_quiet > 0 else _word(),
            draws=draws,
            stream=stream,
        )
        sample(its.evaluation, inlined, state, tree, shared)

    return simulate


def rules_in(game: Game, chooses: bool) -> Rules:
    """Return a game's rules, all legal moves its candidates where none are to be left out."""
    rules = game.rules_of_play
    return rules if chooses else rules._replace(candidates=rules.legal_moves)


@functools.lru_cache(maxsize=256)
def simulations_of(game: Game, shared: bool = False, chooses: bool = True) -> Any:
    """Return `sample` (search/trees/uct.py) as an entry point, compiled for a game.

    `shared` is for trees in which several threads make simulations: what is slower with care.
    `chooses` leaves moves out of the tree that the game says are not worth it.

    Raises
    ------
    UserError
        A rule is no code that numba can compile.
    """
    rules, limits = rules_in(game, chooses), (game.repetitions, game.most_quiet, game.max_plies)
    inlined = _Inlined(*(getattr(rules, name) for name in _Inlined._fields))
    return compose_closure(_closure_of(inlined, game.words, *limits, shared), SIMULATE)
