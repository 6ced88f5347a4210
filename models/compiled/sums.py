"""A network over pieces beside a base: the sum of both."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

from samuel.games.evaluator import Evaluator, Incremental
from samuel.games.game import Game
from samuel.games.rules import EVALUATE, EVALUATE_STATE, REFRESH, UPDATE
from samuel.kernels.laid_out import reading
from samuel.kernels.pointers import Pointer, compose_closure, compose_later
from samuel.kernels.records import inner_evaluator, record
from samuel.models.compiled.model import (
    CardError,
    CompiledModel,
    described,
    evaluator_of,
    require,
    require_room,
)


@record
class _Parameters(NamedTuple):
    """Two evaluators that are added up."""

    first: Any = inner_evaluator("the base")
    second: Any = inner_evaluator("the network")


_REFRESH = """
def refresh(position, integers, floats, state):
    its = read(integers, floats)
    of_second(position, its.second.integers, its.second.floats, state)
"""
_UPDATE = """
def update(position, child, integers, floats, state, child_state):
    its = read(integers, floats)
    of_second(position, child, its.second.integers, its.second.floats, state, child_state)
"""
_EVALUATE_STATE = """
def evaluate_state(position, integers, floats, state):
    its = read(integers, floats)
    score = first(position, its.first.integers, its.first.floats)
    return score + of_second(position, its.second.integers, its.second.floats, state)
"""


def _incremental(first: Any, second: Incremental) -> Incremental:
    """Return the sum of an evaluation and one by its state."""
    parts = {"read": reading(_Parameters), "first": first}
    refresh, update, evaluate_state = (
        compose_later(name, source, parts | {"of_second": of_second}, signature)
        for name, source, of_second, signature in (
            ("refresh", _REFRESH, second.refresh, REFRESH),
            ("update", _UPDATE, second.update, UPDATE),
            ("evaluate_state", _EVALUATE_STATE, second.evaluate_state, EVALUATE_STATE),
        )
    )
    return Incremental(refresh, update, evaluate_state, second.size)


@functools.lru_cache(maxsize=64)
def _evaluate(first: Any, second: Any) -> Any:
    """Return the compiled sum of two evaluations."""
    read = reading(_Parameters)

    def evaluate(position: Pointer, integers: Pointer, floats: Pointer) -> float:
        its = read(integers, floats)
        score = first(position, its.first.integers, its.first.floats)
        return score + second(position, its.second.integers, its.second.floats)

    added = compose_closure(evaluate, EVALUATE)
    added.incremental = _incremental(first, second.incremental)
    return added


@dataclass(frozen=True)
class _Described:
    """Entries of a card about a sum."""

    parts: tuple[dict[str, Any], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class SumModel:
    """The sum of a base without a state, and a network over pieces of the same game."""

    parts: tuple[CompiledModel, CompiledModel]

    kind = "sum"

    @property
    def game(self) -> Game:
        """The game."""
        return self.parts[0].game

    def check(self) -> None:
        """Raise ValueError with what is wrong, unless the search can run it within its arrays."""
        games = [part.game for part in self.parts]
        require(games[0] is games[1], f"its parts are of {games[0].name} and {games[1].name}")
        for part in self.parts:
            part.check()
        require_room(sum(array.size for array in self.arrays().values()))

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        one, other = (part.evaluator(name, origin) for part in self.parts)
        evaluate = _evaluate(one.evaluate, other.evaluate)
        ignores_chance = one.ignores_chance and other.ignores_chance
        its = _Parameters(one, other)
        return evaluator_of(its, evaluate, self.game, name, origin, ignores_chance)

    def described(self) -> dict[str, Any]:
        """Return the model's entry of a card; `arrays` has the rest."""
        parts = [part.described() for part in self.parts]
        return {"kind": self.kind, "game": self.game.name, "parts": parts}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the parts, the number of the part before their names."""
        return {
            f"{number}_{name}": array
            for number, part in enumerate(self.parts)
            for name, array in part.arrays().items()
        }

    @classmethod
    def read(cls, card: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> SumModel:
        """Return the model of a card and its arrays, which may be unsound."""
        from samuel.models.compiled.forms import read_compiled  # which imports this file

        parts = described(card, _Described).parts
        base, network = (part.get("kind") for part in parts)
        if base in (cls.kind, "nnue"):
            raise CardError(f"the base of a network is of the kind {base}")
        if network != "nnue":
            raise CardError("the model beside the base is no network over pieces")
        of_base, of_network = (
            {n.removeprefix(start): arrays[n] for n in arrays if n.startswith(start)}
            for start in ("0_", "1_")
        )
        return cls((read_compiled(parts[0], of_base), read_compiled(parts[1], of_network)))
