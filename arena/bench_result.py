"""Result of a bench: a leaderboard, and what is needed to repeat it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.arena.bench_players import BenchPlayers
from samuel.arena.engines.address import is_engine
from samuel.arena.records import Pair, results_of, sides_of
from samuel.arena.standings import TournamentResult
from samuel.arena.statistics import mean_with_interval
from samuel.common.versions import machine


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
