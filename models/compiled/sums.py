"""Sums of models: one corrects what the others leave."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

from samuel.games.evaluator import Evaluator, Incremental
from samuel.games.interface import EVALUATE, EVALUATE_STATE, REFRESH, UPDATE, Game
from samuel.kernels.compose import compose_closure, compose_later
from samuel.kernels.jit import jit
from samuel.kernels.laid_out import laid_out, reading
from samuel.kernels.pointers import Pointer, offset
from samuel.kernels.records import inner_evaluator, record
from samuel.models.compiled.model import MOST_NUMBERS, CompiledModel, described

MOST_ADDENDS = 8


@record
class _Parameters(NamedTuple):
    """Two evaluators that are added up."""

    first: Any = inner_evaluator("the one")
    second: Any = inner_evaluator("the other")


def sum_of(models: Sequence[CompiledModel]) -> CompiledModel:
    """Return the sum of models of one game: those that can be added into one are one addend."""
    parts: list[CompiledModel] = []
    for model in models:
        for k, part in enumerate(parts):
            plus = getattr(part, "plus", None)
            one = plus(model) if plus else None
            if one is not None:
                parts[k] = one
                break
        else:
            parts.append(model)
    return functools.reduce(lambda one, other: SumModel((one, other)), parts)


_REFRESH = """
def refresh(position, integers, floats, state):
    its = read(integers, floats)
    first_refresh(position, its.first.integers, its.first.floats, state)
    second_refresh(position, its.second.integers, its.second.floats, offset(state, {size}))
"""
_UPDATE = """
def update(position, child, integers, floats, state, child_state):
    its, second, after = read(integers, floats), offset(state, {size}), offset(child_state, {size})
    first_update(position, child, its.first.integers, its.first.floats, state, child_state)
    second_update(position, child, its.second.integers, its.second.floats, second, after)
"""
_EVALUATE_STATE = """
def evaluate_state(position, integers, floats, state):
    its, second = read(integers, floats), offset(state, {size})
    score = first_score(position, its.first.integers, its.first.floats, state)
    return score + second_score(position, its.second.integers, its.second.floats, second)
"""


@jit
def _no_refresh(position: Pointer, integers: Pointer, floats: Pointer, state: Pointer) -> None:
    """Write no state."""


@jit
def _no_update(
    position: Pointer,
    child: Pointer,
    integers: Pointer,
    floats: Pointer,
    state: Pointer,
    child_state: Pointer,
) -> None:
    """Write no state."""


@functools.lru_cache(maxsize=64)
def _stateless(evaluate: Any) -> Incremental:
    """Return an evaluation that has no state as one that does."""

    @jit
    def score(position: Pointer, integers: Pointer, floats: Pointer, state: Pointer) -> float:
        return evaluate(position, integers, floats)

    return Incremental(_no_refresh, _no_update, score, 0)


def _incremental(first: Any, second: Any) -> Incremental | None:
    """Return the sum of two evaluations by their states, behind each other; None without any."""
    both = [getattr(one, "incremental", None) for one in (first, second)]
    if not any(both):
        return None
    one, other = (its or _stateless(by) for its, by in zip(both, (first, second), strict=True))
    parts = {
        **{"read": reading(_Parameters), "offset": offset},
        **{"first_refresh": one.refresh, "second_refresh": other.refresh},
        **{"first_update": one.update, "second_update": other.update},
        **{"first_score": one.evaluate_state, "second_score": other.evaluate_state},
    }
    refresh, update, evaluate_state = (
        compose_later(name, source.format(size=one.size), parts, signature)
        for name, source, signature in (
            ("refresh", _REFRESH, REFRESH),
            ("update", _UPDATE, UPDATE),
            ("evaluate_state", _EVALUATE_STATE, EVALUATE_STATE),
        )
    )
    return Incremental(refresh, update, evaluate_state, one.size + other.size)


@functools.lru_cache(maxsize=64)
def _evaluate(first: Any, second: Any) -> Any:
    """Return the compiled sum of two evaluations."""
    read = reading(_Parameters)

    def evaluate(position: Pointer, integers: Pointer, floats: Pointer) -> float:
        its = read(integers, floats)
        score = first(position, its.first.integers, its.first.floats)
        return score + second(position, its.second.integers, its.second.floats)

    added = compose_closure(evaluate, EVALUATE)
    added.incremental = _incremental(first, second)
    return added


@dataclass(frozen=True)
class _Described:
    """Entries of a card about a sum."""

    parts: tuple[dict[str, Any], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class SumModel:
    """The sum of two models of one game."""

    parts: tuple[CompiledModel, ...]

    kind = "sum"

    @property
    def game(self) -> Game:
        """The game."""
        return self.parts[0].game

    @property
    def parameters(self) -> int:
        """Number of learned numbers."""
        return sum(part.parameters for part in self.parts)

    @property
    def is_sound(self) -> bool:
        """True if the search can run it without leaving its arrays."""
        same_game = all(part.game is self.game for part in self.parts)
        numbers = sum(array.size for array in self.arrays().values())
        return (
            len(self.parts) == 2
            and same_game
            and all(part.is_sound for part in self.parts)
            and self.addends <= MOST_ADDENDS
            and numbers < MOST_NUMBERS
        )

    @property
    def addends(self) -> int:
        """Number of models that are added up, those of sums among its parts counted one by one."""
        return sum(getattr(part, "addends", 1) for part in self.parts)

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        one, other = (part.evaluator(name, origin) for part in self.parts)
        integers, floats = laid_out(_Parameters(one, other))
        return Evaluator(
            name=name,
            game=one.game,
            evaluate=_evaluate(one.evaluate, other.evaluate),
            words=one.words,
            integers=integers,
            floats=floats,
            origin=origin,
            ignores_chance=one.ignores_chance and other.ignores_chance,
        )

    def described(self) -> dict[str, Any]:
        """Return what a card says of it; `arrays` has the rest."""
        parts = [part.described() for part in self.parts]
        return {"kind": self.kind, "game": self.game.name, "parts": parts}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the parts, the number of the part before their names."""
        return {
            f"{number}_{name}": array
            for number, part in enumerate(self.parts)
            for name, array in part.arrays().items()
        }

    @staticmethod
    def parts_in(card: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Iterator[Any]:
        """Yield the description and the arrays of each part; ValueError where they are not two."""
        parts = described(card, _Described).parts
        for number, part in enumerate(parts):
            start = f"{number}_"
            yield part, {n.removeprefix(start): arrays[n] for n in arrays if n.startswith(start)}
