"""Results of a tournament, and the reader of every event."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from samuel.arena.journal import game_of_event, read_journal
from samuel.arena.ratings import Games, Ratings, rate
from samuel.arena.records import MOST_PLAYERS, Pair, column, read_games, results_of, sides_of
from samuel.arena.results import EventResult, MatchResult, adjudicated_in_words
from samuel.common.errors import UserError


@dataclass(frozen=True, repr=False)
class TournamentResult(EventResult):
    """Result of a tournament.

    Attributes
    ----------
    anchor
        Player whose rating is 0, or None if the mean rating is 0.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.tournament(["classic", "zero"], game="tic_tac_toe", depth=1, pairs=2)
    >>> result.names
    ('classic', 'zero')
    """

    anchor: str | None = None

    def __repr__(self) -> str:
        return (
            f"TournamentResult({self.kind}: {len(self.names)} players, {2 * len(self.pairs)} games)"
        )

    @property
    def kind(self) -> str:
        """One of samuel.arena.tournament.KINDS, or `bench`."""
        return str(self.event["kind"])

    @property
    def limits(self) -> str:
        """Limits of the evaluators in words, or of the first engine if all players are engines."""
        players = self.event["players"]
        of_ours = [one["limits"] for one in players if not one["engine"]]
        return " or ".join(dict.fromkeys(of_ours or [players[0]["limits"]]))

    @functools.cached_property
    def games(self) -> Games:
        """The games as arrays, as ratings are made of them."""
        return games_of(self.pairs)

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
        """Number of games that each player lost by a fault, such as time, if any."""
        games = (one for pair in self.pairs for one in pair if one.fault is not None)
        lost = Counter(sides_of(one.pairing)[one.fault or 0] for one in games)
        return {self.names[number]: lost[number] for number in sorted(lost)}

    @property
    def about(self) -> str:
        """Description of the event, in sentences."""
        words = [
            f"{2 * len(self.pairs):,} games, in pairs of one opening with colours swapped.",
            f"Limits: {self.limits}. Openings: {self.openings}.",
            *(
                f"{who} lost {n:,} games by faults (time, an illegal move, or a crash)."
                for who, n in self.faults.items()
            ),
        ]
        if self.adjudicated:
            said = adjudicated_in_words(self.adjudicated, 2 * len(self.pairs), self.adjudicate_from)
            words.append(f"The solver adjudicated {said}.")
        return " ".join(words)

    def as_dict(self) -> dict[str, Any]:  # noqa: D102
        return {
            "kind": self.kind,
            "games": 2 * len(self.pairs),
            **self.ratings.as_dict(),
            "limits": self.limits,
            "faults": self.faults,
            **super().as_dict(),
        }


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


def read_result(folder: Path | str) -> MatchResult | TournamentResult:
    """Return what the event in a folder has found, as far as it was played when it last ended."""
    folder = Path(folder)
    event, pairs = read_journal(folder)
    names = {one["name"] for one in event["players"]}
    places = (place for pair in pairs for place in sides_of(pair[0].pairing))
    is_whole = len(names) == len(event["players"]) > max(places, default=1)
    if event["kind"] == "match":
        # pairs that ended after a test had stopped the match do not count: they are no games of it
        played = {pair[0].key: pair for pair in pairs}
        counted = [(1, number) for number in read_games(folder)["pair"].unique().tolist()]
        is_whole &= bool(counted) and len(names) == 2 and played.keys() >= {*counted}
        is_whole &= "openings" in event["about"]
        pairs = [played[key] for key in counted if key in played]
    if not is_whole:
        raise UserError(
            f"{folder} is damaged: its files contradict each other; run the command again that "
            "played there"
        )
    found = MatchResult if event["kind"] == "match" else TournamentResult
    return found(event, game_of_event(folder, event), tuple(pairs), folder)


def read_match(folder: Path | str) -> MatchResult:
    """Return what the match in a folder has found."""
    found = read_result(folder)
    if not isinstance(found, MatchResult):
        raise UserError(
            f"{folder} is the folder of a {found.kind}, not of a match; for the page of a "
            "tournament type samuel tournament --report"
        )
    return found
