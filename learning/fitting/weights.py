"""How much rows count in a fit.

    late=x   1 at the start of the game, rising evenly to 1 + x at its end
    exact=x  x where the score is exact, 1 elsewhere
    rare=x   n^-x for a position that comes n times up to symmetry: 1 makes all positions count
             the same, however often they were reached

They multiply, are scaled to a mean of 1, so that a penalty on what an estimator learns keeps its
meaning, and multiply with the weights that a dataset brings.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def weigh(
    weights: Mapping[str, float],
    own: Floats,
    *,
    played: Floats,
    exact: NDArray[np.bool_],
    keys: NDArray[np.uint64],
) -> Floats:
    """Return how much rows (m,) count.

    Parameters
    ----------
    weights
        Some of learning.fitting.WEIGHTINGS, with their numbers.
    own
        What the rows count by themselves.
    played
        The share of the game that is over, from 0 to 1.
    exact
        Whether their scores are exact.
    keys
        Of their positions, the same for all images of one; empty where `rare` is not asked for.
    """
    factor = np.ones(len(own))
    if "late" in weights:
        factor *= 1 + weights["late"] * played
    if "exact" in weights:
        factor[exact] *= weights["exact"]
    if "rare" in weights:
        position, _ = pd.factorize(keys)
        factor *= np.bincount(position, own)[position] ** -weights["rare"]
    return own * factor * (own.sum() / (own @ factor))
