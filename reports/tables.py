"""A comparison as tables of text, for the terminal and for the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from samuel.reports.comparison import COLUMNS, Comparison
from samuel.words import short

QUALITY = ("log_loss", "behind", "r2", "mae", "brier", "rank_correlation")
COST = ("nanoseconds", "nodes_per_second", "parameters", "bytes", "seconds")
STAGE_FIGURES = {"log_loss": "Log loss", "r2": "R2", "mae": "Mean absolute error"}
_MATCH = {"a": "model", "b": "against", "elo": "Elo", "los": "likelihood of superiority"}
_FEW_GAMES = 30
NOTHING = "\u2013"

_FORMATS = {
    "log_loss": "{:.4f}",
    "behind": "{:+.4f}",
    "r2": "{:.3f}",
    "mae": "{:.2f}",
    "brier": "{:.4f}",
    "rank_correlation": "{:.3f}",
    "nanoseconds": "{:,.0f}",
    "parameters": "{:,}",
    "seconds": "{:.1f}",
    "score": "{:.1%}",
    "los": "{:.1%}",
    "elo": "{:+.0f}",
}


class Table(NamedTuple):
    """Headings, and the cells of each row; the first columns are words."""

    headings: list[str]
    rows: list[list[str]]


def quality_table(
    comparison: Comparison, keys: Sequence[str] = QUALITY, labels: Mapping[str, str] = COLUMNS
) -> Table:
    """Return how well each model predicts, each figure with half the width of its interval."""
    headings = [labels["model"], *(labels[key] for key in keys)]
    rows = [[m.name, *(margin(key, m.row) for key in keys)] for m in comparison.models]
    return Table(headings, rows)


def cost_table(
    comparison: Comparison, keys: Sequence[str] = COST, labels: Mapping[str, str] = COLUMNS
) -> Table:
    """Return how fast and how large each model is, and, where it played, how strong."""
    played = [m.matches for m in comparison.models if m.matches]
    limits = [result.limits for result in played[0]] if played else []
    headings = [labels["model"], *(labels[key] for key in keys)]
    headings += [f"against {comparison.reference}, {limit}" for limit in limits]
    rows = []
    for model in comparison.models:
        scores = [margin("score", result.as_dict()) for result in model.matches]
        costs = [cell(key, model.row.get(key)) for key in keys]
        rows.append([model.name, *costs, *(scores or [NOTHING] * len(limits))])
    return Table(headings, rows)


def stage_table(comparison: Comparison, figure: str) -> Table:
    """Return a figure of each model at each stage, from the opening to the end."""
    stages = comparison.models[0].metrics["stages"]
    headings = ["model", *(f"{s['least']} to {s['most']} left" for s in reversed(stages))]
    rows = []
    for model in comparison.models:
        at_stages = model.as_dict()["stages"]
        rows.append([model.name, *(margin(figure, stage) for stage in reversed(at_stages))])
    return Table(headings, rows)


def match_cells(matches: Sequence[Mapping[str, Any]]) -> Table:
    """Return matches, one a row, under the names of the JSON output of `samuel match`."""
    rows = [_match_row(row) for row in matches]
    keys = dict.fromkeys(key for row in rows for key in row)
    headings = [_MATCH.get(key, key.replace("_", " ")) for key in keys]
    return Table(headings, [[cell(key, row.get(key)) for key in keys] for row in rows])


def _match_row(match: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a table shows of a match: numbers and names, an interval behind its number."""
    row = {
        key: value
        for key, value in match.items()
        if isinstance(value, str | int | float) and not key.endswith(("_low", "_high"))
    }
    for key in row:
        low, high = match.get(f"{key}_low"), match.get(f"{key}_high")
        if low is not None and high is not None:
            row[key] = f"{cell(key, row[key])} ({cell(key, low)} to {cell(key, high)})"
    return row


def verdict(comparison: Comparison) -> str:
    """Return a sentence on which models the held-out games cannot tell from the best, or ""."""
    best, *others = comparison.models
    if not others:
        return ""
    games = comparison.resampling.games
    few = f" With only {games} held-out games no interval is to be relied on." * (
        games < _FEW_GAMES
    )
    if not comparison.tied:
        return f"By log loss {best.name} is better than every other model on these games.{few}"
    tied = " and ".join(filter(None, [", ".join(comparison.tied[:-1]), comparison.tied[-1]]))
    return (
        f"By log loss {tied} cannot be told apart from {best.name}: the interval of the "
        f"difference on the same games holds 0.{few}"
    )


def margin(key: str, row: Mapping[str, Any]) -> str:
    """Return a figure with half the width of its 95 % interval behind it, where it has one."""
    text, low, high = cell(key, row.get(key)), row.get(f"{key}_low"), row.get(f"{key}_high")
    if low is None or high is None or not math.isfinite(high - low):
        return text
    return f"{text} \u00b1{cell(key, (high - low) / 2).removeprefix('+')}"


def cell(key: str, value: Any) -> str:
    """Return the text of a value."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NOTHING
    if isinstance(value, str):
        return value
    if key == "nodes_per_second":
        return short(value)
    if key == "bytes":
        return f"{short(value)}B" if value >= 1e3 else f"{value:.0f} B"
    if isinstance(value, int) and not isinstance(value, bool) and key not in _FORMATS:
        return f"{value:,}"
    return _FORMATS.get(key, "{:.3g}").format(value)


def as_html(table: Table, *, words: int = 1, best: bool = False) -> str:
    """Return a table whose first `words` columns are words, and whose first row may be the best."""
    style = [' class="text"' if number < words else "" for number in range(len(table.headings))]
    head = "".join(f"<th{s}>{escape(h)}</th>" for s, h in zip(style, table.headings, strict=True))
    lines = []
    for number, row in enumerate(table.rows):
        cells = "".join(f"<td{s}>{escape(c)}</td>" for s, c in zip(style, row, strict=True))
        lines.append(
            f'<tr class="best">{cells}</tr>' if best and not number else f"<tr>{cells}</tr>"
        )
    body = "\n".join(lines)
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )
