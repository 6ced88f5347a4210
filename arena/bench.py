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

from samuel.arena.bench_players import bench_players
from samuel.arena.bench_result import BenchResult
from samuel.arena.engines.address import is_engine
from samuel.arena.event import EventOptions
from samuel.arena.match import MOST_PAIRS
from samuel.arena.players import entrant, with_distinct_names
from samuel.arena.ratings import Ratings, rate
from samuel.arena.records import MOST_PLAYERS, Pair
from samuel.arena.running import Event, EventRun
from samuel.arena.schedules import Pairing, neighbours
from samuel.arena.standings import games_of
from samuel.common.errors import ForfeitError, UserError
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
    """Rank everything that plays a game here: evaluators and installed engines.

    Every player has the same limit for a move, 100 ms where none is given. Neighbours in the
    ratings meet. The folder holds the games, `bench.json` and a page, `bench.html`. The same call
    continues there, and takes in engines that were installed since.

    Parameters
    ----------
    game
        Game.
    players
        Further players: names of evaluators, folders of models, or engines such as "gtp:./engine".
    error
        Elo at which a player needs no more games: half the width of its 95 % interval.
    pairs
        Number of game pairs after which a player needs no more games.
    minutes
        Minutes after which no more games begin. By default there is no limit.
    without
        Names of players to leave out. The name of a program leaves out all its levels.
    limits
        Limits of a move, for all players. Default: 100 ms.
    options
        Options that matches and tournaments share. Default of `out`: runs/bench-GAME.
    progress
        Called with the result so far, several times a second and at the end.

    Returns
    -------
    BenchResult
        Result with all games and the ratings.

    Raises
    ------
    UserError
        A player is unknown or does not play the game, or the folder holds something else.

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
    >>> result.standings.names
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
    rounds = _Rounds(event, error, pairs, until)

    def found() -> BenchResult:
        standings = event.result(rounds.pairs)
        more = sources, about, error, command, rounds.forfeiting
        return BenchResult(standings, rounds.ratings, *more)

    try:
        with event.running(lambda _: progress(found())) as run:
            rounds.play(run)
            if not rounds.pairs:
                raise UserError(_why_no_games(minutes, rounds.forfeiting))
            progress(found())
    finally:
        if rounds.pairs:
            write_json(folder / REPORT, found().as_dict())
    return found()


def folder_of(game: Game) -> Path:
    """Return the default folder of a game's bench."""
    return Path("runs", f"bench-{game.name}")


class _Rounds:
    """The rounds of a bench."""

    def __init__(self, event: Event, error: float, most: int, until: float) -> None:
        self._event, self._error, self._most, self._until = event, error, most, until
        self._byes = Counter[int]()
        self._known: Mapping[tuple[int, int], Pair] = {}
        self.forfeiting: dict[str, str] = {}
        self.ratings = self._rate()

    @property
    def pairs(self) -> list[Pair]:
        return [self._known[key] for key in sorted(self._known)]

    def play(self, run: EventRun) -> None:
        """Play until the ratings of all players that can play are certain enough."""
        self._known = run.journal.pairs
        self.ratings = self._rate()
        while not self._is_over() and (wanted := self._wanted()):
            counts, room = self._counts(), self._event.openings.pairs
            paired = [(i, j) for i, j in self._paired(counts, wanted) if counts[i, j] < room]
            if not paired:
                _warn_of_openings(room)
                break
            batch = min(max(_LEAST, len(self._known) // 8), _MOST)
            each = math.ceil(batch / len(paired))
            meetings = [
                self._event.meeting(i, j, range(counts[i, j], min(counts[i, j] + each, room)))
                for i, j in paired
            ]
            try:
                run.play(meetings, self._is_over)
            except ForfeitError as error:  # the others play on
                self.forfeiting[error.player] = error.reason
                warnings.warn(f"{error.player} is left out: it {error.reason}", stacklevel=4)
            self.ratings = self._rate()

    def _is_over(self, _: object = None) -> bool:
        return time.monotonic() >= self._until

    def _rate(self) -> Ratings:
        return rate(self._event.names, games_of(self.pairs))

    def _wanted(self) -> set[int]:
        """Return the players who need more games."""
        return {
            k
            for k, one in self._event.players.items()
            if one.name not in self.forfeiting
            and self.ratings.half_width(k) > self._error
            and self.ratings.games[k] < 2 * self._most
        }

    def _paired(self, counts: Counter[Pairing], wanted: set[int]) -> list[Pairing]:
        """Return the pairings of a round, in which players who need games take part."""
        able = {k for k, one in self._event.players.items() if one.name not in self.forfeiting}
        order = [k for k in self.ratings.order if k in able]
        paired = neighbours(order, counts, self._byes)
        self._byes.update(able.difference(itertools.chain(*paired)))
        return [pairing for pairing in paired if wanted & {*pairing}]

    def _counts(self) -> Counter[Pairing]:
        """Return the number of pairs of each pairing, up to the first missing one."""
        counts = Counter[Pairing]()
        for pairing, number in sorted(self._known):
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
    """Return the command that continues a bench."""
    usual = Limits().flat() | EventOptions().flat() | {"minutes": None, "without": ""}
    told = limits.flat() | {"error": error, "pairs": pairs, "minutes": minutes}
    told |= {"without": ",".join(without)} | options.flat() | {"jobs": usual["jobs"]}
    words = ["samuel", "bench", game.name, *(one for one in players if not is_engine(one))]
    for one in filter(is_engine, players):
        words += ["--engine", one]
    for name, value in told.items():
        if value != usual.get(name):
            name, value = ("ms", 1000 * value) if name == "seconds" else (name, value)
            text = f"{value:.12g}" if isinstance(value, float) else str(value)
            words += [f"--{name.replace('_', '-')}", text]
    return shlex.join(words) + plugin_options(game.name)
