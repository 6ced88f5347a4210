"""A pool that players are being added to: who joins, who meets whom, when that is enough."""

from __future__ import annotations

import shlex
import time
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from samuel.arena.engines import is_engine
from samuel.arena.event import EventOptions
from samuel.arena.journal import Journal
from samuel.arena.openings import Openings
from samuel.arena.players import Player
from samuel.arena.pool.folder import (
    MOST_PLAYERS,
    POOL,
    PoolPlayer,
    PoolSettings,
    games_between,
    keep_model,
    known_pairs,
    read_pool,
    source_of,
    write_pool,
    write_tables,
)
from samuel.arena.pool.players import Added, Newcomer, pool_player, require_names
from samuel.arena.rating import Games, Ratings
from samuel.arena.rating.informative import PairingPlan, half_width, sharpen
from samuel.arena.running import Meeting, played, require_engines
from samuel.arena.schedules import Pairing
from samuel.errors import UserError
from samuel.games.catalog import known_game

_PROGRESS_EVERY = 0.5
"""Seconds."""


class PoolRun:
    """A pool that is being added to; its folder is held, and `engines` are what may be started."""

    def __init__(
        self,
        folder: Path,
        settings: PoolSettings,
        openings: Openings,
        options: EventOptions,
        journal: Journal,
        progress: Callable[[Added], None],
        engines: Collection[str],
    ) -> None:
        self.engines = engines
        self.folder, self.settings, self.openings = folder, settings, openings
        self.options, self.journal, self.progress = options, journal, progress
        self.game = known_game(settings.game)
        self.entries = read_pool(folder)[1] if (folder / POOL).exists() else {}
        self.players: dict[int, Player] = {}

    def add(self, newcomers: Sequence[Newcomer]) -> None:
        """Let players join and rate them, after those whom an earlier run left unrated."""
        require_names(self.folder, self.entries.values(), newcomers)
        self._gather()
        first = {one.digest for one in newcomers[:1]}  # who may be the one that was interrupted
        for entry in list(self.entries.values()):
            if not entry.rated and entry.digest not in first:
                self._rate_leftover(entry)
        for newcomer in newcomers:
            self._rate(self._joined(newcomer))

    def write_down(self) -> None:
        """Write all games of the pool as files for people and other programs."""
        pairs = self.journal.pairs.values()
        write_tables(self.folder, self.settings, self.entries, pairs, self.game)

    def _gather(self) -> None:
        """Find the players of the pool; who cannot be had any more plays no more games."""
        for number, entry in self.entries.items():
            try:
                self.players[number] = self._player(entry)
            except UserError as error:
                warnings.warn(
                    f"{entry.name} of {self.folder} plays no more games: {error}", stacklevel=2
                )

    def _player(self, entry: PoolPlayer) -> Player:
        """Return a player as it joined.

        Raises
        ------
        UserError
            It is not there any more, is another one, or a program that was not named now.
        """
        source = source_of(self.folder, entry, self.game)
        if is_engine(source) and source not in self.engines:
            raise UserError(
                "it is a program, and none is started because a pool names it; where you trust it, "
                f"add --engine {shlex.quote(source)} to the command"
            )
        one = pool_player(source, self.game, self.settings)
        if one.digest(self.game) != entry.digest:
            raise UserError("its evaluator is not what it was when it joined")
        require_engines(self.game, [one], self.options)
        return replace(one, name=entry.name)

    def _rate_leftover(self, entry: PoolPlayer) -> None:
        """Rate a player whom an earlier run left unrated, if it can play."""
        what_to_do = f"samuel pool remove {self.folder} {entry.name!r} takes it out"
        if entry.number not in self.players:
            warnings.warn(f"{entry.name} stays unrated; {what_to_do}", stacklevel=2)
        else:
            try:
                self._rate(entry.number)
                return
            except UserError as error:
                if not self.players[entry.number].is_engine:
                    raise
                warnings.warn(f"{entry.name} stays unrated: {error}; {what_to_do}", stacklevel=2)
                del self.players[entry.number]
        # others play before it is rated, if ever
        self._change(entry.number, before=None)

    def _joined(self, newcomer: Newcomer) -> int:
        """Return the number of a player, who joins where it is new."""
        for entry in self.entries.values():
            if entry.digest == newcomer.digest:
                self._ask_more(entry, newcomer)
                return entry.number
        number = self._next_number()
        source = newcomer.who
        if newcomer.is_model:
            source = keep_model(self.folder, number, newcomer.who)
        self.players[number] = replace(newcomer.player, name=newcomer.label)
        self.entries[number] = PoolPlayer(
            number,
            newcomer.label,
            source,
            newcomer.digest,
            newcomer.goal,
            newcomer.most_pairs,
            self._counts(),
        )
        self._save()
        return number

    def _ask_more(self, entry: PoolPlayer, newcomer: Newcomer) -> None:
        """Let a player who is there be rated anew if a narrower interval or more pairs are asked.

        Not if the same is: so a command for several goes on where it was interrupted.
        """
        if newcomer.label != entry.name:
            warnings.warn(
                f"{newcomer.label} plays like {entry.name}, who is in {self.folder} already, "
                "and is taken for that player",
                stacklevel=2,
            )
        is_more = (-newcomer.goal, newcomer.most_pairs) > (-entry.goal, entry.most_pairs)
        changes: dict[str, Any] = {"goal": newcomer.goal, "most_pairs": newcomer.most_pairs}
        if not entry.rated:
            self._change(entry.number, **changes)
        elif is_more:
            self._change(entry.number, **changes, before=None, rated=False)

    def _next_number(self) -> int:
        """Return a number that nobody has, nor one who was removed and whose games are still there.

        Raises
        ------
        UserError
            The pool is full.
        """
        of_games = (max(divmod(pairing, MOST_PLAYERS)) for pairing, _ in self.journal.pairs)
        number = 1 + max([-1, *self.entries, *of_games])
        if number >= MOST_PLAYERS:
            raise UserError(f"{self.folder} is full: it has had {MOST_PLAYERS} players")
        return number

    def _rate(self, number: int) -> None:
        """Let the pool play whatever says most of a player, until it is rated."""
        entry = self.entries[number]
        if entry.rated:
            return
        if number not in self.players:
            raise UserError(f"{entry.name} of {self.folder} cannot play any more")
        if entry.before is None:
            self._change(number, before=self._counts())
        for name in self._cut_off():
            warnings.warn(
                f"{entry.name} stays unrated: {name} cannot play now, and no games connect it with "
                f"those who can; samuel pool remove {self.folder} {name!r} takes it out",
                stacklevel=2,
            )
            return
        if len(self.entries) > 1:  # else there is nobody to meet
            _Rating(self, self.entries[number]).run()
        self._change(number, rated=True)

    def _cut_off(self) -> list[str]:
        """Return who was rated and cannot play, where no games connect them with those who can."""
        met = [set(divmod(pairing, MOST_PLAYERS)) for pairing in self._counts()]
        near = set(self.players)
        while more := set().union(*(pair for pair in met if pair & near)) - near:
            near |= more
        rated = (one for one in self.entries.values() if one.rated)
        return [one.name for one in rated if one.number not in near]

    def _counts(self) -> dict[int, int]:
        pairs = known_pairs(self.journal.pairs.values(), self.entries)
        return dict(Counter(pair.pairing for pair in pairs))

    def _change(self, number: int, **changes: Any) -> None:
        self.entries[number] = replace(self.entries[number], **changes)
        self._save()

    def _save(self) -> None:
        write_pool(self.folder, self.settings, self.entries.values())


class _Rating:
    """The rating of one player of a pool, as it is found."""

    def __init__(self, pool: PoolRun, entry: PoolPlayer) -> None:
        self._pool, self._entry = pool, entry
        self._numbers = list(pool.entries)
        self._counts = Counter(entry.before)
        self._so_far: Added | None = None

    def run(self) -> None:
        """Play until the player is rated, or nobody can meet any more."""
        pool, entry = self._pool, self._entry
        before = [
            pair for pair in pool.journal.pairs.values() if pair.number < self._counts[pair.pairing]
        ]
        names = [one.name for one in pool.entries.values()]
        target = self._numbers.index(entry.number)
        sharpen(
            names,
            games_between(before, self._numbers, pool.game),
            target,
            self._play,
            goal=entry.goal,
            most_pairs=entry.most_pairs,
            room=self._room(),
            seed=pool.settings.seed,
            progress=lambda ratings, pairs: self._follow(ratings, pairs, target),
        )
        assert self._so_far is not None
        width, pairs = self._so_far.half_width, self._so_far.games // 2
        if width > entry.goal and pairs < entry.most_pairs:
            warnings.warn(
                f"{entry.name} is known to +- {width:.0f} Elo, not {entry.goal:g}: all "
                f"{len(pool.openings)} openings are used up, in every pairing of those who play",
                stacklevel=2,
            )

    def _room(self) -> dict[Pairing, int]:
        """Return how many openings each pairing of those who can play has left, by place."""
        return {
            (i, j): len(self._pool.openings) - self._counts[_pairing(a, b)]
            for j, b in enumerate(self._numbers)
            for i, a in enumerate(self._numbers[:j])
            if a in self._pool.players and b in self._pool.players
        }

    def _play(self, plan: PairingPlan) -> Games:
        pool, meetings = self._pool, []
        for i, j, pairs in plan:
            sides = sorted((self._numbers[i], self._numbers[j]), reverse=True)
            pairing = _pairing(*sides)
            numbers = range(self._counts[pairing], self._counts[pairing] + pairs)
            self._counts[pairing] += pairs
            a, b = (pool.players[number] for number in sides)
            meetings.append(Meeting(pairing, a, b, pool.openings, numbers))
        found, last = [], time.monotonic()
        with closing(played(pool.game, meetings, pool.options, pool.journal)) as pairs_played:
            for pair in pairs_played:
                found.append(pair)
                if self._so_far is not None and time.monotonic() - last > _PROGRESS_EVERY:
                    games = self._so_far.games + 2 * len(found)
                    pool.progress(replace(self._so_far, games=games))
                    last = time.monotonic()
        return games_between(found, self._numbers, pool.game)

    def _follow(self, ratings: Ratings, pairs: int, target: int) -> None:
        width = half_width(ratings, target)
        self._so_far = Added(self._entry.name, ratings, 2 * pairs, width, self._entry.goal)
        self._pool.progress(self._so_far)


def _pairing(a: int, b: int) -> int:
    """Return the number of the pairing of two players."""
    return max(a, b) * MOST_PLAYERS + min(a, b)
