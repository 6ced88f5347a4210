"""The forms that there are, read back from what a saved model says of itself."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from samuel.models.compiled.features import KERNELS, FeatureModel
from samuel.models.compiled.model import CardError, CompiledModel
from samuel.models.compiled.sums import SumModel
from samuel.models.nnue.model import NnueModel
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel

_READERS: dict[str, Any] = {
    **dict.fromkeys(KERNELS, FeatureModel.read),
    PatternModel.kind: PatternModel.read,
    NetworkModel.kind: NetworkModel.read,
    NnueModel.kind: NnueModel.read,
}
ENTRIES = (
    *("features", "columns", "features_digest", "shapes", "tables", "linear", "parts"),
    *("units", "hidden", "activation", "buckets", "king", "king_areas", "classes"),
)
"""Entries of descriptions besides kind and game."""


def read_compiled(card: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> CompiledModel:
    """Return the form of a description and its arrays, which may be unsound."""
    kind = card.get("kind")
    if kind == SumModel.kind:
        (base, of_base), (network, of_network) = SumModel.parts_in(card, arrays)
        if base.get("kind") in (SumModel.kind, NnueModel.kind):
            raise CardError(f"the base of a network is of the kind {base['kind']}")
        if network.get("kind") != NnueModel.kind:
            raise CardError("the model beside the base is no network over pieces")
        return SumModel((read_compiled(base, of_base), read_compiled(network, of_network)))
    if not isinstance(kind, str) or kind not in _READERS:
        raise CardError(f"the kind of model {reprlib.repr(kind)} is unknown")
    form: CompiledModel = _READERS[kind](card, arrays)
    return form
