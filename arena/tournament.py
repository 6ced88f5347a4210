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

from samuel.arena.event import Event, EventOptions
from samuel.arena.journal import is_event, require_event
from samuel.arena.match import MOST_PAIRS
from samuel.arena.players import entrant, with_distinct_names
from samuel.arena.ratings import require_anchor
from samuel.arena.results import MatchResult
from samuel.arena.running import EventRun, Rounds, play_event
from samuel.arena.schedules import Pairing, gauntlet, neighbours, round_robin
from samuel.arena.standings import TournamentResult, read_result
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
_AT_ONCE = 16
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

    The same command continues a tournament in its folder, also with more players, pairs or rounds.
    Ratings count all games in the folder. With the folder as the only player, the command shows its
    ratings and plays no games.

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
        Number of rounds of a Swiss tournament. By default log2 of the players' number, rounded up.
    champions
        Number of players at the head of a gauntlet. Each of them meets all others.
    limits
        Limits of a move, for all players.
    method
        Search method: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo, uct, or greedy
        (one ply). Settings follow a colon: uct:playouts=500. Default: alphabeta.
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
    if len(players) == 1 and isinstance(one := players[0], str | Path):
        if is_event(one):
            return _read(one, game, anchor)
        require_event(one)
    rules = game_for(game, *players)
    how = selective(method, probcut)
    entrants = with_distinct_names([entrant(who, rules, limits, how) for who in players])
    plan = _plan(kind, len(entrants), rounds, champions)
    apart = plan if isinstance(plan, int) else 1  # the rounds of a Swiss share no openings
    wanted = apart * (pairs or DEFAULT_PAIRS_EACH)
    chosen = options.openings_for(rules, wanted, is_asked=pairs is not None)
    pairs = chosen.pairs // apart
    if not pairs:
        raise UserError(f"{apart} rounds need as many openings, not {chosen.pairs}; give fewer")
    event = Event(kind, rules, entrants, chosen, options, limits.solved_from(rules))
    require_anchor(event.names, anchor)
    meetings = plan * (len(entrants) // 2) if isinstance(plan, int) else len(plan)

    def found(run: EventRun) -> TournamentResult:
        return TournamentResult(event.contents, rules, tuple(run.pairs), options.folder, anchor)

    def rounds_of(run: EventRun) -> Rounds:
        if isinstance(plan, int):
            yield from _swiss(lambda: found(run).points, event, plan, pairs)
        else:
            who = list(event.players)
            parts = [range(k, min(k + _AT_ONCE, pairs)) for k in range(0, pairs, _AT_ONCE)]
            yield [event.meeting(who[i], who[j], part) for part in parts for i, j in plan]

    return play_event(event, rounds_of, found, lambda so_far: progress(so_far, meetings * pairs))


def _read(folder: Path | str, game: Game | None, anchor: str | None) -> TournamentResult:
    """Return what the tournament in a folder has found so far."""
    found = read_result(folder)
    if isinstance(found, MatchResult):
        raise UserError(f"{folder} is the folder of a match; samuel games {folder} shows its games")
    if game is not None and game.name != found.game.name:
        raise UserError(f"{folder} is a tournament of {found.game.name}, not of {game.name}")
    require_anchor(found.names, anchor)
    return replace(found, anchor=anchor)


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


def _swiss(
    points_so_far: Callable[[], list[float]], event: Event, rounds: int, pairs: int
) -> Rounds:
    """Yield the rounds of a Swiss: who is free gets as many points as half the games would give."""
    lots = np.random.default_rng(event.options.seed).permutation(len(event.names))
    met, byes = Counter[Pairing](), Counter[int]()
    for number in range(rounds):
        points = points_so_far()
        places = {k: (-points[k] - pairs * byes[k], lots[k]) for k in event.players}
        paired = neighbours(sorted(places, key=places.__getitem__), met, byes)
        met.update(paired)
        byes.update({*places}.difference(itertools.chain(*paired)))
        numbers = range(number * pairs, (number + 1) * pairs)
        yield [event.meeting(i, j, numbers) for i, j in paired]
