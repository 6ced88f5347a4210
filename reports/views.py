"""Views of results: title, sentences, tables and pictures, in the order of a page."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from samuel.common.displayable import Picture, Table, with_interval
from samuel.common.errors import unknown


class View(NamedTuple):
    """A result as a terminal, a page and a notebook show it."""

    title: str
    lines: Sequence[str] = ()
    parts: Sequence[Table | Picture] = ()

    @property
    def tables(self) -> list[Table]:
        """Its tables, without its pictures."""
        return [part for part in self.parts if isinstance(part, Table)]


_HOMES = {
    "Position": "scenes:position_view",
    "Result": "search:search_view",
    "Dataset": "scenes:dataset_view",
    "Explanation": "explained:explanation_view",
    "Sampling": "sampled:sampling_view",
    "MatchResult": "match.view:match_view",
    "Ratings": "tournament:ratings_view",
    "TournamentResult": "tournament:tournament_view",
    "BenchResult": "bench:bench_view",
    "TuneResult": "tuning:tuning_view",
    "SprtEvaluation": "match.view:sprt_view",
    "Trained": "trained:trained_view",
    "Comparison": "comparison:comparison_view",
    "WdlFit": "wdl:wdl_view",
    "Selection": "selection:selection_view",
    "Run": "generations.run:run_view",
    "Experiment": "generations.experiment:experiment_view",
}
"""Functions that return the view of a result, by its class: none is imported before its use."""


def view_of(shown: Any) -> View:
    """Return what is shown of a result of ours: its own tables, if it has nothing else."""
    if isinstance(shown, View):
        return shown
    names = (kind.__name__ for kind in type(shown).__mro__ if kind.__name__ in _HOMES)
    name = next(names, None)
    if name is None:
        return View(type(shown).__name__, (), shown.tables())
    module, _, function = _HOMES[name].partition(":")
    found: View = getattr(importlib.import_module(f"samuel.reports.{module}"), function)(shown)
    return found


def plot_of(shown: Any, title: str, ax: Any = None) -> Any:
    """Draw the picture of a result with that title on axes, or on new ones, and return them."""
    drawings = {
        name: one.draw
        for one in reversed(view_of(shown).parts)
        if isinstance(one, Picture) and "axis" in inspect.signature(one.draw).parameters
        for name in (one.subtitle, one.title)
        if name
    }
    if title not in drawings:
        raise unknown("picture", title, reversed(drawings), of=type(shown).__name__)
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=(7.0, 4.4), layout="constrained")[1]
    drawings[title](axis=ax)
    return ax


def folded(command: str) -> str:
    """Return a command with an option per line."""
    return command.replace(" --", " \\\n  --")


def elo_said(match: Mapping[str, Any]) -> str:
    """Return the Elo of a match with its interval; None is infinite, as JSON has it."""
    infinite = math.copysign(math.inf, match["score"] - 0.5)
    ends = {"elo": infinite, "elo_low": -math.inf, "elo_high": math.inf}
    elo, low, high = (end if match[key] is None else match[key] for key, end in ends.items())
    return with_interval(elo, low, high, level="")
