"""The terms of a game that a polynomial is made of, and the polynomial as an evaluator."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from samuel.common.errors import UserError, unknown
from samuel.features import Feature, column_names, extract, feature_names, features_named
from samuel.games.evaluator import HAND_MADE, Evaluator
from samuel.games.game import Game
from samuel.games.rules import Row
from samuel.learning.fitting.reading import default_features
from samuel.learning.samuel.polynomial import TOP_POWER, Floats
from samuel.models import evaluator_names
from samuel.models.compiled.features import FeatureModel, linear_block
from samuel.models.named import no_evaluator
from samuel.models.trainable.linear import linear_pipeline

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
    """Return the feature of each number."""
    found = features_named(feature_names(game.name), game.name)
    return {column: feature for feature in found for column in feature.columns}
