"""The methods of search by name, settings after a colon: `uct`, `uct:playouts=500,tuned=true`."""

from __future__ import annotations

import json
import reprlib
import warnings
from dataclasses import fields, replace
from typing import Any

from samuel.errors import UserError, unknown
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.method import Method
from samuel.search.trees.method import UCT, MonteCarlo

_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a name",
    type(None): "a number, or null",
}
_LONGEST = 40
"""No number has more digits; cut off, it is out of every range, or no number."""
METHODS: dict[str, Method] = {
    "alphabeta": AlphaBeta(),
    "expectiminimax": AlphaBeta(chance="expectiminimax"),
    "star1": AlphaBeta(chance="star1"),
    "star2": AlphaBeta(chance="star2"),
    "star2.5": AlphaBeta(chance="star2", probes=2),
    "montecarlo": MonteCarlo(),
    "uct": UCT(),
}


_NOT_AS_TEXT = ("switches", "listener", "cuts", "probcut", "chance")
"""The first three are for Python alone, the next has options of its own, the last is the name."""


def method_named(text: str, probcut: float | None = None) -> Method:
    """Return the method that a text names: a name of METHODS, and settings after a colon.

    Parameters
    ----------
    probcut
        the confidence of selective search; full width where None or 0.

    Raises
    ------
    UserError
        There is no such method, or no such setting of it, or it cannot search selectively.
    """
    name, _, rest = text.partition(":")
    if name not in METHODS:
        raise unknown("method", name, METHODS)
    method: Any = METHODS[name]
    names = [one.name for one in fields(method) if one.name not in _NOT_AS_TEXT]
    if name in ("alphabeta", "expectiminimax", "star1"):
        names.remove("probes")  # which are those of Star2
    if isinstance(method, AlphaBeta) and name != "alphabeta":
        names.remove("pending")  # the others are for dice, beyond which nothing is pending
    known = {its: getattr(method, its) for its in names}
    settings: dict[str, Any] = {}
    for part in rest.split(",") if rest else []:
        key, _, value = part.partition("=")
        if not known:
            raise UserError(f"{name} has no settings: write {name} alone, without {rest!r}")
        if key not in known:
            raise unknown(f"setting of {name}", key, known)
        if key in settings:
            raise UserError(f"{key} of {name} is set twice")
        settings[key] = _value(value, known[key], f"{key} of {name}")
    if probcut:
        if not isinstance(method, AlphaBeta):
            raise UserError(f"{name} cannot search selectively; leave out --probcut")
        settings["probcut"] = probcut
    changed: Method = replace(method, **settings)
    return changed


def warn_if_unasked(method: str, evaluator: str) -> None:
    """Warn where a method never asks the evaluator that was named for it."""
    if evaluator != "zero" and not method_named(method).asks_evaluator:
        warnings.warn(
            f"{method} plays random games to their end and never asks {evaluator}; with "
            "playout_plies=0 it does at once, with another number after so many plies",
            stacklevel=2,
        )


def _value(text: str, usual: Any, what: str) -> Any:
    """Return a setting of the kind that the usual one has."""
    try:
        value = json.loads(text[:_LONGEST])
    except ValueError:
        value = text
    kinds = {
        **{bool: (bool,), int: (int,), float: (int, float), str: (str,)},
        type(None): (int, float, type(None)),
    }
    if type(value) not in kinds[type(usual)]:
        raise UserError(f"{what} is {_KINDS[type(usual)]}, not {reprlib.repr(text)}")
    return float(value) if isinstance(usual, float) else value
