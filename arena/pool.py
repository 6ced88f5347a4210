"""A pool of rated players on disk, to which new ones are added with the games that this takes.

    pool.json       the players, in the order in which they joined
    players/        copies of their models: a pool stands alone
    event.json, journal.jsonl, games.parquet, ...   as of other events (arena/journal.py)

When a player joins, those pairs are played that say most about its rating (arena/informative.py),
its own and sometimes others', until its interval is as narrow as was asked for. What had been
played before it is written down as it joins: so an interrupted `add` goes the same way again, over
the games that it has played already.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.event import Terms, event_of, terms_of
from arena.informative import GOAL, Plan, half_width, sharpen
from arena.journal import EVENT, Journal, journal_of, read_journal
from arena.openings import Openings, openings_for
from arena.players import Player, player
from arena.pool_folder import (
    PLAYERS,
    POOL,
    Entry,
    Settings,
    read_pool,
    settings_for,
    write_pool,
)
from arena.ratings import Ratings, rate
from arena.records import PlayedPair, frame_of, write_games
from arena.resampling import Games
from arena.running import Meeting, played
from arena.tournament import games_of
from errors import UserError
from files import writing
from games.abi import Game
from games.catalog import game_named

MOST_PLAYERS = 1 << 12
"""A pairing of i and j < i has the number i * MOST_PLAYERS + j: it stays when players join."""
MOST_PAIRS = 5000
_OPENINGS = 10_000


@dataclass(frozen=True, repr=False)
class Pool:
    """What there is in a pool's folder.

    Attributes
    ----------
    folder
        Where it is.
    settings
        Under what terms players meet.
    entries
        The players, in the order in which they joined.
    pairs
        All that was played.
    """

    folder: Path
    settings: Settings
    entries: tuple[Entry, ...]
    pairs: tuple[PlayedPair, ...]

    @classmethod
    def open(cls, folder: Path | str) -> Pool:
        """Read a pool.

        Raises
        ------
        UserError
            There is none, or it is damaged.
        """
        folder = Path(folder)
        settings, entries = read_pool(folder)
        pairs = read_journal(folder)[1] if (folder / EVENT).exists() else []
        return cls(folder, settings, tuple(entries), tuple(pairs))

    def __repr__(self) -> str:
        return f"Pool({self.folder}: {len(self.entries)} players, {2 * len(self.pairs)} games)"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the players."""
        return tuple(entry.name for entry in self.entries)

    @property
    def games(self) -> Games:
        """All games, as ratings are made of them."""
        return games_of(self.pairs, MOST_PLAYERS)

    def ratings(self, anchor: str | None = None, anchor_elo: float = 0.0) -> Ratings:
        """Rate the players, relative to their mean or to one of them (arena.ratings.rate)."""
        return rate(self.names, self.games, anchor=anchor, anchor_elo=anchor_elo)

    def as_dict(self, anchor: str | None = None) -> dict[str, Any]:
        """Return the pool with the names that the JSON output uses."""
        return {
            "pool": str(self.folder),
            "game": self.settings.game,
            "games": 2 * len(self.pairs),
            **self.ratings(anchor).as_dict(),
        }


@dataclass(frozen=True)
class Added:
    """How far the rating of a new player is.

    Attributes
    ----------
    name
        The player.
    ratings
        Of all, relative to the mean of the others.
    games
        That it has played since it was added.
    half_width
        Of its interval, in Elo; what it is to come down to.
    """

    name: str
    ratings: Ratings
    games: int
    half_width: float


def add(
    folder: Path | str,
    who: str,
    *,
    name: str | None = None,
    settings: Settings | None = None,
    goal: float = GOAL,
    most_pairs: int = MOST_PAIRS,
    jobs: int = 1,
    progress: Callable[[Added], None] = lambda added: None,
) -> Pool:
    """Add a player to a pool, and let it play until it is rated.

    A player who is there already plays on, where its interval is too wide. Whom an earlier run
    left unrated is rated first.

    Parameters
    ----------
    folder
        Of the pool; made where it is not there.
    who
        The name or folder of an evaluator, or an engine such as `gtp:gtp-rhino`.
    name
        What the pool calls it; by default its own name.
    settings
        Of a new pool; of one that is there they must be the same, or None.
    goal
        Half the width of the rating's interval at which to stop, in Elo.
    most_pairs
        At which to stop in any case.
    jobs
        Workers, as of a match.
    progress
        Called before each batch of games and at the end.

    Raises
    ------
    UserError
        There is no such player, the pool has other settings, a name is taken by another player,
        or the folder cannot be used.
    """
    folder = Path(folder)
    settings = settings_for(folder, settings)
    game = game_named(settings.game)
    terms = terms_of(game, settings.exact_from, settings.adjudicate_from, settings.patience, jobs)
    openings = openings_for(
        game, settings.openings, _OPENINGS, settings.opening_plies, seed=settings.seed, fewer=True
    )
    newcomer = player(who, game, (settings.allowance,))
    event = event_of("pool", [], openings, terms, settings.seed)
    event["allowance"] = str(settings.allowance)
    with journal_of(folder, event) as journal:
        run = _Run(folder, settings, game, openings, terms, journal)
        try:
            for unfinished in run.unfinished(newcomer):
                run.rate(unfinished, goal, most_pairs, progress)
            run.rate(run.enrol(newcomer, who, name), goal, most_pairs, progress)
        finally:
            run.write_down()
    return Pool.open(folder)


class _Run:
    """A pool that is being added to; its folder is held."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        game: Game,
        openings: Openings,
        terms: Terms,
        journal: Journal,
    ) -> None:
        self._folder, self._settings, self._game = folder, settings, game
        self._openings, self._terms, self._journal = openings, terms, journal
        self._entries = read_pool(folder)[1] if (folder / POOL).exists() else []

    def enrol(self, newcomer: Player, who: str, name: str | None) -> int:
        """Return the number of a player, who joins where it is new."""
        digest = newcomer.digest(self._game)
        name = name or newcomer.name
        for number, entry in enumerate(self._entries):
            if entry.digest == digest:
                if entry.rated:
                    self._change(number, before=self._counts(), rated=False)
                return number
        if name in (entry.name for entry in self._entries):
            raise UserError(
                f"{self._folder} has another player called {name}; give this one another (--name)"
            )
        if len(self._entries) == MOST_PLAYERS:
            raise UserError(f"{self._folder} is full: it has {MOST_PLAYERS} players")
        source = who if newcomer.is_engine or not Path(who).is_dir() else self._copied(who)
        self._entries.append(Entry(name, source, digest, self._counts()))
        self._save()
        return len(self._entries) - 1

    def unfinished(self, but: Player) -> list[int]:
        """Return the players whom an earlier run left unrated, but for one who is to be rated."""
        digest = but.digest(self._game)
        return [
            number
            for number, entry in enumerate(self._entries)
            if not entry.rated and entry.digest != digest
        ]

    def rate(
        self, target: int, goal: float, most_pairs: int, progress: Callable[[Added], None]
    ) -> None:
        """Let the pool play whatever says most of a player, until it is rated."""
        entry = self._entries[target]
        if len(self._entries) == 1:  # who has nobody to meet
            self._change(target, rated=True)
            return
        names = [one.name for one in self._entries]
        before = [
            p for p in self._journal.pairs.values() if p.number < entry.before.get(p.pairing, 0)
        ]
        counts = Counter(entry.before)

        def play(plan: Plan) -> Games:
            meetings = []
            for i, j, pairs in plan:
                sides = max(i, j), min(i, j)
                pairing = sides[0] * MOST_PLAYERS + sides[1]
                numbers = range(counts[pairing], counts[pairing] + pairs)
                counts[pairing] += pairs
                a, b = (self._player(number) for number in sides)
                meetings.append(Meeting(pairing, a, b, self._openings, numbers))
            with closing(played(meetings, self._terms, self._journal)) as pairs_played:
                return games_of(list(pairs_played), MOST_PLAYERS)

        def follow(ratings: Ratings, pairs: int) -> None:
            progress(Added(entry.name, ratings, 2 * pairs, half_width(ratings, target)))

        sharpen(
            names,
            games_of(before, MOST_PLAYERS),
            target,
            play,
            goal=goal,
            most_pairs=most_pairs,
            seed=self._settings.seed,
            progress=follow,
        )
        self._change(target, rated=True)

    def write_down(self) -> None:
        """Write all games of the pool as files for people and other programs."""
        pairs = list(self._journal.pairs.values())
        if pairs:
            names = {}
            for pairing in {pair.pairing for pair in pairs}:
                a, b = divmod(pairing, MOST_PLAYERS)
                names[pairing] = (self._entries[a].name, self._entries[b].name)
            frame = frame_of(pairs, self._game, names, [str(self._settings.allowance)])
            write_games(self._folder, pairs, frame, self._game)

    def _player(self, number: int) -> Player:
        """Return a player as it joined.

        Raises
        ------
        UserError
            Its model is not there any more, or is another one.
        """
        entry = self._entries[number]
        inside = self._folder / entry.source
        source = str(inside) if entry.source.startswith(f"{PLAYERS}/") else entry.source
        one = player(source, self._game, (self._settings.allowance,))
        if one.digest(self._game) != entry.digest:
            raise UserError(
                f"{entry.name} of {self._folder} is not the player it was when it joined: "
                "its evaluator has changed since; add it anew to another pool"
            )
        return replace(one, name=entry.name)

    def _counts(self) -> dict[int, int]:
        return dict(Counter(pair.pairing for pair in self._journal.pairs.values()))

    def _copied(self, model: str) -> str:
        """Copy a model into the pool; return its folder, relative to the pool's."""
        source = f"{PLAYERS}/{len(self._entries):04}"
        target = self._folder / source
        with writing(target):
            shutil.rmtree(target, ignore_errors=True)  # of a run that was killed while copying
            shutil.copytree(model, target)
        return source

    def _change(self, number: int, **changes: Any) -> None:
        self._entries[number] = replace(self._entries[number], **changes)
        self._save()

    def _save(self) -> None:
        write_pool(self._folder, self._settings, self._entries)
