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
from typing import Any

import numpy as np
import pandas as pd

from samuel.arena.allowance import Allowances, allowances_in
from samuel.arena.event import EventTerms, event_of, terms_of, warn_of_adjudication
from samuel.arena.journal import Journal, journal_of
from samuel.arena.match import MOST_PAIRS
from samuel.arena.openings import Openings, openings_for
from samuel.arena.players import Player, player, with_distinct_names
from samuel.arena.rating import Games, Ratings, games_of, rate, require_anchor
from samuel.arena.records import SOLVED, PlayedPair, frame_of_games, write_games
from samuel.arena.results import adjudicated_in_words
from samuel.arena.running import Meeting, played
from samuel.arena.schedules import Pairing, gauntlet, round_robin, swiss_round
from samuel.errors import UserError, require_number, unknown
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.models import game_for
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
        The allowances, in words; those of players may differ.
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


def tournament(
    players: Sequence[str | Path | Evaluator],
    *,
    kind: str = "round-robin",
    game: Game | str | None = None,
    pairs: int = DEFAULT_PAIRS_EACH,
    rounds: int | None = None,
    champions: int = 1,
    allowance: Allowances | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    probcut: float | None = None,
    exact_from: int | None = None,
    adjudicate_from: int = 0,
    patience: float = 60.0,
    openings: Openings | Path | str | None = None,
    opening_plies: int | None = None,
    balance: float | None = None,
    anchor: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    out: Path | str | None = None,
    progress: Callable[[TournamentResult, int], None] = lambda result, of: None,
) -> TournamentResult:
    """Let players meet, and rate them.

    Parameters
    ----------
    players
        Evaluators, names or model folders of some, or engines such as `gtp:gtp-rhino`.
    kind
        `round-robin`, everyone against everyone; `gauntlet`, the first against all others; or
        `swiss`, whose rounds bring together those who have done equally well.
    game
        The game, or its name; by default that of the evaluators, or Othello where none says.
    pairs
        Of games, that two players play when they meet. All who meet play the same openings.
    rounds
        Of a Swiss; by default enough to find the best, the logarithm of the players.
    champions
        Of a gauntlet: how many of the first players meet all others.
    depth, nodes, seconds, probcut
        The limits of an allowance, in its place, as of a match.
    allowance
        Of everybody, depth 4 by default; of several, pairs take one after the other.
    exact_from, adjudicate_from, patience, openings, opening_plies, balance, seed, jobs, out
        As of a match (arena.match).
    anchor
        The name of a player whose rating is to be 0; by default the mean of all is.
    progress
        Called with the result so far and the number of pairs that there are to be.

    Raises
    ------
    UserError
        There is no such kind, there are too few players, the anchor is none of them, or as of a
        match.
    """
    rules = game_for(game, *players)
    if kind not in SCHEDULES:
        raise unknown("kind of tournament", kind, SCHEDULES)
    require_number("the number of pairs of games", pairs, 1, MOST_PAIRS)
    require_number("rounds", rounds, 1)
    require_number("champions", champions, 1)
    allowances = allowances_in(allowance, depth, nodes, seconds, probcut)
    entrants = with_distinct_names([player(who, rules, allowances) for who in players])
    names = tuple(entrant.name for entrant in entrants)
    plan = _plan(kind, len(entrants), rounds, champions)
    require_anchor(names, anchor)
    terms = terms_of(rules, exact_from, adjudicate_from, patience, jobs, seed)
    times = plan if isinstance(plan, int) else 1
    chosen = openings_for(rules, openings, pairs * times, opening_plies, balance, seed)
    warn_of_adjudication(terms, entrants)
    event = event_of(kind, entrants, chosen, terms)
    folder = None if out is None else Path(out)
    told = next((one for one in entrants if not one.is_engine), entrants[0])
    limits = tuple(map(str, told.allowances))
    engines = tuple(entrant.name for entrant in entrants if entrant.is_engine)
    deciding = terms.adjudicate_from if engines else 0
    empty = TournamentResult(
        *(kind, names, (), limits, chosen.name, rules, anchor, folder, deciding, engines)
    )
    with journal_of(folder, rules, event) as journal:
        run = _Run(entrants, chosen, terms, journal, empty, progress)
        try:
            if isinstance(plan, int):
                run.swiss(plan, pairs, seed)
            else:
                run.all_of(plan, pairs)
        finally:
            result = run.result()
            if folder is not None and result.pairs:
                journal.describe(event["about"])
                write_games(folder, result.pairs, result.frame(), rules)
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
        terms: EventTerms,
        journal: Journal,
        empty: TournamentResult,
        progress: Callable[[TournamentResult, int], None],
    ) -> None:
        self._players, self._openings, self._terms = players, openings, terms
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
            with closing(played(meetings, self._terms, self._journal)) as pairs:
                for pair in pairs:
                    self._pairs.append(pair)
                    if time.monotonic() - self._last > _PROGRESS_EVERY:
                        self._progress(self.result(), total)
                        self._last = time.monotonic()
        finally:
            self._progress(self.result(), total)
