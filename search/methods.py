"""The methods of search by name, settings after a colon: `uct`, `uct:playouts=500,scale=2`."""

from __future__ import annotations

import contextlib
import json
import reprlib
import warnings
from dataclasses import fields, replace
from typing import Annotated, Any, TypeAlias

from samuel.common.errors import UserError, unknown
from samuel.common.options import Range
from samuel.search.alphabeta.method import MOST_CONFIDENCE, AlphaBeta
from samuel.search.alphabeta.options import SearchOptions
from samuel.search.greedy import Greedy
from samuel.search.method import Method
from samuel.search.trees.method import UCT, MonteCarlo

_KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "an integer"),
    float: ((int, float), "a number"),
    str: ((str,), "a name"),
    type(None): ((int, float, type(None)), "a number, or null"),
}
"""Types that a setting may have by that of the usual one, in words too."""
_LONGEST = 40
"""No number has more digits; cut off, it is out of every range, or no number."""
METHODS: dict[str, Method] = {
    "alphabeta": AlphaBeta(),
    "expectiminimax": AlphaBeta(chance="expectiminimax"),
    "star1": AlphaBeta(chance="star1"),
    "star2": AlphaBeta(chance="star2"),
    "star2.5": AlphaBeta(chance="star2", probes=2),
    "greedy": Greedy(),
    "montecarlo": MonteCarlo(),
    "uct": UCT(),
}


_NOT_AS_TEXT = ("options", "listener", "cuts", "probcut", "chance")
"""Options of alpha-beta are settings by their own names; the next two are for Python alone, then
comes what has options of its own, and the last is the name."""


Confidence: TypeAlias = Annotated[float | None, Range(0, MOST_CONFIDENCE)]
"""Confidence of a selective search, in standard deviations; full width where None or 0."""


def selective(method: Method, probcut: float | None) -> Method:
    """Return a method at a confidence of its own; as it is where None."""
    if probcut is None or (not probcut and not isinstance(method, AlphaBeta)):
        return method
    if not isinstance(method, AlphaBeta) or isinstance(method, Greedy):
        raise UserError(f"{method_text(method)} has no ProbCut; leave out --probcut")
    return replace(method, probcut=probcut or None)


def method_of(text: str, _game: Any) -> Method:
    """Return the method that a text stands for as an argument (samuel.common.public)."""
    return method_named(text)


def method_named(text: str) -> Method:
    """Return the method that a text names: a name of METHODS, and settings after a colon."""
    name, _, rest = text.partition(":")
    if name not in METHODS:
        raise unknown("method", name, METHODS)
    method: Any = METHODS[name]
    known = {its: getattr(method, its) for its in _settings_of(name)}
    options = {} if name != "alphabeta" else vars(SearchOptions.none())
    known |= options
    settings: dict[str, Any] = {}
    for part in rest.split(",") if rest else []:
        key, _, value = part.partition("=")
        if not known:
            raise UserError(f"{name} has no settings: write only {name}, without {rest!r}")
        if key not in known:
            raise unknown(f"setting of {name}", key, known)
        if key in settings:
            raise UserError(f"{key} of {name} is set twice")
        settings[key] = _value(value, known[key], f"{key} of {name}")
    changed = {key: settings.pop(key) for key in options if key in settings}
    if changed:
        settings["options"] = SearchOptions(**changed)
    found: Method = replace(method, **settings)
    return found


def method_text(method: Any) -> str:
    """Return the text of a method, as `method_named` reads it; without one what `repr` has."""
    if type(method) not in map(type, METHODS.values()):
        return repr(method)
    name = _name_of(method)
    settings = [
        f"{one}={json.dumps(getattr(method, one)).strip(chr(34))}"
        for one in _settings_of(name)
        if getattr(method, one) != getattr(METHODS[name], one)
    ]
    settings += _changed_options(getattr(method, "options", None))
    text = f"{name}:{','.join(settings)}".rstrip(":")
    with contextlib.suppress(UserError):
        if method_named(text) == _as_text(method):
            return text
    return repr(method)


def _as_text(method: Any) -> Any:
    """Return a method without what its text leaves out: ProbCut, and the usual options."""
    if not isinstance(method, AlphaBeta):
        return method
    options = None if method.options == SearchOptions() else method.options
    return replace(method, options=options, probcut=None)


def _name_of(method: Any) -> str:
    """Return the name of a method, which alpha-beta has by what it does at chance nodes."""
    if type(method) is not AlphaBeta:
        return next(name for name, usual in METHODS.items() if type(usual) is type(method))
    probes = {1: "alphabeta", 2: "star2.5"}.get(method.probes, "star2")
    return probes if method.chance == "star2" else method.chance


def _changed_options(options: SearchOptions | None) -> list[str]:
    """Return the options of alpha-beta that are not the usual ones, as settings."""
    usual = vars(SearchOptions())
    mine = {} if options is None else vars(options)
    return [f"{key}={json.dumps(mine[key])}" for key in mine if mine[key] != usual[key]]


def _settings_of(name: str) -> list[str]:
    """Return the settings that a text may give a method."""
    method: Any = METHODS[name]
    if isinstance(method, Greedy):
        return []
    names = [one.name for one in fields(method) if one.name not in _NOT_AS_TEXT]
    if name in ("alphabeta", "expectiminimax", "star1"):
        names.remove("probes")  # which are those of Star2
    if isinstance(method, AlphaBeta) and name != "alphabeta":
        names.remove("quiescence")  # the others are for dice, beyond which no move is noisy
    return names


def warn_if_unasked(method: Method, evaluator: str) -> None:
    """Warn where a method never asks the evaluator that was named for it."""
    if evaluator != "zero" and not method.asks_evaluator:
        warnings.warn(
            f"{method_text(method)} plays random games to the end and never calls "
            f"{evaluator}; set playout_plies=0 (or a larger number of plies) to use it",
            stacklevel=2,
        )


def _value(text: str, usual: Any, what: str) -> Any:
    """Return a setting of the kind that the usual one has."""
    try:
        value = json.loads(text[:_LONGEST])
    except ValueError:
        value = text
    kinds, in_words = _KINDS[type(usual)]
    if type(value) not in kinds:
        raise UserError(f"{what} must be {in_words} (got {reprlib.repr(text)})")
    return float(value) if isinstance(usual, float) else value
