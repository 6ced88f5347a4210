"""Result of an experiment: the strength that algorithms of learning reach, by games and by time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from samuel.arena.standings import TournamentResult
from samuel.common.displayable import Displayable
from samuel.common.json_files import plain
from samuel.learning.generations.log import AGAINST, GATING
from samuel.learning.generations.run import Run


@dataclass(frozen=True, repr=False)
class Experiment(Displayable):
    """Result of an experiment."""

    folder: Path
    runs: Mapping[tuple[str, int], Run]
    result: TournamentResult
    players: Mapping[
        str, tuple[str, int, int]
    ]  # algorithm, seed, generation; "", 0, 0 of baselines

    def __repr__(self) -> str:
        return (
            f"Experiment({str(self.folder)!r}: {', '.join(self.algorithms)}; {len(self.runs)} runs)"
        )

    @property
    def algorithms(self) -> list[str]:
        """Names of the algorithms, in their given order."""
        return list(dict.fromkeys(algorithm for algorithm, _ in self.runs))

    def frame(self) -> pd.DataFrame:
        """Return the generations of all runs, one per row.

        Columns: `algorithm`, `seed`, `generation`; `games` and `seconds` of learning so far,
        without matches; `elo` with its 95 % interval `low` to `high`; `player`, the name in the
        tournament. Generation 0 is the evaluator that a run starts from.
        """
        ratings = self.result.ratings.frame().set_index("player")
        rated = ratings[["elo", "low", "high"]].to_dict("index")
        of = {whose: name for name, whose in self.players.items()}
        rows = []
        for (algorithm, seed), run in self.runs.items():
            spent = 0.0
            for generation in range(run.generations + 1):
                spent += seconds_of_learning(run, generation)
                player = of[algorithm, seed, generation] if generation else run.name_of(0)
                games = generation * run.options.games
                known = {
                    "algorithm": algorithm,
                    "seed": seed,
                    "generation": generation,
                    "games": games,
                }
                rows.append(known | {"seconds": spent} | rated[player] | {"player": player})
        return pd.DataFrame(rows)

    def table(self) -> pd.DataFrame:
        """Return the algorithms by the last generations of their runs, the strongest first.

        Columns: `algorithm`; number of `seeds`; mean `games` and `seconds`; mean `elo`, with its
        95 % interval `low` to `high`: by the games of the tournament or, if it is wider, by the
        spread of the seeds; `weakest` and `strongest` seed.
        """
        from scipy.special import stdtrit

        last = self.frame().groupby(["algorithm", "seed"], sort=False).tail(1)
        rows = []
        for algorithm, of in last.groupby("algorithm", sort=False):
            n = len(of)
            by_games = float((((of.high - of.low) / 2) ** 2).sum()) / n**2
            by_seeds = (
                0.0 if n == 1 else float(stdtrit(n - 1, 0.975)) ** 2 * float(of.elo.var()) / n
            )
            margin = math.sqrt(max(by_games, by_seeds))
            rows.append(
                {
                    "algorithm": algorithm,
                    "seeds": n,
                    "games": int(of.games.mean()),
                    "seconds": float(of.seconds.mean()),
                    "elo": float(of.elo.mean()),
                    "low": float(of.elo.mean()) - margin,
                    "high": float(of.elo.mean()) + margin,
                    "weakest": float(of.elo.min()),
                    "strongest": float(of.elo.max()),
                }
            )
        return pd.DataFrame(rows).sort_values("elo", ascending=False, ignore_index=True)

    def as_dict(self) -> dict[str, Any]:
        """Return the result with the names of the JSON output."""
        found: dict[str, Any] = plain(
            {
                "out": str(self.folder),
                "algorithms": self.table().to_dict("records"),
                "generations": self.frame().to_dict("records"),
                "players": self.result.ratings.frame().to_dict("records"),
            }
        )
        return found


def seconds_of_learning(run: Run, generation: int) -> float:
    """Return the time of a generation's games and training, without matches against baselines.

    With one worker it is processor time, so that other programs do not count; else it is wall time.
    The gate counts if the algorithm fits: it decides which evaluator plays the next games.
    """
    return sum(
        entry["processor_seconds" if "processor_seconds" in entry else "seconds"]
        for step, entry in run.of(generation).items()
        if not step.startswith(AGAINST) and (step != GATING or not run.options.is_online)
    )
