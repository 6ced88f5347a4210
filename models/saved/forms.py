"""The forms that there are, read back from what a saved model says of itself."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from samuel.models.forms.form import Form
from samuel.models.forms.kinds import KINDS, CardError, CompiledModel
from samuel.models.forms.sums import SumForm
from samuel.models.patterns.forms import PatternForm
from samuel.models.patterns.network import NetworkForm

_READERS: dict[str, Any] = {
    **dict.fromkeys(KINDS, CompiledModel.read),
    PatternForm.kind: PatternForm.read,
    NetworkForm.kind: NetworkForm.read,
}
ENTRIES = ("features", "columns", "features_digest", "shapes", "tables", "linear", "parts")
"""What descriptions hold besides kind and game."""


def read_form(card: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Form:
    """Return the form of a description and its arrays, which may be unsound.

    Raises
    ------
    UserError
        It needs features that are not known here, or other ones than there are.
    ValueError
        The arrays make no sense; CardError where the description makes none.
    """
    kind = card.get("kind")
    if kind == SumForm.kind:
        return SumForm(tuple(read_form(*part) for part in SumForm.parts_in(card, arrays)))
    if not isinstance(kind, str) or kind not in _READERS:
        raise CardError(f"there are no models of the kind {reprlib.repr(kind)}")
    form: Form = _READERS[kind](card, arrays)
    return form
