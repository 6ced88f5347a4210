"""What lies in a pool's folder: its players in `pool.json`, and copies of what they are made of."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta

from samuel.arena.engines import is_engine
from samuel.arena.event import EventOptions
from samuel.arena.journal import JOURNAL, Journal
from samuel.arena.openings import BALANCED, RANDOM
from samuel.arena.openings.book import SUFFIX
from samuel.arena.players import settings_of
from samuel.arena.rating import Games, games_of
from samuel.arena.records import GAMES, PlayedPair, frame_of_games, text_file, write_games
from samuel.errors import UserError
from samuel.files import inside, whole
from samuel.games.interface import Game
from samuel.games.origins import Origin, game_from, origins_of
from samuel.json_files import read_record, write_json
from samuel.models import evaluator_names
from samuel.models.saved.saving import copy_model
from samuel.search.limits import Limits
from samuel.search.methods import method_named

POOL, PLAYERS = "pool.json", "players"
_OPENINGS = "openings"
"""Stem of the copy of a user's openings."""
MOST_PLAYERS = 1 << 12
"""A pairing of i and j < i has number i * MOST_PLAYERS + j: it stays as players come and go."""

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
        When it is rated well enough (arena.pool.add).
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
class PoolSettings:
    """Under what terms the players of a pool meet; fixed when it is made.

    Attributes
    ----------
    depth, nodes, seconds, method
        The limits and the method of everybody.
    exact_from, adjudicate_from, patience, opening_plies, seed
        As of a match (arena.match).
    openings
        As of a match, or the name of a file in the pool's folder.
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

    @property
    def limits(self) -> Limits:
        """Limits of everybody."""
        return Limits(self.depth, self.nodes, self.seconds, exact_from=self.exact_from)

    @property
    def text(self) -> str:
        """The limits and the method, in words."""
        return settings_of(self.limits, method_named(self.method))

    def options(self, jobs: int = 1) -> EventOptions:
        """Return the options of its games."""
        return EventOptions(
            adjudicate_from=self.adjudicate_from, timeout=self.patience, seed=self.seed, jobs=jobs
        )

    @property
    def has_own_openings(self) -> bool:
        """Whether they are a file of the user's."""
        return self.openings not in (None, BALANCED, RANDOM)


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
    path, again = folder / POOL, "begin another pool in another folder"
    content = read_record(path, _Content, "a pool of players", again)
    entries = {one.number: one for one in content.players}
    names = {one.name for one in content.players}
    if not len(entries) == len(names) == len(content.players):
        raise UserError(f"{path} is damaged: two of its players have one name or number; {again}")
    game_from(str(folder), content.settings.game, content.plugins)
    return content.settings, entries


def write_pool(folder: Path, settings: PoolSettings, entries: Iterable[PoolPlayer]) -> None:
    """Write what `read_pool` reads, whole or not at all."""
    players = list(entries)
    content = {"settings": vars(settings), "players": [*map(vars, players)]}
    plugins = origins_of(settings.game, evaluators=[one.source for one in players])
    write_json(folder / POOL, {**content, "plugins": plugins})


def keep_openings(folder: Path, settings: PoolSettings) -> PoolSettings:
    """Copy a file of openings into a new pool, which stands alone; return its settings so."""
    if settings.openings is None or not settings.has_own_openings:
        return settings
    is_book = settings.openings.endswith(SUFFIX)
    name = f"{_OPENINGS}{SUFFIX if is_book else '.txt'}"
    with whole(folder / name) as partial:
        shutil.copyfile(settings.openings, partial)
    return replace(settings, openings=name)


def copy_of(number: int) -> str:
    """Return where a player's model is copied to, as the pool names it."""
    return f"{PLAYERS}/{number:04}"


def keep_model(folder: Path, number: int, model: str) -> str:
    """Copy a model into the pool; return the copy's folder, relative to the pool's."""
    target = inside(folder, copy_of(number))
    copy_model(model, target)
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
            f"{POOL} names {entry.source!r}, which is no player that lies in the pool; where a "
            "file of yours registers it, name that with --plugin"
        )
    return entry.source


def names_of_engines(folder: Path) -> dict[str, str]:
    """Return what a pool calls its engines, by their commands."""
    entries = read_pool(folder)[1].values()
    return {one.source: one.name for one in entries if is_engine(one.source)}


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


def known_pairs(pairs: Iterable[PlayedPair], numbers: Collection[int]) -> list[PlayedPair]:
    """Return the pairs between players of those numbers, without those of players removed."""
    known = set(numbers)

    def is_known(pair: PlayedPair) -> bool:
        i, j = divmod(pair.pairing, MOST_PLAYERS)
        return i > j and known >= {i, j}

    return list(filter(is_known, pairs))


def games_between(pairs: Iterable[PlayedPair], numbers: Collection[int], game: Game) -> Games:
    """Return the pairs as ratings take them, players by their places among the numbers."""
    places = np.zeros(max(numbers, default=0) + 1, np.int64)
    places[list(numbers)] = np.arange(len(numbers))
    games = games_of(known_pairs(pairs, numbers), MOST_PLAYERS, game)
    return replace(games, first=places[games.first], second=places[games.second])


def write_tables(
    folder: Path,
    settings: PoolSettings,
    entries: Mapping[int, PoolPlayer],
    pairs: Iterable[PlayedPair],
    game: Game,
) -> None:
    """Write all games of the pool as files for people and other programs."""
    known = known_pairs(pairs, entries)
    if not known:
        for name in (GAMES, text_file(game)):
            (folder / name).unlink(missing_ok=True)
        return
    names = {}
    for pairing in {pair.pairing for pair in known}:
        a, b = divmod(pairing, MOST_PLAYERS)
        names[pairing] = (entries[a].name, entries[b].name)
    frame = frame_of_games(known, game, names, [settings.text])
    write_games(folder, known, frame, game)


def take_out(
    folder: Path,
    settings: PoolSettings,
    entries: Mapping[int, PoolPlayer],
    number: int,
    pairs: Iterable[PlayedPair],
) -> dict[int, PoolPlayer]:
    """Take a player, its games and its model out of a pool that is held; return who is left.

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
    return left


def _without(number: int, counts: Mapping[int, int] | None) -> dict[int, int] | None:
    """Return counts of pairs without the pairings of a player: its number may be given again."""
    if counts is None:
        return None
    return {key: n for key, n in counts.items() if number not in divmod(key, MOST_PLAYERS)}
