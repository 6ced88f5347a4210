"""Conditions of the games of a pool: fixed when it is made, and compared ever after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from samuel.arena.event import EventOptions
from samuel.arena.openings import BALANCED, RANDOM, START, Openings, openings_for
from samuel.arena.players import Player, player, settings_of
from samuel.arena.sides import TIME_MARGIN
from samuel.common.errors import UserError
from samuel.common.options import as_written
from samuel.games.catalog import known_game
from samuel.games.interface import Game
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits
from samuel.search.method import Method
from samuel.search.methods import method_named, method_text, selective

_MOST_OPENINGS = 10_000
_TIMES = ("depth", "nodes", "seconds", "clock")
_FILELESS = (None, BALANCED, RANDOM, START)

_Count = Annotated[int, Meta(ge=0, lt=1 << 31)]


@dataclass(frozen=True)
class PoolSettings:
    """Conditions of the games of a pool, fixed when it is made.

    The names are those of the options of a match, as they were called when they were published;
    `openings` may be the name of a file in the pool's folder.
    """

    game: str
    depth: Annotated[int, Meta(ge=1, lt=1 << 31)] | None
    nodes: Annotated[int, Meta(ge=1, lt=1 << 62)] | None
    seconds: Annotated[float, Meta(gt=0)] | None
    exact_from: _Count
    adjudicate_from: _Count
    patience: Annotated[float, Meta(gt=0)]
    openings: str | None
    opening_plies: _Count | None
    seed: Annotated[int, Meta(ge=0, lt=1 << 62)]
    method: str = "alphabeta"
    probcut: Annotated[float, Meta(gt=0)] | None = None
    clock: Annotated[float, Meta(gt=0)] | None = None
    increment: Annotated[float, Meta(ge=0)] = 0.0
    balance: Annotated[float, Meta(ge=0)] | None = None
    epsilon: Annotated[float, Meta(ge=0, le=1)] = 0.0
    time_margin: Annotated[float, Meta(ge=0)] = TIME_MARGIN

    @property
    def limits(self) -> Limits:
        """Limits of everybody."""
        clock = self.clock, self.increment or None
        return Limits(self.depth, self.nodes, self.seconds, *clock, self.exact_from)

    @property
    def text(self) -> str:
        """The limits and the method, in words."""
        return settings_of(self.limits, selective(method_named(self.method), self.probcut))

    def player(self, who: str, game: Game) -> Player:
        """Return a player under these terms."""
        return player(who, game, (self.limits,), selective(method_named(self.method), self.probcut))

    def options(self, jobs: int = 1) -> EventOptions:
        """Return the options of its games."""
        return EventOptions(
            epsilon=self.epsilon,
            adjudicate_from=self.adjudicate_from,
            timeout=self.patience,
            time_margin=self.time_margin,
            seed=self.seed,
            jobs=jobs,
        )

    @property
    def has_own_openings(self) -> bool:
        """True if they are a file of the user's."""
        return self.openings not in _FILELESS

    def openings_from(self, source: str | None, plies: int | None) -> Openings:
        """Return the openings of a source and a length, in the order of the seed."""
        game, asked = known_game(self.game), (source, _MOST_OPENINGS, plies, self.balance)
        return openings_for(game, *asked, seed=self.seed, fewer=True)


def asked_for(
    game: Game | None,
    limits: Limits,
    method: Method,
    probcut: float | None,
    options: EventOptions,
) -> dict[str, Any]:
    """Return which settings are asked for: options that are not as they are by default.

    Raises
    ------
    UserError
        The openings are none that another command could name.
    """
    if isinstance(options.openings, Openings):
        raise UserError("openings of a pool must be a name or a file that can be copied")
    found = as_written(limits) | as_written(options)
    usual = as_written(Limits()) | as_written(EventOptions())
    found = {name: value for name, value in found.items() if value != usual[name]}
    found |= {} if method == AlphaBeta() else {"method": method_text(method)}
    found |= {"game": game and game.name, "probcut": probcut}
    found |= {"openings": str(options.openings)} if options.openings else {}
    known = PoolSettings.__dataclass_fields__
    return {name: value for name, value in found.items() if name in known and value is not None}


def new_settings(asked: Mapping[str, Any]) -> PoolSettings:
    """Return the settings of a new pool, by default those of its game."""
    merged: dict[str, Any] = dict.fromkeys(("nodes", "seconds", "openings", "opening_plies"))
    merged |= {"depth": None, "adjudicate_from": 0, "patience": 60.0, "seed": 0, **asked}
    game = known_game(merged["game"])
    if not asked.keys() & {*_TIMES}:
        merged["depth"] = game.defaults.depth
    merged["probcut"] = merged.get("probcut") or None
    solved = Limits(exact_from=merged.get("exact_from")).solved_from(game)
    for name, value in (("exact_from", solved), ("adjudicate_from", merged["adjudicate_from"])):
        merged[name] = min(value, game.most_plies)
    return PoolSettings(**merged)


def require_same_openings(
    folder: Path,
    settings: PoolSettings,
    openings: Openings,
    own: str | None,
    asked: Mapping[str, Any],
) -> None:
    """Raise UserError unless what is asked for makes the pool's openings, whatever their file."""
    source = asked.get("openings", own)
    source = source if source is None else str(source)
    is_file = source not in _FILELESS
    plies = asked.get("opening_plies", None if is_file else settings.opening_plies)
    if (source, plies) == (own, settings.opening_plies):
        return
    if settings.openings_from(source, plies).digest != openings.digest:
        raise other_settings(folder, "other openings")


def other_settings(folder: Path, difference: str) -> UserError:
    """Return the error that a pool has other settings than are asked for."""
    return UserError(
        f"{folder} has other settings ({difference}), which all its players share; give another "
        "folder (--out)"
    )
