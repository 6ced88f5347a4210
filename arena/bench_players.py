"""Players of a bench: evaluators of a game, and installed programs."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from samuel.arena.engines.address import Address, is_engine
from samuel.arena.engines.clients import open_engine
from samuel.arena.engines.process import EngineError
from samuel.common.errors import UserError, unknown
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
