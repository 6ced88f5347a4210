"""Rote learning: games in which every position is remembered with what its search found.

A. Samuel, "Some studies in machine learning using the game of checkers", 1959. An evaluator with
what it has learned so far plays itself; the positions of a few games at a time are then merged into
its store, which grows older by one (models/rote/store.py).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.models.rote.front import in_front_counting
from samuel.models.rote.store import Store
from samuel.search.score import SCORE_UNIT, limits
from samuel.selfplay.plan import SelfplayPlan, play

_A_PLY = 1 / 512
"""The share that each ply takes off a score."""


def learn_by_rote(store: Store, evaluator: Evaluator, plan: SelfplayPlan, games: int) -> Store:
    """Return the store after a merge with so many more games of an evaluator that knows it."""
    game = store.game
    player, uses = in_front_counting(evaluator, store)
    memory = plan.method.new_memory(game, min(20, 6 + 2 * plan.counts(game).depth), 12)
    buffer, rows = play(plan, game, player, memory, store.games, games)
    found, depths = buffer.score[:rows], buffer.depth[:rows]
    scores = with_direction(game, found, depths)
    return store.merged(buffer.words[:rows], scores, depths, uses > 0, games)


def with_direction(game: Game, scores: ArrayLike, depths: ArrayLike) -> NDArray[np.float32]:
    """Return scores (n,) that searches found, a little less for each ply that they come from.

    Samuel's sense of direction: of two ways to win the nearer scores more, so that it is gone, and
    of two to lose the farther. A forced end comes from where it lies, any other score from the
    depth of the search. Where a sooner win is worth no more, scores stay as they are.
    """
    points, plies = np.asarray(scores, np.float64) * SCORE_UNIT, np.asarray(depths, np.float64)
    if game.sooner_is_better:
        proven, most = limits(game)
        sizes = np.abs(points)
        plies = np.where(sizes >= proven, game.scores.max_utility * SCORE_UNIT - sizes, plies)
        points = np.clip(points, -most, most) * (1 - _A_PLY) ** plies
    return (points / SCORE_UNIT).astype(np.float32)
