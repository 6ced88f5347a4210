"""A fitted model: its figures on held-out games, and its weights."""

from __future__ import annotations

from samuel.common.displayable import Table
from samuel.common.units import cell
from samuel.games.catalog import known_game
from samuel.learning.trained import Trained
from samuel.reports.views import View
from samuel.reports.weights import losses_said, weights_parts

_COLUMNS = {
    "r2": "R2",
    "mae": "error ({unit})",
    "log_loss": "log loss",
    "brier": "Brier",
    "rank_correlation": "rank corr.",
}
_MEANINGS = {
    "mae": "error: mean absolute difference between score and outcome",
    "rank_correlation": "rank corr.: rank correlation with the outcome",
}
_HIGHER = ("r2", "rank_correlation")
_IN_UNITS = ("r2", "mae")
"""Figures of the difference between score and result, which no score is in a game with a scale."""


def trained_view(trained: Trained) -> View:
    """Return the figures of a fit, and the weights of a linear model."""
    game = known_game(trained.evaluator.game)
    place = "" if trained.out is None else f"; saved in {trained.out}"
    lines = [
        f"{trained.name}: fitted to {trained.rows:,} rows in {trained.seconds:.1f} s{place}",
        losses_said(trained.card, game.scores.unit),
    ]
    parts = [] if trained.weights is None else weights_parts(trained.weights)
    return View(trained.name, lines, [_table(trained), *parts])


def _table(trained: Trained) -> Table:
    """Return the figures of the model, and of the one that played, with those of their stages."""
    game = known_game(trained.evaluator.game)
    columns = {k: v for k, v in _COLUMNS.items() if not game.scores.scale or k not in _IN_UNITS}
    models = {trained.name: trained.metrics}
    if trained.baseline is not None:
        player = trained.card["data"]["settings"].get("evaluator")
        models[f"{player} (player)"] = trained.baseline
    rows = []
    for name, metrics in models.items():
        rows.append([name, *(cell(key, metrics.get(key)) for key in columns)])
        for stage in reversed(metrics["stages"]):
            of = f"\u2026 {stage['least']} to {stage['most']} {game.left_unit}"
            rows.append([of, *(cell(key, stage.get(key)) for key in columns)])
    said = [words for key, words in _MEANINGS.items() if key in columns]
    better = " and ".join(_COLUMNS[key] for key in _HIGHER if key in columns)
    note = f"{'; '.join(said)}. Higher is better for {better}, lower for the others."
    note += f" Rows below a model: its stages, by {game.left_unit}."
    note += " Player: it played the games." * (len(models) > 1)
    title = f"{trained.name} on {trained.metrics['rows']:,} held-out positions"
    headings = ["model", *(label.format(unit=game.scores.unit) for label in columns.values())]
    return Table(title, headings, rows, [note])
