"""Folder of a pool: its players in `pool.json`, and copies of their models.

pool.json       under what terms they meet, and the players, in the order in which they joined
players/        copies of their models: a pool stands alone; so of openings from a file
event.json, journal.jsonl, games.parquet, ...   as of other events (arena/journal.py)
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from samuel.arena.engines import is_engine
from samuel.arena.journal import JOURNAL, Journal
from samuel.arena.openings import Openings
from samuel.arena.pool_settings import (
    PoolSettings,
    new_settings,
    other_settings,
    require_same_openings,
)
from samuel.arena.records import MOST_PLAYERS, PlayedPair
from samuel.common.errors import UserError
from samuel.common.files import inside, whole
from samuel.common.json_files import read_record, write_json
from samuel.common.options import called_now
from samuel.games.catalog import known_game
from samuel.games.interface import Game
from samuel.games.origins import Origin, game_from, origins_of
from samuel.models import evaluator_names
from samuel.models.saved.saving import copy_model

POOL, PLAYERS = "pool.json", "players"
_OPENINGS = "openings.txt"
"""Stem of the copy of a user's openings."""

_Pairing = Annotated[int, Meta(ge=0, lt=MOST_PLAYERS * MOST_PLAYERS)]
_Count = Annotated[int, Meta(ge=0, lt=1 << 31)]


@dataclass(frozen=True)
class PoolPlayer:
    """A player of a pool.

    Attributes
    ----------
    number
        The player's, which is no other's as long as its games are there.
    name
        What the pool calls it.
    source
        An evaluator's name, the folder of a model's copy within the pool, or an engine.
    digest
        Of what it plays like (arena.players.Player.digest).
    goal, most_pairs
        When it is rated well enough: half the width of its interval, in Elo, and the most pairs.
    before
        How many pairs of each pairing there were when it began to be rated; None until then.
    rated
        Whether its games are complete.
    """

    number: Annotated[int, Meta(ge=0, lt=MOST_PLAYERS)]
    name: Annotated[str, Meta(min_length=1)]
    source: str
    digest: str
    goal: Annotated[float, Meta(gt=0)]
    most_pairs: Annotated[int, Meta(ge=1, lt=1 << 31)]
    before: dict[_Pairing, _Count] | None = None
    rated: bool = False


@dataclass(frozen=True)
class _Content:
    settings: PoolSettings
    players: list[PoolPlayer]
    plugins: list[Origin] = field(default_factory=list)


def read_pool(folder: Path) -> tuple[PoolSettings, dict[int, PoolPlayer]]:
    """Return the settings and the players of a pool, by number, in the order in which they joined.

    Raises
    ------
    UserError
        There is none, the file is damaged, or its game is not known here.
    """
    path, again = folder / POOL, "give another folder (--out)"
    content = read_record(path, _Content, "a pool of players", again)
    entries = {one.number: one for one in content.players}
    names = {one.name for one in content.players}
    if not len(entries) == len(names) == len(content.players):
        raise UserError(f"{path} is damaged: two players have one name or number; {again}")
    game_from(str(folder), content.settings.game, content.plugins)
    return content.settings, entries


def write_pool(folder: Path, settings: PoolSettings, entries: Iterable[PoolPlayer]) -> None:
    """Write what `read_pool` reads, whole or not at all."""
    players = list(entries)
    content = {"settings": vars(settings), "players": [*map(vars, players)]}
    plugins = origins_of(settings.game, evaluators=[one.source for one in players])
    write_json(folder / POOL, {**content, "plugins": plugins})


def settings_for(folder: Path, asked: Mapping[str, Any]) -> tuple[PoolSettings, Openings]:
    """Return the settings of a pool that is there, or those of a new one, and its openings.

    Raises
    ------
    UserError
        The pool has others, or there are no such settings.
    """
    if not (folder / POOL).exists():
        settings = new_settings(asked)
        openings = settings.openings_from(settings.openings, settings.opening_plies)
        # as they are called once they lie in the pool
        named = replace(openings, name=_OPENINGS) if settings.has_own_openings else openings
        return settings, named
    settings, _ = read_pool(folder)
    game = known_game(settings.game)
    own = openings_of(folder, settings)
    openings = settings.openings_from(own, settings.opening_plies)
    for name, value in asked.items():
        if name in ("openings", "opening_plies"):
            continue
        there, wanted = getattr(settings, name), value
        if name in ("exact_from", "adjudicate_from"):
            wanted = min(value, game.most_plies)
        elif name == "probcut":
            there = there or 0.0
        if there != wanted:
            raise other_settings(
                folder,
                f"{called_now(name)} {'is not set' if there is None else there}, not {wanted}",
            )
    if asked.keys() & {"openings", "opening_plies"}:
        require_same_openings(folder, settings, openings, own, asked)
    return settings, openings


def keep_openings(folder: Path, settings: PoolSettings) -> PoolSettings:
    """Copy a file of openings into a new pool, which stands alone; return its settings so."""
    if settings.openings is None or not settings.has_own_openings:
        return settings
    with whole(folder / _OPENINGS) as partial:
        shutil.copyfile(settings.openings, partial)
    return replace(settings, openings=_OPENINGS)


def discard(folder: Path) -> None:
    """Delete what is there of a pool without a game, but for what is any event's."""
    shutil.rmtree(folder / PLAYERS, ignore_errors=True)
    for name in (POOL, _OPENINGS):
        (folder / name).unlink(missing_ok=True)


def openings_of(folder: Path, settings: PoolSettings) -> str | None:
    """Return what arena.openings.openings_for takes for the openings of a pool.

    Raises
    ------
    UserError
        They are a file elsewhere.
    """
    if settings.openings is None or not settings.has_own_openings:
        return settings.openings
    return str(inside(folder, settings.openings))


def copy_of(number: int) -> str:
    """Return where a player's model is copied to, as the pool names it."""
    return f"{PLAYERS}/{number:04}"


def keep_model(folder: Path, number: int, model: str) -> str:
    """Copy a model into the pool; return the copy's folder, relative to the pool's."""
    copy_model(model, inside(folder, copy_of(number)))
    return copy_of(number)


def source_of(folder: Path, entry: PoolPlayer, game: Game) -> str:
    """Return what arena.players.player takes for a player of the pool.

    Raises
    ------
    UserError
        It is neither an engine, nor a name that is known, nor a model that lies in the pool.
    """
    if entry.source == copy_of(entry.number):
        return str(inside(folder, entry.source))
    if not is_engine(entry.source) and entry.source not in evaluator_names(game):
        raise UserError(
            f"{POOL} names {entry.source!r}, which is not in the pool's folder; if a Python "
            "file registers it, name the file with --plugin"
        )
    return entry.source


def known_pairs(pairs: Iterable[PlayedPair], numbers: Iterable[int]) -> list[PlayedPair]:
    """Return the pairs between players of those numbers, without those of players removed."""
    known = set(numbers)

    def is_known(pair: PlayedPair) -> bool:
        i, j = divmod(pair.pairing, MOST_PLAYERS)
        return i > j and known >= {i, j}

    return list(filter(is_known, pairs))


def take_out(
    folder: Path,
    settings: PoolSettings,
    entries: Mapping[int, PoolPlayer],
    number: int,
    pairs: Iterable[PlayedPair],
) -> None:
    """Take a player, its games and its model out of a pool that is held.

    First it leaves `pool.json`: the rest counts no more then, should this be interrupted.
    """
    left = {
        key: replace(one, before=_without(number, one.before))
        for key, one in entries.items()
        if key != number
    }
    write_pool(folder, settings, left.values())
    with whole(folder / JOURNAL) as partial, open(partial, "wb") as file:
        journal = Journal(folder, file)
        for pair in known_pairs(pairs, left):
            journal.keep(pair)
    if entries[number].source == copy_of(number):
        shutil.rmtree(inside(folder, copy_of(number)), ignore_errors=True)


def _without(number: int, counts: Mapping[int, int] | None) -> dict[int, int] | None:
    """Return counts of pairs without the pairings of a player: its number may be given again."""
    if counts is None:
        return None
    return {key: n for key, n in counts.items() if number not in divmod(key, MOST_PLAYERS)}
