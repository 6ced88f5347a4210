"""Benches: the leaderboard of everything that plays a game on this machine.

A bench is a rating pool (arena/pool.py) that all players join at once. Each game is the one that
tells most about the least certain rating (arena.rating.informative.sharpen_all). A bench continues
after an interruption, and takes in players that are installed later.
"""

from __future__ import annotations

import contextlib
import math
import shlex
import time
import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

from samuel.arena.bench_players import Field, field_of
from samuel.arena.bench_result import BenchResult
from samuel.arena.engines import is_engine
from samuel.arena.event import EventOptions, require_variety
from samuel.arena.match import MOST_PAIRS
from samuel.arena.pool import grow, rule_for
from samuel.arena.pool_folder import POOL, openings_of
from samuel.arena.pool_run import Newcomer, PoolGames, PoolRun
from samuel.arena.pool_settings import asked_for
from samuel.arena.rating import Ratings
from samuel.arena.rating.informative import half_width, sharpen_all
from samuel.arena.running import StoppingRule
from samuel.arena.standings import RatingProgress, TournamentResult
from samuel.common.errors import ForfeitError, UserError
from samuel.common.json_files import read_record, write_json
from samuel.common.options import Names, Range, called_now
from samuel.common.public import public
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.games.plugins import plugin_options
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.limits import Limits

SECONDS, ERROR, PAIRS = 0.1, 25.0, 1000
"""Defaults: seconds of a move, half the width of an interval in Elo, game pairs of a player."""
REPORT = "bench.json"


@public
def bench(
    game: Game,
    players: Sequence[Evaluator | Path | str] = (),
    *,
    error: Annotated[float | None, Range(1e-3, 1e4)] = None,
    pairs: Annotated[int | None, Range(1, MOST_PAIRS)] = None,
    minutes: Annotated[float | None, Range(0.0)] = None,
    without: Names = (),
    limits: Limits = Limits(),
    options: EventOptions = EventOptions(),
    progress: Callable[[BenchResult], None] = lambda result: None,
) -> BenchResult:
    """Rank everything that plays a game here: evaluators and installed engines.

    Every player has the same limit for a move, 100 ms where none is given. Each game is one that
    narrows the widest interval. The folder holds the games, `bench.json` and a page, `bench.html`.
    The same call continues there, and takes in engines that were installed since.

    Parameters
    ----------
    game
        Game.
    players
        Further players: names of evaluators, folders of models, or engines such as "gtp:./engine".
    error
        Elo at which a player needs no more games: half the width of its 95 % interval. Default: 25,
        or as before in this folder.
    pairs
        Number of game pairs after which a player needs no more games. Default: 1,000, or as before
        in this folder.
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
        A player of the folder is missing, or an engine forfeits one game after the other and
        plays no more.

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
    if any(isinstance(one, Evaluator) for one in players):
        raise UserError("players of a bench must be names, model folders or engines")
    field = field_of(game, [str(one) for one in players], without, options.timeout)
    before = _versions_before(folder)
    _warn_of_other_versions(folder, before, field.versions)
    field = replace(field, versions=before | field.versions)
    asked = asked_for(game, limits, AlphaBeta(), None, options)
    if limits.is_open and not (folder / POOL).exists():
        asked["seconds"] = SECONDS
    rule = rule_for(folder, pairs, error, StoppingRule(PAIRS, error=ERROR))
    run = _Measuring(rule, math.inf if minutes is None else time.monotonic() + 60 * minutes)
    typed: dict[str, Any] = {
        "error": rule.error,
        "pairs": rule.pairs,
        "minutes": minutes,
        "without": ",".join(without),
    }
    typed = {name: x for name, x in typed.items() if x not in (None, "")} | {"out": folder}
    last: list[BenchResult] = []

    def play(pool: PoolRun, newcomers: Sequence[Newcomer]) -> None:
        run.command = _command(pool, typed, [str(one) for one in players])
        run.play(pool, newcomers, field.absent)

    def follow(standings: TournamentResult, _: int) -> None:
        last[:] = [run.result(standings, field)]
        progress(last[0])

    try:
        found = grow(
            *(folder, field.players, rule, asked), jobs=options.jobs, progress=follow, play=play
        )
        last[:] = [run.result(found, field)]
    finally:
        for result in last:
            if result.pairs:
                write_json(folder / REPORT, result.as_dict())
    return last[0]


def folder_of(game: Game) -> Path:
    """Return the default folder of a game's bench."""
    return Path("runs", f"bench-{game.name}")


class _Measuring:
    """The games of a bench.

    Attributes
    ----------
    sources
        Source of each player: a name, a folder or an address.
    command
        Command that continues the bench.
    forfeiting
        Reason why an engine plays no more, by its name.
    """

    def __init__(self, rule: StoppingRule, until: float) -> None:
        self._rule, self._until = rule, until
        self.sources: dict[str, str] = {}
        self.command = ""
        self.forfeiting: dict[str, str] = {}

    def result(self, standings: TournamentResult, field: Field) -> BenchResult:
        """Return the result of the games so far."""
        error = self._rule.error or 0.0
        return BenchResult(standings, self.sources, field, error, self.command, self.forfeiting)

    def play(
        self, pool: PoolRun, newcomers: Sequence[Newcomer], absent: Collection[str] = ()
    ) -> None:
        """Let all players join, and play until the ratings of those present are certain enough."""
        require_variety(pool.options, pool.game, [one.player for one in newcomers])
        _require_unchanged(pool, newcomers)
        pool.gather(absent)
        for one in newcomers:
            pool.joined(one)
        self.sources |= {one.name: one.source for one in pool.entries.values()}
        while True:
            try:
                self._measure(pool)
                return
            except ForfeitError as error:  # the others play on
                self.forfeiting[error.player] = error.reason
                warnings.warn(f"{error.player} plays no more: it {error.reason}", stacklevel=2)
                number = next(k for k, one in pool.entries.items() if one.name == error.player)
                del pool.players[number]

    def _measure(self, pool: PoolRun) -> None:
        """Play until the ratings of all players that can play are certain enough."""
        entries, error = list(pool.entries.values()), self._rule.error or 0.0
        so_far: list[RatingProgress] = []

        def follow(ratings: Ratings) -> None:
            widths = [half_width(ratings, k) for k in range(len(entries))]
            widest = max(range(len(entries)), key=widths.__getitem__)
            games = int(ratings.games.sum()) // 2
            so_far[:] = [
                RatingProgress(entries[widest].name, ratings, games, widths[widest], error)
            ]
            tell([])

        def tell(_: object) -> None:
            for one in so_far:
                pool.progress(pool.result(one), 0)

        def is_over(_: object = None) -> bool:
            return time.monotonic() >= self._until

        games = PoolGames(pool, _counts(pool), tell)
        pairs = pool.journal.pairs.values()
        before = [pair for pair in pairs if pair.number < games.counts[pair.pairing]]
        ratings, _ = sharpen_all(
            [one.name for one in entries],
            games.games(before),
            lambda plan: games.play(plan, is_over),
            goal=error,
            most_pairs=self._rule.pairs,
            room=games.room(),
            seed=pool.settings.seed,
            progress=follow,
            is_over=is_over,
        )
        for k, entry in enumerate(entries):
            pool.change(entry.number, rated=bool(half_width(ratings, k) <= error))
        room = games.room()
        if room and not any(room.values()) and not all(one.rated for one in pool.entries.values()):
            warnings.warn(
                f"all {len(pool.openings)} openings are used up in every pairing; longer ones "
                "(--opening-plies) in another folder (--out) are more",
                stacklevel=2,
            )


def _counts(pool: PoolRun) -> dict[int, int]:
    """Return the number of pairs of each pairing, up to the first missing one."""
    counts: dict[int, int] = {}
    for pairing, number in sorted(pool.journal.pairs):
        if counts.setdefault(pairing, 0) == number:
            counts[pairing] += 1
    return counts


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


def _warn_of_other_versions(folder: Path, before: dict[str, str], now: dict[str, str]) -> None:
    """Warn if other versions of the engines have played the games of a folder."""
    changed = [name for name, version in now.items() if before.get(name, version) != version]
    if changed:
        warnings.warn(
            f"{', '.join(changed)} played as another version before ({before[changed[0]]}, now "
            f"{now[changed[0]]}); to measure it alone, take the old one out first: "
            f"samuel tournament {folder} --remove {shlex.quote(changed[0])}",
            stacklevel=4,
        )


def _require_unchanged(pool: PoolRun, newcomers: Sequence[Newcomer]) -> None:
    """Raise UserError if a newcomer has the name of another player of the folder."""
    there = {one.name: one.digest for one in pool.entries.values()}
    for one in newcomers:
        if there.get(one.label, one.digest) != one.digest:
            raise UserError(
                f"{one.label} of {pool.folder} is not the {one.label} of now: it has changed since "
                "then; give another folder (--out), or take the old one out with samuel tournament "
                f"{pool.folder} --remove {shlex.quote(one.label)}"
            )


def _command(pool: PoolRun, typed: dict[str, Any], players: Sequence[str]) -> str:
    """Return the command of a bench with the settings of its folder."""
    game, settings = pool.game, pool.settings
    options = replace(
        settings.options(),
        openings=openings_of(pool.folder, settings),
        opening_plies=settings.opening_plies,
        balance=settings.balance,
    )
    told = asked_for(game, settings.limits, AlphaBeta(), None, options) | typed
    if told["exact_from"] == Limits().solved_from(game):
        del told["exact_from"]
    if "seconds" in told:
        told = {"ms": 1000 * told.pop("seconds"), **told}
    words = ["samuel", "bench", told.pop("game"), *(one for one in players if not is_engine(one))]
    for one in filter(is_engine, players):
        words += ["--engine", one]
    for name, value in told.items():
        text = f"{value:.12g}" if isinstance(value, float) else str(value)
        words += [f"--{called_now(name).replace('_', '-')}", text]
    return shlex.join(words) + plugin_options(game.name)
