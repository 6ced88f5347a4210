"""Results of a tournament, a rating pool included."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from samuel.arena.engines import is_engine
from samuel.arena.journal import EVENT, game_of_event, read_journal
from samuel.arena.pool_folder import POOL, PoolPlayer, known_pairs, read_pool
from samuel.arena.pool_settings import PoolSettings
from samuel.arena.rating import Games, Ratings, games_of, only_player, rate, require_anchor
from samuel.arena.records import MOST_PLAYERS, PlayedPair, frame_of_games
from samuel.arena.results import adjudicated_in_words
from samuel.arena.schedules import Pairing
from samuel.arena.tally import Tally
from samuel.common.displayable import Displayable
from samuel.common.errors import UserError
from samuel.games.catalog import known_game
from samuel.games.interface import Game

GROWING = "pool"
"""The kind of a tournament that grows by players."""


@dataclass(frozen=True)
class RatingProgress:
    """Progress of the rating of a new player of a pool.

    Attributes
    ----------
    ratings
        Ratings of all players, relative to the mean of the others, before the batch being played.
    games
        Number of games since it was added, its own and others'.
    half_width
        Half the width of its interval, in Elo.
    goal
        Half width at which it is rated.
    """

    name: str
    ratings: Ratings
    games: int
    half_width: float
    goal: float


@dataclass(frozen=True, repr=False)
class TournamentResult(Displayable):
    """Result of a tournament.

    Attributes
    ----------
    kind
        One of samuel.arena.tournament.KINDS.
    pairs
        Records of all game pairs. The pairing of players i and j has the number i * n + j, in a
        pool i * MOST_PLAYERS + j.
    settings
        Limits in words; players may have different ones.
    openings
        Openings, in words.
    anchor
        Player whose rating is 0, or None if the mean rating is 0.
    out
        Folder with the games, or None.
    adjudicate_from
        Number of plies left from which the solver decided games with engines; 0 for never.
    engines
        Names of the players that are engines of other programs.
    numbers
        Numbers of the players of a pool.
    unrated
        Players of a pool whose games are not complete.
    rating
        Progress of the rating of a new player, while it plays.
    so_far
        Sums over `pairs` by their pairing, if they are known; else they are made when they are
        needed.
    names
        Names of the players.
    game
        Game that was played.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.tournament(["classic", "zero"], game="tic_tac_toe", depth=1, pairs=2)
    >>> result.names
    ('classic', 'zero')
    """

    kind: str
    names: tuple[str, ...]
    pairs: Sequence[PlayedPair]
    settings: tuple[str, ...]
    openings: str
    game: Game
    anchor: str | None = None
    out: Path | None = None
    adjudicate_from: int = 0
    engines: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    unrated: tuple[str, ...] = ()
    rating: RatingProgress | None = None
    so_far: Mapping[int, Tally] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return (
            f"TournamentResult({self.kind}: {len(self.names)} players, {2 * len(self.pairs)} games)"
        )

    @functools.cached_property
    def games(self) -> Games:
        """The games as arrays, as ratings are made of them."""
        games = games_of(self.pairs, self._width, self.game)
        if not self.numbers:
            return games
        places = np.zeros(max(self.numbers) + 1, np.int64)
        places[list(self.numbers)] = np.arange(len(self.numbers))
        return replace(games, first=places[games.first], second=places[games.second])

    @property
    def _width(self) -> int:
        return MOST_PLAYERS if self.numbers else len(self.names)

    def sides(self, pairing: int) -> Pairing:
        """Return the places of both players of a pairing.

        Parameters
        ----------
        pairing
            Number of the pairing.

        Returns
        -------
        Pairing
            Places of both players in `names`.
        """
        i, j = divmod(pairing, self._width)
        return (self.numbers.index(i), self.numbers.index(j)) if self.numbers else (i, j)

    @functools.cached_property
    def ratings(self) -> Ratings:
        """Everyone's, from all games."""
        if len(self.names) == 1:
            require_anchor(self.names, self.anchor)
            return only_player(self.names[0])
        return rate(self.names, self.games, anchor=self.anchor)

    @property
    def points(self) -> list[float]:
        """Points of each player: a win is 1, a draw 1/2."""
        points = [0.0] * len(self.names)
        for pairing, tally in self._tallies.items():
            for number, its in zip(self.sides(pairing), tally.points(), strict=True):
                points[number] += its
        return points

    @functools.cached_property
    def _tallies(self) -> Mapping[int, Tally]:
        if self.so_far is not None:
            return self.so_far
        tallies: dict[int, Tally] = {}
        for pair in self.pairs:
            tallies.setdefault(pair.pairing, Tally(len(self.settings))).add(pair)
        return tallies

    @property
    def faults(self) -> dict[str, int]:
        """Number of games that each player lost by a fault of its own, such as time, if any."""
        faults: Counter[str] = Counter()
        for pairing, tally in self._tallies.items():
            for number, its in zip(self.sides(pairing), tally.faults, strict=True):
                if its:
                    faults[self.names[number]] += its.total()
        return dict(faults)

    @property
    def adjudicated(self) -> int:
        """Number of games with engines that the solver decided."""
        engines = {self.names.index(name) for name in self.engines}
        return sum(
            tally.solved
            for pairing, tally in self._tallies.items()
            if self.adjudicate_from and engines & {*self.sides(pairing)}
        )

    @property
    def about(self) -> str:
        """Description of the event, in sentences."""
        words = [
            f"{2 * len(self.pairs):,} games, in pairs of one opening with colours swapped.",
            f"Limits: {'; '.join(self.settings)}. Openings: {self.openings}.",
            *(f"{who} lost {n:,} games by a fault of its own." for who, n in self.faults.items()),
        ]
        if self.adjudicated:
            said = adjudicated_in_words(self.adjudicated, 2 * len(self.pairs), self.adjudicate_from)
            words.append(f"The solver adjudicated {said}.")
        return " ".join(words)

    def frame(self) -> pd.DataFrame:
        """Return the games as a table (arena.records.frame_of_games).

        Returns
        -------
        pd.DataFrame
            Frame with one row per game.
        """
        pairings = {}
        for pairing in {pair.pairing for pair in self.pairs}:
            i, j = self.sides(pairing)
            pairings[pairing] = self.names[i], self.names[j]
        return frame_of_games(self.pairs, self.game, pairings, self.settings)

    def as_dict(self) -> dict[str, Any]:
        """Return the result with the names that the JSON output uses.

        Returns
        -------
        dict[str, Any]
            Names and values.
        """
        return {
            "kind": self.kind,
            "games": 2 * len(self.pairs),
            **self.ratings.as_dict(),
            "openings": self.openings,
            "limits": list(self.settings),
            "faults": self.faults,
            "adjudicated": self.adjudicated,
            "adjudicate_from": self.adjudicate_from,
            "out": None if self.out is None else str(self.out),
            **(self._of_pool() if self.numbers else {}),
        }

    def _of_pool(self) -> dict[str, Any]:
        return {"pool": str(self.out), "game": self.game.name, "unrated": list(self.unrated)}


def read_tournament(folder: Path | str, anchor: str | None = None) -> TournamentResult:
    """Return what the tournament in a folder has found so far; others may write to a pool.

    Raises
    ------
    UserError
        It is the folder of no tournament, or damaged; there is no such game or player.
    """
    folder = Path(folder)
    # the games first: who has played is in pool.json by then, or was taken out
    is_begun = (folder / EVENT).exists() or not (folder / POOL).exists()
    event, pairs = read_journal(folder) if is_begun else ({"kind": GROWING, "about": {}}, [])
    if event["kind"] == GROWING:
        settings, entries = read_pool(folder)
        about = event["about"].get("openings", "")
        result = pool_result(folder, settings, entries.values(), pairs, about)
    elif event["kind"] == "match":
        raise UserError(f"{folder} is the folder of a match; samuel games {folder} shows its games")
    else:
        players = event["players"]
        contradiction = UserError(
            f"{folder} is damaged: its files contradict each other; run the tournament again"
        )
        if not players:  # the event of a pool has none
            raise contradiction
        engines = tuple(one["name"] for one in players if one["engine"])
        result = TournamentResult(
            event["kind"],
            tuple(one["name"] for one in players),
            tuple(pairs),
            tuple(next((one for one in players if not one["engine"]), players[0])["allowances"]),
            event["about"].get("openings", ""),
            game_of_event(folder, event),
            out=folder,
            adjudicate_from=event.get("adjudicate_from", 0) if engines else 0,
            engines=engines,
        )
        if any(max(result.sides(pair.pairing)) >= len(players) for pair in pairs):
            raise contradiction
    require_anchor(result.names, anchor)
    return replace(result, anchor=anchor)


def pool_result(
    folder: Path,
    settings: PoolSettings,
    entries: Iterable[PoolPlayer],
    pairs: Iterable[PlayedPair],
    openings: str,
    rating: RatingProgress | None = None,
) -> TournamentResult:
    """Return what a pool has found: from the pairs between its players, whoever played others."""
    entries = list(entries)
    numbers = tuple(one.number for one in entries)
    engines = tuple(one.name for one in entries if is_engine(one.source))
    return TournamentResult(
        GROWING,
        tuple(one.name for one in entries),
        tuple(sorted(known_pairs(pairs, numbers), key=lambda pair: pair.key)),
        (settings.text,),
        openings,
        known_game(settings.game),
        out=folder,
        adjudicate_from=settings.adjudicate_from if engines else 0,
        engines=engines,
        numbers=numbers,
        unrated=tuple(one.name for one in entries if not one.rated),
        rating=rating,
    )
