"""An option as it is typed: flags, type, range and default, and its place in the help.

The annotations and docstrings of a function give all of it, but headings and names of values.
"""

from __future__ import annotations

import collections.abc
import inspect
import math
import re
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cyclopts import CycloptsError

from samuel.common.errors import OptionError, require_number
from samuel.common.options import (
    Argument,
    Option,
    Range,
    Text,
    keyword_typed,
    marks_of,
    option_class_of,
    parts_of,
)
from samuel.common.public import RESOLVERS

OWN, COMMON = "Options", "Common options"
"""Headings of the options of a command alone, and of those that every command takes."""
_KINDS: dict[Any, Any] = {bool: bool, int: int, float: float, str: str, Path: str}
_METAVARS = {
    "A,B": "sprt",
    "A-B": "plies plies_left",
    "COMMAND": "engine",
    "DATASET": "dataset datasets data",
    "EVALUATOR": "evaluator baseline opponent",
    "FILE": "file files report settings problems suite tree pgn",
    "FOLDER": "out out_a out_b folder folders",
    "GAME": "game",
    "N": "depth",
    "METHOD": "method method_b",
    "ALGORITHMS": "algorithms",
    "MINUTES": "minutes",
    "NAME=VALUE": "parameters",
    "MOVES": "compare moves",
    "MS": "ms ms_b",
    "ALGORITHM": "algorithm",
    "COLUMN": "result score phase group",
    "NAME": "activation scores_for name format kind ranking side target sprt_model only anchor "
    "openings",
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
    "TERMS": "resign draw",
    "MODEL": "start",
    "SHARE": "held_out epsilon share blend draw_ratio",
}
"""Placeholders for values of options in the help, by name; other options show their kind."""
_METAVAR_OF = {name: metavar for metavar, names in _METAVARS.items() for name in names.split()}
_METAVARS_OF_KINDS = {int: "N", float: "X", str: "TEXT", bool: ""}
_HEADINGS = {
    "Limits": "Search of each move: limits and method",
    "EventOptions": "Games",
    "SelfplayPlan": "Self-play",
    "FitOptions": "Fit",
    "OnlineOptions": "Online algorithms",
    "SamuelOptions": "Samuel's algorithms",
    "Gate": "Gate and curve",
    "Gains": "Gains of SPSA",
}
"""Headings of the options that an option class declares."""
_GAMES_OWN = "By default the game's own."
_PLAYER_B = "Search of player B, where it differs"
_ALWAYS_OWN = ("out", "report", "jobs", "cluster")
"""Options under the first heading, whatever declares them."""
LAST = ("seed", "plugin", "trust", "json")
_LISTS = (list, tuple, collections.abc.Sequence)


@dataclass(frozen=True)
class TypedOption:
    """An option as the command line takes it."""

    name: str
    flag: str  # empty for an argument
    kind: Any  # bool, int, float or str
    about: str
    default: bool | int | float | str | None = None
    required: bool = False
    repeated: bool = False
    least: float | None = None
    most: float | None = None
    unused: bool = False
    in_game: str = ""  # the default where games differ: "Othello: 4"
    group: str = OWN
    metavar: str = ""


def value_of(option: TypedOption, flag: str, text: str) -> Any:
    """Return the value that a word stands for; a number lies in its range."""
    if option.kind is str:
        if not text and option.name in ("game", "evaluator"):
            raise CycloptsError(msg=f"{flag} needs a name (got an empty text)")
        return text
    try:
        number = option.kind(text)
    except ValueError:
        if text.startswith("--"):
            raise CycloptsError(msg=f"{flag} needs a value before {text}") from None
        what = "an integer" if option.kind is int else "a number"
        raise CycloptsError(msg=f"{flag} must be {what} (got {text!r:.60})") from None
    least = -math.inf if option.least is None else option.kind(option.least)
    try:
        require_number(flag, number, least, math.inf if option.most is None else option.most)
    except OptionError as error:
        raise CycloptsError(msg=str(error)) from None
    return number


def typed_options(option: Option, others: dict[str, Option]) -> Iterator[TypedOption]:
    """Yield an option as it is typed, and its other names; nothing where none can be typed."""
    kind = _kind(option)
    if kind is None:
        return
    is_argument, default = marks_of(option.kind, Argument), option.default
    bounds = marks_of(option.kind, Range) if kind in (int, float) else []
    like = others.get(option.name)
    about = re.sub(r"(?<!\s)\s*+\bIn Python\b.*", "", option.about or (like.about if like else ""))
    if str(option.field).startswith("selfplay."):  # in learning each game has its own
        about = re.sub(r"(Default: 0|By default the game's usual depth)\.", _GAMES_OWN, about)
    typed = TypedOption(
        name=option.name,
        flag="" if is_argument else flag_of(keyword_typed(option)),
        kind=kind,
        about=about,
        default=shown_default(default),
        required=default is inspect.Parameter.empty,
        repeated=_is_list(option.kind),
        least=bounds[0].least if bounds else None,
        most=bounds[0].most if bounds and bounds[0].most < math.inf else None,
    )
    yield typed
    for one in option.also_called:
        named = replace(typed, name=one.name, flag=flag_of(one.name), about=one.about)
        yield replace(named, default=None, least=None, most=None)


def placed(option: TypedOption, groups: Mapping[str, str], is_unused: bool) -> TypedOption:
    """Return an option with the heading and the name of its value that the help has."""
    group = groups.get("seconds" if option.name.startswith("ms") else option.name, "")
    if option.name in ("method", "probcut") and "Limits" in groups.values():
        group = "Limits"
    heading = OWN if option.name in _ALWAYS_OWN else _HEADINGS.get(group, OWN)
    about, like = option.about, option.name.removesuffix("_b")
    if option.name in LAST:
        heading = COMMON
    elif like != option.name and (like in groups or like == "ms"):
        heading, about = _PLAYER_B, f"As {flag_of(like)}, for player B."
    if is_unused and option.name == "seed":
        about = "Accepted by every command; no effect here."
    metavar = _METAVARS_OF_KINDS[option.kind]
    if option.kind in (float, str):
        metavar = _METAVAR_OF.get(option.name, _METAVAR_OF.get(like, metavar))
    if about.startswith(("File to", "File for", "OBF file", "CSV file")):
        metavar = "FILE"
    elif about.startswith("Elo scale"):
        metavar = "NAME"
    elif option.name == "model" and not option.flag:
        metavar = "MODEL"
    return replace(option, group=heading, metavar=metavar, about=about, unused=is_unused)


def shown_default(default: Any) -> bool | int | float | str | None:
    """Return what the help shows of a default."""
    if isinstance(default, tuple) and default:
        return ",".join(f"{x:.10g}" if isinstance(x, float) else str(x) for x in default)
    return default if isinstance(default, bool | int | float | str) else None


def _kind(option: Option) -> Any:
    """Return the type of what is typed; None for what cannot be."""
    parts = parts_of(option.kind)
    names = {getattr(part, "__name__", "") for part in parts}
    if marks_of(option.kind, Text) or names & RESOLVERS.keys():
        return str
    inner = [part for one in parts for part in (typing.get_args(one) if _is_list(one) else (one,))]
    plain = [part for one in inner for part in parts_of(one)]
    kinds = [_KINDS[part] for part in plain if isinstance(part, type) and part in _KINDS]
    if not kinds or option_class_of(option.kind):
        return None
    return str if str in kinds else max(kinds, key=[bool, int, float].index)


def _is_list(kind: Any) -> bool:
    return not marks_of(kind, Text) and any(
        typing.get_origin(part) in _LISTS for part in parts_of(kind)
    )


def flag_of(name: str) -> str:
    """Return the flag of an option."""
    return "--" + name.strip("_").replace("_", "-")
