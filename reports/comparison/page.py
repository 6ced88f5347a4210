"""A comparison as one HTML page that needs nothing else: no network, no other file, no script."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from samuel.learning.comparison.comparison import Comparison
from samuel.reports.comparison.curves import (
    BANDS,
    calibration_figure,
    outcome_figure,
    stage_error_figure,
)
from samuel.reports.comparison.tables import (
    STAGE_FIGURES,
    cost_table,
    match_cells,
    quality_table,
    stage_table,
    verdict,
)
from samuel.reports.html import as_html, figure_html, joined, lead, part, section, write_html


def write_page(
    path: Path | str,
    comparison: Comparison,
    *,
    match_table: Sequence[Mapping[str, Any]] = (),
    title: str = "Evaluators compared",
    progress: Callable[[str], None] = lambda doing: None,
) -> Path:
    """Write a comparison as an HTML page.

    Parameters
    ----------
    path
        File to write.
    comparison
        Result of `compare`.
    match_table
        Results of further matches, one mapping per row, with the keys of the JSON output of `samuel
        match`.
    title
        Title of the page.
    progress
        Called with a description of the current step.

    Returns
    -------
    Path
        Path of the page.

    Raises
    ------
    UserError
        The page cannot be written.

    Examples
    --------
    >>> import samuel
    >>> comparison = samuel.compare("data/games", ["ridge", "classic"])
    >>> samuel.write_page("compare.html", comparison).name
    'compare.html'
    """
    progress("drawing")
    parts = [
        _introduction(comparison),
        _model_section(comparison),
        _match_section(
            [m.match.as_dict() for m in comparison.models if m.match] + list(match_table)
        ),
        _figure_sections(comparison),
        _outcome_section(comparison),
    ]
    return write_html(path, title, parts)


def _introduction(comparison: Comparison) -> Markup:
    split = comparison.split
    settings = split.dataset.manifest["settings"]
    maker = "".join(
        words.format(settings[key])
        for key, words in (("evaluator", ", played by {}"), ("depth", " at depth {}"))
        if settings.get(key) is not None
    )
    games = split.frame["game_id"]
    rows = games.isin(games.iloc[split.held_out]).sum()
    text = (
        f"{split.dataset.games:,} games of {split.game.name.replace('_', ' ')}, "
        f"{len(split.dataset):,} positions{maker}. All figures on this page are measured on "
        f"{len(split.held_out):,} of the {rows:,} positions of "
        f"{comparison.resampling.games:,} held-out games (seed {split.seed}). Left out are "
        "positions that also occur in training games (in any orientation), and positions "
        "before a random move, whose outcome says little about them."
    )
    return lead(text)


def _model_section(comparison: Comparison) -> Markup:
    notes = [f"{m.name}: {m.note}." for m in comparison.models if m.note]
    stages = joined(
        part("titled", heading, as_html(stage_table(comparison, figure)))
        for figure, heading in STAGE_FIGURES.items()
    )
    unit = comparison.split.game.unit
    quality = section(
        "Models",
        as_html(quality_table(comparison), best=True)
        + part("folded", f"By stage ({comparison.split.game.left_unit})", stages),
        "Sorted by log loss, which measures the winning probability that a score stands for. "
        "Lower is better for log loss, mean absolute error and Brier score; higher is better "
        f"for R2 and for the rank correlation with the outcome. The error is in {unit}. The "
        "figure after ± is half the width of the 95 % interval, from a bootstrap over "
        "held-out games. The difference to the best model is computed on the same games.",
        *filter(None, [verdict(comparison)]),
        *notes,
    )
    strength = (
        f"The score against {comparison.opponent} comes from game pairs: every model plays "
        "from the same openings, each opening twice with colours swapped."
    )
    cost = section(
        "Cost and strength" if comparison.opponent else "Cost",
        as_html(cost_table(comparison)),
        "Time (ns) is the time of one evaluation inside the search, including its features. "
        "Nodes per second is the median of several searches from held-out positions in the "
        "middle of a game. Both use one core.",
        *([strength] if comparison.opponent else []),
    )
    return quality + cost


def _match_section(match_table: Sequence[Mapping[str, Any]]) -> Markup | str:
    if not match_table:
        return ""
    return section(
        "Matches",
        as_html(match_cells(match_table), words=2),
        "Every opening is played twice with colours swapped. Intervals are 95 % intervals.",
    )


def _figure_sections(comparison: Comparison) -> Markup:
    models, split = comparison.models, comparison.split
    calibration = section(
        "Calibration",
        figure_html(calibration_figure(models), "Calibration curves"),
        "On the diagonal the predicted winning probability equals the observed one. A draw "
        "counts as half a win.",
    )
    stage = section(
        "Error by stage",
        figure_html(stage_error_figure(models, split.game.unit), "Error by stage"),
        "Mean absolute difference between score and outcome, from the opening to the end of "
        f"the game. The figure shows the best models (at most {BANDS}) with 95 % intervals.",
    )
    return calibration + stage


def _outcome_section(comparison: Comparison) -> Markup:
    split = comparison.split
    figure = outcome_figure(split.outcomes, split.game.unit, split.game.max_utility)
    return section(
        "Outcomes", figure_html(figure, "Histogram of outcomes"), "All positions of the dataset."
    )
