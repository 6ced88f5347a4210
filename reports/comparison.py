"""A comparison of models as tables and pictures."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from samuel.common.displayable import NOTHING, Picture, Table, cell, margin, share_with_interval
from samuel.learning.comparison.comparison import HEADINGS, Comparison
from samuel.reports.curves import BANDS, calibration_figure, outcome_figure, stage_error_figure
from samuel.reports.views import View, elo_said

_QUALITY = ("log_loss", "behind", "r2", "mae", "brier", "rank_correlation")
_COST = ("nanoseconds", "nodes_per_second", "parameters", "bytes", "seconds")
_STAGE_FIGURES = {"log_loss": "Log loss", "r2": "R2", "mae": "Mean absolute error"}
_FEW_GAMES = 30


def comparison_view(comparison: Comparison) -> View:
    """Return how well the models predict, how fast they are, and how strong they play."""
    models, split = comparison.models, comparison.split
    bins = {model.name: model.metrics["calibration"] for model in models}
    calibration = functools.partial(calibration_figure, bins)
    stages = functools.partial(stage_error_figure, models, split.game.scores.unit)
    outcomes = functools.partial(
        outcome_figure, split.outcomes, split.game.scores.unit, split.game.scores.max_utility
    )
    parts: list[Table | Picture] = [
        quality_table(comparison),
        *(_stage_table(comparison, key) for key in _STAGE_FIGURES),
        cost_table(comparison),
        *[match_table([m.match.as_dict() for m in models if m.match])] * bool(comparison.opponent),
        Picture(
            "Calibration",
            calibration,
            [
                "On the diagonal the predicted winning probability equals the observed one. A draw "
                "counts as half a win."
            ],
        ),
        Picture(
            "Error by stage",
            stages,
            [
                "Mean absolute difference between score and outcome, from the opening to the end "
                f"of the game. The figure shows the best models (at most {BANDS}) with 95 % "
                "intervals."
            ],
        ),
        Picture("Outcomes", outcomes, ["All positions of the dataset."]),
    ]
    notes = [f"{model.name}: {model.note}." for model in models if model.note]
    return View("Evaluators compared", [_about(comparison), verdict(comparison), *notes], parts)


def _about(comparison: Comparison) -> str:
    split = comparison.split
    settings = split.dataset.manifest["settings"]
    maker = "".join(
        words.format(settings[key])
        for key, words in (("evaluator", ", played by {}"), ("depth", " at depth {}"))
        if settings.get(key) is not None
    )
    games = split.frame["game_id"]
    rows = games.isin(games.iloc[split.held_out]).sum()
    return (
        f"{split.dataset.games:,} games of {split.game.name.replace('_', ' ')}, "
        f"{len(split.dataset):,} positions{maker}. All figures are measured on "
        f"{len(split.held_out):,} of the {rows:,} positions of "
        f"{comparison.resampling.games:,} held-out games (seed {split.seed}). Left out are "
        "positions that also occur in training games (in any orientation), and positions "
        "before a random move, whose outcome depends on that move."
    )


def quality_table(comparison: Comparison) -> Table:
    """Return how well each model predicts, each figure with half the width of its interval."""
    solved, unit = comparison.solved, comparison.split.game.left_unit
    keys = (*_QUALITY, *["value_kept"] * (solved is not None))
    headings = [HEADINGS[key] for key in ("model", *keys)]
    rows = [[m.name, *(margin(key, m.row) for key in keys)] for m in comparison.models]
    note = (
        "Sorted by log loss, which measures the winning probability that a score stands for. Lower "
        "is better for log loss, mean absolute error and Brier score; higher is better for R2 and "
        "for the rank correlation with the outcome. The error is in "
        f"{comparison.split.game.scores.unit}. The figure after \u00b1 is half the width of the "
        "95 % interval, from a bootstrap over held-out games. The difference to the best model is "
        "computed on the same games."
    )
    if solved is not None:
        note += (
            f" Moves that keep the value: share in {len(solved.rows):,} solved held-out positions "
            f"with at most {solved.most_left} {unit} where some moves keep the result of perfect "
            "play and others do not. The model chooses by a search of one ply."
        )
    return Table("Models", headings, rows, [note])


def cost_table(comparison: Comparison) -> Table:
    """Return how fast and how large each model is, and, where it played, how strong."""
    limits = [m.match.limits for m in comparison.models if m.match][:1]
    headings = [HEADINGS[key] for key in ("model", *_COST)]
    headings += [f"against {comparison.opponent}, {limit}" for limit in limits]
    rows = []
    for model in comparison.models:
        scores = [margin("score", model.match.as_dict())] if model.match else []
        costs = [cell(key, model.row.get(key)) for key in _COST]
        rows.append([model.name, *costs, *(scores or [NOTHING] * len(limits))])
    note = (
        "Nanoseconds per evaluation are measured inside the search and include the features. "
        "Nodes per second is the median of several searches from held-out positions in the "
        "middle of a game. Both use one core."
    )
    return Table("Cost and strength" if limits else "Cost", headings, rows, [note])


def _stage_table(comparison: Comparison, figure: str) -> Table:
    """Return a figure of each model at each stage, from the opening to the end."""
    left = comparison.split.game.left_unit
    stages = reversed(comparison.models[0].metrics["stages"])
    headings = ["model", *(f"{s['least']} to {s['most']} {left}" for s in stages)]
    rows = [
        [model.name, *(margin(figure, stage) for stage in reversed(model.as_dict()["stages"]))]
        for model in comparison.models
    ]
    return Table("Models", headings, rows, (), f"{_STAGE_FIGURES[figure]} by stage", detail=True)


def match_table(matches: Sequence[Mapping[str, Any]]) -> Table:
    """Return matches, one a row, given under the names of the JSON output of `samuel match`."""
    columns = ["model", "against", "limits", "games", "score", "Elo", "superiority"]
    rows = [
        [
            match["a"],
            match["b"],
            match.get("limits", NOTHING),
            cell("games", match["games"]),
            share_with_interval(*(match[f"score{end}"] for end in ("", "_low", "_high"))),
            elo_said(match),
            cell("los", match.get("los")),
        ]
        for match in matches
    ]
    note = (
        "Every opening is played twice with colours swapped. Intervals are 95 % intervals. "
        "Superiority is the likelihood that the model is stronger."
    )
    return Table("Matches", columns, rows, [note])


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
