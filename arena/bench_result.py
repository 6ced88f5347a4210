"""Result of a bench: a leaderboard, and what is needed to repeat it.

Players of a bench: evaluators of a game, and installed programs.
"""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.arena.engine_pool import open_engine
from samuel.arena.engines.address import Address, is_engine
from samuel.arena.engines.process import EngineError
from samuel.arena.records import Pair, results_of, sides_of
from samuel.arena.standings import TournamentResult
from samuel.arena.statistics import mean_with_interval
from samuel.common.errors import UserError, unknown
from samuel.common.versions import machine
from samuel.games.game import Game
from samuel.games.groups import OutsideEngine
from samuel.games.position import Position
from samuel.models import evaluator_names

_ROOT = Path(__file__).parents[1]
_ALSO_IN = "/usr/games"
"""Debian's folder of programs that play, which is not on every path."""
_KNOW_NOTHING = ("zero", "random")
"""Evaluators that play only to fill a bench: a player that loses every game has no rating."""


@dataclass(frozen=True)
class Missing:
    """A program that plays the game, but not here."""

    name: str
    install: str
    reason: str


@dataclass(frozen=True)
class BenchPlayers:
    """The players of a bench."""

    players: tuple[str, ...]
    versions: dict[str, str]
    missing: tuple[Missing, ...]


def bench_players(
    game: Game, others: Sequence[str], without: Sequence[str], timeout: float
) -> BenchPlayers:
    """Return the players: known evaluators and engines, and others that a user names."""
    own = [name for name in evaluator_names(game) if name not in _KNOW_NOTHING]
    names = [
        *evaluator_names(game),
        *(label for one in game.defaults.engines for label, _ in _levels(one)),
    ]
    names += [one.name for one in game.defaults.engines]
    for name in without:
        if name not in names:
            raise unknown("player of the bench", name, names, of=game.name)
    engines, versions, missing = _known_engines(game, without, timeout)
    for one in others:
        if is_engine(one):
            versions[Address.parse(one).name] = _version(one, game, timeout)
    players = [*dict.fromkeys([*(name for name in own if name not in without), *engines, *others])]
    if len(players) < 2:
        players += [one for one in _KNOW_NOTHING if one not in (*players, *without)][
            : 2 - len(players)
        ]
    return BenchPlayers(tuple(players), versions, missing)


def _levels(engine: OutsideEngine) -> Iterator[tuple[str, str]]:
    """Yield the name and the address of each level of an engine."""
    for words, level in engine.levels.items():
        text = engine.address.format(level=level, root=shlex.quote(str(_ROOT)))
        yield f"{engine.name} {words}".strip(), text


def _known_engines(
    game: Game, without: Sequence[str], timeout: float
) -> tuple[list[str], dict[str, str], tuple[Missing, ...]]:
    """Return the addresses of the engines that play, their versions, and the missing programs."""
    found: list[str] = []
    versions: dict[str, str] = {}
    missing = []
    for engine in game.defaults.engines:
        wanted = [(label, text) for label, text in _levels(engine) if label not in without]
        if engine.name in without or not wanted:
            continue
        try:
            addresses = [_address(label, text) for label, text in wanted]
            version = _version(addresses[0], game, timeout)
        except UserError as error:
            missing.append(Missing(engine.name, engine.install, str(error)))
            continue
        found += addresses
        versions |= {label: version for label, _ in wanted}
    return found, versions, tuple(missing)


def _address(label: str, text: str) -> str:
    """Return the address of an engine under its name, its program with its folder."""
    command = Address.parse(text).command
    program, *rest = shlex.split(command)
    place = shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), _ALSO_IN]))
    if place is None:
        raise UserError(f"there is no program {program}")
    return f"{label}={text.removesuffix(command)}{shlex.join([place, *rest])}"


def _version(address: str, game: Game, timeout: float) -> str:
    """Return the name and version of an engine that can set up a game."""
    try:
        with open_engine(address, timeout) as engine:
            engine.begin(Position.start(game))
            return f"{engine.name} {getattr(engine, 'version', '')}".strip()
    except EngineError as error:
        raise UserError(f"it does not play {game.name}: {error}") from None


@dataclass(frozen=True, repr=False, kw_only=True)
class BenchResult(TournamentResult):
    """Result of a bench.

    Attributes
    ----------
    sources
        Evaluator, folder of a model, or address of the engine, by the name of the player.
    field
        Players, with the versions of the engines, and the programs that are missing.
    error
        Half-width of the 95 % interval, in Elo, at which a player needs no more games.
    command
        Command that continues the bench, or plays it again in another folder.
    forfeiting
        Reason why an engine was left out after it had forfeited games, by its name.

    Examples
    --------
    >>> import samuel, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     field = {"game": "connect_four", "without": "learned"}
    ...     result = samuel.bench(**field, nodes=20, pairs=2, out=f"{folder}/bench")
    >>> sorted(result.names)
    ['classic', 'zero']
    """

    sources: Mapping[str, str]
    field: BenchPlayers
    error: float
    command: str
    forfeiting: Mapping[str, str]

    def __repr__(self) -> str:
        return f"BenchResult({self.game.name}: {self.ratings!r})"

    @property
    def uncertain(self) -> list[str]:
        """Players whose interval is wider than `error`, the widest first."""
        widths = {name: self.ratings.half_width(k) for k, name in enumerate(self.ratings.names)}
        wide = [name for name, width in widths.items() if not width <= self.error]
        return sorted(wide, key=lambda name: -widths[name])

    @property
    def has_margins(self) -> bool:
        """True if results are more than wins: discs or points."""
        return not self.game.scores.scale and self.game.scores.max_utility > 1

    def seconds_per_move(self) -> dict[str, float]:
        """Return the mean time of a move of each player, in seconds.

        Returns
        -------
        dict[str, float]
            Seconds by the name of the player; those without a move are left out.
        """
        seconds, moves = np.zeros((2, len(self.names)))
        for one in (one for pair in self.pairs for one in pair):
            sides = [*sides_of(one.pairing)]
            seconds[sides] += one.seconds
            moves[sides] += one.turns
        return {name: float(seconds[k] / moves[k]) for k, name in enumerate(self.names) if moves[k]}

    def meetings(self) -> dict[tuple[str, str], NDArray[np.float64]]:
        """Return the results of each pairing, in the game's unit.

        Returns
        -------
        dict[tuple[str, str], NDArray[np.float64]]
            Results of the game pairs for the first of the two players, (pairs, 2).
        """
        met: dict[int, list[Pair]] = {}
        for pair in self.pairs:
            met.setdefault(pair[0].pairing, []).append(pair)
        names, sides = self.names, {pairing: sides_of(pairing) for pairing in met}
        return {
            (names[sides[one][0]], names[sides[one][1]]): results_of(pairs).astype(np.float64)
            for one, pairs in met.items()
        }

    def as_dict(self) -> dict[str, Any]:  # noqa: D102
        told, seconds = super().as_dict(), self.seconds_per_move()
        for row in told["players"]:
            name = row["player"]
            source = self.sources.get(name, name)
            kind = "engine" if is_engine(source) else "evaluator"
            row |= {kind: source, "version": self.field.versions.get(name)}
            row["seconds_per_move"] = seconds.get(name)
        del told["kind"]
        return {
            "game": self.game.name,
            **told,
            "error": self.error,
            "uncertain": self.uncertain,
            "forfeiting": dict(self.forfeiting),
            "meetings": [
                {"first": first, "second": second, **self._told(results)}
                for (first, second), results in self.meetings().items()
            ],
            "missing": [vars(one) for one in self.field.missing],
            "command": self.command,
            "date": time.strftime("%Y-%m-%d"),
            "machine": machine(),
        }

    def _told(self, results: NDArray[np.float64]) -> dict[str, Any]:
        mean = mean_with_interval(results, self.game.scores.max_utility)
        return {
            **{"games": results.size, "wins": int((results > 0).sum())},
            **{"draws": int((results == 0).sum()), "losses": int((results < 0).sum())},
            **{"mean_result": mean.mean},
            **{"mean_result_low": mean.low, "mean_result_high": mean.high},
        }
