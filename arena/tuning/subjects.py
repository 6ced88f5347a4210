"""Players with numbers to tune: options of an outside engine, or settings of a search method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from samuel.arena.engines.address import WITH_SETTINGS, Address, is_engine
from samuel.arena.engines.clients import open_engine
from samuel.arena.engines.uci import UciEngine
from samuel.arena.players import Entrant, entrant, warm_up
from samuel.arena.tuning.spsa import Floats, Parameter
from samuel.common.errors import UserError, unknown
from samuel.common.options import hints_of, parts_of
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.options import options_of
from samuel.search.greedy import Greedy
from samuel.search.limits import Limits
from samuel.search.method import Method
from samuel.search.methods import method_text


class Subject(Protocol):
    """A player whose parameters are tuned."""

    parameters: list[Parameter]

    def entrant(self, values: Floats) -> Entrant:
        """Return the player with these values."""

    def match_words(self, values: Floats) -> list[str]:
        """Return the words of `samuel match` for the player with these values, and at the start."""


def subject_of(
    player: Evaluator | Path | str,
    game: Game,
    limits: Limits,
    method: Method,
    parameters: Sequence[Parameter],
) -> Subject:
    """Return a player whose parameters exist and can have all values of their ranges."""
    names = [one.name.lower() for one in parameters]
    if not names or len({*names}) < len(names):
        raise UserError("give each --parameter NAME=START,MIN,MAX,STEP once, and at least one")
    if isinstance(player, str) and is_engine(player):
        return _Engine(player, game, limits, parameters)
    return _Search(player, game, limits, method, parameters)


class _Engine:
    """An outside engine with options."""

    def __init__(
        self, text: str, game: Game, limits: Limits, parameters: Sequence[Parameter]
    ) -> None:
        self._address, self._game, self._limits = Address.parse(text), game, limits
        if self._address.protocol not in WITH_SETTINGS:
            raise UserError(
                f"{text} has no options to tune; give an engine of uci or ucci, or an evaluator"
            )
        with open_engine(self._address) as engine:
            assert isinstance(engine, UciEngine)
            self.parameters = [_declared(engine, one) for one in parameters]

    def _text(self, label: str, values: Floats) -> str:
        pairs = zip(self.parameters, values.tolist(), strict=True)
        return self._address.but(label, {one.name: one.text(value) for one, value in pairs}).text

    def entrant(self, values: Floats) -> Entrant:
        return entrant(self._text(self._address.label, values), self._game, self._limits)

    def match_words(self, values: Floats) -> list[str]:
        start = ends_of(self.parameters, "start")
        texts = self._text("tuned", values), self._text("untuned", start)
        return [word for text in texts for word in ("--engine", text)]


def _declared(engine: UciEngine, asked: Parameter) -> Parameter:
    """Return a parameter with the name of the engine's option, within its range."""
    name, bounds = engine.numbers_of(asked.name)
    if bounds is None:
        return replace(asked, name=name)
    least, most = bounds
    if not least <= asked.least <= asked.most <= most:
        raise UserError(
            f"option {name} of {engine.name} is from {least:g} to {most:g}; MIN and MAX "
            f"({asked.least:g} and {asked.most:g}) must be within"
        )
    return replace(asked, name=name, is_integer=True)


class _Search:
    """An evaluator in our own search; no value needs a compilation of its own."""

    def __init__(
        self,
        player: Evaluator | Path | str,
        game: Game,
        limits: Limits,
        method: Method,
        parameters: Sequence[Parameter],
    ) -> None:
        self._method = method
        self._options = getattr(method, "options", None) or options_of(game)
        known = {} if isinstance(method, Greedy) else _numbers(method)
        self._of_options = _numbers(self._options) if type(method) is AlphaBeta else {}
        known |= self._of_options
        for one in parameters:
            if one.name not in known:
                raise unknown(f"number of {method_text(method)} to tune", one.name, known)
        self.parameters = [replace(one, is_integer=known[one.name]) for one in parameters]
        self._player = str(player.name if isinstance(player, Evaluator) else player)
        self._entrant = entrant(player, game, limits, self._with(ends_of(parameters, "start")))
        for name in ("least", "most"):  # what cannot be is refused before the first game
            warm_up(game, self._entrant.evaluator, self._with(ends_of(parameters, name)))

    def _with(self, values: Floats) -> Method:
        """Return the method with these values, as they are printed."""
        found: dict[str, Any] = {
            one.name: (int if one.is_integer else float)(one.text(value))
            for one, value in zip(self.parameters, values.tolist(), strict=True)
        }
        options = {name: found.pop(name) for name in self._of_options if name in found}
        if options:
            found["options"] = replace(self._options, **options)
        method: Any = self._method
        return cast(Method, replace(method, **found))

    def entrant(self, values: Floats) -> Entrant:
        return replace(self._entrant, method=self._with(values))

    def match_words(self, values: Floats) -> list[str]:
        words = [self._player, self._player]
        sides = {"": values, "-b": ends_of(self.parameters, "start")}
        methods = {suffix: self._with(one) for suffix, one in sides.items()}
        for suffix, method in methods.items():
            words += [f"--method{suffix}", method_text(method)]
            if confidence := getattr(method, "probcut", None):
                words += [f"--probcut{suffix}", f"{confidence:.6g}"]
        return words


def _numbers(settings: Any) -> dict[str, bool]:
    """Return the fields that are numbers, and whether each is an integer."""
    kinds = {name: {*parts_of(kind)} for name, kind in hints_of(type(settings)).items()}
    return {name: float not in kind for name, kind in kinds.items() if kind & {int, float}}


def ends_of(parameters: Sequence[Parameter], name: str) -> Floats:
    """Return the start, the least or the largest value of each parameter."""
    return np.array([getattr(one, name) for one in parameters], float)
