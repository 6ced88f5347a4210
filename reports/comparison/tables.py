"""A comparison as tables of text, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from samuel.learning.comparison.comparison import HEADINGS, Comparison
from samuel.reports.tables import NOTHING, TextTable, cell, margin

QUALITY = ("log_loss", "behind", "r2", "mae", "brier", "rank_correlation")
_COST = ("nanoseconds", "nodes_per_second", "parameters", "bytes", "seconds")
STAGE_FIGURES = {"log_loss": "Log loss", "r2": "R2", "mae": "Mean absolute error"}
_MATCH = {
    "a": "model",
    "b": "against",
    "limits": "limits",
    "games": "games",
    "wins": "won",
    "draws": "drawn",
    "losses": "lost",
    "score": "score",
    "elo": "Elo",
    "los": "likelihood of superiority",
}
"""Columns of a table of matches: keys of the JSON output of `samuel match`, and headings."""
_FEW_GAMES = 30


def quality_table(
    comparison: Comparison, keys: Sequence[str] = QUALITY, labels: Mapping[str, str] = HEADINGS
) -> TextTable:
    """Return how well each model predicts, each figure with half the width of its interval."""
    headings = [labels["model"], *(labels[key] for key in keys)]
    rows = [[m.name, *(margin(key, m.row) for key in keys)] for m in comparison.models]
    return TextTable(headings, rows)


def cost_table(comparison: Comparison, labels: Mapping[str, str] = HEADINGS) -> TextTable:
    """Return how fast and how large each model is, and, where it played, how strong."""
    limits = [m.match.limits for m in comparison.models if m.match][:1]
    headings = [labels["model"], *(labels[key] for key in _COST)]
    headings += [f"against {comparison.opponent}, {limit}" for limit in limits]
    rows = []
    for model in comparison.models:
        scores = [margin("score", model.match.as_dict())] if model.match else []
        costs = [cell(key, model.row.get(key)) for key in _COST]
        rows.append([model.name, *costs, *(scores or [NOTHING] * len(limits))])
    return TextTable(headings, rows)


def stage_table(comparison: Comparison, figure: str) -> TextTable:
    """Return a figure of each model at each stage, from the opening to the end."""
    stages = comparison.models[0].metrics["stages"]
    headings = [
        "model",
        *(
            f"{s['least']} to {s['most']} {comparison.split.game.left_unit}"
            for s in reversed(stages)
        ),
    ]
    rows = []
    for model in comparison.models:
        at_stages = model.as_dict()["stages"]
        rows.append([model.name, *(margin(figure, stage) for stage in reversed(at_stages))])
    return TextTable(headings, rows)


def match_cells(matches: Sequence[Mapping[str, Any]]) -> TextTable:
    """Return matches, one a row, given under the names of the JSON output of `samuel match`."""
    keys = [key for key in _MATCH if any(key in row for row in matches)]
    rows = [[_match_cell(key, row) for key in keys] for row in matches]
    return TextTable([_MATCH[key] for key in keys], rows)


def _match_cell(key: str, match: Mapping[str, Any]) -> str:
    """Return a figure of a match with its interval; only a bound after a clean sweep."""
    text, *ends = (cell(key, match.get(name)) for name in (key, f"{key}_low", f"{key}_high"))
    if NOTHING not in ends:
        return f"{text} ({ends[0]} to {ends[1]})"
    if ends == [NOTHING, NOTHING]:
        return text
    return f"at most {ends[1]}" if ends[0] == NOTHING else f"at least {ends[0]}"


def verdict(comparison: Comparison) -> str:
    """Return a sentence on which models the held-out games cannot tell from the best, or ""."""
    best, *others = comparison.models
    if not others:
        return ""
    games = comparison.resampling.games
    few = f" With only {games} held-out games the intervals are not reliable." * (
        games < _FEW_GAMES
    )
    if not comparison.tied:
        return f"{best.name} has a lower log loss than every other model on these games.{few}"
    tied = " and ".join(filter(None, [", ".join(comparison.tied[:-1]), comparison.tied[-1]]))
    return (
        f"The log loss of {tied} does not differ significantly from that of {best.name}: the "
        f"interval of the difference on the same games contains 0.{few}"
    )
