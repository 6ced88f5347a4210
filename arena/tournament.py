"""Tournaments: many players, everyone's rating from the games between them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np

from samuel.arena.event import EventOptions, event_of, require_variety, warn_of_adjudication
from samuel.arena.journal import EVENT, Journal, journal_of, read_event
from samuel.arena.match import MOST_PAIRS
from samuel.arena.openings.drawing import OpeningSupply
from samuel.arena.players import Player, player, with_distinct_names
from samuel.arena.ratings import require_anchor
from samuel.arena.records import MOST_PLAYERS
from samuel.arena.running import EventRun, Meeting, write_down
from samuel.arena.schedules import Pairing, gauntlet, neighbours, round_robin
from samuel.arena.standings import TournamentResult, read_tournament
from samuel.common.errors import UserError, unknown
from samuel.common.options import Range
from samuel.common.public import public
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.models import game_for
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits
from samuel.search.method import Method
from samuel.search.methods import Confidence, selective

KINDS = ("round-robin", "gauntlet", "swiss")
DEFAULT_PAIRS_EACH = 50
_PAIRS_AT_ONCE = 16
"""Pairs of every pairing before the next of any, so that early results tell of all players."""


@public
def tournament(
    players: Sequence[Evaluator | Path | str],
    *,
    kind: str = "round-robin",
    game: Game | None = None,
    pairs: Annotated[int | None, Range(1, MOST_PAIRS)] = None,
    rounds: Annotated[int | None, Range(1)] = None,
    champions: Annotated[int, Range(1)] = 1,
    limits: Limits = Limits(),
    method: Method = AlphaBeta(),
    probcut: Confidence = None,
    anchor: str | None = None,
    options: EventOptions = EventOptions(),
    progress: Callable[[TournamentResult, int], None] = lambda result, of: None,
) -> TournamentResult:
    """Play a tournament and rate the players by their games.

    A tournament that is played again in its folder continues, also with more players, pairs or
    rounds. Ratings count all games in the folder. A folder as the only player is shown without
    further games.

    Parameters
    ----------
    players
        Players: evaluators, their names or folders, or engines such as `gtp:gtp-rhino`.
    kind
        Kind of tournament: round-robin (all pairings), gauntlet (the first players against all
        others), or swiss (neighbours in the standings meet).
    game
        Game: a name, or a Python file that registers one. By default the game of the players, or
        Othello.
    pairs
        Number of game pairs per pairing. Default: 50.
    rounds
        Number of rounds of a Swiss tournament. By default the binary logarithm of the number of
        players.
    champions
        Number of players at the head of a gauntlet, each of whom meets all others.
    limits
        Limits of a move, for everybody.
    method
        Search method: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo, uct, or greedy
        (one ply). Settings follow a colon: uct:playouts=500.
    probcut
        Confidence of selective search (ProbCut) in standard deviations, such as 1. The default 0
        searches at full width.
    anchor
        Name of the player whose rating is 0. By default the mean rating is 0.
    options
        Options that matches and tournaments share.
    progress
        Called with the result so far and the number of pairs that there are to be, at most.

    Returns
    -------
    TournamentResult
        Result with all games and the ratings.

    Raises
    ------
    UserError
        There is no such kind, there are too few players, the anchor is no player, or the folder is
        of another event.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.tournament(["classic", "zero"], game="tic_tac_toe", depth=1, pairs=2)
    >>> len(result.names)
    2
    """
    if kind not in KINDS:
        raise unknown("kind of tournament", kind, KINDS)
    if len(players) == 1 and isinstance(one := players[0], str | Path) and _is_event(one):
        return read_tournament(one, anchor)
    rules = game_for(game, *players)
    how = selective(method, probcut)
    entrants = with_distinct_names([player(who, rules, limits, how) for who in players])
    plan = _plan(kind, len(entrants), rounds, champions)
    apart = plan if isinstance(plan, int) else 1  # the rounds of a Swiss share no openings
    wanted = apart * (pairs or DEFAULT_PAIRS_EACH)
    chosen = options.openings_for(rules, wanted, is_asked=pairs is not None)
    pairs = chosen.pairs // apart
    if not pairs:
        raise UserError(f"{apart} rounds need as many openings, not {chosen.pairs}; give fewer")
    warn_of_adjudication(options, rules, entrants)
    field = Field(kind, rules, entrants, chosen, options, limits.solved_from(rules))
    require_anchor(field.names, anchor)
    empty = replace(field.empty, anchor=anchor)
    meetings = plan * (len(entrants) // 2) if isinstance(plan, int) else len(plan)
    with journal_of(options.folder, rules, field.event) as journal:
        run = EventRun(
            *(rules, options, journal),
            lambda run: progress(_found(empty, run), meetings * pairs),
        )
        try:
            if isinstance(plan, int):
                _play_swiss(run, field, plan, pairs, options.seed)
            else:
                numbers = list(field.players)
                run.play(
                    [
                        field.meeting(i, j, range(first, min(first + _PAIRS_AT_ONCE, pairs)))
                        for first in range(0, pairs, _PAIRS_AT_ONCE)
                        for i, j in ((numbers[i], numbers[j]) for i, j in plan)
                    ]
                )
        finally:
            result = _with_earlier(_found(empty, run), journal)
            write_down(journal, field.event["about"], result.pairs, result.frame, rules)
    return result


def _is_event(name: str | Path) -> bool:
    return (Path(name) / EVENT).exists()


class Field:
    """Players of a tournament, who may join others in its folder, and their openings."""

    def __init__(
        self,
        kind: str,
        game: Game,
        players: Sequence[Player],
        openings: OpeningSupply,
        options: EventOptions,
        exact_from: int,
    ) -> None:
        require_variety(options, game, players)
        self.openings = openings
        self.event = event_of(kind, game, players, openings, options, exact_from)
        own = {one["name"]: one for one in self.event["players"]}
        folder = options.folder
        there = [] if folder is None or not _is_event(folder) else read_event(folder)["players"]
        known = {one["name"]: one for one in there} | own
        if len(known) > MOST_PLAYERS:
            raise UserError(f"a tournament has at most {MOST_PLAYERS} players (got {len(known)})")
        self.event["players"] = list(known.values())
        self.names = tuple(known)
        self.players = {self.names.index(one.name): one for one in players}
        engines = tuple(name for name, one in known.items() if one["engine"])
        told = next((one for one in players if not one.is_engine), players[0])
        self.empty = TournamentResult(
            *(kind, self.names, (), told.settings, openings.name, game, None, folder),
            self.event["adjudicate_from"] if engines else 0,
            engines,
        )

    def meeting(self, i: int, j: int, pairs: Sequence[int]) -> Meeting:
        """Return the meeting of two players who take part, by their numbers."""
        a, b = min(i, j), max(i, j)
        sides = self.players[a], self.players[b]
        return Meeting(a * MOST_PLAYERS + b, *sides, self.openings, pairs)


def _found(empty: TournamentResult, run: EventRun) -> TournamentResult:
    """Return the result of a tournament so far."""
    tallies = {pairing: its.copy() for pairing, its in run.tallies.items()}
    return replace(empty, pairs=tuple(run.pairs), so_far=tallies)


def _with_earlier(result: TournamentResult, journal: Journal) -> TournamentResult:
    """Return a result with the games in its folder that the plan did not ask for."""
    planned = {pair.key for pair in result.pairs}
    others = [journal.pairs[key] for key in sorted(journal.pairs) if key not in planned]
    return replace(result, pairs=(*result.pairs, *others), so_far=None) if others else result


def _plan(kind: str, n: int, rounds: int | None, champions: int) -> list[Pairing] | int:
    """Return who is to meet, or of a Swiss, how many rounds there are."""
    if champions != 1 and kind != "gauntlet":
        raise UserError(f"champions are for a gauntlet, not for a {kind}")
    if kind == "swiss":
        if n < 2:
            raise UserError(f"a tournament needs at least 2 players (got {n})")
        rounds = math.ceil(math.log2(n)) if rounds is None else rounds
        if not 1 <= rounds < max(2, n):
            raise UserError(
                f"rounds must be from 1 to {max(1, n - 1)} in a Swiss tournament of {n} players"
            )
        return rounds
    if rounds is not None:
        raise UserError(f"rounds are for a Swiss tournament; for a {kind} give pairs")
    schedule = round_robin(n) if kind == "round-robin" else gauntlet(n, champions)
    return [pairing for one_round in schedule for pairing in one_round]


def _play_swiss(run: EventRun, field: Field, rounds: int, pairs: int, seed: int) -> None:
    """Play a Swiss: who is free gets as many points as half the games would give."""
    lots = np.random.default_rng(seed).permutation(len(field.names))
    met, byes = Counter[Pairing](), Counter[int]()
    for number in range(rounds):
        points = _found(field.empty, run).points
        places = {k: (-points[k] - pairs * byes[k], lots[k]) for k in field.players}
        paired = neighbours(sorted(places, key=places.__getitem__), met, byes)
        met.update(paired)
        byes.update({*places}.difference(itertools.chain(*paired)))
        numbers = range(number * pairs, (number + 1) * pairs)
        run.play([field.meeting(i, j, numbers) for i, j in paired])
