"""Newton's method for linear fits: each step is found by preconditioned conjugate gradients.

It minimises a convex objective over one vector of weights (J. Nocedal and S. J. Wright, "Numerical
Optimization", 2006, algorithms 5.3 and 7.1). A squared loss takes one step, without a limit on its
products. An objective is over patterns (models/patterns/objective.py) or over columns
(models/columns.py); each gradient and each product with the Hessian is one pass over the rows.

Scores as probabilities of winning, 1 / (1 + exp(-score / K)), and the K that fits results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from samuel.common.steps import send_iteration

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


Floats = NDArray[np.float64]
Solve = Callable[[Floats], Floats]
Watch = Callable[[int, Floats, float], bool]
"""Function that sees each step, the place and the loss there, and may end the fit."""

_INNER, _FORCING = 25, 0.1
_HALVINGS, _SUFFICIENT = 12, 1e-4
_SOLVED = 1e-9
"""Share of the first residual at which a system counts as solved."""


class Objective(Protocol):
    """Objective that is minimised."""

    @property
    def is_quadratic(self) -> bool:
        """True if the Hessian is the same everywhere."""

    def gradient(self, at: Floats) -> tuple[float, Floats, Solve]:
        """Return the value, the gradient, and what divides by about the Hessian there."""

    def product(self, at: Floats, direction: Floats) -> Floats:
        """Return the Hessian at a place times a direction."""


def send_step(iteration: int, at: Floats, loss: float) -> bool:
    """Send a step to the callback of the run."""
    send_iteration(iteration, loss)
    return False


def minimise(
    problem: Objective, at: Floats, *, max_iter: int, tol: float, watch: Watch = send_step
) -> tuple[Floats, int]:
    """Return the minimum, and the passes it took."""
    value, gradient, solve = problem.gradient(at)
    if problem.is_quadratic:
        return _conjugate_gradients(
            *(problem, at, gradient, solve, max_iter),
            lambda gain, gained: gain <= tol * abs(value),
            lambda iteration, at, gained: watch(iteration, at, value - gained),
        )[:2]
    passes, number = 0, 0
    while passes < max_iter:
        least = _FORCING * tol * abs(value)
        target, used, expected = _conjugate_gradients(
            *(problem, at, gradient, solve, min(_INNER, max_iter - passes)),
            functools.partial(_is_near, least),
        )
        passes += used
        if not used:
            break
        step, length = target - at, 1.0
        for _ in range(_HALVINGS):
            tried = at + length * step
            new_value, new_gradient, new_solve = problem.gradient(tried)
            if new_value <= value - _SUFFICIENT * length * expected:
                break
            length /= 2
        else:
            return at, passes
        gain, number = value - new_value, number + 1
        at, value, gradient, solve = tried, new_value, new_gradient, new_solve
        if watch(number, at, value) or gain <= tol * abs(value):
            break
    return at, passes


def _conjugate_gradients(
    problem: Objective,
    start: Floats,
    gradient: Floats,
    solve: Solve,
    max_iter: int,
    is_done: Callable[[float, float], bool],
    watch: Watch = lambda iteration, at, gained: False,
) -> tuple[Floats, int, float]:
    """Minimise the quadratic model at `start`; return the place, the products and the gain."""
    residual, at, gained = -gradient, start, 0.0
    direction = scaled = solve(residual)
    size = first = float(np.vdot(residual, scaled))
    for iteration in range(1, max_iter + 1):
        if size <= _SOLVED * first:
            return at, iteration - 1, gained
        product = problem.product(start, direction)
        curvature = float(np.vdot(direction, product))
        if curvature <= 0:
            return at, iteration, gained
        step = size / curvature
        at = at + step * direction
        gain = 0.5 * step * size
        gained += gain
        if watch(iteration, at, gained) or is_done(gain, gained):
            return at, iteration, gained
        residual = residual - step * product
        scaled = solve(residual)
        size, before = float(np.vdot(residual, scaled)), size
        direction = scaled + size / before * direction
    return at, max_iter, gained


def _is_near(least: float, gain: float, gained: float) -> bool:
    """Return whether a product inside a Newton step gained too little to go on."""
    return gain <= max(least, _FORCING * _FORCING * gained)
