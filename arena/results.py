"""Results of a match."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.arena.journal import game_of_event, read_event, read_journal
from samuel.arena.records import (
    AGREED,
    SOLVED,
    Pair,
    column,
    faults_of,
    frame_of_games,
    read_games,
    results_of,
)
from samuel.arena.sequential.sprt import Sprt, SprtState
from samuel.arena.statistics import (
    MatchStatistics,
    MeanResult,
    match_statistics,
    mean_with_interval,
)
from samuel.common.displayable import Displayable
from samuel.common.errors import UserError
from samuel.common.json_files import as_record
from samuel.common.units import with_interval
from samuel.games.game import Game

_LEAST_SECONDS = 0.1
"""A speed that was measured in less is noise."""


@dataclass(frozen=True, repr=False)
class MatchResult(Displayable):
    """Result of a match, from the side of player A.

    Attributes
    ----------
    a
        Name of player A.
    b
        Name of player B.
    game
        Game that was played.
    limits
        Limits of both sides, in words.
    pairs
        Records of the game pairs.
    openings
        Openings, in words.
    sprt
        Sequential test of the match, or None.
    out
        Folder with the games, or None.
    adjudicate_from
        Number of plies left from which the solver decided games with engines; 0 for never.
    epsilon
        Share of random moves of both sides.
    planned
        Number of game pairs that are to be played, at most.

    Examples
    --------
    >>> import samuel
    >>> result = samuel.match("classic", "zero", game="tic_tac_toe", depth=1, pairs=4)
    >>> result.results.shape
    (4, 2)
    """

    a: str
    b: str
    limits: str
    pairs: Sequence[Pair]
    openings: str
    game: Game
    sprt: Sprt | None = None
    out: Path | None = None
    adjudicate_from: int = 0
    epsilon: float = 0.0
    planned: int = 0

    def __repr__(self) -> str:
        s = self.statistics
        return (
            f"MatchResult({self.a} against {self.b}: {s.games} games, +{s.wins} ={s.draws} "
            f"-{s.losses}, {s.score:.1%}, "
            f"Elo {with_interval(s.elo, s.elo_low, s.elo_high, level='')})"
        )

    @property
    def names(self) -> tuple[str, str]:
        """Names of players A and B."""
        return self.a, self.b

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
        return mean_with_interval(self.results, self.game.max_utility)

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
    def adjudicated(self) -> int:
        """Number of games with an engine that the solver decided."""
        return self._ended(SOLVED) if self.adjudicate_from else 0

    @property
    def agreed(self) -> int:
        """Number of games that the scores of both sides decided."""
        return self._ended(AGREED)

    def _ended(self, ending: str) -> int:
        return sum(one.ending == ending for pair in self.pairs for one in pair)

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
            "epsilon": self.epsilon,
            "openings": self.openings,
            "pentanomial": s.pentanomial,
            "mean_result": mean.mean,
            "mean_result_low": mean.low,
            "mean_result_high": mean.high,
            "nodes_per_second": self.nodes_per_second,
            "seconds_per_move": self.seconds_per_move,
            "faults": {"a": self.faults[0], "b": self.faults[1]},
            "adjudicated": self.adjudicated,
            "adjudicate_from": self.adjudicate_from,
            "agreed": self.agreed,
            "sprt": self._sprt_as_dict(),
            "out": None if self.out is None else str(self.out),
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


def limits_in_words(ours: str, theirs: str) -> str:
    """Return the limits of a match from those of A and B."""
    return ours if ours == theirs else f"{ours} against {theirs}"


def read_match(folder: Path | str) -> MatchResult:
    """Return what the match in a folder has found, as far as it was played when it last ended."""
    folder = Path(folder)
    event = read_event(folder)
    if event["kind"] != "match":
        raise UserError(
            f"{folder} is the folder of a {event['kind']}, not of a match; for the page of a "
            "tournament type samuel tournament --report"
        )
    # pairs that ended after a test had stopped the match do not count: they are no games of it
    counted = [(1, number) for number in read_games(folder)["pair"].unique().tolist()]
    played = {pair[0].key: pair for pair in read_journal(folder)[1]}
    players, about = event["players"], event["about"]
    is_match = len(players) == 2 and "openings" in about
    if not (counted and is_match and played.keys() >= set(counted)):
        raise UserError(
            f"{folder} is damaged: its files contradict each other; run the match again"
        )
    sprt = about.get("sprt")
    return MatchResult(
        players[0]["name"],
        players[1]["name"],
        limits_in_words(players[0]["limits"], players[1]["limits"]),
        tuple(played[key] for key in counted),
        about["openings"],
        game_of_event(folder, event),
        None if sprt is None else as_record(sprt, Sprt, str(folder), "run the match again"),
        folder,
        event.get("adjudicate_from", 0) if any(one["engine"] for one in players) else 0,
        event.get("epsilon", 0.0),
    )
