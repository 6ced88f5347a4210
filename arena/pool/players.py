"""Who is to be added to a pool, how far that is, and whether an engine plays at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from samuel.arena.players import Player, player
from samuel.arena.pool.folder import PoolPlayer, PoolSettings
from samuel.arena.rating import Ratings
from samuel.errors import UserError
from samuel.games.interface import Game
from samuel.search.methods import method_named


@dataclass(frozen=True)
class Added:
    """How far the rating of a new player is.

    Attributes
    ----------
    ratings
        Of all, relative to the mean of the others; from before the batch that is being played.
    games
        That were played since it was added, its own and others'.
    half_width
        Of its interval, in Elo.
    goal
        What that is to come down to.
    """

    name: str
    ratings: Ratings
    games: int
    half_width: float
    goal: float


def pool_player(who: str, game: Game, settings: PoolSettings) -> Player:
    """Return a player under the terms of a pool."""
    return player(who, game, (settings.limits,), method_named(settings.method))


@dataclass(frozen=True)
class Newcomer:
    """Who is to be added.

    Attributes
    ----------
    digest
        Its own (Player.digest).
    name
        What the pool is asked to call it, or None.
    goal, most_pairs
        When it is rated well enough.
    """

    who: str
    player: Player
    digest: str
    name: str | None
    goal: float
    most_pairs: int

    @classmethod
    def of(
        cls,
        who: str,
        game: Game,
        settings: PoolSettings,
        name: str | None,
        goal: float,
        most_pairs: int,
    ) -> Newcomer:
        """Return the player that `who` names, as arena.players.player does."""
        one = pool_player(who, game, settings)
        return cls(who, one, one.digest(game), name, goal, most_pairs)

    @property
    def label(self) -> str:
        """What the pool is to call it."""
        return self.name or self.player.name

    @property
    def is_model(self) -> bool:
        """Whether it lies in a folder."""
        return not self.player.is_engine and Path(self.player.evaluator.origin) == Path(self.who)


def require_names(
    folder: Path, entries: Iterable[PoolPlayer], newcomers: Sequence[Newcomer]
) -> None:
    """Raise UserError where two players would share a name, or one would get a second."""
    taken = {entry.name: entry.digest for entry in entries}
    for one in newcomers:
        names = [name for name, digest in taken.items() if digest == one.digest]
        if names and one.name not in (None, *names):
            raise UserError(f"{one.who} is in {folder} already, as {names[0]}; leave the name out")
        if not names and one.label in taken:
            raise UserError(
                f"{folder} has another player called {one.label}; give this one another (--name)"
            )
        if not names:
            taken[one.label] = one.digest
