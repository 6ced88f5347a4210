"""Results of a tournament."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from samuel.arena.journal import game_of_event, read_journal
from samuel.arena.ratings import Games, Ratings, rate, require_anchor
from samuel.arena.records import MOST_PLAYERS, SOLVED, Pair, column, frame_of_games, results_of
from samuel.arena.results import adjudicated_in_words
from samuel.arena.running import Event
from samuel.arena.schedules import Pairing
from samuel.common.displayable import Displayable
from samuel.common.errors import UserError
from samuel.games.game import Game


@dataclass(frozen=True, repr=False)
class TournamentResult(Displayable):
    """Result of a tournament.

    Attributes
    ----------
    kind
        One of samuel.arena.tournament.KINDS, or `bench`.
    pairs
        Records of all game pairs.
    limits
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
    pairs: Sequence[Pair]
    limits: str
    openings: str
    game: Game
    anchor: str | None = None
    out: Path | None = None
    adjudicate_from: int = 0
    engines: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"TournamentResult({self.kind}: {len(self.names)} players, {2 * len(self.pairs)} games)"
        )

    @functools.cached_property
    def games(self) -> Games:
        """The games as arrays, as ratings are made of them."""
        return games_of(self.pairs)

    @staticmethod
    def sides(pairing: int) -> Pairing:
        """Return the places of both players of a pairing."""
        return divmod(pairing, MOST_PLAYERS)

    @functools.cached_property
    def ratings(self) -> Ratings:
        """Everyone's, from all games."""
        return rate(self.names, self.games, anchor=self.anchor)

    @functools.cached_property
    def points(self) -> list[float]:
        """Points of each player: a win is 1, a draw 1/2."""
        found, n = self.games, len(self.names)
        points = np.bincount(found.first, found.score, n)
        return (points + np.bincount(found.second, 1 - found.score, n)).tolist()

    @functools.cached_property
    def faults(self) -> dict[str, int]:
        """Number of games that each player lost by a fault of its own, such as time, if any."""
        games = (one for pair in self.pairs for one in pair if one.fault is not None)
        lost = Counter(self.sides(one.pairing)[one.fault or 0] for one in games)
        return {self.names[number]: lost[number] for number in sorted(lost)}

    @property
    def adjudicated(self) -> int:
        """Number of games with engines that the solver decided."""
        engines = {self.names.index(name) for name in self.engines}
        return sum(
            one.ending == SOLVED and bool(engines & {*self.sides(one.pairing)})
            for pair in self.pairs
            if self.adjudicate_from
            for one in pair
        )

    @property
    def about(self) -> str:
        """Description of the event, in sentences."""
        words = [
            f"{2 * len(self.pairs):,} games, in pairs of one opening with colours swapped.",
            f"Limits: {self.limits}. Openings: {self.openings}.",
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
        return frame_of_games(self.pairs, self.game, self.names)

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
            "limits": self.limits,
            "faults": self.faults,
            "adjudicated": self.adjudicated,
            "adjudicate_from": self.adjudicate_from,
            "out": None if self.out is None else str(self.out),
        }


def empty_result(event: Event, anchor: str | None = None) -> TournamentResult:
    """Return the result of an event without games."""
    players = list(event.players.values())
    told = next((one for one in players if not one.is_engine), players[0])
    return TournamentResult(
        *(event.kind, event.names, (), told.settings, event.openings.name, event.game),
        *(anchor, event.options.folder, event.adjudicate_from, event.engines),
    )


def games_of(pairs: Sequence[Pair]) -> Games:
    """Return the pairs of games of a tournament as ratings take them."""
    n = 2 * len(pairs)
    first, pairing = (
        column(pairs, name).reshape(n).astype(np.int64) for name in ("first", "pairing")
    )
    sides = np.stack(np.divmod(pairing, MOST_PLAYERS), axis=1)
    score = (1 + (1 - 2 * first) * np.sign(results_of(pairs).reshape(n))) / 2
    rows = np.arange(n)
    return Games.of(sides[rows, first], sides[rows, 1 - first], score, rows // 2)


def read_tournament(folder: Path | str, anchor: str | None = None) -> TournamentResult:
    """Return what the tournament in a folder has found so far."""
    folder = Path(folder)
    event, pairs = read_journal(folder)
    if event["kind"] == "match":
        raise UserError(f"{folder} is the folder of a match; samuel games {folder} shows its games")
    players = event["players"]
    names = tuple(one["name"] for one in players)
    engines = tuple(one["name"] for one in players if one["engine"])
    places = (place for pair in pairs for place in divmod(pair[0].pairing, MOST_PLAYERS))
    if max(places, default=1) >= len(set(names)) or len(set(names)) < len(names):
        raise UserError(
            f"{folder} is damaged: its files contradict each other; run the tournament again"
        )
    require_anchor(names, anchor)
    return TournamentResult(
        event["kind"],
        names,
        tuple(pairs),
        next((one for one in players if not one["engine"]), players[0])["limits"],
        event["about"].get("openings", ""),
        game_of_event(folder, event),
        anchor,
        folder,
        event.get("adjudicate_from", 0) if engines else 0,
        engines,
    )
