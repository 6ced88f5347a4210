"""Run of a rating pool: players join, are paired, and play until they are rated."""

from __future__ import annotations

import shlex
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from samuel.arena.engines import is_engine
from samuel.arena.event import EventOptions
from samuel.arena.journal import Journal
from samuel.arena.openings import Openings
from samuel.arena.players import Player
from samuel.arena.pool_folder import (
    POOL,
    PoolPlayer,
    keep_model,
    known_pairs,
    read_pool,
    source_of,
    write_pool,
)
from samuel.arena.pool_settings import PoolSettings
from samuel.arena.rating import Games, Ratings
from samuel.arena.rating.informative import PairingPlan, half_width, sharpen
from samuel.arena.records import MOST_PLAYERS, PlayedPair
from samuel.arena.running import EventRun, Meeting, StoppingRule, require_engines
from samuel.arena.schedules import Pairing
from samuel.arena.standings import (
    RatingProgress,
    TournamentResult,
    pool_result,
)
from samuel.common.errors import UserError
from samuel.games.catalog import known_game
from samuel.games.plugins import plugin_options


@dataclass(frozen=True)
class Newcomer:
    """Player to add, with its digest and the name that the user gives it."""

    who: str
    player: Player
    digest: str
    name: str | None
    rule: StoppingRule

    @property
    def label(self) -> str:
        """Name of the player in the pool."""
        return self.name or self.player.name

    @property
    def is_model(self) -> bool:
        """True if the player is the folder of a model."""
        return not self.player.is_engine and Path(self.player.evaluator.origin) == Path(self.who)

    @property
    def aim(self) -> dict[str, Any]:
        """Fields of PoolPlayer that say when the player is rated."""
        return {"goal": self.rule.error, "most_pairs": self.rule.pairs}


def require_names(
    folder: Path, entries: Iterable[PoolPlayer], newcomers: Sequence[Newcomer]
) -> None:
    """Raise UserError if two players would have one name, or a player two names."""
    taken = {entry.name: entry.digest for entry in entries}
    for one in newcomers:
        names = [name for name, digest in taken.items() if digest == one.digest]
        if names and one.name not in (None, *names):
            raise UserError(f"{one.who} is already in {folder}, as {names[0]}; leave the name out")
        if not names and one.label in taken:
            raise UserError(
                f"{folder} already has a player named {one.label!r}; give the new player "
                "another name with --name"
            )
        if not names:
            taken[one.label] = one.digest


class PoolRun:
    """Pool to which players are added. Its folder is held; only `engines` may be started."""

    def __init__(
        self,
        folder: Path,
        settings: PoolSettings,
        openings: Openings,
        options: EventOptions,
        journal: Journal,
        progress: Callable[[TournamentResult, int], None],
        engines: Collection[str],
    ) -> None:
        self.engines = engines
        self.folder, self.settings, self.openings = folder, settings, openings
        self.options, self.journal, self.progress = options, journal, progress
        self.game = known_game(settings.game)
        self.entries = read_pool(folder)[1] if (folder / POOL).exists() else {}
        self.players: dict[int, Player] = {}

    def add(self, newcomers: Sequence[Newcomer]) -> None:
        """Add players and rate them, after those that an earlier run left unrated."""
        require_names(self.folder, self.entries.values(), newcomers)
        self.gather()
        first = {one.digest for one in newcomers[:1]}  # it may have been interrupted
        for entry in list(self.entries.values()):
            if not entry.rated and entry.digest not in first:
                self._rate_leftover(entry)
        for newcomer in newcomers:
            self._rate(self.joined(newcomer))

    def result(self, rating: RatingProgress | None = None) -> TournamentResult:
        """Return the result of the pool so far."""
        entries, pairs = self.entries.values(), self.journal.pairs.values()
        return pool_result(self.folder, self.settings, entries, pairs, self.openings.name, rating)

    def gather(self, without: Collection[str] = ()) -> None:
        """Find the players of the pool that can play, except those named in `without`."""
        for number, entry in self.entries.items():
            if entry.name in without:
                continue
            try:
                self.players[number] = self._player(entry)
            except UserError as error:
                warnings.warn(
                    f"{entry.name} of {self.folder} takes no further part: {error}", stacklevel=2
                )

    def _player(self, entry: PoolPlayer) -> Player:
        """Return a player of the pool.

        Raises
        ------
        UserError
            The player is missing, has changed, or is a program that the user has not named.
        """
        source = source_of(self.folder, entry, self.game)
        if is_engine(source) and source not in self.engines:
            raise UserError(
                "it is a program, which a pool does not start by itself; if you trust it, "
                f"add --engine {shlex.quote(source)} to the command"
            )
        one = self.settings.player(source, self.game)
        if one.digest(self.game) != entry.digest:
            raise UserError("its evaluator has changed since it joined")
        require_engines(self.game, [one], self.options)
        return replace(one, name=entry.name)

    def _rate_leftover(self, entry: PoolPlayer) -> None:
        """Rate a player that an earlier run left unrated, if it can play."""
        options = f"--remove {entry.name!r}{plugin_options(self.game.name)}"
        what_to_do = f"samuel tournament {self.folder} {options} takes it out"
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
        self.change(entry.number, before=None)

    def joined(self, newcomer: Newcomer) -> int:
        """Return the number of a player, after adding it if it is new."""
        for entry in self.entries.values():
            if entry.digest == newcomer.digest:
                self._ask_more(entry, newcomer)
                return entry.number
        number = self._next_number()
        source = newcomer.who
        if newcomer.is_model:
            source = keep_model(self.folder, number, newcomer.who)
        self.players[number] = replace(newcomer.player, name=newcomer.label)
        its = number, newcomer.label, source, newcomer.digest
        self.entries[number] = PoolPlayer(*its, **newcomer.aim, before=self._counts())
        self._save()
        return number

    def _ask_more(self, entry: PoolPlayer, newcomer: Newcomer) -> None:
        """Let a player of the pool be rated again if a narrower interval or more pairs are wanted.

        With equal wishes it stays rated, so that an interrupted command continues.
        """
        if newcomer.label != entry.name:
            warnings.warn(
                f"{newcomer.label} is the same player as {entry.name}, which is already in "
                f"{self.folder}; it is not added again",
                stacklevel=2,
            )
        changes = newcomer.aim
        wanted = -changes["goal"], changes["most_pairs"]
        is_more = wanted > (-entry.goal, entry.most_pairs)
        if not entry.rated:
            self.change(entry.number, **changes)
        elif is_more:
            self.change(entry.number, **changes, before=None, rated=False)

    def _next_number(self) -> int:
        """Return a free number, which no removed player has whose games remain.

        Raises
        ------
        UserError
            The pool is full.
        """
        of_games = (max(divmod(pairing, MOST_PLAYERS)) for pairing, _ in self.journal.pairs)
        number = 1 + max([-1, *self.entries, *of_games])
        if number >= MOST_PLAYERS:
            raise UserError(f"{self.folder} is full: a pool takes at most {MOST_PLAYERS} players")
        return number

    def _rate(self, number: int) -> None:
        """Play the games that tell most about a player, until it is rated."""
        entry = self.entries[number]
        if entry.rated:
            return
        if number not in self.players:
            raise UserError(f"{entry.name} of {self.folder} cannot play any more")
        if entry.before is None:
            self.change(number, before=self._counts())
        for name in self._cut_off():
            warnings.warn(
                f"{entry.name} stays unrated: {name} cannot play now, and no games connect "
                f"{entry.name} with the other players; samuel tournament {self.folder} "
                f"--remove {name!r}{plugin_options(self.game.name)} removes it",
                stacklevel=2,
            )
            return
        if len(self.entries) > 1:  # else there is nobody to meet
            _Rating(self, self.entries[number]).run()
        self.change(number, rated=True)

    def _cut_off(self) -> list[str]:
        """Return rated players that cannot play and have no games connecting them with others."""
        met = [set(divmod(pairing, MOST_PLAYERS)) for pairing in self._counts()]
        near = set(self.players)
        while more := set().union(*(pair for pair in met if pair & near)) - near:
            near |= more
        rated = (one for one in self.entries.values() if one.rated)
        return [one.name for one in rated if one.number not in near]

    def _counts(self) -> dict[int, int]:
        pairs = known_pairs(self.journal.pairs.values(), self.entries)
        return dict(Counter(pair.pairing for pair in pairs))

    def change(self, number: int, **changes: Any) -> None:
        """Change the entry of a player, in the folder too."""
        self.entries[number] = replace(self.entries[number], **changes)
        self._save()

    def _save(self) -> None:
        write_pool(self.folder, self.settings, self.entries.values())


class PoolGames:
    """Games of a pool as they are played, in batches.

    Parameters
    ----------
    counts
        Number of pairs of each pairing so far, and so the number of the next pair.
    tell
        As EventRun takes it.
    """

    def __init__(
        self,
        pool: PoolRun,
        counts: Mapping[int, int],
        tell: Callable[[EventRun], None],
    ) -> None:
        self._pool, self._numbers, self.counts = pool, list(pool.entries), Counter(counts)
        self._run = EventRun(pool.game, pool.options, pool.journal, tell)

    def room(self) -> dict[Pairing, int]:
        """Return the openings left for each pairing of players that can play, by place."""
        return {
            (i, j): len(self._pool.openings) - self.counts[_pairing(a, b)]
            for j, b in enumerate(self._numbers)
            for i, a in enumerate(self._numbers[:j])
            if a in self._pool.players and b in self._pool.players
        }

    def play(
        self, plan: PairingPlan, is_enough: Callable[[PlayedPair], bool] = lambda pair: False
    ) -> Games:
        """Play pairs as planned, or until `is_enough`; return the games."""
        pool, meetings = self._pool, []
        for i, j, pairs in plan:
            sides = sorted((self._numbers[i], self._numbers[j]), reverse=True)
            pairing = _pairing(*sides)
            numbers = range(self.counts[pairing], self.counts[pairing] + pairs)
            self.counts[pairing] += pairs
            a, b = (pool.players[number] for number in sides)
            meetings.append(Meeting(pairing, a, b, pool.openings, numbers))
        before = len(self._run.pairs)
        self._run.play(meetings, is_enough)
        return self.games(self._run.pairs[before:])

    def games(self, pairs: Iterable[PlayedPair]) -> Games:
        """Return pairs in the form for ratings."""
        pool = self._pool
        entries, about = pool.entries.values(), pool.openings.name
        return pool_result(pool.folder, pool.settings, entries, pairs, about).games


class _Rating:
    """Rating of one player of a pool, in progress."""

    def __init__(self, pool: PoolRun, entry: PoolPlayer) -> None:
        self._pool, self._entry = pool, entry
        self._so_far: RatingProgress | None = None
        self._games = PoolGames(pool, entry.before or {}, self._tell)

    def run(self) -> None:
        """Play until the player is rated, or no pairing has an opening left."""
        pool, entry = self._pool, self._entry
        before = [
            pair
            for pair in pool.journal.pairs.values()
            if pair.number < self._games.counts[pair.pairing]
        ]
        names = [one.name for one in pool.entries.values()]
        target = names.index(entry.name)
        sharpen(
            names,
            self._games.games(before),
            target,
            self._games.play,
            goal=entry.goal,
            most_pairs=entry.most_pairs,
            room=self._games.room(),
            seed=pool.settings.seed,
            progress=lambda ratings, pairs: self._follow(ratings, pairs, target),
        )
        assert self._so_far is not None
        width, pairs = self._so_far.half_width, self._so_far.games // 2
        if width > entry.goal and pairs < entry.most_pairs:
            warnings.warn(
                f"{entry.name} has an interval of +- {width:.0f} Elo, not {entry.goal:g}: all "
                f"{len(pool.openings)} openings are used up in every pairing",
                stacklevel=2,
            )

    def _tell(self, run: EventRun) -> None:
        """Report the games of a batch as they end."""
        if self._so_far is not None:
            found = replace(self._so_far, games=max(self._so_far.games, 2 * len(run.pairs)))
            self._pool.progress(self._pool.result(found), self._entry.most_pairs)

    def _follow(self, ratings: Ratings, pairs: int, target: int) -> None:
        width = half_width(ratings, target)
        self._so_far = RatingProgress(self._entry.name, ratings, 2 * pairs, width, self._entry.goal)
        self._pool.progress(self._pool.result(self._so_far), self._entry.most_pairs)


def _pairing(a: int, b: int) -> int:
    """Return the number of the pairing of two players."""
    return max(a, b) * MOST_PLAYERS + min(a, b)
