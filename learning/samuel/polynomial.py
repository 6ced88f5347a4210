"""The scoring polynomial of A. Samuel's program, and the rules by which it changes.

    score = piece advantage + sum over the active terms of weight * value

A term's weight follows from its correlation coefficient: how often the sign of its value was that
of delta, by which the score that was backed up later exceeded the score of the position itself. All
rules are those of "Some studies in machine learning using the game of checkers", IBM Journal 3,
1959, "Learning procedure involving generalizations" and appendix C. The piece advantage is fixed
and no part of this; weights are counted in units of the least one, 2 to the power 0.

The terms of a game that a polynomial is made of, and the polynomial as an evaluator.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError, unknown
from samuel.features import Feature, column_names, extract, feature_names, features_named
from samuel.games.evaluator import HAND_MADE, Evaluator
from samuel.games.game import Game
from samuel.games.rules import Row
from samuel.learning.fitting.reading import default_features
from samuel.models import evaluator_names
from samuel.models.compiled.features import FeatureModel, linear_block
from samuel.models.named import no_evaluator
from samuel.models.trainable.linear import linear_pipeline

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TOP_POWER = 18
"""The leading term has the weight 2**18, or -2**18."""
_FIRST_USES, _MOST_USES = 16, 256
"""N of the first corrections, and of the last: a power of two between."""


@dataclass(frozen=True)
class Series:
    """Settings that differ between his series of tests."""

    tallies: int
    spares_good: bool
    waits: bool
    looks: bool
    needs_majority: bool


SERIES = {
    1: Series(8, spares_good=False, waits=False, looks=False, needs_majority=False),
    2: Series(32, spares_good=True, waits=True, looks=True, needs_majority=True),
}


@dataclass
class Polynomial:
    """The terms in use and in reserve, and what is known of each; changed in place."""

    order: Ints
    active: int
    correlation: Floats
    uses: Ints
    tallies: Ints
    adjusted: Ints
    replaced: int = 0
    is_proportional: bool = False

    @classmethod
    def of(cls, terms: int, active: int, *, is_proportional: bool = False) -> Polynomial:
        """Return one of so many terms, all weights 0; the first ones are in use."""
        counts, active = np.zeros((3, terms), np.int64), min(active, terms)
        polynomial = cls(np.arange(terms), active, np.zeros(terms), *counts)
        polynomial.is_proportional = is_proportional
        return polynomial

    @property
    def in_use(self) -> Ints:
        """The numbers of the terms in use."""
        return self.order[: self.active]

    def powers(self) -> tuple[Ints, Ints]:
        """Return the sign (T,) of each weight, 0 where the term has none, and its power of 2."""
        if self.is_proportional:
            weights = self.weights()
            nearest = np.rint(np.log2(np.maximum(np.abs(weights), 1)))
            return np.sign(weights).astype(np.int64), nearest.astype(np.int64)
        signs, powers = np.zeros((2, len(self.order)), np.int64)
        of_those = self.correlation[self.in_use]
        signs[self.in_use] = np.sign(of_those)
        powers[self.in_use] = powers_of(of_those)
        return signs, powers

    def weights(self) -> Floats:
        """Return the weight (T,) of each term, a signed power of 2; 0 of those in reserve."""
        if self.is_proportional:
            weights, of_those = np.zeros(len(self.order)), self.correlation[self.in_use]
            weights[self.in_use] = of_those / (np.abs(of_those).max(initial=0.0) or 1.0)
            return weights * 2.0**TOP_POWER
        signs, powers = self.powers()
        return signs * 2.0**powers


def powers_of(correlations: Floats) -> Ints:
    """Return the power of 2 (n,) of each weight, by the ratio to the greatest correlation.

    18 * C / C_max to the nearest whole number, which gives all rows of his table in appendix C; his
    text, by which the ratio of two weights is 2**n for a ratio of the correlations from n to n + 1,
    does not.
    """
    sizes = np.abs(correlations)
    greatest = sizes.max(initial=0.0)
    if greatest == 0.0:
        return np.zeros(len(sizes), np.int64)
    return np.rint(TOP_POWER * sizes / greatest).astype(np.int64)


def divisor(uses: int) -> int:
    """Return N of a correction: 16 until 32 uses, 32 until 64, and so on; never more than 256."""
    if uses < 2 * _FIRST_USES:
        return _FIRST_USES
    return min(1 << (uses.bit_length() - 1), _MOST_USES)


def least_delta(polynomial: Polynomial) -> float:
    """Return what delta has to exceed for a correction: the mean size of the weights in use."""
    return float(np.abs(polynomial.weights()).sum()) / max(1, polynomial.active)


def corrected(
    polynomial: Polynomial,
    values: Floats,
    delta: float,
    *,
    times: int = 1,
    contributions: Floats | None = None,
    score: float = 0.0,
) -> int:
    """Correct the correlations by a delta that is worth it; return how many terms changed.

    C moves to C - (C -+ 1) / N: toward 1 where the signs of value and delta agree, else toward -1.
    """
    chosen = values != 0
    if contributions is not None and delta > 0:
        chosen &= contributions * np.sign(score) < 0
    changed = 0
    for term in polynomial.in_use:
        if not chosen[term]:
            continue
        now = polynomial.correlation[term]
        toward = np.sign(values[term]) * np.sign(delta)
        step = times * (now - toward) / divisor(int(polynomial.uses[term]))
        polynomial.correlation[term] = now - step
        polynomial.uses[term] += 1
        polynomial.adjusted[term] += 1
        changed += 1
    return changed


def tally(polynomial: Polynomial, limit: int) -> int | None:
    """Give the lowest term in use a tally; return the number of a term that has gone for it."""
    order, active = polynomial.order, polynomial.active
    if active == len(order):
        return None
    place = int(np.argmin(np.abs(polynomial.correlation[polynomial.in_use])))
    low = int(order[place])
    polynomial.tallies[low] += 1
    if polynomial.tallies[low] < limit:
        return None
    new = order[active]
    order[active:-1] = order[active + 1 :]
    order[place], order[-1] = new, low
    for known in (polynomial.correlation, polynomial.uses, polynomial.tallies):
        known[new] = 0
    polynomial.replaced += 1
    return low


def jolt(polynomial: Polynomial) -> int:
    """Set the weight of the leading term to 0, off a track that is wrong; return its number."""
    in_use = polynomial.in_use
    leading = int(in_use[np.argmax(np.abs(polynomial.correlation[in_use]))])
    polynomial.correlation[leading] = 0
    return leading


_SIDES = ("player", "opponent")


@dataclass(frozen=True, eq=False)
class PolynomialTerms:
    """Terms as sums of numbers of features, which they are evaluated by."""

    game: Game
    names: tuple[str, ...]
    features: tuple[Feature, ...]
    parts: Floats
    pieces: Floats
    unit: float

    def values(self, row: Row) -> tuple[Floats, float]:
        """Return the terms (T,) at a position (K,), and its piece advantage in units."""
        numbers = extract(self.features, row[None])[0].astype(np.float64)
        return self.parts @ numbers, float(self.pieces @ numbers)

    def evaluator(self, name: str, weights: Floats) -> Evaluator:
        """Return the polynomial with weights (T,) as an evaluator."""
        block = linear_block(self._of_columns(weights))
        model = FeatureModel("linear", self.game, self.features, (block,))
        return model.evaluator(name, HAND_MADE)

    def estimator(self, weights: Floats) -> Any:
        """Return it as what is saved: a pipeline that reads no feature without a weight."""
        of_columns = self._of_columns(weights)
        kept: list[str] = []
        numbers: list[float] = []
        ends = np.cumsum([len(feature.columns) for feature in self.features])
        for feature, end in zip(self.features, ends, strict=True):
            of_feature = of_columns[end - len(feature.columns) : end]
            if of_feature.any():
                kept.append(feature.name)
                numbers.extend(of_feature)
        if not kept:  # a model reads something
            kept, numbers = [self.features[0].name], [0.0] * len(self.features[0].columns)
        return linear_pipeline(kept, self.game, np.array(numbers))

    def _of_columns(self, weights: Floats) -> Floats:
        return self.pieces + self.unit * weights @ self.parts


def terms_of(game: Game, pieces: str, leading: float, names: Sequence[str] = ()) -> PolynomialTerms:
    """Return the terms of a game."""
    if game.chance is not None:
        raise UserError(f"Samuel's learning is for games without dice; {game.name} has dice")
    chosen = tuple(names) or game.defaults.terms or tuple(default_features(game))
    if not chosen:
        raise UserError(f"Samuel's learning needs features, and {game.name} has none")
    terms: dict[str, dict[str, float]] = {}
    for name in chosen:
        terms |= _terms_named(name, game)
    fixed = _pieces_of(pieces, game)
    columns = dict.fromkeys(column for parts in (*terms.values(), fixed) for column in parts)
    owners = _owners(game)
    features = tuple(dict.fromkeys(owners[column] for column in columns))
    place = {column: k for k, column in enumerate(column_names(features))}
    table = np.zeros((1 + len(terms), len(place)))
    for row, parts in zip(table, (fixed, *terms.values()), strict=True):
        for column, share in parts.items():
            row[place[column]] = share
    return PolynomialTerms(
        game, tuple(terms), features, table[1:], table[0], leading / 2**TOP_POWER
    )


def _terms_named(name: str, game: Game) -> dict[str, dict[str, float]]:
    """Return the terms that a name stands for, each as columns and their signs."""
    if name in feature_names(game.name):
        (found,) = features_named([name], game.name)
        if found.columns == tuple(f"{name}_{side}" for side in _SIDES):
            return {name: dict(zip(found.columns, (1.0, -1.0), strict=True))}
        return {column: {column: 1.0} for column in found.columns}
    owners = _owners(game)
    if name not in owners:
        raise unknown("term", name, [*feature_names(game.name), *owners], of=game.name)
    return {name: {name: 1.0}}


def _pieces_of(name: str, game: Game) -> dict[str, float]:
    """Return the weights of the piece advantage by their columns."""
    if name == "zero":
        return {}
    if name not in evaluator_names(game) and not Path(name).is_dir():
        raise no_evaluator(name, game)
    made = game.defaults.evaluators.get(name)
    if made is None or any(len(weights) > 1 for weights in made.weights.values()):
        raise UserError(
            f"{name} cannot be the piece advantage of Samuel's polynomial; give zero, or a "
            "hand-made evaluator with the same weights at all stages (--from)"
        )
    return {column: weight for column, (weight,) in made.weights.items()}


@functools.lru_cache(maxsize=8)
def _owners(game: Game) -> dict[str, Feature]:
    found = features_named(feature_names(game.name), game.name)
    return {column: feature for feature in found for column in feature.columns}
