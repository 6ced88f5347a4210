"""Searchers that sample: the rules of a game and their evaluator, compiled and packed."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from numba import int64

from samuel.common.errors import UserError
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.playing import MOST_PLIES, MOST_REVERSIBLE, REPETITIONS, GameState
from samuel.games.rules import Rules
from samuel.kernels.pointers import Pointer, cast_to, compose_closure, room_of
from samuel.search.method import Calls, packed_searcher
from samuel.search.score import SCORE_UNIT
from samuel.search.trees.memory import (
    EXPLORATION,
    SCALE,
    SIMULATE,
    TreeMemory,
    TreeSearcher,
    UctParts,
    thaw,
)
from samuel.search.trees.thinking import forget, reaches, score_moves, think
from samuel.search.trees.uct import sample

_counts = cast_to(int64)
_turns, _draws, _word = room_of(2), room_of(5), room_of(1)
"""For a GameState (games/playing.py)."""


class _Inlined(NamedTuple):
    """Rules of a game that a simulation asks, themselves and not pointers to them."""

    legal_moves: Any
    candidates: Any
    play: Any
    outcomes: Any
    is_terminal: Any
    utility: Any


def _closure_of(
    rules: _Inlined, words: int, repetitions: int, most_reversible: int, most: int
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
        draws[REPETITIONS], draws[MOST_REVERSIBLE], draws[MOST_PLIES] = (
            repetitions,
            most_reversible,
            most,
        )
        state = GameState(
            position=row(),
            child=row(),
            words=words,
            moves=tree.state.moves,
            weights=tree.state.weights,
            turn=_counts(_turns(), 0),
            history=tree.state.history if most_reversible > 0 else _word(),
            draws=draws,
            best=tree.state.best,
            stream=stream,
        )
        sample(its.evaluation, inlined, state, tree)

    return simulate


def rules_in(game: Game, chooses: bool) -> Rules:
    """Return a game's rules, all legal moves its candidates where none are to be left out."""
    rules = game.rules_of_play
    return rules if chooses else rules._replace(candidates=rules.legal_moves)


@functools.lru_cache(maxsize=256)
def simulations_of(game: Game, chooses: bool = True) -> Any:
    """Return `sample` (search/trees/uct.py) as an entry point, compiled for a game."""
    rules, limits = (
        rules_in(game, chooses),
        (game.draws.repetitions, game.most_reversible, game.max_plies),
    )
    inlined = _Inlined(*(getattr(rules, name) for name in _Inlined._fields))
    return compose_closure(_closure_of(inlined, game.words, *limits), SIMULATE)


def searcher_of(
    method: Any, game: Game, evaluator: Evaluator, memory: TreeMemory, *, grows: bool
) -> Any:
    """Return a searcher of UCT or MonteCarlo (`AlphaBeta.searcher`)."""
    if game.search.candidates is None and not method.candidates:
        raise UserError(
            f"candidates has no effect in {game.name}, which names no moves that are worth a "
            "search; leave it out"
        )
    scale = method.scale
    if scale is None:  # there is no unit but the result where that is small
        scale = 0.0 if game.scores.max_utility <= 3 else game.scores.max_utility / 16
    memory.settings[EXPLORATION] = method.exploration
    memory.levels = len(memory.way) if grows else 1
    memory.settings[SCALE] = scale * SCORE_UNIT
    memory.plies = game.max_plies if method.playout_plies is None else method.playout_plies
    memory.playouts, memory.seed = method.playouts, method.seed
    calls = Calls(think, score_moves, reaches, forget)
    parts = UctParts(simulations_of(game, method.candidates))
    memory.whole = int(game.search.candidates is None or not method.candidates)
    own: Any = (
        rules_in(game, method.candidates),
        evaluator.evaluation(),
        calls,
        memory.block(),
        parts,
    )
    return packed_searcher(TreeSearcher(*own))
