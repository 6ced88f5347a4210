"""What a pool's folder says of its players: `pool.json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.allowance import Allowance
from errors import UserError
from files import read_json, write_json

POOL, PLAYERS = "pool.json", "players"


@dataclass(frozen=True)
class Entry:
    """A player of a pool.

    Attributes
    ----------
    name
        What the pool calls it.
    source
        A hand-made evaluator's name, the folder of a model's copy within the pool, or an engine.
    digest
        Of what it plays like (players.Player.digest).
    before
        How many pairs of each pairing there were when it joined.
    rated
        Whether its games are complete.
    """

    name: str
    source: str
    digest: str
    before: dict[int, int] = field(default_factory=dict)
    rated: bool = False


@dataclass(frozen=True)
class Settings:
    """Under what terms the players of a pool meet; fixed when it is made.

    Attributes
    ----------
    game
        The name of the game.
    depth, nodes, seconds
        The allowance of everybody.
    exact_from, adjudicate_from, patience, openings, opening_plies, seed
        As of a match (arena.match).
    """

    game: str = "othello"
    depth: int | None = 4
    nodes: int | None = None
    seconds: float | None = None
    exact_from: int | None = None
    adjudicate_from: int = 0
    patience: float = 60.0
    openings: str | None = None
    opening_plies: int | None = None
    seed: int = 0

    @property
    def allowance(self) -> Allowance:
        """Of everybody."""
        return Allowance(self.depth, self.nodes, self.seconds)


def read_pool(folder: Path) -> tuple[Settings, list[Entry]]:
    """Return the settings and the players of a pool.

    Raises
    ------
    UserError
        There is none, or the file is damaged.
    """
    path = folder / POOL
    content = read_json(path, "a pool of players")
    try:
        entries = [
            Entry(**{**one, "before": {int(k): int(n) for k, n in one["before"].items()}})
            for one in content["players"]
        ]
        return Settings(**content["settings"]), entries
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UserError(f"{path} is damaged: it does not describe a pool of players") from None


def settings_for(folder: Path, asked: Settings | None) -> Settings:
    """Return the settings of a pool that is there, or those of a new one.

    Raises
    ------
    UserError
        The pool has others.
    """
    if not (folder / POOL).exists():
        return asked or Settings()
    settings, _ = read_pool(folder)
    if asked is not None and asked != settings:
        differing = next(
            name for name, value in vars(settings).items() if getattr(asked, name) != value
        )
        raise UserError(
            f"{folder} has other settings ({differing} {getattr(settings, differing)}, not "
            f"{getattr(asked, differing)}): players of one pool meet under the same"
        )
    return settings


def write_pool(folder: Path, settings: Settings, entries: Sequence[Entry]) -> None:
    """Write what `read_pool` reads, whole or not at all."""
    players = [
        {**vars(entry), "before": {str(k): n for k, n in entry.before.items()}} for entry in entries
    ]
    write_json(folder / POOL, {"settings": vars(settings), "players": players})
