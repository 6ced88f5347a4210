"""Subcommands that others took in: what was typed for them, as it is typed now."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Any

from samuel.cli.subcommands import MisuseError
from samuel.common.errors import UserError, warn_of_old_name

_FLAGS = ("--json", "--help")
_Options = list[tuple[str, str | None]]


def _league(names: list[str], options: _Options) -> list[str]:
    """Return `samuel match` for `samuel league MODEL --against OTHER`."""
    given = dict(options)
    games = given.get("--games") or "2000"
    if not games.isdecimal() or int(games) % 2:
        raise UserError(
            f"--games must be an even number, as the players swap colours (got {games})"
        )
    kept = [one for one in options if one[0] not in ("--against", "--games", "--epsilon")]
    names = [*names, given.get("--against") or _opponent(names, options)]
    league = [("--method", "greedy"), ("--epsilon", given.get("--epsilon") or "0.1")]
    return _typed(
        names, [*league, ("--openings", "start"), ("--pairs", str(int(games) // 2)), *kept]
    )


def _opponent(names: list[str], options: _Options) -> str:
    from samuel.games.plugins import load_plugins
    from samuel.models import game_for
    from samuel.models.named import default_opponent

    load_plugins([value for name, value in options if name == "--plugin" and value])
    return default_opponent(game_for(dict(options).get("--game"), *names))


_OF_POOL = {"--goal": "--error", "--most-pairs": "--pairs", "--patience": "--timeout"}


def _pool(names: list[str], options: _Options) -> list[str]:
    """Return `samuel tournament` for `samuel pool add|show|remove FOLDER ...`."""
    given = [(_OF_POOL.get(name, name), value) for name, value in options]
    match names:
        case ["add", folder, *players]:
            error = [] if "--error" in dict(given) else [("--error", "15")]
            return _typed(players, [("--out", folder), *error, *given])
        case ["show", folder]:
            return _typed([folder], given)
        case ["remove", folder, player]:
            return _typed([folder], [("--remove", player), *given])
    raise MisuseError("samuel pool is now samuel tournament; see samuel tournament --help")


OLD: dict[str, tuple[str, Callable[[list[str], _Options], list[str]]]] = {
    "league": ("match", _league),
    "pool": ("tournament", _pool),
}
"""The subcommand that takes the place of each, and what is typed for it."""


def under_old_name(name: str, found: Any) -> Any:
    """Return the subcommand `found` so that it takes what was typed for the old one."""
    parse, (now, rewritten) = found.parse_args, OLD[name]

    def told(context: Any, typed: list[str]) -> Any:
        if "--help" not in typed:
            typed = rewritten(*_parts(typed))
            warn_of_old_name(f"samuel {name}", shlex.join(["samuel", now, *typed]))
        return parse(context, typed)

    found.name, found.hidden, found.parse_args = name, True, told
    return found


def _parts(typed: Sequence[str]) -> tuple[list[str], _Options]:
    """Return the arguments and the options among what was typed."""
    names: list[str] = []
    options: _Options = []
    words = iter(typed)
    for word in words:
        flag, is_whole, value = word.partition("=")
        if not word.startswith("--"):
            names.append(word)
        elif is_whole or flag in _FLAGS:
            options.append((flag, value if is_whole else None))
        else:
            options.append((flag, next(words, "")))
    return names, options


def _typed(names: Sequence[str], options: _Options) -> list[str]:
    return [
        *names,
        *(word for name, value in options for word in (name, value) if word is not None),
    ]
