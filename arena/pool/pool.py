"""A pool of rated players on disk, to which new ones are added with the games that this takes.

    pool.json       the players, in the order in which they joined
    players/        copies of their models: a pool stands alone; so of openings from a file
    event.json, journal.jsonl, games.parquet, ...   as of other events (arena/journal.py)

When a player joins, those pairs are played that say most about its rating, its own and sometimes
others', until its interval is as narrow as was asked for (arena/rating/informative.py). What had
been played before it is written down as it joins: so an interrupted `add` goes the same way again,
over the games that it has played already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from samuel.arena.event import event_of, warn_of_adjudication
from samuel.arena.journal import EVENT, journal_of, read_journal
from samuel.arena.pool.folder import (
    POOL,
    PoolPlayer,
    PoolSettings,
    games_between,
    keep_openings,
    known_pairs,
    names_of_engines,
    read_pool,
    take_out,
    write_tables,
)
from samuel.arena.pool.players import Added, Newcomer, require_names
from samuel.arena.pool.run import PoolRun
from samuel.arena.pool.terms import Asked, settings_for
from samuel.arena.rating import GOAL, MOST_RATING_PAIRS, Games, Ratings, rate
from samuel.arena.records import PlayedPair
from samuel.arena.running import require_engines
from samuel.errors import UserError, require_number, unknown
from samuel.files import holding
from samuel.games.catalog import known_game

__all__ = ["Added", "Pool", "add", "remove"]


@dataclass(frozen=True, repr=False)
class Pool:
    """What there is in a pool's folder.

    Attributes
    ----------
    settings
        Under what terms players meet.
    entries
        The players, in the order in which they joined.
    pairs
        All that was played between them.
    """

    folder: Path
    settings: PoolSettings
    entries: tuple[PoolPlayer, ...]
    pairs: tuple[PlayedPair, ...]

    @classmethod
    def open(cls, folder: Path | str) -> Pool:
        """Read a pool, while others write to it, too.

        Raises
        ------
        UserError
            There is none, or it is damaged.
        """
        folder = Path(folder)
        # the games first: who has played is in pool.json by then, or was taken out
        pairs = read_journal(folder)[1] if (folder / EVENT).exists() else []
        settings, entries = read_pool(folder)
        known = known_pairs(pairs, entries)
        return cls(folder, settings, tuple(entries.values()), tuple(known))

    def __repr__(self) -> str:
        return f"Pool({self.folder}: {len(self.entries)} players, {2 * len(self.pairs)} games)"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the players."""
        return tuple(entry.name for entry in self.entries)

    @property
    def games(self) -> Games:
        """All games, as ratings are made of them."""
        numbers = [entry.number for entry in self.entries]
        return games_between(self.pairs, numbers, known_game(self.settings.game))

    def ratings(self, anchor: str | None = None, anchor_elo: float = 0.0) -> Ratings:
        """Rate the players, relative to their mean or to one of them (arena.rating.rate)."""
        if len(self.entries) == 1 and anchor in (None, self.names[0]):
            return _alone(self.names[0], anchor_elo)
        return rate(self.names, self.games, anchor=anchor, anchor_elo=anchor_elo)

    def as_dict(self, anchor: str | None = None) -> dict[str, Any]:
        """Return the pool with the names that the JSON output uses."""
        return {
            "pool": str(self.folder),
            "game": self.settings.game,
            "games": 2 * len(self.pairs),
            "unrated": [entry.name for entry in self.entries if not entry.rated],
            **self.ratings(anchor).as_dict(),
        }


def _alone(name: str, elo: float) -> Ratings:
    """Return the rating of a player who has nobody to meet: nothing is known but the anchor."""
    return Ratings(
        names=(name,),
        elo=np.array([elo]),
        low=np.array([elo]),
        high=np.array([elo]),
        games=np.zeros(1, np.int64),
        score=np.array([np.nan]),
        los=np.array([[0.5]]),
        covariance=np.zeros((1, 1)),
        colour=0.0,
        colour_low=-np.inf,
        colour_high=np.inf,
        draw_share=0.0,
        dispersion=1.0,
        groups=((name,),),
        anchor=f"{name} at {elo:g}",
    )


def add(
    folder: Path | str,
    who: str | Path | Sequence[str | Path],
    *,
    name: str | None = None,
    goal: float = GOAL,
    most_pairs: int = MOST_RATING_PAIRS,
    jobs: int = 1,
    progress: Callable[[Added], None] = lambda added: None,
    **asked: Unpack[Asked],
) -> Pool:
    """Add players to a pool, one after the other, and let each play until it is rated.

    Whom an earlier run left unrated is rated first, by the goal that it was given. A player who is
    there already plays on where more is asked for than then: a narrower interval, or more pairs for
    the same one.

    Parameters
    ----------
    folder
        Of the pool; made where it is not there.
    who
        The name or folder of an evaluator, or an engine such as `gtp:gtp-rhino`; or several. An
        engine of the pool plays only where it is among them: no other program is started.
    name
        What the pool calls it, if it is one; by default its own name.
    goal
        Half the width of the rating's interval at which to stop, in Elo.
    most_pairs
        At which to stop in any case.
    jobs
        Workers, as of a match.
    progress
        Called before each batch of games, some times a second while they are played, and last.
    asked
        Terms of a new pool: `game`, `depth`, `nodes`, `seconds` (by default the game's usual
        depth), `method`, `exact_from`, `adjudicate_from`, `patience`, `openings`, `opening_plies`
        and `seed`, as of a match. Of a pool that is there, those that are given must be the same.

    Raises
    ------
    UserError
        There is no such player, the pool has other settings, a name is taken by another player,
        an engine does not play, or the folder cannot be used. Who cannot play does not join.

    Warns
    -----
    UserWarning
        A player of the pool cannot be had any more, and plays no more games; or a rating is left
        less certain than it was to be.
    """
    folder = Path(folder)
    require_number("a goal, in Elo,", goal, 1e-3, 1e4)
    require_number("the most pairs", most_pairs, 1)
    is_new = not (folder / POOL).exists()
    settings, openings = settings_for(folder, asked)
    game = known_game(settings.game)
    options = settings.options(jobs)
    several = [str(one) for one in ([who] if isinstance(who, str | Path) else who)]
    known = {} if is_new or len(several) == 1 else names_of_engines(folder)
    if not several or (name is not None and len(set(several) - set(known)) != 1):
        raise UserError("name one player to add, or several without --name")
    newcomers = [
        Newcomer.of(one, game, settings, known.get(one, name), goal, most_pairs) for one in several
    ]
    warn_of_adjudication(options, game)
    if is_new:  # nothing is to be left of a pool that nobody joins
        require_names(folder, (), newcomers)
    require_engines(game, [one.player for one in newcomers], options)
    event = event_of("pool", game, [], openings, options, settings.exact_from)
    event["allowance"] = settings.text
    with journal_of(folder, game, event) as journal:
        if is_new:
            settings = keep_openings(folder, settings)
        run = PoolRun(folder, settings, openings, options, journal, progress, several)
        try:
            run.add(newcomers)
        finally:
            run.write_down()
    return Pool.open(folder)


def remove(folder: Path | str, name: str) -> Pool:
    """Take a player out of a pool, with all its games.

    Raises
    ------
    UserError
        There is no such pool or player, it is the only one, or another run writes to the folder.
    """
    folder = Path(folder)
    read_pool(folder)  # before anything is made there
    with holding(folder):
        settings, entries = read_pool(folder)
        number = next((key for key, one in entries.items() if one.name == name), None)
        if number is None:
            raise unknown("player", name, (one.name for one in entries.values()), of=str(folder))
        if len(entries) == 1:
            raise UserError(f"{name} is the only player of {folder}; delete the folder instead")
        game = known_game(settings.game)
        pairs = read_journal(folder)[1]
        left = take_out(folder, settings, entries, number, pairs)
        write_tables(folder, settings, left, pairs, game)
    return Pool.open(folder)
