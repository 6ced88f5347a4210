"""Tournaments: many players, everyone's rating from the games between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from samuel.arena.event import EventOptions, event_of, require_variety, warn_of_adjudication
from samuel.arena.journal import EVENT, journal_of
from samuel.arena.match import MOST_PAIRS
from samuel.arena.openings import OpeningSupply
from samuel.arena.players import Player, player, with_distinct_names
from samuel.arena.pool import grow, rule_for, take_from
from samuel.arena.pool_folder import POOL
from samuel.arena.pool_settings import asked_for
from samuel.arena.rating import GOAL, MOST_RATING_PAIRS, require_anchor
from samuel.arena.running import EventRun, Meeting, StoppingRule, write_down
from samuel.arena.schedules import Pairing, gauntlet, round_robin, swiss_round
from samuel.arena.standings import GROWING, TournamentResult, read_tournament
from samuel.common.errors import UserError, unknown, warn_of_old_name
from samuel.common.options import Range
from samuel.common.public import public
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.models import game_for
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits, SeveralLimits, several
from samuel.search.method import Method
from samuel.search.methods import Confidence, selective

KINDS = ("round-robin", "gauntlet", "swiss", GROWING)
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
    error: Annotated[float | None, Range(1e-3, 1e4)] = None,
    rounds: Annotated[int | None, Range(1)] = None,
    champions: Annotated[int, Range(1)] = 1,
    limits: SeveralLimits = Limits(),
    method: Method = AlphaBeta(),
    probcut: Confidence = None,
    anchor: str | None = None,
    name: str | None = None,
    remove: str | None = None,
    options: EventOptions = EventOptions(),
    progress: Callable[[TournamentResult, int], None] = lambda result, of: None,
) -> TournamentResult:
    """Play a tournament and rate the players by their games.

    With `error`, the tournament is a rating pool, which can grow. Players join one after the other,
    and each plays until its rating is known well enough. To add players later, name the folder of
    the pool first; options that you leave out are as the pool has them. A folder alone is shown
    without further games.

    Parameters
    ----------
    players
        Players: evaluators, their names or folders, or engines such as `gtp:gtp-rhino`. To extend a
        rating pool, its folder comes first, then the new players. An engine of a pool plays only if
        it is named.
    kind
        Kind of tournament: round-robin (all pairings), gauntlet (the first players against all
        others), swiss (players of equal results meet), or pool (a rating pool, see error).
    game
        Game: a name, or a Python file that registers one. By default the game of the players, or
        Othello.
    pairs
        Number of game pairs per pairing. Default: 50; in a pool at most 5,000 per new player, or as
        many as its newest player had.
    error
        Precision of a rating pool, in Elo. A player stops when the 95 % interval of its Elo reaches
        at most this far to either side. Default in a pool: 15, or that of its newest player.
    rounds
        Number of rounds of a Swiss tournament. By default the binary logarithm of the number of
        players.
    champions
        Number of players at the head of a gauntlet, each of whom meets all others.
    limits
        Limits of a move, for everybody. With several limits, pairs use them in turn.
    method
        Search method: alphabeta, expectiminimax, star1, star2, star2.5, montecarlo, uct, or greedy
        (one ply). Settings follow a colon: uct:playouts=500.
    probcut
        Confidence of selective search (ProbCut) in standard deviations, such as 1. The default 0
        searches at full width.
    anchor
        Name of the player whose rating is 0. By default the mean rating is 0.
    name
        Name that a single new player gets in the pool. By default its usual name.
    remove
        Name of a player to remove from a pool with all its games.
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

    Warns
    -----
    UserWarning
        A player of a pool cannot be had any more, and plays no more games; or a rating is left less
        certain than it was to be.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.tournament(["classic", "zero"], game="tic_tac_toe", depth=1, pairs=2)
    >>> len(result.names)
    2
    """
    if kind not in KINDS:
        raise unknown("kind of tournament", kind, KINDS)
    folder, players = _folder_among(players, options.folder)
    if remove is not None:
        if folder is None or players:
            raise UserError("to remove a player, give the folder of the pool and no other player")
        return replace(take_from(folder, remove), anchor=anchor)
    if folder is not None and not players and _is_event(folder):
        return read_tournament(folder, anchor)
    if (folder is not None and (folder / POOL).exists()) or error is not None or kind == GROWING:
        if folder is None:
            raise UserError("a rating pool needs a folder (--out FOLDER)")
        if kind not in (KINDS[0], GROWING):
            raise UserError(f"{folder} is a rating pool, not a {kind}; leave the kind out")
        its_limits = several(limits)
        if len(its_limits) != 1:
            raise UserError("all players of a pool have the same limits; give one depth")
        rule = rule_for(folder, pairs, error, StoppingRule(MOST_RATING_PAIRS, error=GOAL))
        who = [str(one) for one in players if not isinstance(one, Evaluator)]
        if len(who) < len(players):
            raise UserError("players of a pool must be names, model folders or engines")
        asked = asked_for(game, its_limits[0], method, probcut, options)
        is_new = game is None and not (folder / POOL).exists()
        asked |= {"game": game_for(None, *who).name} if is_new else {}
        found = grow(folder, who, rule, asked, name=name, jobs=options.jobs, progress=progress)
        require_anchor(found.names, anchor)
        return replace(found, anchor=anchor)
    if name is not None:
        raise UserError("--name is for a new player of a rating pool (--error)")
    if folder is not None and folder != options.folder:
        raise UserError(
            f"{folder} is a tournament with a fixed list of players; to add players later, "
            "make a rating pool: samuel tournament PLAYERS --error 15 --out FOLDER"
        )
    rules = game_for(game, *players)
    return _play_fixed(
        *(kind, players, rules, pairs, rounds, champions),
        *(several(limits), selective(method, probcut), anchor, options, progress),
    )


def _is_event(folder: Path) -> bool:
    return (folder / EVENT).exists() or (folder / POOL).exists()


def _folder_among(
    players: Sequence[Evaluator | Path | str], out: Path | None
) -> tuple[Path | None, list[Evaluator | Path | str]]:
    """Return the folder of the event, which may be named among the players, and the players.

    Raises
    ------
    UserError
        There are several folders.
    """
    players = [players] if isinstance(players, str | Path) else list(players)
    folders = [one for one in players if isinstance(one, str | Path) and _is_event(Path(one))]
    named = {Path(one) for one in folders} | ({out} if out is not None else set())
    if len(named) > 1:
        raise UserError(f"give one folder of a tournament, not {' and '.join(map(str, named))}")
    return next(iter(named), None), [one for one in players if one not in folders]


def _play_fixed(
    kind: str,
    players: Sequence[Evaluator | Path | str],
    game: Game,
    asked: int | None,
    rounds: int | None,
    champions: int,
    limits: Sequence[Limits],
    method: Method,
    anchor: str | None,
    options: EventOptions,
    progress: Callable[[TournamentResult, int], None],
) -> TournamentResult:
    """Play a tournament whose games are known beforehand, but for the pairings of a Swiss."""
    entrants = with_distinct_names([player(who, game, limits, method) for who in players])
    names = tuple(entrant.name for entrant in entrants)
    plan = _plan(kind, len(entrants), rounds, champions)
    require_anchor(names, anchor)
    apart = plan if isinstance(plan, int) else 1  # the rounds of a Swiss share no openings
    wanted = apart * (asked or DEFAULT_PAIRS_EACH)
    chosen = options.openings_for(game, wanted, is_asked=asked is not None)
    pairs = chosen.pairs // apart
    if not pairs:
        raise UserError(f"{apart} rounds need as many openings, not {chosen.pairs}; give fewer")
    warn_of_adjudication(options, game, entrants)
    require_variety(options, game, entrants)
    event = event_of(kind, game, entrants, chosen, options, limits[0].solved_from(game))
    told = next((one for one in entrants if not one.is_engine), entrants[0])
    engines = tuple(entrant.name for entrant in entrants if entrant.is_engine)
    empty = TournamentResult(
        *(kind, names, (), tuple(told.settings), chosen.name, game, anchor, options.folder),
        event["adjudicate_from"] if engines else 0,
        engines,
    )
    meetings = plan * (len(entrants) // 2) if isinstance(plan, int) else len(plan)
    with journal_of(options.folder, game, event) as journal:
        run = EventRun(
            *(game, options, journal),
            lambda run: progress(_found(empty, run), meetings * pairs),
        )
        try:
            if isinstance(plan, int):
                _play_swiss(run, empty, entrants, chosen, plan, pairs, options.seed)
            else:
                run.play(
                    [
                        _meeting(pairing, entrants, chosen, range(first, last))
                        for first in range(0, pairs, _PAIRS_AT_ONCE)
                        for last in [min(first + _PAIRS_AT_ONCE, pairs)]
                        for pairing in plan
                    ]
                )
        finally:
            result = _found(empty, run)
            write_down(journal, event["about"], result.pairs, result.frame, game)
    return result


def _found(empty: TournamentResult, run: EventRun) -> TournamentResult:
    """Return the result of a tournament so far."""
    tallies = {pairing: its.copy() for pairing, its in run.tallies.items()}
    return replace(empty, pairs=tuple(run.pairs), so_far=tallies)


def _plan(kind: str, n: int, rounds: int | None, champions: int) -> list[Pairing] | int:
    """Return who is to meet, or of a Swiss, how many rounds there are.

    Raises
    ------
    UserError
        There are too few players, or too many champions or rounds.
    """
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


def _play_swiss(
    run: EventRun,
    empty: TournamentResult,
    players: Sequence[Player],
    openings: OpeningSupply,
    rounds: int,
    pairs: int,
    seed: int,
) -> None:
    """Play a Swiss: who is free gets as many points as half the games would give."""
    met: list[Pairing] = []
    byes: list[int] = []
    for number in range(rounds):
        so_far = _found(empty, run).points
        points = [own + pairs * byes.count(k) for k, own in enumerate(so_far)]
        paired = swiss_round(points, met, byes=byes, seed=seed + number)
        met += paired.pairings
        byes += [] if paired.bye is None else [paired.bye]
        numbers = range(number * pairs, (number + 1) * pairs)
        run.play([_meeting(pairing, players, openings, numbers) for pairing in paired.pairings])


def _meeting(
    pairing: Pairing, players: Sequence[Player], openings: OpeningSupply, numbers: Sequence[int]
) -> Meeting:
    i, j = pairing
    return Meeting(i * len(players) + j, players[i], players[j], openings, numbers)


def add_to_pool(
    folder: Path | str,
    who: str | Path | Sequence[str | Path],
    *,
    goal: float = GOAL,
    most_pairs: int = MOST_RATING_PAIRS,
    **options: Any,
) -> TournamentResult:
    """Add players to a rating pool: the old name of such a `tournament`."""
    warn_of_old_name("samuel.arena.add_to_pool", "samuel.tournament(players, error=15, out=folder)")
    players = [who] if isinstance(who, str | Path) else who
    return tournament(players, error=goal, pairs=most_pairs, out=folder, **options)
