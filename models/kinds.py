"""The kinds of compiled models, and a model of a kind before it becomes an evaluator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from features import Feature, column_names
from games.abi import Evaluator, Game
from models.compiled import Block, compiled_evaluator, linear
from models.mlp import mlp, mlp_is_sound, mlp_scratch
from models.trees import trees, trees_are_sound


@dataclass(frozen=True)
class Kind:
    """A kind of model that runs inside the search.

    Attributes
    ----------
    predict
        Its kernel, `predict(values, scratch, integers, floats)`.
    is_sound
        `is_sound(block, columns)`: whether the kernel stays within the block's arrays and the
        columns of the features, whatever a file may hold.
    scratch
        `scratch(block)`: floats of room the kernel needs.
    """

    predict: Any
    is_sound: Callable[[Block, int], bool]
    scratch: Callable[[Block], int] = lambda _block: 0


def _linear_is_sound(block: Block, columns: int) -> bool:
    return bool(
        block.integers.tolist() == [columns]
        and len(block.floats) == 1 + columns
        and np.isfinite(block.floats).all()
    )


KINDS = {
    "linear": Kind(linear, _linear_is_sound),
    "mlp": Kind(mlp, mlp_is_sound, mlp_scratch),
    "trees": Kind(trees, trees_are_sound),
}


@dataclass(frozen=True)
class CompiledModel:
    """All that a compiled evaluator is made of.

    Attributes
    ----------
    kind
        A key of KINDS.
    game, features
        What it evaluates and reads.
    blocks
        Its parameters, one block a stage.
    knots
        For each block the count of remaining squares where it alone counts, ascending.
    """

    kind: str
    game: Game
    features: tuple[Feature, ...]
    blocks: tuple[Block, ...]
    knots: tuple[int, ...] = (0,)

    @property
    def is_sound(self) -> bool:
        """Whether the search can run it without leaving its arrays."""
        columns = len(column_names(self.features))
        return (
            len(self.blocks) == len(self.knots) > 0
            and all(a < b for a, b in zip(self.knots, self.knots[1:], strict=False))
            and all(KINDS[self.kind].is_sound(block, columns) for block in self.blocks)
        )

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        kind = KINDS[self.kind]
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
