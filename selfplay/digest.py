"""Digest of an evaluator: its parameters, and its scores in fixed positions."""

from __future__ import annotations

import hashlib
import warnings

import joblib
import numpy as np
from numpy.typing import NDArray

from samuel.common.displayable import with_unit
from samuel.games.evaluator import Derivation, Evaluator
from samuel.games.game import Game
from samuel.games.playing import random_positions
from samuel.kernels.jit import EntryPoint
from samuel.models.evaluate import finite_scores
from samuel.search.score import SCORE_UNIT, limits

_PROBES = 64
_MANY = 0.5
"""The share of scores beyond what the search knows from which on there is a warning."""
_WRAPPED = 1e18
"""Bound beyond which scores lie that are differences of words below zero."""


def evaluator_digest(evaluator: Evaluator, game: Game) -> str:
    """Return a digest of what an evaluator is: its parameters, and its scores on fixed positions.

    Three digits of a model's scores count: processors may differ in the last ones of a
    network's sums. The caller is about to play by it, and is warned where the search cannot use
    the scores.
    """
    scores = finite_scores(evaluator, game, random_positions(game, _PROBES, seed=1959))
    warn_of_clipped(evaluator, game, scores)
    digits = 3 if isinstance(evaluator.evaluate, EntryPoint) else 9
    digest = hashlib.sha256(" ".join(f"{s:.{digits}g}" for s in scores).encode())
    digest.update(_parameters(evaluator))
    return digest.hexdigest()[:16]


def _parameters(evaluator: Evaluator) -> bytes:
    """Return the parameters, with the hash of an estimator instead of its address."""
    content, inner = evaluator.integers.tobytes() + evaluator.floats.tobytes(), evaluator
    while isinstance(inner.source, Derivation):
        of = inner.source
        inside = next((one for one in of.arguments if isinstance(one, Evaluator)), None)
        if inside is None:
            state = joblib.hash(of.arguments)
            return content.replace(of.evaluator.integers.tobytes(), state.encode())
        inner = inside
    return content


def warn_of_clipped(evaluator: Evaluator, game: Game, scores: NDArray[np.float32]) -> None:
    """Warn where the search would take many scores (n,) for the largest that it knows."""
    largest = limits(game)[1] / SCORE_UNIT
    share, most = float(np.mean(np.abs(scores) > largest)), float(np.abs(scores).max(initial=0))
    if share > _MANY and most > 2 * largest:
        wrapped = " (a difference of unsigned words is never negative)" if most > _WRAPPED else ""
        warnings.warn(
            f"{evaluator.name} scores {100 * share:.0f} % of positions above {largest:g}"
            f"{with_unit(game.scores.unit)}, up to {most:.3g}; the search clamps these scores to "
            f"{largest:g}, so it cannot distinguish them. Make the scores smaller{wrapped}",
            stacklevel=3,
        )
