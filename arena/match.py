"""Matches: whether A is stronger than B, and by how much."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from samuel.arena.allowance import Allowances, allowances_in
from samuel.arena.event import EventTerms, event_of, terms_of, warn_of_adjudication
from samuel.arena.journal import ABOUT, Journal, journal_of, read_event
from samuel.arena.openings import DEFAULT_PAIRS, Openings, openings_for
from samuel.arena.players import player, with_distinct_names
from samuel.arena.records import PlayedPair, write_games
from samuel.arena.results import MatchResult, settings_in_words
from samuel.arena.running import Meeting, played
from samuel.arena.sequential import Sprt
from samuel.errors import UserError, require_number
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.models import game_for

DEFAULT_SPRT_PAIRS = 50_000
MOST_PAIRS = 1_000_000
_PROGRESS_EVERY = 0.1
"""Seconds."""


def match(
    a: str | Path | Evaluator,
    b: str | Path | Evaluator,
    *,
    game: Game | str | None = None,
    pairs: int | None = None,
    allowance: Allowances | None = None,
    allowance_b: Allowances | None = None,
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
    seed: int = 0,
    jobs: int = 1,
    sprt: Sprt | tuple[float, float] | None = None,
    out: Path | str | None = None,
    progress: Callable[[MatchResult], None] = lambda result: None,
) -> MatchResult:
    """Play pairs of games, each pair one opening with colours swapped.

    Parameters
    ----------
    a, b
        evaluators, names or model folders of some, or engines such as `gtp:gtp-rhino`.
    game
        the game, or its name; by default that of the evaluators, or Othello where none says.
    pairs
        half the number of games; by default 200, or as many as there are openings. With a
        sequential test the most there may be, by default 50,000 or all openings.
    allowance
        of both sides, or of A where B has its own; depth 4 by default. Of several, pairs take one
        after the other: strength at several depths in one test.
    allowance_b
        of B; as many.
    depth, nodes, seconds, probcut
        the limits of an allowance, in its place: `depth=2` is `allowance=Allowance(2)`.
    exact_from
        evaluators solve positions from this many remaining squares on; the game's default where
        None. Between two of them that decides the game.
    adjudicate_from
        with an engine, the solver decides games from this many remaining squares on; 0 to play
        them to the end.
    patience
        seconds that an engine may take for a move where its allowance says nothing of time, and,
        but at least 30, to start where its address says nothing of that.
    openings
        `balanced`, `random`, a file of transcripts, or openings (arena.openings); by default
        balanced where there is a book for the game, else random.
    opening_plies
        their length, where they are not a file's; the game's default where None.
    balance
        the largest score, to either side, of a balanced opening.
    seed
        of the openings. Where no clock and no engine takes part the same seed gives the same
        games.
    jobs
        Workers; threads, unless `joblib.parallel_config` says otherwise.
    sprt
        the sequential test by which the match stops; of two numbers, those are its bounds.
    out
        a folder for the games; a match that was interrupted goes on there where it stopped.
    progress
        called with the result so far, some times a second and at the end.

    Raises
    ------
    UserError
        An evaluator or an engine is unknown, for another game, or has no parameters for the
        ProbCut that is asked for; the sides have not as many allowances; there
        are no pairs, no workers, or too few openings; the folder holds something else; an engine
        does not play.
    """
    rules = game_for(game, a, b)
    sprt = Sprt(*sprt) if isinstance(sprt, tuple) else sprt
    require_number("the number of pairs of games", pairs, 1, MOST_PAIRS)
    allowances = allowances_in(allowance, depth, nodes, seconds, probcut)
    allowances_b = allowances if allowance_b is None else allowances_in(allowance_b)
    if len(allowances_b) != len(allowances):
        raise UserError(f"A has {len(allowances)} allowances, B {len(allowances_b)}: give as many")
    one, other = with_distinct_names([player(a, rules, allowances), player(b, rules, allowances_b)])
    most = pairs or (DEFAULT_PAIRS if sprt is None else DEFAULT_SPRT_PAIRS)
    chosen = openings_for(rules, openings, most, opening_plies, balance, seed, fewer=pairs is None)
    number = min(most, len(chosen))
    terms = terms_of(rules, exact_from, adjudicate_from, patience, jobs, seed)
    warn_of_adjudication(terms, [one, other])
    event = event_of("match", [one, other], chosen, terms)
    event["about"]["sprt"] = None if sprt is None else asdict(sprt)
    folder = None if out is None else Path(out)
    words = settings_in_words(*([str(x) for x in its.allowances] for its in (one, other)))
    names = (one.name, other.name, "; ".join(words))
    nothing = (np.zeros((0, 2), np.float32), ())
    adjudicated = terms.adjudicate_from if one.is_engine or other.is_engine else 0
    empty = MatchResult(*names, *nothing, words, chosen.name, rules, sprt, folder, adjudicated)
    with journal_of(folder, rules, event) as journal:
        meeting = Meeting(0, one, other, chosen, range(number))
        return _play(meeting, terms, journal, empty, event["about"], progress)


def _play(
    meeting: Meeting,
    terms: EventTerms,
    journal: Journal,
    empty: MatchResult,
    about: dict[str, Any],
    progress: Callable[[MatchResult], None],
) -> MatchResult:
    """Play a match to its end, or until its test stops it, and write its games down."""
    tally = _Tally(empty, len(meeting.numbers))
    last = -math.inf
    kept = 0  # so many pairs are told of at once, and not at the first of them
    while kept < len(meeting.numbers) and (0, meeting.numbers[kept]) in journal.pairs:
        kept += 1
    _warn_of_choosing(journal, about)
    try:
        with closing(played([meeting], terms, journal)) as pairs:
            for pair in pairs:
                tally.add(pair)
                if tally.is_decided:
                    break
                if len(tally.pairs) >= kept and time.monotonic() - last > _PROGRESS_EVERY:
                    progress(tally.result())
                    last = time.monotonic()
    finally:
        result = tally.result()
        progress(result)
        if journal.folder is not None and tally.pairs:
            journal.describe(about)
            write_games(journal.folder, result.pairs, result.frame(), result.game)
    further = len(journal.pairs) - len(result.pairs)
    if further and result.sprt is None:
        warnings.warn(
            f"{further} further pairs are kept in {journal.folder} and not counted; "
            f"ask for {len(journal.pairs)} pairs to count them",
            stacklevel=3,
        )
    return result


def _warn_of_choosing(journal: Journal, about: dict[str, Any]) -> None:
    """Say so where a test is asked of games that were played by another."""
    if journal.folder is None or not journal.pairs:
        return
    before, now = read_event(journal.folder)[ABOUT].get("sprt"), about["sprt"]
    if before is not None and now is not None and before != now:
        warnings.warn(
            f"the games in {journal.folder} were played by another test (Elo {before['elo0']:g} "
            f"or {before['elo1']:g}); bounds chosen after the games have other error rates",
            stacklevel=4,
        )


class _Tally:
    """The pairs of a match as they come."""

    def __init__(self, empty: MatchResult, pairs: int) -> None:
        self.pairs: list[PlayedPair] = []
        self._empty = empty
        self._results = np.zeros((pairs, 2), np.float32)
        self._counts = np.zeros(5, np.int64)

    def add(self, pair: PlayedPair) -> None:
        """Add the next pair."""
        self._results[len(self.pairs)] = pair.results
        self.pairs.append(pair)
        self._counts[2 + int(np.sign(pair.results).sum())] += 1

    @property
    def is_decided(self) -> bool:
        """Whether the sequential test, if there is one, accepts a hypothesis."""
        sprt = self._empty.sprt
        return sprt is not None and sprt.state(self._counts).decision != "continue"

    def result(self) -> MatchResult:
        """Return what was found so far."""
        n = len(self.pairs)
        return replace(self._empty, results=self._results[:n], pairs=tuple(self.pairs))
