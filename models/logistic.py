"""Scores as probabilities of winning, 1 / (1 + exp(-score / K)), and the K that fits results."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

_SMALLER, _LARGER = 1e4, 100.0
"""K is at most so many times smaller or larger than the number where its search begins."""


def cross_entropy(logits: Any, wins: Any) -> NDArray[np.float64]:
    """Return -p log(q) - (1 - p) log(1 - q), q being expit(logits)."""
    found: NDArray[np.float64] = np.logaddexp(0, logits) - wins * logits
    return found


def scale_of(
    scores: NDArray[np.float64],
    wins: NDArray[np.float64],
    weights: NDArray[np.float64],
    first: float,
    smaller: float = _SMALLER,
) -> float:
    """Return the K under which scores (n,) predict the results best."""

    def loss(log_scale: float) -> float:
        return float(weights @ cross_entropy(scores / np.exp(log_scale), wins))

    bounds = np.log(first / smaller), np.log(first * _LARGER)
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))
