"""A comparison as one HTML page that needs nothing else: no network, no other file, no script."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from samuel.games.position import Position
from samuel.games.scene import side_names
from samuel.learning.comparison.comparison import Compared, Comparison
from samuel.learning.comparison.residuals import error_by_mobility, largest_errors, mobility_of
from samuel.reports.boards import pattern_figure
from samuel.reports.comparison.curves import (
    BANDS,
    calibration_figure,
    dependence_figure,
    mobility_error_figure,
    outcome_figure,
    stage_error_figure,
)
from samuel.reports.comparison.figures import board_figure, importance_figure, weight_figure
from samuel.reports.comparison.tables import (
    REFERENCE_FIGURES,
    STAGE_FIGURES,
    cost_table,
    error_table,
    match_cells,
    quality_table,
    reference_table,
    stage_table,
    verdict,
)
from samuel.reports.html import as_html, figure_html, joined, lead, part, section, write_html
from samuel.reports.scenes import SMALL, position_svg
from samuel.reports.tables import signed

_WITH_EXAMPLES, _EXAMPLES = 3, 6
"""Number of models, the best, that show misjudged positions, and of such positions."""
_UNFOLDED = 3
"""Number of models, the best, that show what they learned without being asked."""


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
            [r.as_dict() for m in comparison.models for r in m.matches] + list(match_table)
        ),
        _figure_sections(comparison),
        _insight_section(comparison, progress),
        _example_section(comparison),
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
    return quality + cost + _reference_section(comparison)


def _reference_section(comparison: Comparison) -> Markup:
    if not comparison.models[0].errors:
        return Markup("")
    stages = joined(
        part("titled", f"{model.name}, {what}", as_html(error_table(model.errors, figure)))
        for model in comparison.models
        for figure, what in REFERENCE_FIGURES.items()
    )
    return section(
        "Against the reference set",
        joined(
            part("titled", what, as_html(reference_table(comparison.models, figure)))
            for figure, what in REFERENCE_FIGURES.items()
        )
        + part("folded", "By stage", stages),
        "At each stage, a linear regression predicts the deep scores from the model's "
        "scores. Unexplained: 1 - R2 of that regression. Error: the root mean square of its "
        f"residuals (in {comparison.split.game.unit}). Slope: 1 if the model's scores have "
        "the right scale.",
    )


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
    mobility = mobility_of(split.game, split.held_out_positions)
    outcomes = split.outcomes[split.held_out]
    tables = {
        m.name: error_by_mobility(m.scores - outcomes, mobility, comparison.resampling)
        for m in models
    }
    moves = section(
        "Error by mobility",
        figure_html(mobility_error_figure(tables, split.game.unit), "Error by mobility"),
        "Mean absolute difference between score and outcome, by the number of legal moves.",
    )
    return calibration + stage + moves


def _insight_section(comparison: Comparison, progress: Callable[[str], None]) -> Markup | str:
    parts: list[Markup] = []
    for model in comparison.models:
        progress(f"{model.name}: drawing")
        pictures = _insight_pictures(model, comparison)
        if pictures:
            learned = (lead(model.about) if model.about else Markup("")) + pictures
            name = Markup("<h3>{}</h3>").format(model.name)
            parts.append(part("folded", name, learned, open=len(parts) < _UNFOLDED))
    if not parts:
        return ""
    return section(
        "Learned weights",
        joined(parts),
        "Weights: the number that a stone on a square, or one more unit of a feature, adds "
        "to the score of its side in a linear model. Patterns: the number that a "
        "configuration of stones adds; dark stones belong to the side to move. Dependence: "
        "mean score of held-out positions when one feature is changed and the others stay. "
        "Importance: loss of R2 when the values of a feature are shuffled among the "
        "positions.",
    )


def _insight_pictures(model: Compared, comparison: Comparison) -> Markup:
    """Return the pictures of what a model learned, each kind under its heading."""
    game, insight = comparison.split.game, model.insight
    pictures: list[tuple[str, Figure | Markup | None]] = []
    if insight.weights is not None:
        pictures.append(("Weights of squares", board_figure(insight.weights, game)))
        pictures.append(("Weights of features", weight_figure(insight.weights, game)))
    for remaining, table in insight.patterns.items():
        what = f"Patterns with the largest and the smallest weights, {remaining} {game.left_unit}"
        pictures.append((what, pattern_figure(table, game)))
    if insight.dependence is not None:
        pictures.append(
            ("Dependence on features", dependence_figure(insight.dependence, game.unit))
        )
    if insight.importance is not None:
        pictures.append(("Importance of features", importance_figure(insight.importance)))
    return joined(
        part("titled", what, figure_html(picture, f"{what}, {model.name}"), level=4)
        for what, picture in pictures
        if picture is not None
    )


def _example_section(comparison: Comparison) -> Markup | str:
    split = comparison.split
    digits = 0 if split.game.max_utility > 8 else 2
    parts = []
    for model in comparison.models[:_WITH_EXAMPLES]:
        worst = largest_errors(split, model.scores, _EXAMPLES)
        boards = [
            position_svg(
                Position(split.game, tuple(int(word) for word in split.positions[row]), 0),
                SMALL,
                f"score {signed(score, digits)}",
                f"outcome {signed(outcome, digits)}, ply {ply}",
            )
            for row, score, outcome, ply in zip(
                worst["row"], worst["score"], worst["outcome"], worst["ply"], strict=True
            )
        ]
        drawn = [board for board in boards if board is not None]
        if drawn:
            parts.append(part("titled", model.name, part("boards", drawn)))
    if not parts:
        return ""
    return section(
        "Largest errors",
        joined(parts),
        "Held-out positions, one per game, whose score is farthest from the outcome. "
        f"{side_names(split.game)[0].capitalize()} is to move in each; score and outcome are from "
        "its point of view.",
    )


def _outcome_section(comparison: Comparison) -> Markup:
    split = comparison.split
    figure = outcome_figure(split.outcomes, split.game.unit, split.game.max_utility)
    return section(
        "Outcomes", figure_html(figure, "Histogram of outcomes"), "All positions of the dataset."
    )
