"""A comparison as one HTML page that needs nothing else: no network, no other file, no script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from files import whole
from reports.compare import COLUMNS, Compared, Comparison
from reports.figures import (
    board_figure,
    calibration_figure,
    error_figure,
    importance_figure,
    outcome_figure,
    svg_of,
    weight_figure,
)

_FORMATS = {
    "r2": "{:.3f}",
    "mae": "{:.2f}",
    "log_loss": "{:.4f}",
    "brier": "{:.4f}",
    "rank_correlation": "{:.3f}",
    "nanoseconds": "{:,.0f}",
    "parameters": "{:,}",
    "seconds": "{:.1f}",
    "score": "{:.1%}",
    "los": "{:.1%}",
    "elo": "{:+.0f}",
}
_MATCH = {"a": "model", "b": "against", "elo": "Elo", "los": "likelihood of superiority"}

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5c6670; --ground: #ffffff;
  --line: #d9dee3; --best: #eaf3ec; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --soft: #9aa4ad;
  --ground: #16191c; --line: #343a40; --best: #1f2d24; } }
body { color: var(--ink); background: var(--ground); max-width: 70rem; margin: 2rem auto;
  padding: 0 1.25rem; font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin-bottom: 0.3rem; } h2 { font-size: 1.25rem; margin-top: 2.6rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 0.4rem; }
p { max-width: 46rem; } .soft { color: var(--soft); }
.wide { overflow-x: auto; } .wide svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
th, td { padding: 0.35rem 0.8rem; text-align: right; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
tr.best td { background: var(--best); font-weight: 600; }
"""


def write_page(
    path: Path | str,
    comparison: Comparison,
    *,
    match_table: Sequence[Mapping[str, Any]] = (),
    title: str = "Evaluators compared",
) -> Path:
    """Write a comparison as an HTML page, whole or not at all.

    Parameters
    ----------
    path
        Of the page.
    comparison
        What to show.
    match_table
        Results of matches, one a row: the keys are the columns, such as those of the JSON output
        of `samuel match`. Lists and None are left out; `x_low` and `x_high` stand behind `x`.
    title
        Of the page.

    Raises
    ------
    UserError
        The page cannot be written.
    """
    parts = [
        f"<h1>{escape(title)}</h1>",
        _introduction(comparison),
        _model_section(comparison),
        _match_section(match_table),
        _figure_sections(comparison),
        _weight_sections(comparison),
        _outcome_section(comparison),
    ]
    page = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body></html>\n"
    )
    with whole(path) as partial:
        partial.write_text(page, encoding="utf-8")
    return Path(path)


def _introduction(comparison: Comparison) -> str:
    split = comparison.split
    settings = split.dataset.manifest["settings"]
    text = (
        f"{split.dataset.games:,} games of {split.game.name.replace('_', ' ')}, "
        f"{len(split.dataset):,} positions, played by {settings['evaluator']} at depth "
        f"{settings['depth']} (seed {settings['seed']}). All figures are of the "
        f"{len(split.held_out):,} positions of held-out games ({split.share:.0%}) that no "
        "training game reached, in any orientation."
    )
    return f'<p class="soft">{escape(text)}</p>'


def model_table(comparison: Comparison) -> tuple[list[str], list[list[str]]]:
    """Return the headings and the cells of the table of models, as text."""
    labels = COLUMNS | {"mae": f"mean absolute error ({comparison.split.game.unit})"}
    rows = [[_text(key, model.row[key]) for key in COLUMNS] for model in comparison.models]
    return list(labels.values()), rows


def _model_section(comparison: Comparison) -> str:
    headings, rows = model_table(comparison)
    notes = [f"{m.name}: {m.note}." for m in comparison.models if m.note]
    return _section(
        "Models",
        _table(headings, rows, words=1, best=True),
        "Sorted by log loss, that of the probability of winning which the score stands for; "
        "lower is better, as for the error and the Brier score, while R2 and the rank "
        "correlation with the outcome are better the higher. The time is that of one evaluation "
        "inside the search, its features included.",
        *notes,
    )


def _match_section(match_table: Sequence[Mapping[str, Any]]) -> str:
    if not match_table:
        return ""
    rows = [_match_row(row) for row in match_table]
    keys = dict.fromkeys(key for row in rows for key in row)
    headings = [_MATCH.get(key, key.replace("_", " ")) for key in keys]
    cells = [[_text(key, row.get(key)) for key in keys] for row in rows]
    return _section(
        "Matches",
        _table(headings, cells, words=2),
        "Every opening is played twice with colours swapped; the intervals are of 95 %.",
    )


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
            row[key] = f"{_text(key, row[key])} ({_text(key, low)} to {_text(key, high)})"
    return row


def _figure_sections(comparison: Comparison) -> str:
    metrics = {model.name: model.metrics for model in comparison.models}
    calibration = _section(
        "Calibration",
        _picture(calibration_figure(metrics), "Calibration curves"),
        "On the diagonal, positions that are said to be won with some probability are won that "
        "often. A draw counts half.",
    )
    unit = comparison.split.game.unit
    error = _section(
        "Error by stage",
        _picture(error_figure(metrics, unit), "Error by stage"),
        "The mean absolute difference between score and outcome, from the opening to the end.",
    )
    return calibration + error


def _weight_sections(comparison: Comparison) -> str:
    parts = []
    for model in comparison.models:
        pictures = _weight_pictures(model, comparison)
        if pictures:
            heading = f"<h3>{escape(model.name)}</h3>"
            about = f'<p class="soft">{escape(model.about)}</p>' if model.about else ""
            parts.append(heading + about + pictures)
    if not parts:
        return ""
    return _section(
        "What was learned",
        "\n".join(parts),
        "Linear models: what a stone on a square, or one more of a feature, adds to the score of "
        "its side. Other models: how much of R2 is lost when a feature is shuffled among "
        "positions, so that it says nothing any more.",
    )


def _weight_pictures(model: Compared, comparison: Comparison) -> str:
    game = comparison.split.game
    pictures = []
    if model.weights is not None:
        pictures.append((board_figure(model.weights, game), "Weights of squares"))
        pictures.append((weight_figure(model.weights, game.unit), "Weights of features"))
    elif model.importance is not None:
        pictures.append((importance_figure(model.importance), "Importance of features"))
    return "\n".join(
        _picture(figure, f"{what}, {model.name}") for figure, what in pictures if figure is not None
    )


def _outcome_section(comparison: Comparison) -> str:
    split = comparison.split
    figure = outcome_figure(split.outcomes, split.game.unit, split.game.max_utility)
    return _section("Outcomes", _picture(figure, "Histogram of outcomes"), "Of all positions.")


def _section(heading: str, content: str, *paragraphs: str) -> str:
    words = "\n".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    return f"<section><h2>{escape(heading)}</h2>\n{words}\n{content}</section>\n"


def _picture(figure: Figure, what: str) -> str:
    svg = svg_of(figure).replace("<svg", f'<svg role="img" aria-label="{escape(what)}"', 1)
    return f'<div class="wide">{svg}</div>'


def _table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], *, words: int, best: bool = False
) -> str:
    """Return a table whose first `words` columns are words, and whose first row may be the best."""
    style = [' class="text"' if number < words else "" for number in range(len(headings))]
    head = "".join(f"<th{s}>{escape(h)}</th>" for s, h in zip(style, headings, strict=True))
    lines = []
    for number, row in enumerate(rows):
        cells = "".join(f"<td{s}>{escape(c)}</td>" for s, c in zip(style, row, strict=True))
        lines.append(
            f'<tr class="best">{cells}</tr>' if best and not number else f"<tr>{cells}</tr>"
        )
    body = "\n".join(lines)
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def _text(key: str, value: Any) -> str:
    """Return a cell's text."""
    if value is None:
        return "\u2013"
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and key not in _FORMATS:
        return f"{value:,}"
    return _FORMATS.get(key, "{:.3g}").format(value)
