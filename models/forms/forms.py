"""Forms: fitted models as the search runs them and as they are saved.

A form makes an evaluator; a description of it goes into the card of a saved model, and arrays hold
its numbers. No form needs scikit-learn.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.models.forms.sums import SumForm
from samuel.models.patterns.forms import PatternForm
from samuel.models.patterns.network import NetworkForm
from samuel.models.saved.kinds import KINDS, CardError, CompiledModel


class Form(Protocol):
    """What every form offers."""

    @property
    def kind(self) -> str:
        """The name of its kind."""

    @property
    def game(self) -> Game:
        """The game."""

    @property
    def parameters(self) -> int:
        """How many numbers were learned."""

    @property
    def is_sound(self) -> bool:
        """Whether the search can run it without leaving its arrays."""

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""

    def described(self) -> dict[str, Any]:
        """Return what a card says of it: `kind`, `game`, and what else `read_form` needs."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return its numbers by name."""


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
