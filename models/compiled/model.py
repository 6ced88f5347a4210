"""A compiled model: a fitted model as the search runs it and as it is saved.

It makes an evaluator; a description of it goes into the card of a saved model, and arrays hold its
numbers. None needs scikit-learn.
"""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.features import Feature, column_names, feature_names, features_digest, features_named
from samuel.games.catalog import is_of_the_package, known_game
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.sound import rules_digest
from samuel.kernels.laid_out import laid_out

T = TypeVar("T")
LARGEST_SCORE = 1e37
"""No sound model can give a score, or anything on the way to one, so far from 0: a sum of several
is still a number in single precision. The search clips scores to the largest result."""
SMALLEST_PROBABILITY = 1e-6
"""Probabilities are held this far from 0 and 1 before their logit is taken."""
MOST_NUMBERS = 1 << 31
"""Places in an evaluator's arrays are 32-bit numbers."""


class CompiledModel(Protocol):
    """Interface of every compiled model."""

    @property
    def kind(self) -> str:
        """The name of its kind."""

    @property
    def game(self) -> Game:
        """The game."""

    def check(self) -> None:
        """Raise ValueError with what is wrong, unless the search can run it within its arrays."""

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""

    def described(self) -> dict[str, Any]:
        """Return its entry of a card: `kind`, `game`, and what else `read_compiled` needs."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return its numbers by name."""


def evaluator_of(
    its: Any, evaluate: Any, game: Game, name: str, origin: str, ignores_chance: bool = False
) -> Evaluator:
    """Return the evaluator of a compiled function and the record that it reads."""
    integers, floats = laid_out(its)
    words = game.words
    return Evaluator(
        *(name, game.name, evaluate, words, integers, floats, origin), ignores_chance=ignores_chance
    )


class CardError(ValueError):
    """A card does not describe a model."""


def require(holds: Any, fault: str) -> None:
    """Raise ValueError with a fault of a model, unless a condition is true."""
    if not holds:
        raise ValueError(fault)


def require_bounded(array: str, numbers: Any, most: float = LARGEST_SCORE) -> None:
    """Raise ValueError unless the numbers that an array leads to are finite, and below `most`."""
    largest = float(np.abs(numbers).max(initial=0.0))  # NaN, if any is
    size = f"as large as {largest:.3g}" if np.isfinite(largest) else "that are not finite"
    require(largest < most, f"{array!r} gives scores {size}")


def require_shapes(model: Any, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raise ValueError unless arrays of a model have these shapes."""
    for name, shape in shapes.items():
        found = getattr(model, name).shape
        require(found == shape, f"{name!r} has the shape {found}, not {shape}")


def require_ascending(knots: Sequence[int]) -> None:
    """Raise ValueError unless each knot is above the one before it, and there is one."""
    in_order = all(a < b for a, b in itertools.pairwise(knots))
    require(knots and in_order, "'knots' must hold numbers in ascending order")


def require_room(size: int) -> None:
    """Raise ValueError where a model has more numbers than the search can hold."""
    require(size < MOST_NUMBERS, f"its {size:,} numbers are more than the search can hold")


def described(card: Mapping[str, Any], kind: type[T]) -> T:
    """Return an entry of a card as a record; CardError if it has another form."""
    import msgspec  # takes time to import

    try:
        return msgspec.convert(dict(card), kind)
    except msgspec.ValidationError as error:
        raise CardError(str(error).replace("`$.", "`")) from None


@dataclass(frozen=True)
class _Described:
    """Entries of a card about the features of a model."""

    game: str
    features: list[str]
    features_digest: str
    rules_digest: str | None = None


def described_features(features: Sequence[Feature]) -> dict[str, Any]:
    """Return the entry of a card for the features of a model; `known_features` reads it."""
    game = features[0].game
    rules = {} if is_of_the_package(game) else {"rules_digest": rules_digest(known_game(game))}
    return {
        "features": [feature.name for feature in features],
        "columns": column_names(features),
        "features_digest": features_digest(tuple(features)),
        **rules,
    }


def known_features(card: dict[str, Any]) -> tuple[Feature, ...]:
    """Return the features that a card names."""
    said = described(card, _Described)
    known = feature_names(said.game)
    for name in said.features:
        if name not in known:
            raise UserError(
                f"it needs the feature {reprlib.repr(name)} of {said.game}, which is not "
                "loaded; give the file that defines it with --plugin FILE, or import it"
            )
    features = features_named(said.features, said.game)
    if features_digest(features) != said.features_digest:
        if said.rules_digest not in (None, rules_digest(known_game(said.game))):
            raise UserError(
                f"the rules of {said.game} have changed since it was trained; load the earlier "
                "file of the game, or train it again"
            )
        raise UserError(
            f"its features have changed: {', '.join(said.features)} give other numbers than "
            "when it was trained; load the earlier file, or train it again"
        )
    return features
