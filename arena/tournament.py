"""Tournaments: many players, everyone's rating from the games between them."""

from __future__ import annotations

import functools
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd

from samuel.arena.event import EventOptions, event_of, require_variety, warn_of_adjudication
from samuel.arena.journal import Journal, journal_of
from samuel.arena.match import MOST_PAIRS
from samuel.arena.openings import Openings
from samuel.arena.players import Player, player, with_distinct_names
from samuel.arena.rating import Games, Ratings, games_of, rate, require_anchor
from samuel.arena.records import SOLVED, PlayedPair, frame_of_games, write_games
from samuel.arena.results import adjudicated_in_words
from samuel.arena.running import Meeting, played
from samuel.arena.schedules import Pairing, gauntlet, round_robin, swiss_round
from samuel.errors import UserError, unknown
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.options import INFERRED, Range, public
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits, SeveralLimits, several
from samuel.search.method import Method
from samuel.search.methods import Confidence, selective
from samuel.shown import Shown

SCHEDULES = ("round-robin", "gauntlet", "swiss")
DEFAULT_PAIRS_EACH = 50
_PAIRS_AT_ONCE = 16
"""Of every pairing, before the next of any: so that what there is so far tells of all players."""
_PROGRESS_EVERY = 0.5
"""Seconds."""


@dataclass(frozen=True, repr=False)
class TournamentResult(Shown):
    """What a tournament found.

    Attributes
    ----------
    kind
        One of SCHEDULES.
    pairs
        All that was played; the pairing i, j has the number i * n + j.
    settings
        The limits, in words; those of players may differ.
    openings
        What the games began with, in words.
    anchor
        The player whose rating is 0, or None where the mean of all is.
    out
        The folder with the games, or None.
    adjudicate_from
        The solver decided games with engines from this many remaining squares on; 0 for never.
    engines
        The players that are programs of their own.
    """

    kind: str
    names: tuple[str, ...]
    pairs: Sequence[PlayedPair]
    settings: tuple[str, ...]
    openings: str
    game: Game
    anchor: str | None = None
    out: Path | None = None
    adjudicate_from: int = 0
    engines: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"TournamentResult({self.kind}: {len(self.names)} players, {2 * len(self.pairs)} games)"
        )

    @functools.cached_property
    def games(self) -> Games:
        """The games as arrays, as ratings are made of them."""
        return games_of(self.pairs, len(self.names), self.game)

    @functools.cached_property
    def ratings(self) -> Ratings:
        """Everyone's, from all games."""
        return rate(self.names, self.games, anchor=self.anchor)

    @property
    def points(self) -> list[float]:
        """Each player's, a win being 1 and a draw 1/2."""
        points = [0.0] * len(self.names)
        for pair in self.pairs:
            for side, number in enumerate(divmod(pair.pairing, len(self.names))):
                points[number] += sum(
                    (1 + (1 - 2 * side) * np.sign(result)) / 2 for result in pair.results
                )
        return points

    @property
    def faults(self) -> dict[str, int]:
        """How many games each player lost by a fault of its own, such as time, if any."""
        faults: Counter[str] = Counter()
        for pair in self.pairs:
            sides = divmod(pair.pairing, len(self.names))
            faults.update(self.names[sides[g.fault]] for g in pair.games if g.fault is not None)
        return dict(faults)

    @property
    def adjudicated(self) -> int:
        """How many games with engines the solver decided."""
        engines = {self.names.index(name) for name in self.engines}
        return sum(
            game.ending == SOLVED
            for pair in self.pairs
            if self.adjudicate_from and engines & {*divmod(pair.pairing, len(self.names))}
            for game in pair.games
        )

    @property
    def about(self) -> str:
        """What was played, in sentences."""
        words = [
            f"{2 * len(self.pairs):,} games, in pairs of one opening with colours swapped.",
            f"Players could spend: {'; '.join(self.settings)}. Openings: {self.openings}.",
            *(f"{who} lost {n:,} games by a fault of its own." for who, n in self.faults.items()),
        ]
        if self.adjudicated:
            said = adjudicated_in_words(self.adjudicated, 2 * len(self.pairs), self.adjudicate_from)
            words.append(f"The solver adjudicated {said}.")
        return " ".join(words)

    def frame(self) -> pd.DataFrame:
        """Return the games as a table (arena.records.frame_of_games)."""
        n = len(self.names)
        pairings = {
            i * n + j: (self.names[i], self.names[j]) for i in range(n) for j in range(n) if i != j
        }
        return frame_of_games(self.pairs, self.game, pairings, self.settings)

    def as_dict(self) -> dict[str, Any]:
        """Return the result with the names that the JSON output uses."""
        return {
            "kind": self.kind,
            "games": 2 * len(self.pairs),
            **self.ratings.as_dict(),
            "openings": self.openings,
            "limits": list(self.settings),
            "faults": self.faults,
            "adjudicated": self.adjudicated,
            "adjudicate_from": self.adjudicate_from,
            "out": None if self.out is None else str(self.out),
        }


@public
def tournament(
    players: Sequence[Evaluator | Path | str],
    *,
    kind: str = "round-robin",
    game: Game = INFERRED,
    pairs: Annotated[int, Range(1, MOST_PAIRS)] = DEFAULT_PAIRS_EACH,
    rounds: Annotated[int | None, Range(1)] = None,
    champions: Annotated[int, Range(1)] = 1,
    limits: SeveralLimits = Limits(),
    method: Method = AlphaBeta(),
    probcut: Confidence = None,
    anchor: str | None = None,
    options: EventOptions = EventOptions(),
    progress: Callable[[TournamentResult, int], None] = lambda result, of: None,
) -> TournamentResult:
    """Play a tournament, and rate the players from the games between them.

    Parameters
    ----------
    players
        Players: evaluators, names or model folders of some, or engines such as `gtp:gtp-rhino`.
    kind
        Kind of tournament: round-robin (everyone against everyone), gauntlet (the first players
        against all others), or swiss (each round pairs players of equal results).
    game
        Game: a name, or a Python file that registers one; by default that of the players, or
        Othello.
    pairs
        Game pairs per pairing. All pairings play the same openings.
    rounds
        Rounds of a Swiss tournament; by default the logarithm of the number of players.
    champions
        Number of players at the head of a gauntlet that meet all others.
    limits
        Limits of a move, for everybody. Of several, pairs take one after the other.
    method
        Search method: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo or uct, with
        settings after a colon, such as uct:playouts=500,playout_plies=0.
    probcut
        Selective search (ProbCut) at this confidence in standard deviations, such as 1; 0 for full
        width.
    anchor
        Player, as tables call it, whose rating is 0; by default the mean rating is 0.
    options
        Options that matches and tournaments share.
    progress
        Called with the result so far and the number of pairs that there are to be.

    Raises
    ------
    UserError
        There is no such kind, there are too few players, the anchor is none of them, or as of a
        match.
    """
    if kind not in SCHEDULES:
        raise unknown("kind of tournament", kind, SCHEDULES)
    its_limits, chooser = several(limits), selective(method, probcut)
    entrants = with_distinct_names([player(who, game, its_limits, chooser) for who in players])
    names = tuple(entrant.name for entrant in entrants)
    plan = _plan(kind, len(entrants), rounds, champions)
    require_anchor(names, anchor)
    chosen = options.openings_for(game, pairs * (plan if isinstance(plan, int) else 1))
    warn_of_adjudication(options, game, entrants)
    require_variety(options, game, entrants)
    solved = its_limits[0].solved_from(game)
    event = event_of(kind, game, entrants, chosen, options, solved)
    told = next((one for one in entrants if not one.is_engine), entrants[0])
    engines = tuple(entrant.name for entrant in entrants if entrant.is_engine)
    empty = TournamentResult(
        *(kind, names, (), tuple(told.settings), chosen.name, game, anchor, options.folder),
        event["adjudicate_from"] if engines else 0,
        engines,
    )
    with journal_of(options.folder, game, event) as journal:
        run = _Run(entrants, chosen, options, journal, empty, progress)
        try:
            if isinstance(plan, int):
                run.swiss(plan, pairs, options.seed)
            else:
                run.all_of(plan, pairs)
        finally:
            result = run.result()
            if options.folder is not None and result.pairs:
                journal.describe(event["about"])
                write_games(options.folder, result.pairs, result.frame(), game)
    return result


def _plan(kind: str, n: int, rounds: int | None, champions: int) -> list[Pairing] | int:
    """Return who is to meet, or of a Swiss, how many rounds there are.

    Raises
    ------
    UserError
        There are too few players, or too many champions or rounds.
    """
    if champions != 1 and kind != "gauntlet":
        raise UserError(f"champions are those of a gauntlet; in a {kind} there are none")
    if kind == "swiss":
        if n < 2:
            raise UserError(f"a tournament takes at least 2 players, not {n}")
        rounds = math.ceil(math.log2(n)) if rounds is None else rounds
        if not 1 <= rounds < max(2, n):
            raise UserError(f"a Swiss of {n} players takes 1 to {max(1, n - 1)} rounds")
        return rounds
    if rounds is not None:
        raise UserError(f"rounds are those of a Swiss; a {kind} goes by --pairs")
    schedule = round_robin(n) if kind == "round-robin" else gauntlet(n, champions)
    return [pairing for one_round in schedule for pairing in one_round]


class _Run:
    """A tournament under way."""

    def __init__(
        self,
        players: Sequence[Player],
        openings: Openings,
        options: EventOptions,
        journal: Journal,
        empty: TournamentResult,
        progress: Callable[[TournamentResult, int], None],
    ) -> None:
        self._players, self._openings, self._options = players, openings, options
        self._journal, self._empty, self._progress = journal, empty, progress
        self._pairs: list[PlayedPair] = []
        self._last = -math.inf

    def result(self) -> TournamentResult:
        """Return what was found so far."""
        return replace(self._empty, pairs=tuple(self._pairs))

    def all_of(self, plan: Sequence[Pairing], pairs: int) -> None:
        """Play all pairings, some pairs of each in turn."""
        meetings = [
            self._meeting(pairing, range(first, min(first + _PAIRS_AT_ONCE, pairs)))
            for first in range(0, pairs, _PAIRS_AT_ONCE)
            for pairing in plan
        ]
        self._play(meetings, len(plan) * pairs)

    def swiss(self, rounds: int, pairs: int, seed: int) -> None:
        """Play a Swiss: who free is gets as many points as half the games would give."""
        n = len(self._players)
        met: list[Pairing] = []
        byes: list[int] = []
        for number in range(rounds):
            points = [own + pairs * byes.count(k) for k, own in enumerate(self.result().points)]
            paired = swiss_round(points, met, byes=byes, seed=seed + number)
            met += paired.pairings
            byes += [] if paired.bye is None else [paired.bye]
            numbers = range(number * pairs, (number + 1) * pairs)
            self._play(
                [self._meeting(pairing, numbers) for pairing in paired.pairings],
                rounds * (n // 2) * pairs,
            )

    def _meeting(self, pairing: Pairing, numbers: Sequence[int]) -> Meeting:
        i, j = pairing
        n = len(self._players)
        return Meeting(i * n + j, self._players[i], self._players[j], self._openings, numbers)

    def _play(self, meetings: Sequence[Meeting], total: int) -> None:
        try:
            with closing(played(self._empty.game, meetings, self._options, self._journal)) as pairs:
                for pair in pairs:
                    self._pairs.append(pair)
                    if time.monotonic() - self._last > _PROGRESS_EVERY:
                        self._progress(self.result(), total)
                        self._last = time.monotonic()
        finally:
            self._progress(self.result(), total)
