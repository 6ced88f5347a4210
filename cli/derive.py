"""The options of subcommands, derived from the public functions that they call.

    python -m samuel.cli.derive     writes options.json, which a test compares

The signature, the annotations and the docstring of the function, and those of the subcommand, say
all there is to say (common/options.py). The part of a parameter's docstring from "In Python" on is
for callers in Python, and not in the help text.
"""

from __future__ import annotations

import collections.abc
import importlib
import inspect
import json
import math
import re
import typing
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from samuel.cli.app import COMMANDS
from samuel.cli.help import COMMON, OWN
from samuel.cli.subcommands import TABLE, function_at
from samuel.common.options import (
    Argument,
    Option,
    Range,
    Text,
    also_called,
    described,
    marks_of,
    option_class_of,
    parts_of,
)
from samuel.common.public import RESOLVERS, options_of

_KINDS = {bool: "flag", int: "int", float: "float", str: "text", Path: "text"}
_METAVARS = {
    "A,B": "sprt",
    "A-B": "plies remaining",
    "COMMAND": "engine",
    "DATASET": "dataset datasets data",
    "EVALUATOR": "evaluator first baseline opponent",
    "FILE": "file files report settings problems suite tree pgn",
    "FOLDER": "out out_a out_b folder folders earlier",
    "GAME": "game",
    "N": "depth",
    "METHOD": "method method_b",
    "METHODS": "methods",
    "MINUTES": "minutes",
    "NAME=VALUE": "parameters",
    "MOVES": "compare moves",
    "MS": "ms ms_b",
    "NAME": "name format kind algorithm side target sprt_model only anchor openings",
    "NAMES": "baselines features terms models trust without",
    "PATH": "path plugin",
    "PLAYER": "players",
    "POSITION": "position positions",
    "RECIPE": "model",
    "SECONDS": "seconds seconds_b clock clock_b increment increment_b timeout time_margin",
    "COUNTS": "pentanomial wdl",
    "ADDRESS": "cluster host_name",
    "WEIGHTS": "weights",
    "ELO": "elo0 elo1 error",
    "SHARE": "held_out epsilon share blend draw_ratio",
}
"""Placeholders for values of options in the help, by name; other options show their kind."""
_METAVAR_OF = {name: metavar for metavar, names in _METAVARS.items() for name in names.split()}
_METAVARS_OF_KINDS = {"int": "N", "float": "X", "text": "TEXT", "flag": ""}
_HEADINGS = {
    "Limits": "Search of each move: limits and method",
    "EventOptions": "Games",
    "SelfplayPlan": "Self-play",
    "FitOptions": "Fit",
    "OnlineOptions": "Online methods (tdlambda, tdleaf, rootstrap, treestrap, descent)",
    "SamuelOptions": "Samuel's methods (samuel, rote)",
    "Gate": "Gate: the match that promotes a candidate",
}
"""Headings of the options that an option class declares."""
_GAMES_OWN = "By default the game's own."
_PLAYER_B = "Search of player B, where it differs"
_ALWAYS_OWN = ("out", "report", "jobs", "cluster")
"""Options under the first heading, whatever declares them."""
_LISTS = (list, tuple, collections.abc.Sequence)


@dataclass(frozen=True)
class TypedOption:
    """An option as the command line takes it."""

    name: str
    flags: list[str]
    kind: str
    about: str
    default: bool | int | float | str | None = None
    required: bool = False
    repeated: bool = False
    least: float | None = None
    most: float | None = None
    unused: bool = False
    group: str = OWN
    metavar: str = ""


def _of_all(
    seed: Annotated[int, Range(0, (1 << 32) - 1)] = 0,
    plugin: list[str] | None = None,
    trust: list[str] | None = None,
    json: bool = False,
) -> None:
    """Have the options that every subcommand takes, whether it makes use of them or not.

    Parameters
    ----------
    seed
        Seed of every random choice.
    plugin
        Python file with your own features, evaluators or games.
    trust
        Python types, joined by commas, to load from saved estimators. Name only types whose
        author you trust.
    json
        Print one JSON object instead of text.
    """


def _of_several(
    evaluator: str | None = None,
    game: str | None = None,
    report: str | None = None,
    cluster: str | None = None,
    jobs: int = -1,
) -> None:
    """Have options that several subcommands declare, and need not describe.

    Parameters
    ----------
    evaluator
        Evaluator: a name (samuel models lists them), or the folder of a model. By default the
        game's own.
    game
        Game: a name, or a Python file that registers one. By default the game of the evaluators,
        or Othello.
    report
        HTML page with figures to write.
    cluster
        Address of the scheduler of a dask cluster to run on, such as tcp://host:8786. It needs the
        extra `dask`.
    jobs
        Number of workers; -1 for one per core.
    """


def derived(run: Any) -> dict[str, Any]:
    """Return a subcommand, a function under `@subcommand`: its help text and its options."""
    of = {} if run.of is None else options_of(_function(run.of))
    own, common = options_of(run), options_of(_of_all)
    taken = {name: one for name, one in of.items() if name not in {*own, *run.without}}
    first = {name: one for name, one in (taken | own).items() if marks_of(one.kind, Argument)}
    chosen = first | taken
    chosen |= {name: one for name, one in own.items() if name not in first}
    chosen |= {name: one for name, one in common.items() if name not in chosen}
    for name in ("seed", "plugin", "trust", "json"):  # come last
        chosen[name] = chosen.pop(name)
    told = {name: one for name, one in of.items() if one.about and name not in run.without}
    others, here = options_of(_of_several) | told | common, described(run)
    chosen |= {name: replace(chosen[name], about=here[name]) for name in here if name in taken}
    typed = [typed for one in chosen.values() for typed in _typed(one, others)]
    without = {*common} - {*of, *own, "plugin", "trust"}
    groups = {name: one.group for name, one in of.items()}
    typed = [_placed(one, chosen, groups, one.name in without) for one in typed]
    return {"about": _about(run), "options": [asdict(one) for one in typed]}


def _placed(
    option: TypedOption, others: Collection[str], groups: Mapping[str, str], is_unused: bool
) -> TypedOption:
    """Return an option with the heading and the name of its value that the help has."""
    group = groups.get("seconds" if option.name.startswith("ms") else option.name, "")
    if option.name in ("method", "probcut") and "Limits" in groups.values():
        group = "Limits"
    heading = OWN if option.name in _ALWAYS_OWN else _HEADINGS.get(group, OWN)
    about, like = option.about, option.name.removesuffix("_b")
    if option.name in ("seed", "plugin", "trust", "json"):
        heading = COMMON
    elif like != option.name and (like in others or like == "ms"):
        heading, about = _PLAYER_B, f"As {_flag(like)}, for player B."
    if is_unused and option.name == "seed":
        about = "Accepted by every command; no effect here."
    metavar = _METAVARS_OF_KINDS[option.kind]
    if option.kind in ("float", "text"):
        metavar = _METAVAR_OF.get(option.name, _METAVAR_OF.get(like, metavar))
    if about.startswith(("File to", "File for", "OBF file")):
        metavar = "FILE"
    elif about.startswith("Elo scale"):
        metavar = "NAME"
    elif option.name == "model" and not option.flags:
        metavar = "MODEL"
    return replace(option, group=heading, metavar=metavar, about=about, unused=is_unused)


def _function(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def _about(run: Any) -> str:
    """Return the help text: the command's, with that of its function where it says none itself."""
    first, _, rest = _head(run).partition("\n\n")
    says_none = run.of is not None and first.startswith("Run `samuel ")
    return f"{_head(_function(run.of)) if says_none else first}\n\n{rest}".strip()


def _head(function: Any) -> str:
    """Return a docstring up to its sections, a line a paragraph."""
    text = inspect.getdoc(function) or ""
    head = re.split(r"^\w[\w ]*\n-{3,}$", text, maxsplit=1, flags=re.MULTILINE)[0]
    return "\n\n".join(" ".join(part.split()) for part in head.strip().split("\n\n"))


def _typed(option: Option, others: dict[str, Option]) -> Iterator[TypedOption]:
    """Yield an option as it is typed, and its other names; nothing where no text stands for it."""
    kind = _kind(option)
    if kind is None:
        return
    is_argument, default = marks_of(option.kind, Argument), option.default
    bounds = marks_of(option.kind, Range) if kind in ("int", "float") else []
    like = others.get(option.name)
    about = re.sub(r"(?<!\s)\s*+\bIn Python\b.*", "", option.about or (like.about if like else ""))
    if str(option.field).startswith("selfplay."):  # in learning each game has its own
        about = re.sub(r"(Default: 0|By default the game's usual depth)\.", _GAMES_OWN, about)
    also = also_called(option)
    alike = [one.name for one in also if one.scale == 1]
    typed = TypedOption(
        name=option.name,
        flags=[] if is_argument else [_flag(name) for name in (option.name, *alike)],
        kind=kind,
        about=about,
        default=_shown(default),
        required=default is inspect.Parameter.empty,
        repeated=_is_list(option.kind),
        least=bounds[0].least if bounds else None,
        most=bounds[0].most if bounds and bounds[0].most < math.inf else None,
    )
    yield typed
    for one in also:
        named = replace(typed, name=one.name, flags=[_flag(one.name)], default=None)
        if one.scale != 1:
            about = one.about or f"{typed.flags[0]} in units of {one.scale:g}."
            yield replace(named, about=about, least=None, most=None)


def _shown(default: Any) -> bool | int | float | str | None:
    """Return what the help shows of a default."""
    if isinstance(default, tuple) and default:
        return ",".join(map(str, default))
    return default if isinstance(default, bool | int | float | str) else None


def _kind(option: Option) -> str | None:
    parts = parts_of(option.kind)
    names = {getattr(part, "__name__", "") for part in parts}
    if marks_of(option.kind, Text) or names & RESOLVERS.keys():
        return "text"
    inner = [part for one in parts for part in (typing.get_args(one) if _is_list(one) else (one,))]
    plain = [part for one in inner for part in parts_of(one)]
    kinds = [_KINDS[part] for part in plain if isinstance(part, type) and part in _KINDS]
    if not kinds or option_class_of(option.kind):
        return None
    return "text" if "text" in kinds else max(kinds, key=["flag", "int", "float"].index)


def _is_list(kind: Any) -> bool:
    return not marks_of(kind, Text) and any(
        typing.get_origin(part) in _LISTS for part in parts_of(kind)
    )


def _flag(name: str) -> str:
    return "--" + name.strip("_").replace("_", "-")


def derived_table() -> dict[str, Any]:
    """Return all subcommands by name."""
    return {name: derived(function_at(place)) for name, place in COMMANDS.items()}


def main() -> None:
    """Write the table."""
    TABLE.write_text(json.dumps(derived_table(), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
