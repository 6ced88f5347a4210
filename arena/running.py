"""Events under way: pairs of games through any number of workers, kept as they end.

A match and a tournament play `Meeting`s through an `EventRun`, as they say who is to meet.
Workers finish in any order. Their games are written down at once, and handed on in the
order of the plan: so the figures of an event, and where a sequential test stops, depend neither
on the number of workers nor on kills on the way, and a test does not look at short games first.
"""

from __future__ import annotations

import itertools
import math
import time
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pandas as pd
from joblib import delayed

from samuel.arena.agreement import PLAYED_ON, Agreement
from samuel.arena.duel import Task, play_task
from samuel.arena.engine_game import require_playing
from samuel.arena.engine_pool import EnginePool
from samuel.arena.event import EventOptions
from samuel.arena.journal import Journal
from samuel.arena.kernel import play_pairs
from samuel.arena.openings.drawing import OpeningSupply
from samuel.arena.openings.openings import Openings
from samuel.arena.players import Player
from samuel.arena.records import PlayedPair, start_position, write_games
from samuel.arena.tally import Tally
from samuel.common.errors import ForfeitError, UserError
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.models.saved.serialized import SerializedGame
from samuel.search.greedy import Greedy
from samuel.selfplay.workers import run_tasks

_TOLD_EVERY = 0.2
"""Seconds."""
_FAULTS_IN_A_ROW = 6
"""Games that an engine may lose one after the other without being beaten."""


@dataclass(frozen=True)
class Meeting:
    """Two players and the pairs that they are to play."""

    pairing: int
    a: Player
    b: Player
    openings: Openings | OpeningSupply
    numbers: Sequence[int]
    agreement: Agreement = PLAYED_ON


class EventRun:
    """An event under way."""

    def __init__(
        self,
        game: Game,
        options: EventOptions,
        journal: Journal,
        tell: Callable[[EventRun], None],
    ) -> None:
        self.pairs: list[PlayedPair] = []
        self.tallies: dict[int, Tally] = {}
        self._game, self._options, self._journal, self._tell = game, options, journal, tell
        self._last, self._faults = -math.inf, _Faults()

    def play(
        self,
        meetings: Sequence[Meeting],
        is_enough: Callable[[PlayedPair], bool] = lambda pair: False,
    ) -> None:
        """Play meetings in their order, or until a pair is enough; what is kept is not told of."""
        kept = frozenset(self._journal.pairs)
        keys = [(one.pairing, number) for one in meetings for number in one.numbers]
        following = itertools.chain(keys[1:], [(-1, -1)])
        try:
            with closing(
                play_meetings(self._game, meetings, self._options, self._journal, self._faults)
            ) as pairs:
                for pair, after in zip(pairs, following, strict=False):
                    self.pairs.append(pair)
                    its = self.tallies.setdefault(pair.pairing, Tally())
                    its.add(pair)
                    if is_enough(pair):
                        break
                    if after not in kept and time.monotonic() - self._last > _TOLD_EVERY:
                        self._tell(self)
                        self._last = time.monotonic()
        finally:
            self._tell(self)


def write_down(
    journal: Journal,
    about: dict[str, Any],
    pairs: Sequence[PlayedPair],
    frame: Callable[[], pd.DataFrame],
    game: Game,
) -> None:
    """Write what an event has played as files for people and other programs."""
    if journal.folder is not None and pairs:
        journal.describe(about)
        write_games(journal.folder, pairs, frame(), game)


def play_meetings(
    game: Game,
    meetings: Iterable[Meeting],
    options: EventOptions,
    journal: Journal,
    faults: _Faults,
) -> Generator[PlayedPair, None, None]:
    """Yield the pairs of all meetings in their order; those in the journal are not played again."""
    meetings = [one for one in meetings if one.numbers]
    sides_of = {one.pairing: (one.a, one.b) for one in meetings}
    for meeting in meetings:
        _require_same_openings(meeting, journal)
    engines = EnginePool(timeout=options.timeout)
    if meetings and not journal.pairs:
        start, opening = meetings[0].openings.opening(meetings[0].numbers[0]) or ("", ())
        sides = itertools.chain.from_iterable(sides_of.values())
        require_engines(game, sides, options, engines, opening, start_position(game, start))
    tasks = _tasks(game, meetings, options, engines, journal)
    kernels = [*game.rules, play_pairs]
    results = run_tasks(
        (delayed(play_task)(task) for task in tasks), options.jobs, in_order=False, kernels=kernels
    )
    kept = frozenset(journal.pairs)
    try:
        for meeting, number in _in_order(meetings):
            key = meeting.pairing, number
            while key not in journal.pairs:
                for pair in next(results):
                    journal.keep(pair)
            if key not in kept:
                faults.see(journal.pairs[key], sides_of[key[0]])
            yield journal.pairs[key]
        for _ in results:  # none is left; joblib tidies up after the last
            pass
    finally:
        results.close()
        engines.close()


def require_engines(
    game: Game,
    players: Iterable[Player],
    options: EventOptions,
    engines: EnginePool | None = None,
    opening: Sequence[int] = (),
    start: Position | None = None,
) -> None:
    """Start the engines among players where games are played, and let each begin a game."""
    outside = {one.command: one for one in players if one.is_engine}.values()
    pool = engines or EnginePool(timeout=options.timeout)
    begin = start or Position.start(game)
    calls = (delayed(require_playing)(one, begin, opening, pool) for one in outside)
    try:
        with closing(run_tasks(calls, options.jobs)) as done:
            for _ in done:
                pass
    finally:
        if engines is None:
            pool.close()


def _in_order(meetings: Iterable[Meeting]) -> Iterator[tuple[Meeting, int]]:
    """Yield the numbers of the pairs of all meetings, as far as there are openings."""
    for meeting in meetings:
        for number in meeting.numbers:
            if meeting.openings.opening(number) is None:
                break
            yield meeting, number


def _require_same_openings(meeting: Meeting, journal: Journal) -> None:
    """Raise UserError if a pair of the journal was played from another opening."""
    for number in meeting.numbers:
        pair = journal.pairs.get((meeting.pairing, number))
        if pair is not None and (pair.start, pair.opening) != meeting.openings.opening(number):
            raise UserError(
                f"{journal.folder} holds another match or tournament (other openings); choose "
                "another folder, or delete it"
            )


def _tasks(
    game: Game,
    meetings: Iterable[Meeting],
    options: EventOptions,
    engines: EnginePool,
    journal: Journal,
) -> Iterator[Task]:
    """Yield the tasks of workers, with the pairs that the journal lacks, as they are asked for."""
    kept, is_detailed = frozenset(journal.pairs), journal.follow is not None
    serialized = SerializedGame(game)
    for meeting in meetings:
        numbers = (number for _, number in _in_order([meeting]))
        missing = (number for number in numbers if (meeting.pairing, number) not in kept)
        size = _pairs_per_task(meeting)
        while chosen := list(itertools.islice(missing, size)):
            yield _task(serialized, meeting, options, chosen, engines, is_detailed)


def _task(
    game: SerializedGame,
    meeting: Meeting,
    options: EventOptions,
    numbers: Sequence[int],
    engines: EnginePool,
    is_detailed: bool,
) -> Task:
    openings = [meeting.openings.opening(number) or ("", ()) for number in numbers]
    return Task(
        game=game,
        pairing=meeting.pairing,
        a=meeting.a,
        b=meeting.b,
        numbers=tuple(numbers),
        seed=options.seed,
        openings=tuple(moves for _, moves in openings),
        starts=tuple(start for start, _ in openings),
        adjudicate_from=min(options.adjudicate_from, game.game.most_plies),
        epsilon=options.epsilon,
        timeout=options.timeout,
        margin=options.time_margin,
        engines=engines,
        agreement=meeting.agreement,
        is_detailed=is_detailed,
    )


def _pairs_per_task(meeting: Meeting) -> int:
    """Return how many pairs a worker plays in one go: about a second's worth or less."""
    sides = (meeting.a, meeting.b)
    limits = [side.limits for side in sides]
    if all(isinstance(side.method, Greedy) and not side.is_engine for side in sides):
        return max(20, len(meeting.numbers) // 500)
    if any(side.is_engine or not side.method.deepens for side in sides) or any(
        its.is_timed or its.nodes is not None for its in limits
    ):
        return 1
    depth = max(its.depth or 6 for its in limits)
    return max(1, 16 >> max(0, depth - 4))


class _Faults:
    """Engines that lose by their own faults are noticed before a whole event is lost to that."""

    def __init__(self) -> None:
        self._in_a_row: Counter[str] = Counter()

    def see(self, pair: PlayedPair, players: tuple[Player, Player]) -> None:
        """Count games in a row that an engine lost by a fault; one that resigned was beaten."""
        for game in pair.games:
            for side, player in enumerate(players):
                if game.fault != side or not player.is_engine or game.ending == "resigned":
                    self._in_a_row[player.name] = 0
                    continue
                warnings.warn(
                    f"{player.name} forfeited a game ({game.ending}): {game.note}",
                    stacklevel=2,
                )
                self._in_a_row[player.name] += 1
                if self._in_a_row[player.name] == _FAULTS_IN_A_ROW:
                    raise ForfeitError(
                        player.name,
                        f"forfeited {_FAULTS_IN_A_ROW} games in a row, the last one by "
                        f"{game.ending} ({game.note})",
                    )
