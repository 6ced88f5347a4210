"""The forms that there are, read back from what a saved model says of itself."""

from __future__ import annotations

import importlib
import reprlib
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from samuel.models.compiled.features import KINDS
from samuel.models.compiled.model import CardError, CompiledModel

_FORMS = {
    **dict.fromkeys(KINDS, ("compiled.features", "FeatureModel")),
    "patterns": ("patterns.model", "PatternModel"),
    "pattern network": ("patterns.network", "NetworkModel"),
    "nnue": ("nnue.model", "NnueModel"),
    "sum": ("compiled.sums", "SumModel"),
}
"""Module and class of the model of each kind: one is imported when it is read."""
ENTRIES = (
    *("features", "columns", "features_digest", "shapes", "tables", "linear", "parts"),
    *("units", "hidden", "activation", "buckets", "king", "king_areas", "classes"),
)
"""Entries of descriptions besides kind and game."""
_LEARNED = ("weights", "intercept", "parameters", "leaves", "rows", "biases", "layers")
"""Arrays that a fit finds; a part's number stands before them."""


def learned_numbers(model: CompiledModel) -> int:
    """Return how many numbers of a model were learned: weights, or nodes of trees."""
    return sum(one.size for name, one in model.arrays().items() if name.endswith(_LEARNED))


def read_compiled(card: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> CompiledModel:
    """Return the form of a description and its arrays, which may be unsound."""
    kind = card.get("kind")
    if not isinstance(kind, str) or kind not in _FORMS:
        raise CardError(f"the kind of model {reprlib.repr(kind)} is unknown")
    module, name = _FORMS[kind]
    form = getattr(importlib.import_module(f"samuel.models.{module}"), name)
    found: CompiledModel = form.read(card, arrays)
    return found
