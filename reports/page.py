"""A comparison as one HTML page that needs nothing else: no network, no other file, no script."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from files import whole
from reports.boards import pattern_figure, position_figure
from reports.comparison import Compared, Comparison
from reports.curves import (
    BANDS,
    calibration_figure,
    dependence_figure,
    mobility_error_figure,
    outcome_figure,
    stage_error_figure,
)
from reports.figures import board_figure, importance_figure, weight_figure
from reports.residuals import error_by_mobility, largest_errors, mobility_of
from reports.style import svg_of
from reports.tables import (
    STAGE_FIGURES,
    as_html,
    cost_table,
    match_cells,
    quality_table,
    stage_table,
    verdict,
)

_WITH_EXAMPLES, _EXAMPLES = 3, 6
"""How many models, the best, show how many positions that they misjudge most."""
_UNFOLDED = 3
"""How many models, the best, show what they learned without being asked."""

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5c6670; --ground: #ffffff;
  --line: #d9dee3; --best: #eaf3ec; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --soft: #9aa4ad;
  --ground: #16191c; --line: #343a40; --best: #1f2d24; } }
body { color: var(--ink); background: var(--ground); max-width: 70rem; margin: 2rem auto;
  padding: 0 1.25rem; font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin-bottom: 0.3rem; } h2 { font-size: 1.25rem; margin-top: 2.6rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 0.4rem; }
h4 { font-size: 0.9rem; margin: 1.1rem 0 0.3rem; color: var(--soft); font-weight: 600; }
p { max-width: 46rem; } .soft { color: var(--soft); }
.wide { overflow-x: auto; } .wide svg { max-width: 100%; height: auto; }
.boards { display: flex; flex-wrap: wrap; gap: 0.4rem 0.9rem; margin: 0.3rem 0; }
details { margin: 1rem 0; } summary { cursor: pointer; color: var(--soft); }
summary h3 { display: inline; color: var(--ink); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
th, td { padding: 0.35rem 0.7rem; text-align: right; border-bottom: 1px solid var(--line); }
td { white-space: nowrap; }
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
    progress: Callable[[str], None] = lambda doing: None,
) -> Path:
    """Write a comparison as an HTML page, whole or not at all.

    Parameters
    ----------
    path
        Of the page.
    comparison
        What to show.
    match_table
        Results of matches besides those of the comparison, one a row: the keys are the columns,
        such as those of the JSON output of `samuel match`. Lists and None are left out; `x_low`
        and `x_high` stand behind `x`.
    title
        Of the page.
    progress
        Called with what is being drawn.

    Raises
    ------
    UserError
        The page cannot be written.
    """
    progress("drawing")
    parts = [
        f"<h1>{escape(title)}</h1>",
        _introduction(comparison),
        _model_section(comparison),
        _match_section(
            [r.as_dict() for m in comparison.models for r in m.matches] + list(match_table)
        ),
        _figure_sections(comparison),
        _insight_section(comparison, progress),
        _example_section(comparison),
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
    maker = "".join(
        words.format(settings[key])
        for key, words in (("evaluator", ", played by {}"), ("depth", " at depth {}"))
        if settings.get(key) is not None
    )
    text = (
        f"{split.dataset.games:,} games of {split.game.name.replace('_', ' ')}, "
        f"{len(split.dataset):,} positions{maker}. All figures are of the "
        f"{len(split.held_out):,} positions of {comparison.resampling.games:,} held-out games "
        f"(seed {split.seed}) that no training game reached, in any orientation."
    )
    return f'<p class="soft">{escape(text)}</p>'


def _model_section(comparison: Comparison) -> str:
    notes = [f"{m.name}: {m.note}." for m in comparison.models if m.note]
    stages = "".join(
        f"<h3>{heading}</h3>{as_html(stage_table(comparison, figure))}"
        for figure, heading in STAGE_FIGURES.items()
    )
    unit = comparison.split.game.unit
    quality = _section(
        "Models",
        as_html(quality_table(comparison), best=True)
        + f"<details><summary>By stage, by the squares left</summary>{stages}</details>",
        "Sorted by log loss, that of the probability of winning which the score stands for; "
        "lower is better, as for the error and the Brier score, while R2 and the rank "
        f"correlation with the outcome are better the higher. The error is in {unit}. Behind "
        "each \u00b1 stands half the width of the 95 % interval, from a bootstrap over held-out "
        "games; the difference to the best model is taken on the same games.",
        *filter(None, [verdict(comparison)]),
        *notes,
    )
    strength = (
        f"The score against {comparison.reference} is that of games from the same openings for "
        "every model, each opening played twice with colours swapped."
    )
    cost = _section(
        "Cost and strength" if comparison.reference else "Cost",
        as_html(cost_table(comparison)),
        "The time is that of one evaluation inside the search, its features included; the nodes "
        "a second are the median of a few searches from held-out positions in the middle of "
        "their games. Both are of one core.",
        *([strength] if comparison.reference else []),
    )
    return quality + cost


def _match_section(match_table: Sequence[Mapping[str, Any]]) -> str:
    if not match_table:
        return ""
    return _section(
        "Matches",
        as_html(match_cells(match_table), words=2),
        "Every opening is played twice with colours swapped; the intervals are of 95 %.",
    )


def _figure_sections(comparison: Comparison) -> str:
    models, split = comparison.models, comparison.split
    calibration = _section(
        "Calibration",
        _picture(calibration_figure(models), "Calibration curves"),
        "On the diagonal, positions that are said to be won with some probability are won that "
        "often. A draw counts half.",
    )
    stage = _section(
        "Error by stage",
        _picture(stage_error_figure(models, split.game.unit), "Error by stage"),
        "The mean absolute difference between score and outcome, from the opening to the end; "
        f"for the best models, at most {BANDS}, with its 95 % interval.",
    )
    mobility = mobility_of(split.game, split.held_out_positions)
    outcomes = split.outcomes[split.held_out]
    tables = {
        m.name: error_by_mobility(m.scores - outcomes, mobility, comparison.resampling)
        for m in models
    }
    moves = _section(
        "Error by mobility",
        _picture(mobility_error_figure(tables, split.game.unit), "Error by mobility"),
        "The same by the number of moves that the side to move has.",
    )
    return calibration + stage + moves


def _insight_section(comparison: Comparison, progress: Callable[[str], None]) -> str:
    parts: list[str] = []
    for model in comparison.models:
        progress(f"{model.name}: drawing")
        pictures = _insight_pictures(model, comparison)
        if pictures:
            about = f'<p class="soft">{escape(model.about)}</p>' if model.about else ""
            unfolded = " open" if len(parts) < _UNFOLDED else ""
            parts.append(
                f"<details{unfolded}><summary><h3>{escape(model.name)}</h3></summary>"
                f"{about}{pictures}</details>"
            )
    if not parts:
        return ""
    return _section(
        "What was learned",
        "\n".join(parts),
        "Weights: what a stone on a square, or one more of a feature, adds to the score of its "
        "side, in a linear model. Patterns: what stones on the squares shown add, dark ones being "
        "those of the side to move. "
        "Dependence: the mean score of held-out positions when a feature alone is changed. "
        "Importance: how much of R2 is lost when a feature is shuffled among positions, so that "
        "it says nothing any more.",
    )


def _insight_pictures(model: Compared, comparison: Comparison) -> str:
    """Return the pictures of what a model learned, each kind under its heading."""
    game, insight = comparison.split.game, model.insight
    pictures: list[tuple[str, Figure | str | None]] = []
    if insight.weights is not None:
        pictures.append(("Weights of squares", board_figure(insight.weights, game)))
        pictures.append(("Weights of features", weight_figure(insight.weights, game.unit)))
    for remaining, table in insight.patterns.items():
        what = f"Most valuable and most harmful patterns, {remaining} squares left"
        pictures.append((what, pattern_figure(table, game)))
    if insight.dependence is not None:
        pictures.append(
            ("Dependence on features", dependence_figure(insight.dependence, game.unit))
        )
    if insight.importance is not None:
        pictures.append(("Importance of features", importance_figure(insight.importance)))
    return "\n".join(
        f"<h4>{what}</h4>{_picture(picture, f'{what}, {model.name}')}"
        for what, picture in pictures
        if picture is not None
    )


def _example_section(comparison: Comparison) -> str:
    split = comparison.split
    digits = 0 if split.game.max_utility > 8 else 2
    parts = []
    for model in comparison.models[:_WITH_EXAMPLES]:
        worst = largest_errors(split, model.scores, _EXAMPLES)
        boards = [
            position_figure(
                tuple(int(word) for word in split.dataset.positions[row]),
                split.game,
                [f"score {score:+.{digits}f}", f"outcome {outcome:+.{digits}f}, ply {ply}"],
            )
            for row, score, outcome, ply in zip(
                worst["row"], worst["score"], worst["outcome"], worst["ply"], strict=True
            )
        ]
        drawn = "".join(board for board in boards if board is not None)
        if drawn:
            parts.append(f'<h3>{escape(model.name)}</h3><div class="boards">{drawn}</div>')
    if not parts:
        return ""
    return _section(
        "Largest errors",
        "\n".join(parts),
        "The held-out positions, one a game, whose score is the furthest from the outcome. Dark "
        "stones are those of the side to move, and score and outcome are its own.",
    )


def _outcome_section(comparison: Comparison) -> str:
    split = comparison.split
    figure = outcome_figure(split.outcomes, split.game.unit, split.game.max_utility)
    return _section("Outcomes", _picture(figure, "Histogram of outcomes"), "Of all positions.")


def _section(heading: str, content: str, *paragraphs: str) -> str:
    words = "\n".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    return f"<section><h2>{escape(heading)}</h2>\n{words}\n{content}</section>\n"


def _picture(picture: Figure | str, what: str) -> str:
    """Return a figure for the page, named for those who cannot see it; SVG elements as they are."""
    if isinstance(picture, str):
        return picture
    svg = svg_of(picture).replace("<svg", f'<svg role="img" aria-label="{escape(what)}"', 1)
    return f'<div class="wide">{svg}</div>'
