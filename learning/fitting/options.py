"""`FitOptions`: what an estimator is fitted to, of which rows, and how it is made."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Any, TypeAlias

from samuel.common.errors import UserError, unknown
from samuel.common.options import Ends, Flag, OptionClass, Range, Text, names_in

TARGETS = ("outcome", "score", "exact", "blend", "td")
"""learning/fitting/targets.py says what each is."""
WEIGHTINGS = ("late", "exact", "rare", "close")
"""learning/fitting/examples.py says what each is."""


def weights_in(text: str) -> dict[str, float]:
    """Return the weights of a list such as late=0.5,exact=2."""
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    try:
        return {name.strip(): float(number) for name, _, number in pairs}
    except ValueError:
        raise UserError(f"weights must be a list such as late=0.5,exact=2 (got {text!r})") from None


_WORDS = {"true": True, "false": False, "none": None}


def _parts(text: str) -> list[str]:
    """Return what stands between commas that are in no brackets."""
    cuts, depth = [-1], 0
    for place, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            cuts.append(place)
    if depth:
        raise ValueError(text)
    return [text[before + 1 : after] for before, after in pairwise([*cuts, len(text)])]


def parameters_in(text: str) -> dict[str, Any]:
    """Return the parameters of a list such as alpha=1e-6,solver=lsqr; else ValueError."""
    pairs = [part.partition("=") for part in _parts(text)]
    if not all(name.strip().isidentifier() and value.strip() for name, _, value in pairs):
        raise ValueError(text)
    return {name.strip(): _value_in(value.strip()) for name, _, value in pairs}


def _value_in(text: str) -> Any:
    """Return what a text stands for: a number, true, false, none, several in brackets; a name."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return list(value) if isinstance(value, tuple) else value


Names: TypeAlias = Annotated[Sequence[str] | None, Text(names_in, "mobility,corners")]
"""Names; as text joined by commas."""


@dataclass(frozen=True)
class FitOptions(OptionClass):
    """Options of a fit: target, weights and choice of positions, features, stages.

    Attributes
    ----------
    target
        Target of the fit: outcome, score, exact (only exact scores), blend (of score and outcome),
        or td (weighted mean of later scores and outcome). By default the game's own; score in games
        whose scores are in pawns.
    blend
        Weight of the score in the target blend; the outcome has the rest.
    td_lambda
        Lambda of the target td: 0 uses only the score, 1 only the outcome.
    weights
        Weights of positions, joined by commas. late=X: from 1 at the start to 1 + X at the end.
        exact=X: X for exact scores. rare=X: n^-X for a position that occurs n times. close=X:
        1 / (1 + (target / X)^2).
    dedupe
        Merge positions that are equal up to symmetry: targets are averaged, weights added.
    augment
        Fit to all symmetric images of each position. The images share its weight.
    plies
        Plies to fit to, such as 20-40. Held-out positions are not filtered.
    plies_left
        Plies left (Othello: empty squares) to fit to, such as 4-50. Held-out positions are not
        filtered.
    quiet_only
        Fit only to quiet positions: not in check, no threat to answer, no capture that wins
        material. Held-out positions are not filtered.
    rows_per_game
        Largest number of positions per game to fit to. The random choice does not depend on the
        seed. By default all.
    features
        Features, joined by commas, instead of the game's default features (samuel models lists
        them). +NAME,NAME adds to the defaults.
    stages
        Number of stages of the game; 1 for none. By default the recipe's own.
    parameters
        Parameters of the recipe's estimator, joined by commas, such as alpha=1e-6 or
        hidden_layer_sizes=(64,32). In Python those of the last step of a pipeline.

    Raises
    ------
    UserError
        A setting cannot be used.

    Examples
    --------
    >>> import samuel
    >>> samuel.FitOptions(target="td", td_lambda=0.8).target
    'td'
    """

    target: str | None = None
    blend: Annotated[float, Range(0.0, 1.0)] = 0.5
    td_lambda: Annotated[float, Range(0.0, 1.0), Flag("lambda")] = 0.7
    weights: Annotated[Mapping[str, float], Text(weights_in, "late=0.5,exact=2")] = field(
        default_factory=dict
    )
    dedupe: bool = False
    augment: bool = False
    plies: Ends = None
    plies_left: Ends = None
    quiet_only: bool = False
    rows_per_game: Annotated[int | None, Range(1, 1 << 30)] = None
    features: Names = None
    stages: Annotated[int | None, Range(1, 999)] = None
    parameters: Annotated[Mapping[str, Any], Text(parameters_in, "alpha=1e-6,max_iter=200")] = (
        field(default_factory=dict)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target is not None and self.target not in TARGETS:
            raise unknown("target", self.target, TARGETS)
        for name, number in self.weights.items():
            if name not in WEIGHTINGS:
                raise unknown("weight", name, WEIGHTINGS)
            if not 0 < number < math.inf:
                raise UserError(f"weight {name} must be a positive number (got {number})")
        for name in ("plies", "plies_left"):
            bounds = getattr(self, name)
            if bounds is not None and not 0 <= bounds[0] <= bounds[1]:
                raise UserError(f"{name} must be a range from least to most (got {bounds})")
