"""Events: pairs of games through any number of workers, kept as they end.

A match, a tournament and a bench are rounds of `play_event`: who is to meet next, by the games so
far. Workers finish in any order. Their games are written down at once, and handed on in the order
of the plan: so the figures of an event, and where a sequential test stops, depend neither on the
number of workers nor on kills on the way, and a test does not look at short games first.
"""

from __future__ import annotations

import itertools
import math
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from joblib import delayed

from samuel.arena.duel import Task, play_task
from samuel.arena.event import Event, Meeting
from samuel.arena.journal import Journal, journal_of
from samuel.arena.kernel import play_pairs
from samuel.arena.players import Entrant
from samuel.arena.records import Pair, start_position, write_games
from samuel.arena.results import EventResult
from samuel.common.errors import ForfeitError, UserError
from samuel.models.saved.serialized import Serialized
from samuel.search.greedy import Greedy
from samuel.selfplay.openings.openings import Opening
from samuel.selfplay.workers import run_tasks

if TYPE_CHECKING:
    from samuel.arena.engine_pool import EnginePool

R = TypeVar("R", bound=EventResult)
_TOLD_EVERY, _TELLING = 0.2, 0.05
"""Seconds between two results so far, and the largest share of the time that they may take."""
_FAULTS_IN_A_ROW = 6
"""Games that an engine may lose one after the other without being beaten."""


class EventRun:
    """An event under way."""

    def __init__(self, event: Event, journal: Journal, tell: Callable[[EventRun], None]) -> None:
        self.pairs: list[Pair] = []
        self.forfeiting: dict[str, str] = {}
        self.journal = journal
        self.event, self._tell = event, tell
        self._options = replace(event.options, openings=None, out=None)
        self._next, self._faults, self._mark = -math.inf, _Faults(), uuid.uuid4().hex

    def count_others(self) -> None:
        """Add the pairs in the folder that are beyond the plan; a match does not count them."""
        if self.event.kind != "match":
            planned = {pair[0].key for pair in self.pairs}
            others = sorted(key for key in self.journal.pairs if key not in planned)
            self.pairs += [self.journal.pairs[key] for key in others]

    def play(self, meetings: Sequence[Meeting], is_enough: Callable[[Pair], bool]) -> None:
        """Play meetings in their order, or until a pair is enough; what is kept is not told of."""
        kept = frozenset(self.journal.pairs)
        keys = [(one.pairing, number) for one in meetings for number in one.numbers]
        following = itertools.chain(keys[1:], [(-1, -1)])
        is_new = not kept.issuperset(keys)  # else the pace would be that of an earlier run
        try:
            with closing(self._played([one for one in meetings if one.numbers])) as pairs:
                for pair, after in zip(pairs, following, strict=False):
                    self.pairs.append(pair)
                    if is_enough(pair):
                        break
                    if is_new and after not in kept and time.monotonic() > self._next:
                        began = time.monotonic()
                        self._tell(self)
                        took = time.monotonic() - began
                        self._next = began + max(_TOLD_EVERY, took / _TELLING)
        finally:
            if is_new:
                self._tell(self)

    def _played(self, meetings: Sequence[Meeting]) -> Generator[Pair, None, None]:
        """Yield the pairs of meetings in their order; those in the journal are not played again."""
        kept = frozenset(self.journal.pairs)
        engines = self._engine_pool(meetings)
        sides = {one.pairing: (one.a, one.b) for one in meetings}
        self._require_same_openings(meetings)
        try:
            if engines is not None:
                self._require_engines(meetings, engines)
            calls = (delayed(play_task)(task) for task in self._tasks(meetings, engines, kept))
            results = run_tasks(
                *(calls, self._options.jobs),
                in_order=False,
                kernels=[*self.event.game.rules, play_pairs],
            )
            with closing(results):
                for key, _ in self._planned(meetings):
                    while key not in self.journal.pairs:
                        for pair in next(results):
                            self.journal.keep(pair)
                    if key not in kept:
                        self._faults.see(self.journal.pairs[key], sides[key[0]])
                    yield self.journal.pairs[key]
                for _ in results:  # none is left; joblib tidies up after the last
                    pass
        finally:
            if engines is not None:
                engines.close()

    def _engine_pool(self, meetings: Iterable[Meeting]) -> EnginePool | None:
        """Return a pool for the engines of meetings, if any plays."""
        if not any(side.is_engine for one in meetings for side in (one.a, one.b)):
            return None
        from samuel.arena.engine_pool import EnginePool

        return EnginePool(self._options.timeout, self._mark)

    def _planned(self, meetings: Iterable[Meeting]) -> Iterator[tuple[tuple[int, int], Opening]]:
        """Yield the keys of the pairs of meetings with their openings, as far as there are any."""
        for meeting in meetings:
            for number in meeting.numbers:
                opening = self.event.openings.opening(number)
                if opening is None:
                    break
                yield (meeting.pairing, number), opening

    def _require_same_openings(self, meetings: Iterable[Meeting]) -> None:
        """Raise UserError if a pair of the journal was played from another opening."""
        for meeting in meetings:
            for number in meeting.numbers:
                one, _ = self.journal.pairs.get((meeting.pairing, number), (None, None))
                opening = None if one is None else (one.start, one.opening)
                if opening is not None and opening != self.event.openings.opening(number):
                    raise UserError(
                        f"{self.journal.folder} contains another match, tournament or tuning run "
                        "(other openings); choose another folder, or delete it"
                    )

    def _require_engines(self, meetings: Iterable[Meeting], pool: EnginePool) -> None:
        """Start the engines of an event's first games where they play, and let each begin one."""
        from samuel.arena.engine_game import require_playing

        _, opening = next(self._planned(meetings), (None, None))
        if opening is None or self.journal.pairs:
            return
        sides = (one for meeting in meetings for one in (meeting.a, meeting.b))
        engines = {one.address: one for one in sides if one.is_engine}.values()
        start = start_position(self.event.game, opening[0])
        calls = (delayed(require_playing)(one, start, opening[1], pool) for one in engines)
        with closing(run_tasks(calls, self._options.jobs)) as done:
            for _ in done:
                pass

    def _tasks(
        self,
        meetings: Iterable[Meeting],
        engines: EnginePool | None,
        kept: frozenset[tuple[int, int]],
    ) -> Iterator[Task]:
        """Yield the tasks of workers, with the pairs that the journal lacks, as asked for."""
        game = Serialized(self.event.game)
        for meeting in meetings:
            planned = self._planned([meeting])
            missing = ((key[1], opening) for key, opening in planned if key not in kept)
            size = _pairs_per_task(meeting)
            while chosen := list(itertools.islice(missing, size)):
                yield Task(
                    game,
                    *(meeting.pairing, meeting.a, meeting.b),
                    tuple(number for number, _ in chosen),
                    tuple(moves for _, (_, moves) in chosen),
                    tuple(start for _, (start, _) in chosen),
                    *(self._options, engines, self.event.agreement),
                    self.journal.follow is not None,
                )


Rounds: TypeAlias = Generator[Sequence[Meeting], None, None]
"""Meetings of an event, a round at a time."""


def play_event(
    event: Event,
    rounds: Callable[[EventRun], Rounds],
    result: Callable[[EventRun], R],
    progress: Callable[[R], None],
    stop: Callable[[Pair], bool] = lambda pair: False,
) -> R:
    """Play the rounds of an event, each until a pair says `stop`, and return its result.

    `rounds` sees the run before each round. However the event ends, its games are written as files
    for people. An engine that forfeits ends it; a bench goes on without the engine.
    """
    folder = event.options.folder
    with journal_of(folder, event.game, event.contents) as journal:
        run = EventRun(event, journal, lambda run: progress(result(run)))
        kept = frozenset(journal.pairs)
        try:
            with closing(rounds(run)) as following:
                for meetings in following:
                    try:
                        run.play(meetings, stop)
                    except ForfeitError as error:
                        if event.kind != "bench":
                            raise
                        run.forfeiting[error.player] = error.reason
                        said = f"{error.player} is left out: it {error.reason}"
                        warnings.warn(said, stacklevel=3)
            if run.pairs and kept.issuperset(one[0].key for one in run.pairs):
                progress(result(run))
        finally:
            run.count_others()
            if folder is not None and run.pairs:
                journal.describe(event.about)
                write_games(folder, run.pairs, event.names, event.game)
    return result(run)


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

    def see(self, pair: Pair, players: tuple[Entrant, Entrant]) -> None:
        """Count games in a row that an engine lost by a fault; one that resigned was beaten."""
        for game in pair:
            for side, player in enumerate(players):
                if game.fault != side or not player.is_engine or game.ending == "resigned":
                    # the fault of the other player does not show that this one plays
                    if game.fault is None or game.ending == "resigned":
                        self._in_a_row[player.name] = 0
                    continue
                warnings.warn(
                    f"{player.name} forfeited a game ({game.ending}): {game.note}", stacklevel=2
                )
                self._in_a_row[player.name] += 1
                if self._in_a_row[player.name] == _FAULTS_IN_A_ROW:
                    raise ForfeitError(
                        player.name,
                        f"forfeited {_FAULTS_IN_A_ROW} games in a row, the last one by "
                        f"{game.ending} ({game.note})",
                    )
