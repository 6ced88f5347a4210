"""Benches: the leaderboard of everything that plays a game on this machine."""

from __future__ import annotations

import contextlib
import itertools
import math
import shlex
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypedDict

from samuel.arena.bench_result import BenchResult, bench_players
from samuel.arena.engines.address import is_engine
from samuel.arena.event import Event, EventOptions, flags_of
from samuel.arena.match import MOST_PAIRS
from samuel.arena.players import entrant, with_distinct_names
from samuel.arena.records import MOST_PLAYERS, Pair
from samuel.arena.running import EventRun, Rounds, play_event
from samuel.arena.schedules import Pairing, neighbours
from samuel.common.errors import UserError
from samuel.common.json_files import read_record, write_json
from samuel.common.options import Names, Range
from samuel.common.public import public
from samuel.games.evaluator import Evaluator
from samuel.games.game import Game
from samuel.games.plugins import plugin_options
from samuel.search.limits import Limits

SECONDS, ERROR, PAIRS = 0.1, 25.0, 1000
"""Defaults: seconds of a move, half the width of an interval in Elo, game pairs of a player."""
REPORT = "bench.json"
_LEAST, _MOST = 8, 64
"""Fewest and most pairs of a round; in between, an eighth of the pairs so far."""


@public
def bench(
    game: Game,
    players: Sequence[Evaluator | Path | str] = (),
    *,
    error: Annotated[float, Range(1e-3, 1e4)] = ERROR,
    pairs: Annotated[int, Range(1, MOST_PAIRS)] = PAIRS,
    minutes: Annotated[float | None, Range(0.0)] = None,
    without: Names = (),
    limits: Limits = Limits(),
    options: EventOptions = EventOptions(),
    progress: Callable[[BenchResult], None] = lambda result: None,
) -> BenchResult:
    """Rank all players of a game: its evaluators and the installed engines.

    All players have the same limit, by default 100 ms per move. Players with neighbouring ratings
    meet. The folder has the games, `bench.json` and a page, `bench.html`. The same command
    continues there, also with newly installed engines.

    Parameters
    ----------
    game
        Game.
    players
        Further players: names of evaluators, folders of models, or engines such as "gtp:./engine".
    error
        Target precision of a player's rating: half-width of the 95 % interval, in Elo.
    pairs
        Number of game pairs after which a player needs no more games.
    minutes
        Minutes after which no new games begin. By default without limit.
    without
        Names of players to leave out, joined by commas. The name of a program leaves out all its
        levels.
    limits
        Limits of a move, for all players. Default: 100 ms.
    options
        Options that matches and tournaments share. Default of `out`: runs/bench-GAME.
    progress
        Called with the result so far, several times per second and at the end.

    Returns
    -------
    BenchResult
        Result with all games and the ratings.

    Raises
    ------
    UserError
        A player is unknown or does not play the game, or the folder has something else.

    Warns
    -----
    UserWarning
        An engine forfeits one game after the other and is left out; its version has changed; or all
        openings are used.

    Examples
    --------
    >>> import samuel, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     field = {"game": "connect_four", "without": "learned"}
    ...     result = samuel.bench(**field, nodes=20, pairs=2, out=f"{folder}/bench")
    >>> result.names
    ('classic', 'zero')
    """
    folder = options.folder or folder_of(game)
    options = replace(options, out=folder)
    if any(isinstance(one, Evaluator) for one in players):
        raise UserError("players of a bench must be names, model folders or engines")
    others = [str(one) for one in players]
    chosen = options.openings_for(game, pairs, is_asked=False)
    about = bench_players(game, others, without, options.timeout)
    before = _versions_before(folder)
    _warn_of_other_versions(before, about.versions)
    about = replace(about, versions=before | about.versions)
    limits = replace(limits, seconds=SECONDS) if limits.is_open else limits
    entrants = with_distinct_names([entrant(one, game, limits) for one in about.players])
    event = Event("bench", game, entrants, chosen, options, limits.solved_from(game))
    command = _command(game, others, limits, options, error, pairs, minutes, without)
    sources = {one.name: who for one, who in zip(entrants, about.players, strict=True)}
    until = math.inf if minutes is None else time.monotonic() + 60 * minutes

    def is_over(_: Pair | None = None) -> bool:
        return time.monotonic() >= until

    def found(run: EventRun) -> BenchResult:
        known = [run.journal.pairs[key] for key in sorted(run.journal.pairs)]
        return BenchResult(
            *(event.contents, game, tuple(known), folder),
            sources=sources,
            field=about,
            error=error,
            command=command,
            forfeiting=run.forfeiting,
        )

    def rounds(run: EventRun) -> Rounds:
        known, room, byes = run.journal.pairs, chosen.pairs, Counter[int]()
        try:
            while not is_over() and (paired := _next_round(found(run), run, pairs, byes)):
                counts, batch = _counts(run), min(max(_LEAST, len(known) // 8), _MOST)
                each = math.ceil(batch / len(paired))
                yield [
                    event.meeting(i, j, range(counts[i, j], min(counts[i, j] + each, room)))
                    for i, j in paired
                ]
            if not known:
                raise UserError(_why_no_games(minutes, run.forfeiting))
            progress(found(run))
        finally:
            if known:
                write_json(folder / REPORT, found(run).as_dict())

    return play_event(event, rounds, found, progress, is_over)


def folder_of(game: Game) -> Path:
    """Return the default folder of a game's bench."""
    return Path("runs", f"bench-{game.name}")


def _next_round(result: BenchResult, run: EventRun, most: int, byes: Counter[int]) -> list[Pairing]:
    """Return who is to meet, and has openings left, so that uncertain players get games."""
    ratings, counts = result.ratings, _counts(run)
    able = {k for k, one in run.event.players.items() if one.name not in run.forfeiting}
    wanted = {
        k for k in able if ratings.half_width(k) > result.error and ratings.games[k] < 2 * most
    }
    if not wanted:
        return []
    paired = neighbours([k for k in ratings.order if k in able], counts, byes)
    byes.update(able.difference(itertools.chain(*paired)))
    room = run.event.openings.pairs
    found = [(i, j) for i, j in paired if wanted & {i, j} and counts[i, j] < room]
    if not found:
        _warn_of_openings(room)
    return found


def _counts(run: EventRun) -> Counter[Pairing]:
    """Return the number of pairs of each pairing, up to the first missing one."""
    counts = Counter[Pairing]()
    for pairing, number in sorted(run.journal.pairs):
        counts[divmod(pairing, MOST_PLAYERS)] += counts[divmod(pairing, MOST_PLAYERS)] == number
    return counts


def _why_no_games(minutes: float | None, forfeiting: Mapping[str, str]) -> str:
    """Return why a bench has ended without games."""
    reasons = [f"{name} {reason}" for name, reason in forfeiting.items()]
    if minutes is not None:
        reasons.append(f"--minutes {minutes:g} is too short for one; give more minutes")
    return f"no game pair was finished: {'; '.join(reasons)}"


def _warn_of_openings(openings: int) -> None:
    warnings.warn(
        f"all {openings} openings are used up in every pairing; longer ones "
        "(--opening-plies) in another folder (--out) are more",
        stacklevel=4,
    )


class _Reported(TypedDict):
    """A player in `bench.json`."""

    player: str
    version: str | None


class _Report(TypedDict):
    """Entries of `bench.json` with the versions of the players."""

    players: list[_Reported]


def _versions_before(folder: Path) -> dict[str, str]:
    """Return the versions of engines in the report of a folder, if there is one."""
    with contextlib.suppress(UserError):  # there is none yet, or it is damaged, and written anew
        told = read_record(folder / REPORT, _Report, "the folder of a bench", "")
        return {one["player"]: one["version"] for one in told["players"] if one["version"]}
    return {}


def _warn_of_other_versions(before: dict[str, str], now: dict[str, str]) -> None:
    """Warn if other versions of the engines have played the games of a folder."""
    changed = [name for name, version in now.items() if before.get(name, version) != version]
    if changed:
        warnings.warn(
            f"{', '.join(changed)} played as another version before ({before[changed[0]]}, now "
            f"{now[changed[0]]}); to measure only this version, give another folder (--out)",
            stacklevel=4,
        )


def _command(
    game: Game,
    players: Sequence[str],
    limits: Limits,
    options: EventOptions,
    error: float,
    pairs: int,
    minutes: float | None,
    without: Sequence[str],
) -> str:
    usual = Limits().flat() | EventOptions().flat() | {"minutes": None, "without": ""}
    told = limits.flat() | {"error": error, "pairs": pairs, "minutes": minutes}
    told |= {"without": ",".join(without)} | options.flat() | {"jobs": usual["jobs"]}
    words = ["samuel", "bench", game.name, *(one for one in players if not is_engine(one))]
    for one in filter(is_engine, players):
        words += ["--engine", one]
    words += flags_of(told, usual)
    return shlex.join(words) + plugin_options(game.name)
