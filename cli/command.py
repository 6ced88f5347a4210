"""What makes a function a subcommand: common options, built parameters, the manner of failing."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import typer

from samuel.cli.interrupts import interruptible
from samuel.cli.options import Built, PluginOption, SeedOption, TrustOption
from samuel.cli.progress import telling
from samuel.cli.subcommands import prepare
from samuel.files import require_file, require_name

_OF_ALL = {
    "seed": inspect.Parameter(
        "seed", inspect.Parameter.KEYWORD_ONLY, default=0, annotation=SeedOption
    ),
    "plugin": inspect.Parameter(
        "plugin", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=PluginOption
    ),
    "trust": inspect.Parameter(
        "trust", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=TrustOption
    ),
}
"""Options that every subcommand takes, whether it makes use of them or not."""


def command(doing: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a subcommand, and give it what all have in common.

    Numbers are finite, outputs have names, a page can be written; plugins are loaded; parameters
    marked Built are built from the options of their builders. An interruption is one line and exit
    status 130.

    Parameters
    ----------
    doing
        What the subcommand is doing where nothing more is known, in words for people.
    """

    def made(function: Callable[..., None]) -> Callable[..., None]:
        own = _parameters(function)
        builders = {
            name: mark.build
            for name, parameter in own.items()
            for mark in getattr(parameter.annotation, "__metadata__", ())
            if isinstance(mark, Built)
        }
        taken = {name: _parameters(build) for name, build in builders.items()}
        options: dict[str, inspect.Parameter] = {}
        for name, parameter in own.items():
            options |= taken.get(name, {name: parameter})
        json = {name: options.pop(name) for name in ("json",) if name in options}
        options = options | {n: p for n, p in _OF_ALL.items() if n not in options} | json

        @functools.wraps(function)
        def run(**given: Any) -> None:
            _require_sound(given)

            def work() -> None:
                with telling(doing):
                    prepare(given["plugin"], given["trust"])
                    values = {
                        name: build(**{option: given[option] for option in taken[name]})
                        for name, build in builders.items()
                    }
                    function(**{name: values.get(name, given.get(name)) for name in own})

            interruptible(work)

        run.__signature__ = inspect.Signature(list(options.values()))  # type: ignore[attr-defined]
        run.__annotations__ = {name: option.annotation for name, option in options.items()}
        return run

    return made


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function, by keyword alone, their annotations read.

    That of what it returns is not read: its type may be known to the type checker alone.
    """
    return {
        name: parameter.replace(
            kind=inspect.Parameter.KEYWORD_ONLY,
            annotation=eval(parameter.annotation, function.__globals__),
        )
        for name, parameter in inspect.signature(function).parameters.items()
    }


def _require_sound(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if isinstance(value, float) and not math.isfinite(value):
            # min and max of an option let nan pass
            option = "--" + name.replace("_", "-")
            raise typer.BadParameter(f"{value} is no number to go by", param_hint=option)
    for output in (given.get("out"), given.get("report")):
        if isinstance(output, str):
            require_name(output)
    if given.get("report") is not None:
        require_file(given["report"])
