"""Models over features: their kinds, and one before it becomes an evaluator."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numba import float32
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.features import Feature, column_names, feature_names, features_digest, features_named
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.kernels.jit import jit
from samuel.kernels.laid_out import flat_of, from_flat, laid_out, reading
from samuel.kernels.pointers import at
from samuel.models.compiled.arrays import taken
from samuel.models.compiled.compiled import (
    MOST_NUMBERS,
    Linear,
    compiled_evaluator,
    linear,
    linear_block,
    linear_is_sound,
)
from samuel.models.compiled.layers import Network, forward, mlp_is_sound, mlp_scratch
from samuel.models.compiled.signatures import Signatures, signatures, signatures_are_sound
from samuel.models.compiled.trees import Trees, trees, trees_are_sound

T = TypeVar("T")


@dataclass(frozen=True)
class BlockKernel:
    """A kind of model that runs inside the search.

    Attributes
    ----------
    block
        The record of its parameters at one stage.
    predict
        Its kernel, `predict(values, scratch, block)`.
    is_sound
        `is_sound(block, columns)`: whether the kernel ends, stays within the block's arrays and
        the columns of the features, and gives finite scores, whatever a file may hold.
    scratch
        `scratch(block)`: floats of room the kernel needs.
    """

    block: Any
    predict: Any
    is_sound: Callable[[Any, int], bool]
    scratch: Callable[[Any], int] = lambda _block: 0


KERNELS = {
    "linear": BlockKernel(Linear, linear, linear_is_sound),
    "mlp": BlockKernel(Network, forward, mlp_is_sound, mlp_scratch),
    "trees": BlockKernel(Trees, trees, trees_are_sound),
    "signatures": BlockKernel(Signatures, signatures, signatures_are_sound),
}


@functools.cache
def _predictions(predict: Any, block: Any) -> Any:
    """Return a function that gives a kernel's scores of rows of columns."""
    read = reading(block)

    @jit
    def scores(rows: Any, scratch: Any, integers: Any, found: Any) -> None:
        for n in range(rows.shape[0]):
            its = read(at(integers, 0), at(scratch, 0))
            found[n] = float32(predict(at(rows, n), at(scratch, 0), its))

    return scores


@dataclass(frozen=True)
class FeatureModel:
    """All that a compiled evaluator is made of.

    Attributes
    ----------
    kind
        A key of KERNELS.
    game, features
        What it evaluates and reads.
    blocks
        Its parameters, a record of its kind for each stage.
    knots
        For each block the count of remaining squares where it alone counts, ascending.
    """

    kind: str
    game: Game
    features: tuple[Feature, ...]
    blocks: tuple[Any, ...]
    knots: tuple[int, ...] = (0,)

    @property
    def parameters(self) -> int:
        """How many numbers were learned: weights, or nodes of trees."""
        if self.kind == "trees":
            return int(sum(block.n for block in self.blocks))
        return sum(len(flat_of(block)[1]) for block in self.blocks)

    @property
    def is_sound(self) -> bool:
        """Whether the search can run it without leaving its arrays."""
        columns = len(column_names(self.features))
        return (
            len(self.blocks) == len(self.knots) > 0
            and all(a < b for a, b in zip(self.knots, self.knots[1:], strict=False))
            and sum(array.size for array in self.arrays().values()) < MOST_NUMBERS
            and all(KERNELS[self.kind].is_sound(block, columns) for block in self.blocks)
        )

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        kind = KERNELS[self.kind]
        return compiled_evaluator(
            name,
            self.game,
            self.features,
            kind.predict,
            self.blocks,
            self.knots,
            scratch=max(map(kind.scratch, self.blocks)),
            origin=origin,
        )

    def scores_of(self, block: Any, columns: NDArray[Any]) -> NDArray[np.float32]:
        """Return the scores (n,) that one of its blocks gives to columns (n, F) of features."""
        kind, rows = KERNELS[self.kind], np.ascontiguousarray(columns, np.float32)
        scratch = np.zeros(max(1, kind.scratch(block)), np.float32)
        found = np.zeros(len(rows), np.float32)
        _predictions(kind.predict, kind.block)(rows, scratch, laid_out(block)[0], found)
        return found

    def plus(self, other: Any) -> FeatureModel | None:
        """Return the sum with another as one model, None unless both are linear in the same."""
        like = (other.kind == self.kind == "linear") and other.features == self.features
        if not (like and other.knots == self.knots):
            return None
        pairs = zip(self.blocks, other.blocks, strict=True)
        blocks = tuple(
            linear_block(a.weights + b.weights, a.intercept + b.intercept) for a, b in pairs
        )
        return replace(self, blocks=blocks)

    def described(self) -> dict[str, Any]:
        """Return what a card says of it; `arrays` has the rest."""
        return {"kind": self.kind, "game": self.game.name, **described_features(self.features)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the knots and the parameters of each block."""
        found: dict[str, NDArray[Any]] = {"knots": np.array(self.knots, np.int64)}
        for k, block in enumerate(self.blocks):
            found[f"integers_{k}"], found[f"floats_{k}"] = flat_of(block)
        return found

    @classmethod
    def read(cls, card: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> FeatureModel:
        """Return the model of a card and its arrays, which may be unsound.

        Raises
        ------
        UserError
            Its features are not known here, or give other numbers than when it was made.
        ValueError
            The arrays are none of such a model; CardError where the card is none.
        """
        features = known_features(card)
        knots = tuple(taken(arrays, "knots", np.int64).tolist())
        block = KERNELS[card["kind"]].block
        blocks = tuple(
            from_flat(
                block, taken(arrays, f"integers_{k}", "i4"), taken(arrays, f"floats_{k}", "f4")
            )
            for k in range(len(knots))
        )
        return cls(card["kind"], known_game(card["game"]), features, blocks, knots)


class CardError(ValueError):
    """A card does not describe a model."""


def described(card: Mapping[str, Any], kind: type[T]) -> T:
    """Return what a card says as a record; CardError where it does not say it."""
    import msgspec  # takes time to import

    try:
        return msgspec.convert(dict(card), kind)
    except msgspec.ValidationError as error:
        raise CardError(str(error).replace("`$.", "`")) from None


@dataclass(frozen=True)
class _Described:
    """What a card says of the features of a model."""

    game: str
    features: list[str]
    features_digest: str


def described_features(features: Sequence[Feature]) -> dict[str, Any]:
    """Return what a card says of the features of a model; `known_features` reads it."""
    return {
        "features": [feature.name for feature in features],
        "columns": column_names(features),
        "features_digest": features_digest(tuple(features)),
    }


def known_features(card: dict[str, Any]) -> tuple[Feature, ...]:
    """Return the features that a card names.

    Raises
    ------
    UserError
        They are not the same here.
    CardError
        It names none.
    """
    said = described(card, _Described)
    known = feature_names(said.game)
    for name in said.features:
        if name not in known:
            raise UserError(
                f"it needs the feature {reprlib.repr(name)} of {said.game}, which is not known "
                "here; name the file that defines it with --plugin FILE, or import it"
            )
    features = features_named(said.features, said.game)
    if features_digest(features) != said.features_digest:
        raise UserError(
            f"it was made for other features: {', '.join(said.features)} give other "
            "numbers now than when it was trained; load the file of then, or train it again"
        )
    return features
