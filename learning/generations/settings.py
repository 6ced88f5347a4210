"""Options of a run: those of a user or a TOML file, and their check."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from samuel.common.errors import OptionError, UserError, require_number
from samuel.common.json_files import plain
from samuel.common.options import fields_of
from samuel.common.public import typed_fields
from samuel.games.catalog import game_named
from samuel.learning.algorithms import EARLIER, ROTE, SAMUEL, SELF
from samuel.learning.fitting.estimators import with_parameters
from samuel.learning.fitting.recipes import known_recipe, run_code_of
from samuel.learning.online.learner import begin_learning
from samuel.learning.options import LearnOptions
from samuel.learning.samuel.polynomial import PolynomialTerms, terms_of
from samuel.models import find_evaluator
from samuel.models.rote.store import Store
from samuel.selfplay.openings.openings import Openings

_FIRST_SENTENCE = re.compile(r"[.;](?:\s|$)")
_LEADING = 0.01
"""Default value of the leading term, as a share of the largest result."""


def asked_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of options that a user types, after running the files of code in them.

    Options that were read from a file are not typed by the user, and run nothing.
    """
    found = typed_fields(LearnOptions, values)
    if "model" in found:
        run_code_of(found["model"])
    return found | ({"game": game_named(found["game"]).name} if found.get("game") else {})


def require_effect(names: Iterable[str], algorithms: Iterable[LearnOptions]) -> None:
    """Raise OptionError if none of the algorithms uses an option that the user gives."""
    chosen = list(algorithms)
    for name in names:
        if name in fields_of(LearnOptions) and not any(one.reads(name) for one in chosen):
            said = " or ".join(dict.fromkeys(options.algorithm for options in chosen))
            raise OptionError(name, f"has no effect with --algorithm {said}; leave it out")


def checked(options: LearnOptions) -> LearnOptions:
    """Return checked options, completed by the values of the game."""
    game, gate = options.rules, options.gate
    plan = options.plan(options.start, options.seed)
    own = ("depth", "exact_from", "opening_plies", "openings")
    counts = {name: getattr(plan, name) for name in own}
    if isinstance(plan.openings, Openings):
        raise UserError("openings of a learning run must be a name or a file, not Openings")
    options = replace(
        options,
        game=game.name,
        selfplay=replace(options.selfplay, **counts),
        gate=replace(gate, baselines=tuple(n for n in gate.baselines if n != options.start)),
    )
    names = ["first", *(Path(other).name for other in options.gate.baselines)]
    if len(set(names)) < len(names) or not {"", ".."}.isdisjoint(names):
        raise UserError(
            "each baseline needs its own name, and none may be called first: "
            f"{', '.join(options.gate.baselines)}"
        )
    _ = gate.test  # which checks its numbers
    if options.algorithm == ROTE:
        Store(game, options.samuel.capacity, options.samuel.age_limit)
        if options.online.opponent != SELF:
            raise UserError("rote learning plays against itself; leave out --opponent")
    elif options.is_online:
        if options.algorithm == SAMUEL:
            _check_polynomial(options)
        else:
            begin_learning(options)
        if options.online.opponent not in (SELF, EARLIER):
            find_evaluator(options.online.opponent, game)
    else:
        fit = options.fit
        made = known_recipe(options.model, game, fit.features, fit.stages)
        with_parameters(made, fit.parameters)
    return options


def polynomial_of(options: LearnOptions) -> PolynomialTerms:
    """Return the terms of Samuel's polynomials."""
    own, game = options.samuel, options.rules
    leading = _LEADING * game.scores.max_utility if own.leading is None else own.leading
    return terms_of(game, options.start, leading, own.terms or ())


def _check_polynomial(options: LearnOptions) -> None:
    if options.model != SAMUEL:
        raise UserError(
            f"--model {options.model} has no effect with --algorithm samuel, which learns a "
            "polynomial; leave it out"
        )
    require_number("leading", options.samuel.leading, 1e-6, options.rules.scores.max_utility)
    polynomial_of(options)


def options_text(options: LearnOptions, introduction: str = "") -> str:
    """Return options as TOML: a table for each part, and a comment for each option."""
    return "\n".join(_lines(options, introduction)) + "\n"


def _lines(options: LearnOptions, introduction: str) -> Iterator[str]:
    yield from (f"# {line}" for line in introduction.splitlines())
    table = ""
    values = options.flat()
    for name, option in fields_of(LearnOptions).items():
        if (part := str(option.field).rpartition(".")[0]) != table:
            table = part
            yield from ("", f"[{table}]")
        known = values[name] is not None
        line = f"{name} = {_toml(values[name])}" if known else f"# {name} ="
        yield f"{line:<28} # {_FIRST_SENTENCE.split(option.about)[0]}"


def _toml(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        items = [f"{_toml(k)} = {_toml(v)}" for k, v in value.items() if v is not None]
        return f"{{{', '.join(items)}}}"
    # a JSON string is a basic string of TOML, but for this one character, which JSON lets stand
    return json.dumps(plain(value), ensure_ascii=False).replace("\x7f", "\\u007f")
