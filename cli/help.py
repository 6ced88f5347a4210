"""Layout of `--help`: names to the left, and most of the width for what they mean.

Commands whose help has groups, such as the options of a search, show each under a heading. A
range, a default and the like stand in brackets behind the text of an option.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samuel.cli.typed import TypedOption

_WIDEST = 100
_LEFT = 24
"""Columns for the names at most; the text of a longer name begins on the next line."""
_LARGE = 1_000_000
"""A maximum from here on is there for the machine, and is not shown."""
_SMALL = 0.001
"""A minimum up to here stands for 'above 0'."""
_UNBROKEN = "\xa0"
"""A space at which no line ends."""
_HELP = ("--help", "Show this message and exit.")


def help_text(
    usage: str,
    about: str,
    options: Sequence[TypedOption] = (),
    commands: Mapping[str, Mapping[str, str]] | None = None,
    first: Sequence[tuple[str, str]] = (),
    more: Mapping[str, Mapping[str, str]] | None = None,
) -> str:
    """Return the help of a command; `more` names options that it does not describe."""
    flags = {one.name: one.flag for one in options if one.flag}

    def typed(said: str) -> str:  # names of options in backticks, as they are typed
        return re.sub(r"`(\w+)`", lambda found: flags.get(found[1], found[0]), said)

    width = min(_WIDEST, shutil.get_terminal_size().columns)
    paragraphs = typed(about).split("\n\n")
    examples = [one for one in paragraphs if one.startswith("Example:")]
    paragraphs = [one for one in paragraphs if one not in examples]
    lines = [usage, ""]
    for one in paragraphs:
        lines += [*_wrapped(one, width), ""]
    for one in examples:  # a line that is broken can still be pasted into a shell
        lines += " \\\n".join(_wrapped(one, width - 2, "    ")).split("\n")
    lines += [""] if examples else []
    sections = {title: [*rows.items()] for title, rows in (commands or {}).items()}
    described = _sections(options, first)
    *own, last = described.items()
    named = {title: [*rows.items()] for title, rows in (more or {}).items()}
    sections |= dict(own) | named | dict([last])
    for title, rows in sections.items():
        lines += [_bold(title)]
        left = min(_LEFT, max(len(name) for name, _ in rows))
        for name, text in rows:
            lines += _row(name, typed(text), left, width)
        lines.append("")
    return "\n".join(lines[:-1])


def _sections(
    options: Sequence[TypedOption], first: Sequence[tuple[str, str]]
) -> dict[str, list[tuple[str, str]]]:
    """Return the rows of options by heading; arguments come first, common options last."""
    found: dict[str, list[tuple[str, str]]] = {}
    for one in options:
        title = one.group if one.flag else "Arguments"
        found.setdefault(title, []).append((_typed(one), f"{one.about} {_notes(one)}"))
    common = found.pop("Common options", [])
    order = sorted(found, key=lambda title: ["Arguments", "Options", title].index(title))
    return {title: found[title] for title in order} | {
        "Common options" if found else "Options": [*first, *common, _HELP]
    }


def _typed(option: TypedOption) -> str:
    if not option.flag:
        return option.metavar + ("..." if option.repeated else "")
    if option.kind is bool:
        return option.flag + ("" if option.default is False else f", --no-{option.flag[2:]}")
    return f"{option.flag} {option.metavar}"


def _notes(option: TypedOption) -> str:
    """Return the range of an option, its default, and whether it must be given, in brackets."""
    default = option.default
    is_told = "efault" in option.about or option.unused or isinstance(default, bool)
    notes = [
        "required" if option.required else "",
        "repeatable" if option.repeated and option.flag else "",
        range_text(option.least, option.most),
        "" if is_told or default in (None, "") else f"default: {_plain(default)}",
        option.in_game,
    ]
    said = f"[{'; '.join(one for one in notes if one)}]" if any(notes) else ""
    return said.replace(" ", _UNBROKEN) if len(said) < _LEFT else said


def range_text(least: float | None, most: float | None) -> str:
    """Return a range in words: "1 or more", "0 to 1"."""
    upper = None if most is None or most >= _LARGE else most
    if least is None or least < 0:
        return ""
    if 0 < least <= _SMALL:
        if upper is None:
            return "above 0"
        near = round(upper, 1)
        is_below = 0 < near - upper < 2 * _SMALL
        return f"above 0, below {near:g}" if is_below else f"above 0, at most {_number(upper)}"
    return f"{_number(least)} or more" if upper is None else f"{_number(least)} to {_number(upper)}"


def _plain(default: bool | int | float | str) -> str:
    return f"{default:.10g}" if isinstance(default, float) else str(default)


def _number(value: Any) -> str:
    return f"{value:,.10g}" if isinstance(value, int | float) else str(value)


def _row(name: str, text: str, left: int, width: int) -> list[str]:
    indent = " " * (left + 4)
    lines = _wrapped(text, width, indent, indent)
    if len(name) > left:
        return [f"  {name}", *lines]
    return [f"  {name:{left}}  {lines[0].strip()}", *lines[1:]]


def _wrapped(text: str, width: int, indent: str = "", first: str = "") -> list[str]:
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_UNBROKEN, " ") for line in lines] or [""]


def _bold(title: str) -> str:
    is_plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ
    return title if is_plain or os.environ.get("TERM") == "dumb" else f"\033[1m{title}\033[0m"
