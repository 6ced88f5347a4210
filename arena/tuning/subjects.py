"""Players with numbers to tune: options of an outside engine, or settings of a search method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from samuel.arena.engine_pool import open_engine
from samuel.arena.engines.address import WITH_SETTINGS, Address, is_engine
from samuel.arena.engines.uci import UciEngine
from samuel.arena.players import Entrant, entrant, warm_up
from samuel.arena.tuning.spsa import Floats, Parameter, column, texts
from samuel.common.errors import UserError, unknown
from samuel.common.options import hints_of, parts_of
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.options import options_of
from samuel.search.greedy import Greedy
from samuel.search.limits import Limits
from samuel.search.methods import method_text

_NO_PLAY = ("seed", "tree_bits")
"""Numbers of methods that make no player stronger by their size."""


class Subject(NamedTuple):
    """A player whose numbers are tuned, and the words of `samuel match` for it and its start."""

    parameters: list[Parameter]
    entrant: Callable[[Floats], Entrant]
    match_words: Callable[[Floats], list[str]]


def _engine(player: str, game: Game, limits: Limits, parameters: list[Parameter]) -> Subject:
    """Return an engine, whose options must exist and admit the ranges."""
    address = Address.parse(player)
    if address.protocol not in WITH_SETTINGS:
        raise UserError(
            f"{player} has no options to tune; give an engine of uci or ucci, or an evaluator"
        )
    with open_engine(address) as engine:
        assert isinstance(engine, UciEngine)
        known = [_declared(engine, one) for one in parameters]
    start = column(known)

    def text(label: str, values: Floats) -> str:
        return address.but(label, texts(known, values)).text

    def words(values: Floats) -> list[str]:
        return ["--engine", text("tuned", values), "--engine", text("untuned", start)]

    return Subject(known, lambda values: entrant(text(address.label, values), game, limits), words)


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


def _search(
    player: Evaluator | Path | str,
    game: Game,
    limits: Limits,
    method: Any,
    parameters: list[Parameter],
) -> Subject:
    """Return an evaluator with a search, whose numbers must exist and admit the ranges."""
    options = getattr(method, "options", None) or options_of(game)
    of_options = _numbers(options) if type(method) is AlphaBeta and game.search.margin else {}
    unread = {*_NO_PLAY, "probcut" if game.chance else "probes"}
    if getattr(method, "chance", "star2") != "star2":
        unread.add("probes")
    of_method = {} if isinstance(method, Greedy) else _numbers(method)
    numbers = of_options | {
        name: is_int for name, is_int in of_method.items() if name not in unread
    }
    for one in parameters:
        if one.name not in numbers:
            raise unknown(f"number of {method_text(method)} to tune", one.name, numbers)
    known = [replace(one, is_integer=numbers[one.name]) for one in parameters]
    start = column(known)

    def made(values: Floats) -> Any:
        printed = texts(known, values).items()
        found: dict[str, Any] = {n: (int if numbers[n] else float)(text) for n, text in printed}
        inner = {name: found.pop(name) for name in of_options if name in found}
        return replace(method, **found, **({"options": replace(options, **inner)} if inner else {}))

    def words(values: Floats) -> list[str]:
        told = [str(player.name if isinstance(player, Evaluator) else player)] * 2
        for suffix, one in (("", made(values)), ("-b", made(start))):
            told += [f"--method{suffix}", method_text(one)]
            if confidence := getattr(one, "probcut", None):
                told += [f"--probcut{suffix}", f"{confidence:.6g}"]
        return told

    first = entrant(player, game, limits, made(start))
    for name in ("least", "most"):  # what cannot be is refused before the first game
        warm_up(game, first.evaluator, made(column(known, name)))
    return Subject(known, lambda values: replace(first, method=made(values)), words)


def subject_of(player: Any, game: Game, limits: Limits, method: Any, texts: list[str]) -> Subject:
    """Return a player whose parameters exist and can have all values of their ranges."""
    parameters = [Parameter.parse(one) for one in texts]
    if not 0 < len(parameters) == len({one.name.lower() for one in parameters}):
        raise UserError("give each --parameter NAME=START,MIN,MAX,STEP once, and at least one")
    if isinstance(player, str) and is_engine(player):
        return _engine(player, game, limits, parameters)
    return _search(player, game, limits, method, parameters)


def _numbers(settings: Any) -> dict[str, bool]:
    """Return the fields that are numbers, and whether each is an integer."""
    kinds = {name: {*parts_of(kind)} for name, kind in hints_of(settings.__class__).items()}
    return {name: float not in kind for name, kind in kinds.items() if kind & {int, float}}
