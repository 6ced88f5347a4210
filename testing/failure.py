"""Failures of a check: one sentence, as an assertion to a test and as advice to a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from samuel.common.errors import UserError
from samuel.games import Position

R = TypeVar("R")


class ContractError(UserError, AssertionError):
    """A game, a feature or an evaluator breaks a rule; the message says which, and where."""


def require(holds: Any, where: str, rule: str) -> None:
    """Raise ContractError unless something holds."""
    if not holds:
        raise ContractError(f"{where}: {rule}")


def require_same(found: Any, expected: Any, where: str, rule: str) -> None:
    """Raise ContractError unless two arrays are equal in every element."""
    require(np.array_equal(found, expected), where, rule)


def answer_of(where: str, function: Callable[..., R], *arguments: Any) -> R:
    """Return what a user's own Python function returns; that it raises is a failure."""
    try:
        return function(*arguments)
    except Exception as error:  # whatever a user's code may raise
        name = getattr(function, "__qualname__", repr(function))
        given = ", ".join(map(repr, arguments))
        raise ContractError(
            f"{where}: {name}({given}) raises {type(error).__name__}: {error}"
        ) from error


def place_of(position: Position) -> str:
    """Return the name of the game and the position's text."""
    game = position.game
    text = answer_of(game.name, game.notation.write, position.words, position.side)
    return f"{game.name}: {text}"
