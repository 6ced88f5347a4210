"""Results of events: what every event has, and those of a match."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.arena.journal import ABOUT
from samuel.arena.records import (
    AGREED,
    SOLVED,
    Pair,
    column,
    faults_of,
    frame_of_games,
    results_of,
    sides_of,
)
from samuel.arena.sequential.sprt import Sprt, SprtState
from samuel.arena.statistics import (
    MatchStatistics,
    MeanResult,
    match_statistics,
    mean_with_interval,
)
from samuel.common.displayable import Displayable, share, with_interval
from samuel.common.json_files import as_record
from samuel.games.game import Game

_LEAST_SECONDS = 0.1
"""A speed that was measured in less is noise."""


@dataclass(frozen=True, repr=False)
class EventResult(Displayable):
    """Result of an event: the description in its folder, and its games.

    Attributes
    ----------
    event
        Contents of `event.json`.
    game
        Game that was played.
    pairs
        Records of the game pairs.
    out
        Folder with the games, or None.
    """

    event: Mapping[str, Any]
    game: Game
    pairs: Sequence[Pair] = ()
    out: Path | None = None

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the players."""
        return tuple(one["name"] for one in self.event["players"])

    @property
    def engines(self) -> tuple[str, ...]:
        """Names of the players that are engines of other programs."""
        return tuple(one["name"] for one in self.event["players"] if one["engine"])

    @property
    def openings(self) -> str:
        """Openings, in words."""
        return str(self.event[ABOUT].get("openings", ""))

    @property
    def adjudicate_from(self) -> int:
        """Number of plies left from which the solver decided games with engines; 0 for never."""
        return int(self.event.get("adjudicate_from", 0)) if self.engines else 0

    @property
    def adjudicated(self) -> int:
        """Number of games with engines that the solver decided."""
        if not self.adjudicate_from:
            return 0
        engines = {self.names.index(name) for name in self.engines}
        return sum(
            one.ending == SOLVED and bool(engines & {*sides_of(one.pairing)})
            for pair in self.pairs
            for one in pair
        )

    def frame(self) -> pd.DataFrame:
        """Return the games as a table (arena.records.frame_of_games).

        Returns
        -------
        pd.DataFrame
            Frame with one row per game.
        """
        return frame_of_games(self.pairs, self.game, self.names)

    def as_dict(self) -> dict[str, Any]:
        """Return the result with the names that the JSON output and reports use.

        Returns
        -------
        dict[str, Any]
            Names and values.
        """
        return {
            "openings": self.openings,
            "adjudicated": self.adjudicated,
            "adjudicate_from": self.adjudicate_from,
            "out": None if self.out is None else str(self.out),
        }


class MatchResult(EventResult):
    """Result of a match, from the side of player A.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.match("classic", "zero", game="tic_tac_toe", depth=1, pairs=4)
    >>> result.results.shape
    (4, 2)
    """

    def __repr__(self) -> str:
        s = self.statistics
        return (
            f"MatchResult({self.a} against {self.b}: {s.games} games, +{s.wins} ={s.draws} "
            f"-{s.losses}, {share(s.score)}, "
            f"Elo {with_interval(s.elo, s.elo_low, s.elo_high, level='')})"
        )

    @property
    def a(self) -> str:
        """Name of player A."""
        return self.names[0]

    @property
    def b(self) -> str:
        """Name of player B."""
        return self.names[1]

    @property
    def limits(self) -> str:
        """Limits of both sides, in words."""
        return " against ".join(dict.fromkeys(one["limits"] for one in self.event["players"]))

    @functools.cached_property
    def sprt(self) -> Sprt | None:
        """Sequential test of the match, or None."""
        sprt = self.event[ABOUT].get("sprt")
        where = str(self.out)
        return None if sprt is None else as_record(sprt, Sprt, where, "run the match again")

    @functools.cached_property
    def results(self) -> NDArray[np.float32]:
        """Result of each game for A in the game's unit, float32 (pairs, 2); A begins the first."""
        return results_of(self.pairs)

    @functools.cached_property
    def statistics(self) -> MatchStatistics:
        """Wins, draws, losses, Elo and its interval, over pairs."""
        points = (1 + np.sign(self.results)) / 2
        return match_statistics(points[:, 0], points[:, 1])

    @property
    def mean_result(self) -> float:
        """Mean result of a game for A, in the game's unit."""
        return self.mean.mean

    @property
    def mean(self) -> MeanResult:
        """Mean result of a game for A with its 95 % interval, in the game's unit."""
        return mean_with_interval(self.results, self.game.scores.max_utility)

    @property
    def state(self) -> SprtState | None:
        """State of the sequential test, or None."""
        if self.sprt is None:
            return None
        return self.sprt.state(self.statistics.pentanomial or ())

    @functools.cached_property
    def _spent(self) -> tuple[tuple[float, float, float], ...]:
        """Positions, seconds and moves of A and of B."""
        columns = (column(self.pairs, name) for name in ("nodes", "seconds", "turns"))
        sums = [one.reshape(-1, 2, 2).sum(axis=(0, 1)).tolist() for one in columns]
        return tuple(zip(*sums, strict=True))

    @property
    def nodes_per_second(self) -> tuple[float, float]:
        """Positions per second of A and of B; 0 for an engine."""
        a, b = (nodes / max(seconds, 1e-9) for nodes, seconds, _ in self._spent)
        return a, b

    @property
    def measured_speeds(self) -> tuple[float | None, float | None]:
        """Positions per second of A and of B; None for an engine, or if too few were searched."""
        a, b = (
            rate if rate and seconds >= _LEAST_SECONDS else None
            for (_, seconds, _), rate in zip(self._spent, self.nodes_per_second, strict=True)
        )
        return a, b

    @property
    def seconds_per_move(self) -> tuple[float, float]:
        """Seconds per move of A and of B."""
        a, b = (seconds / max(moves, 1) for _, seconds, moves in self._spent)
        return a, b

    @functools.cached_property
    def faults(self) -> tuple[dict[str, int], dict[str, int]]:
        """Number of games that A and B lost by faults, by kind of fault."""
        a, b = faults_of(self.pairs)
        return dict(a), dict(b)

    @property
    def agreed(self) -> int:
        """Number of games that the scores of both sides decided."""
        return sum(one.ending == AGREED for pair in self.pairs for one in pair)

    def as_dict(self) -> dict[str, Any]:  # noqa: D102
        s, mean = self.statistics, self.mean
        keys = (
            "games wins losses draws score score_low score_high elo elo_low elo_high "
            "nelo nelo_low nelo_high los"
        )
        return {
            "a": self.a,
            "b": self.b,
            **{key: getattr(s, key) for key in keys.split()},
            "limits": self.limits,
            "epsilon": self.event.get("epsilon", 0.0),
            "pentanomial": s.pentanomial,
            "mean_result": mean.mean,
            "mean_result_low": mean.low,
            "mean_result_high": mean.high,
            "nodes_per_second": self.nodes_per_second,
            "seconds_per_move": self.seconds_per_move,
            "faults": {"a": self.faults[0], "b": self.faults[1]},
            "agreed": self.agreed,
            "sprt": self._sprt_as_dict(),
            **super().as_dict(),
        }

    def _sprt_as_dict(self) -> dict[str, Any] | None:
        state = self.state
        if self.sprt is None or state is None:
            return None
        return {
            **{key: getattr(self.sprt, key) for key in ("elo0", "elo1", "alpha", "beta", "model")},
            **{key: getattr(state, key) for key in ("llr", "lower", "upper", "decision")},
        }


def adjudicated_in_words(adjudicated: int, games: int, adjudicate_from: int) -> str:
    """Return how many of the games the solver decided, from where on, and what that means."""
    return (
        f"{adjudicated:,} of {games:,} games, from {adjudicate_from} empties, by perfect "
        "play; later errors of either player do not count"
    )
