"""Subcommands: functions under `@subcommand`, and how `samuel` builds and calls them.

A subcommand takes, as `given`, those options of the public function that it calls which a person
has typed, and options of its own, documented in its docstring. `options.json` (cli/derive.py) has
all of them, so that `samuel COMMAND --help` imports no more than this.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

TABLE = Path(__file__).with_name("options.json")
Given: TypeAlias = dict[str, Any]
"""Options of the public function that were typed, by name."""
_KINDS: dict[str, Any] = {"int": int, "float": float, "text": str, "flag": bool}


def subcommand(
    of: str | None = None, *, doing: str, without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a subcommand."""

    def made(function: Any) -> Any:
        function.of, function.doing, function.without = of, doing, tuple(without)
        return function

    return made


@cache
def table() -> dict[str, Any]:
    """Return the subcommands by name, as derive.Subcommand has them."""
    found: dict[str, Any] = json.loads(TABLE.read_text("utf-8"))
    return found


def typer_function(name: str, place: str) -> Callable[..., None]:
    """Return what typer makes a subcommand of: a function with its options, which calls it."""
    about, options = table()[name]["about"], table()[name]["options"]

    def run(context: typer.Context, **typed: Any) -> None:
        for one in opposites:
            if typed.pop(one["name"]):
                typed[one["name"].removeprefix("no_")] = False
        _call(place, options, typed, context.obj)

    opposites = [_opposite(one) for one in options if _has_opposite(one)]
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [context, *(_parameter(one) for one in [*options, *opposites])]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__doc__ = about
    return run


def _parameter(option: Mapping[str, Any]) -> inspect.Parameter:
    """Return a parameter for typer: None where the option is not typed."""
    kind, flags = _KINDS[option["kind"]], option["flags"]
    parser = _parser_of(option)
    mark: Any = typer.Option(*flags, parser=parser)
    if not flags:
        metavar = option["metavar"] + ("..." if option["repeated"] else "")
        mark = typer.Argument(metavar=metavar, parser=parser)
    taken = list[kind] if option["repeated"] else kind  # type: ignore[valid-type]
    default = inspect.Parameter.empty if option["required"] else None
    if not option["required"]:
        taken = taken | None
    return inspect.Parameter(
        option["name"],
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[taken, mark],
    )


def _parser_of(option: Mapping[str, Any]) -> Callable[[str], float] | None:
    """Return the function that reads the number of an option; None where it is no number."""
    kind = _KINDS[option["kind"]]
    if kind not in (int, float):
        return None
    name = option["flags"][0] if option["flags"] else option["metavar"]

    def read(text: str) -> float:
        try:
            number: float = kind(text)
        except ValueError:
            if text.startswith("--"):
                raise MisuseError(f"{name} needs a value before {text}") from None
            what = "a whole number" if kind is int else "a number"
            raise MisuseError(f"{name} must be {what} (got {text!r:.60})") from None
        return number

    return read


def _flag_typed(option: Mapping[str, Any], typed: Mapping[str, Any], words: Sequence[str]) -> str:
    """Return the flag of an option that is among the words typed, or its first one."""
    if typed.get(option["name"]) is False and _has_opposite(option):
        option = _opposite(option)
    flags: list[str] = option["flags"]
    found = {word.partition("=")[0] for word in words}
    return next((flag for flag in flags if flag in found), flags[0])


def _has_opposite(option: Mapping[str, Any]) -> bool:
    return option["kind"] == "flag" and option["default"] is not False


def _opposite(option: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the option that says no to a flag; a column of its own would narrow the help."""
    flag = option["flags"][0]
    return {**option, "name": f"no_{option['name']}", "flags": [f"--no-{flag[2:]}"]}


def _call(
    place: str, options: Sequence[Mapping[str, Any]], typed: dict[str, Any], words: Sequence[str]
) -> None:
    """Call a subcommand with what was typed, so that an interruption is one line."""
    from samuel.cli.interrupts import interruptible
    from samuel.cli.progress import telling
    from samuel.common.options import read_text
    from samuel.common.public import options_of

    unused = {one["name"] for one in options if one["unused"]}
    typed = {
        name: value for name, value in typed.items() if value is not None and name not in unused
    }
    flags = {one["name"]: _flag_typed(one, typed, words) for one in options if one["flags"]}
    with _flags_in_errors(flags, typed):
        _require_sound(options, typed)

    def work() -> None:
        function = function_at(place)
        with telling(function.doing):
            prepare(typed.get("plugin"), typed.get("trust"))
            own = inspect.signature(function).parameters
            given = {name: typed[name] for name in typed if name not in {*own, "plugin", "trust"}}
            with _flags_in_errors(flags, typed):
                rest = {
                    name: read_text(options_of(function)[name], typed[name])
                    for name in typed
                    if name in own
                }
                function(given, **rest) if "given" in own else function(**rest)

    interruptible(work)


UsageError: Any = typer.BadParameter.__bases__[0]
"""Errors of what was typed, typer's own too, which typer does not export."""


class MisuseError(typer.BadParameter):
    """The command was typed wrongly; the message says how, and is shown as it is."""

    def format_message(self) -> str:
        """Return the message."""
        return self.message


@contextlib.contextmanager
def _flags_in_errors(flags: Mapping[str, str], typed: Mapping[str, Any]) -> Iterator[None]:
    """Make an error about an option one about the flag that was typed."""
    from samuel.common.errors import OptionError

    try:
        yield
    except OptionError as error:
        if error.name not in typed:
            raise
        other = flags.get(error.other, error.other)
        raise MisuseError(
            str(error.called(flags.get(error.name, error.name), other=other))
        ) from None


def function_at(place: str) -> Any:
    """Return the subcommand at a place, "module:function" in this folder."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(f"samuel.cli.{module}"), name or "run")


def _require_sound(options: Sequence[Mapping[str, Any]], typed: Mapping[str, Any]) -> None:
    from samuel.common.errors import require_number
    from samuel.common.files import require_file, require_name

    for one in options:
        if one["kind"] in ("int", "float") and one["name"] in typed:
            least, most = one["least"], one["most"]
            least = -math.inf if least is None else _KINDS[one["kind"]](least)
            most = math.inf if most is None else most
            require_number(one["name"], typed[one["name"]], least, most)
    for output in (typed.get("out"), typed.get("report")):
        if isinstance(output, str):
            require_name(output)
    if typed.get("report") is not None:
        require_file(typed["report"])


def prepare(plugins: Sequence[str] | None, trusted: Sequence[str] | None) -> None:
    """Load the user's files, and trust the types that the user names."""
    if plugins:
        from samuel.games.plugins import load_plugins

        load_plugins(plugins)
    if trusted:
        from samuel.common.options import names_in
        from samuel.models.saved.loading import trust

        trust([name for names in trusted for name in names_in(names)])
