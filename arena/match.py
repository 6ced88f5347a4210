"""Matches: whether A is stronger than B, and by how much."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from samuel.arena.event import Event, EventOptions
from samuel.arena.journal import ABOUT, Journal
from samuel.arena.openings.choice import DEFAULT_PAIRS
from samuel.arena.players import entrant, with_distinct_names
from samuel.arena.records import Pair
from samuel.arena.results import MatchResult
from samuel.arena.running import EventRun, Rounds, play_event
from samuel.arena.sequential.sprt import Sprt
from samuel.arena.statistics import statistics_of
from samuel.common.errors import UserError
from samuel.common.options import Range, Suffix
from samuel.common.public import INFERRED, public
from samuel.common.steps import OnStep, sending
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits
from samuel.search.method import Method
from samuel.search.methods import Confidence, selective
from samuel.selfplay.agreement import Agreement, DrawTerms, WinTerms

DEFAULT_SPRT_PAIRS = 50_000
MOST_PAIRS = 1_000_000
_SENT = ("games", "wins", "draws", "losses", "score", "elo", "elo_low", "elo_high")


def _of_b(ours: Limits, its: Limits) -> Limits:
    """Return the limits of B: those of A if B has none."""
    usual = ours if its.is_open else Limits(exact_from=ours.exact_from)
    return replace(usual, **{name: x for name, x in vars(its).items() if x is not None})


@public
def match(
    a: Evaluator | Path | str,
    b: Evaluator | Path | str,
    *,
    game: Game = INFERRED,
    limits: Limits = Limits(),
    limits_b: Annotated[Limits | None, Suffix("_b")] = None,
    method: Method = AlphaBeta(),
    method_b: Method | None = None,
    probcut: Confidence = None,
    probcut_b: Confidence = None,
    pairs: Annotated[int | None, Range(1, MOST_PAIRS)] = None,
    sprt: Sprt | None = None,
    error: Annotated[float | None, Range(0.1)] = None,
    resign: WinTerms = None,
    draw: DrawTerms = None,
    pgn: Path | str | None = None,
    options: EventOptions = EventOptions(),
    progress: Callable[[MatchResult], None] = lambda result: None,
    on_step: OnStep | None = None,
) -> MatchResult:
    """Play a match of A against B and report which is stronger, and by how much.

    Each opening is played by a game pair: two games with colours swapped. With `sprt`, a sequential
    test stops the match as soon as it decides. Random moves (`epsilon`) use the same random numbers
    in both games of a pair.

    Parameters
    ----------
    a, b
        Players: evaluators, names or model folders of some, or engines such as `gtp:gtp-rhino`.
    game
        Game: a name, or a Python file that registers one. By default the game of the players, or
        Othello.
    limits
        Limits of a move for both sides, or for A if B has its own.
    limits_b
        Limits of B. By default those of A.
    method
        Search method: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo, uct, or greedy
        (one ply). Settings follow a colon: uct:playouts=500. Default: alphabeta.
    method_b
        Search method of B. By default that of A.
    probcut
        Confidence of selective search (ProbCut) in standard deviations, such as 1. The default 0
        searches at full width.
    probcut_b
        Confidence of selective search of B; 0 for full width. By default that of A, unless B has
        another method.
    pairs
        Number of game pairs: two games of one opening with colours swapped. Default: 200; at most
        50,000 if `sprt` or `error` is given.
    sprt
        Sequential test by which the match stops: Elo0,Elo1, such as 0,5.
    error
        Half-width of the 95 % interval of A's Elo at which the match stops, such as 10. By default
        the match plays all pairs.
    resign
        Terms of resignation, SCORE,MOVES: 4,3 ends a game once both sides agree, for 3 moves each,
        that one side leads by at least 4. By default games are played out.
    draw
        Terms of a draw, SCORE,MOVES,PLY: 0.1,8,80 ends a game once both sides agree, for 8 moves
        each from ply 80 on, on a score of at most 0.1. By default games are played out.
    pgn
        PGN file for the games (chess), with the score, depth and time of each move. Each pair is
        added as it ends.
    options
        Options that matches and tournaments share.
    progress
        Called with the result so far, some times per second and at the end.
    on_step
        Called with the figures of each step, a dict (docs/callbacks.md). Its exceptions end the
        match.

    Returns
    -------
    MatchResult
        Result with all games, the score, Elo and its interval.

    Raises
    ------
    UserError
        An evaluator or an engine is unknown or for another game, or lacks parameters for ProbCut.
        Or the folder has something else, or an engine fails.

    Warns
    -----
    UserWarning
        There are fewer openings than pairs: each is played once.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.match("classic", "zero", game="tic_tac_toe", depth=2, pairs=4)
    >>> result.statistics.games
    8
    """
    limits_b = limits if limits_b is None else _of_b(limits, limits_b)
    ours = selective(method, probcut)
    if probcut_b is None and method_b in (None, method):
        probcut_b = probcut
    theirs = selective(method_b or method, probcut_b)
    entrants = [entrant(a, game, limits, ours), entrant(b, game, limits_b, theirs)]
    one, other = with_distinct_names(entrants)
    if sprt is not None and error is not None:
        raise UserError(
            "sprt and error cannot be given together: each is a rule for ending the match"
        )
    stops = sprt is not None or error is not None
    most = pairs or (DEFAULT_SPRT_PAIRS if stops else DEFAULT_PAIRS)
    chosen = options.openings_for(game, most, is_asked=pairs is not None)
    agreement = Agreement(resign, draw)
    event = Event("match", game, [one, other], chosen, options, limits.solved_from(game), agreement)
    solved = [limits.solved_from(game), limits_b.solved_from(game)]
    if solved[0] != solved[1]:
        event.contents["exact_from_each"] = solved
    event.about["sprt"] = None if sprt is None else asdict(sprt)
    if pgn is not None:
        from samuel.arena.pgn_file import Matched, pgn_file, require_pgn

        require_pgn(Path(pgn), game)
        matched = Matched(game, (one.name, other.name), (limits, limits_b))

    def the_round(run: EventRun) -> Rounds:
        kept = run.journal.pairs
        with ExitStack() as files:
            if pgn is not None:
                file = pgn_file(Path(pgn), matched, [*kept.values()])
                run.journal.follow = files.enter_context(file)
            _warn_of_choosing(run.journal, event.about)
            yield [event.meeting(0, 1, range(chosen.pairs))]
        further = len(kept) - len(run.pairs)
        if further and not stops:
            warnings.warn(
                f"{further} more pairs in {run.journal.folder} are not counted; to count them "
                f"request {len(kept)} pairs",
                stacklevel=5,
            )

    def found(run: EventRun) -> MatchResult:
        return MatchResult(event.contents, game, tuple(run.pairs), options.folder)

    with sending(on_step) as steps:

        def follow(result: MatchResult) -> None:
            progress(result)
            if on_step is None or not result.pairs:
                return
            llr = None if result.state is None else result.state.llr
            figures = {name: getattr(result.statistics, name) for name in _SENT}
            steps.send("match", len(result.pairs), llr=llr, **figures)

        return play_event(event, the_round, found, follow, _until(sprt, error))


def _until(sprt: Sprt | None, error: float | None) -> Callable[[Pair], bool]:
    """Return a function that decides after each pair whether the match is over."""
    counts = np.zeros(5, np.int64)

    def is_enough(pair: Pair) -> bool:
        counts[2 + int(np.sign([one.result for one in pair]).sum())] += 1
        if sprt is not None:
            return sprt.state(counts).decision != "continue"
        if error is None:
            return False
        found = statistics_of(counts)
        return max(found.elo - found.elo_low, found.elo_high - found.elo) <= error

    return is_enough


def _warn_of_choosing(journal: Journal, about: dict[str, Any]) -> None:
    """Warn if the games of the folder were played under another test."""
    if journal.folder is None or not journal.pairs:
        return
    before, now = (journal.before or {}).get(ABOUT, {}).get("sprt"), about["sprt"]
    if before is not None and now is not None and before != now:
        warnings.warn(
            f"the games in {journal.folder} were played under another test (Elo "
            f"{before['elo0']:g} or {before['elo1']:g}); with bounds chosen after the games, "
            "alpha and beta do not hold",
            stacklevel=5,
        )
