"""`Fitting`: what an estimator is fitted to, of which rows, and how it is made."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from samuel.errors import UserError, require_number, unknown

TARGETS = ("outcome", "score", "exact", "blend", "td")
"""learning/fitting/targets.py says what each is."""
WEIGHTINGS = ("late", "exact", "rare", "close")
"""learning/fitting/examples.py says what each is."""


@dataclass(frozen=True)
class Fitting:
    """How an estimator is fitted to a dataset.

    Attributes
    ----------
    target
        What it learns, one of TARGETS (learning.fitting.targets).
    blend
        The weight of the score in the target `blend`, from 0 to 1.
    trace
        The lambda of the target `td`, from 0 (the score alone) to 1 (the outcome alone).
    weights
        How much rows count: some of WEIGHTINGS with a positive number each.
    dedupe
        Whether positions that are the same up to symmetry become one, their targets averaged;
        it counts as much as they did together.
    augment
        Whether every position is seen in all its images under the game's symmetries, which
        count as much together as it did.
    plies, remaining
        The training rows are those with so many plies played, and so many squares remaining:
        the least and the most. None for all.
    features, stages
        Names of features, and into how many stages to divide the game; None for the recipe's. The
        features replace the game's defaults; where a name begins with `+`, all are added to them:
        features=["+mine"].
    parameters
        Of the recipe's estimator (the last step of a pipeline), in place of the recipe's own.

    Raises
    ------
    UserError
        A setting cannot be used.
    """

    target: str = "blend"
    blend: float = 0.5
    trace: float = 0.7
    weights: Mapping[str, float] = field(default_factory=dict)
    dedupe: bool = False
    augment: bool = False
    plies: tuple[int, int] | None = None
    remaining: tuple[int, int] | None = None
    features: Sequence[str] | None = None
    stages: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.target not in TARGETS:
            raise unknown("target", self.target, TARGETS)
        require_number("blend, the weight of the score,", self.blend, 0.0, 1.0)
        require_number("trace, the lambda of td,", self.trace, 0.0, 1.0)
        require_number("stages", self.stages, 1, 999)
        for name, number in self.weights.items():
            if name not in WEIGHTINGS:
                raise unknown("weight", name, WEIGHTINGS)
            if not 0 < number < math.inf:
                raise UserError(f"the weight {name} takes a positive number, not {number}")
        for name in ("plies", "remaining"):
            bounds = getattr(self, name)
            if bounds is not None and not 0 <= bounds[0] <= bounds[1]:
                raise UserError(f"{name} go from the least to the most, not {bounds}")


def weights_in(text: str) -> dict[str, float]:
    """Return the weights of a list such as late=0.5,exact=2.

    Raises
    ------
    UserError
        It is no such list.
    """
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    try:
        return {name.strip(): float(number) for name, _, number in pairs}
    except ValueError:
        raise UserError(f"weights are a list such as late=0.5,exact=2, not {text}") from None
