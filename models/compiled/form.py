"""A form: a fitted model as the search runs it and as it is saved.

A form makes an evaluator; a description of it goes into the card of a saved model, and arrays hold
its numbers. No form needs scikit-learn.
"""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game


class CompiledModel(Protocol):
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
        """Return what a card says of it: `kind`, `game`, and what else `read_compiled` needs."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return its numbers by name."""
