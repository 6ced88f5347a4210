"""Results of a comparison: a row for each model, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.arena.results import MatchResult
from samuel.common.displayable import Displayable
from samuel.games.evaluator import Evaluator
from samuel.learning.comparison.intervals import Interval, Resampling, with_bounds
from samuel.learning.comparison.solved import SolvedMoves
from samuel.learning.fitting.metrics import Metrics
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.split import Split

HEADINGS = {
    "model": "model",
    "log_loss": "log loss",
    "behind": "log loss behind the best",
    "r2": "R2",
    "mae": "mean absolute error",
    "brier": "Brier",
    "rank_correlation": "rank correlation",
    "value_kept": "moves that keep the value",
    "nanoseconds": "nanoseconds per evaluation",
    "nodes_per_second": "nodes per second",
    "parameters": "parameters",
    "bytes": "in memory",
    "seconds": "seconds to train",
}
"""Columns of the table, with the name that readers see."""

_NO_PARAMETERS = 16
"""Bytes of an evaluator's arrays that hold no parameters, but an address or nothing."""


@dataclass(frozen=True, eq=False)
class Compared:
    """A model and how it did."""

    name: str
    about: str
    evaluator: Evaluator
    metrics: Metrics
    scores: NDArray[np.float32]  # of the held-out positions
    nanoseconds: float
    nodes_per_second: float
    parameters: int | None = None
    seconds: float | None = None
    note: str = ""
    bounds: dict[str, Interval | None] | None = None
    stage_bounds: tuple[dict[str, Interval | None], ...] = ()
    behind: tuple[float, Interval | None] | None = None
    """Difference of the log loss to that of the best model, and its interval; None for the best."""
    value_kept: float | None = None
    """Share of moves that keep the solved value (SolvedMoves); None if nothing was solved."""
    match: MatchResult | None = None

    @property
    def bytes(self) -> int | None:
        """Bytes of the evaluator's parameters in memory; None where it keeps none there."""
        size = self.evaluator.integers.nbytes + self.evaluator.floats.nbytes
        return size if size > _NO_PARAMETERS else None

    @property
    def is_tied(self) -> bool:
        """True if the held-out games do not tell it from the best model."""
        return self.behind is not None and not (self.behind[1] and self.behind[1][0] > 0)

    @property
    def row(self) -> dict[str, Any]:
        """Its row of the table, under the keys of HEADINGS; `x_low` and `x_high` behind `x`."""
        difference, bounds = self.behind or (None, None)
        own: dict[str, Any] = {
            "model": self.name,
            "behind": difference,
            "value_kept": self.value_kept,
            "nanoseconds": self.nanoseconds,
            "nodes_per_second": self.nodes_per_second,
            "parameters": self.parameters,
            "bytes": self.bytes,
            "seconds": self.seconds,
        }
        values = {key: own[key] if key in own else self.metrics.get(key) for key in HEADINGS}
        return with_bounds(values, (self.bounds or {}) | {"behind": bounds})

    def as_dict(self) -> dict[str, Any]:
        """Return all that was found, as the JSON output has it."""
        stages = [
            with_bounds(figures, bounds)
            for figures, bounds in zip(self.metrics["stages"], self.stage_bounds, strict=True)
        ]
        return self.row | {
            "about": self.about,
            "rows": self.metrics["rows"],
            "r2_target": self.metrics["r2_target"],
            "mae_target": self.metrics["mae_target"],
            "scale": self.metrics["scale"],
            "tied": self.is_tied,
            "stages": stages,
            "calibration": self.metrics["calibration"],
            "match": None if self.match is None else self.match.as_dict(),
            "note": self.note,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Displayable):
    """Models on the same held-out games, the best log loss first."""

    split: Split
    models: tuple[Compared, ...]
    resampling: Resampling
    fitting: FitOptions
    solved: SolvedMoves | None = None
    opponent: str | None = None

    def __repr__(self) -> str:
        names = ", ".join(model.name for model in self.models)
        return f"Comparison({names}; {len(self.split.held_out):,} held-out positions)"

    @property
    def table(self) -> pd.DataFrame:
        """One row a model, the columns named as readers see them."""
        rows = [{key: model.row[key] for key in HEADINGS} for model in self.models]
        return pd.DataFrame(rows).rename(columns=HEADINGS)

    @property
    def tied(self) -> list[str]:
        """Names of the models that the held-out games do not tell from the best."""
        return [model.name for model in self.models if model.is_tied]
