"""The terms of a pool: those asked for of a new one, and what is compared with those of one there.

Only what was asked for is compared: who adds a player need not repeat the terms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

from samuel.arena.event import EventOptions
from samuel.arena.openings import BALANCED, RANDOM, Openings, openings_for
from samuel.arena.pool.folder import POOL, PoolSettings, openings_of, read_pool
from samuel.errors import UserError
from samuel.games.catalog import game_named, known_game
from samuel.games.interface import Game
from samuel.search.limits import Limits

_MOST_OPENINGS = 10_000


class Asked(TypedDict, total=False):
    """Terms that are asked for, as PoolSettings has them; None where nothing is."""

    game: str | None
    depth: int | None
    nodes: int | None
    seconds: float | None
    exact_from: int | None
    adjudicate_from: int | None
    patience: float | None
    openings: str | None
    opening_plies: int | None
    seed: int | None
    method: str | None


_UNLESS_ASKED: dict[str, Any] = {
    "game": "othello",
    "depth": None,
    "nodes": None,
    "seconds": None,
    "adjudicate_from": 0,
    "patience": 60.0,
    "openings": None,
    "opening_plies": None,
    "seed": 0,
    "method": "alphabeta",
}


def settings_for(folder: Path, asked: Asked) -> tuple[PoolSettings, Openings]:
    """Return the settings of a pool that is there, or those of a new one, and its openings.

    Raises
    ------
    UserError
        The pool has others, or there are no such settings.
    """
    given = {name: value for name, value in asked.items() if value is not None}
    if asked.get("game") is not None:
        given["game"] = game_named(str(asked["game"])).name
    if not (folder / POOL).exists():
        settings = _new(given)
        return settings, _openings(settings, settings.openings, settings.opening_plies)
    settings, _ = read_pool(folder)
    game = known_game(settings.game)
    own = openings_of(folder, settings)
    openings = _openings(settings, own, settings.opening_plies)
    for name, value in given.items():
        if name in ("openings", "opening_plies"):
            continue
        there, wanted = getattr(settings, name), _clamped(name, value, game)
        if there != wanted:
            raise _other(folder, f"{name} {'is not set' if there is None else there}, not {wanted}")
    if given.keys() & {"openings", "opening_plies"}:
        _require_same_openings(folder, settings, openings, own, given)
    return settings, openings


def _new(given: dict[str, Any]) -> PoolSettings:
    merged = {**_UNLESS_ASKED, **given}
    game = known_game(merged["game"])
    if not given.keys() & {"depth", "nodes", "seconds"}:
        merged["depth"] = game.defaults.depth
    decided = EventOptions(adjudicate_from=merged["adjudicate_from"], timeout=merged["patience"])
    solved = min(Limits(exact_from=merged.get("exact_from")).solved_from(game), game.most_plies)
    merged |= {
        "exact_from": solved,
        "adjudicate_from": min(decided.adjudicate_from, game.most_plies),
    }
    return PoolSettings(**merged)


def _clamped(name: str, value: Any, game: Game) -> Any:
    return min(value, game.most_plies) if name in ("exact_from", "adjudicate_from") else value


def _openings(settings: PoolSettings, source: str | None, plies: int | None) -> Openings:
    game = known_game(settings.game)
    return openings_for(game, source, _MOST_OPENINGS, plies, seed=settings.seed, fewer=True)


def _require_same_openings(
    folder: Path, settings: PoolSettings, openings: Openings, own: str | None, given: dict[str, Any]
) -> None:
    """Raise UserError unless what is asked for makes the pool's openings, whatever their file."""
    source = given.get("openings", own)
    is_file = source not in (None, BALANCED, RANDOM)
    plies = given.get("opening_plies", None if is_file else settings.opening_plies)
    if (source, plies) == (own, settings.opening_plies):
        return
    if _openings(settings, source, plies).digest != openings.digest:
        raise _other(folder, "other openings")


def _other(folder: Path, difference: str) -> UserError:
    return UserError(
        f"{folder} has other settings ({difference}): players of one pool meet under the same"
    )
