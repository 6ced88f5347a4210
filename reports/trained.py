"""A fitted model: its figures on held-out games, and its weights."""

from __future__ import annotations

import textwrap

from sklearn.base import is_classifier

from samuel.common.displayable import Table, cell
from samuel.games.catalog import known_game
from samuel.learning.fitting.reading import default_features
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
        _reading(trained),
        _how(trained),
        f"Every error is measured against the {_measured(trained)}, for any --target.",
    ]
    if trained.baseline and trained.baseline["log_loss"] < trained.metrics["log_loss"]:
        lines.append(
            f"The model's log loss is higher than that of {_player(trained)}, which played the "
            "games; more games may help."
        )
    parts = [] if trained.weights is None else weights_parts(trained.weights)
    return View(trained.name, lines, [_table(trained), *parts])


def _measured(trained: Trained) -> str:
    """Return what the figures are measured against."""
    if "outcomes" in trained.card["data"]:
        return "outcomes that the scores of held-out games predict"
    return "outcomes of held-out games"


def _player(trained: Trained) -> str:
    return str(trained.card["data"]["settings"].get("evaluator"))


def _table(trained: Trained) -> Table:
    """Return the figures of the model, and of the one that played, with those of their stages."""
    game = known_game(trained.evaluator.game)
    columns = {k: v for k, v in _COLUMNS.items() if not game.scores.scale or k not in _IN_UNITS}
    models = {trained.name: trained.metrics}
    if trained.baseline is not None:
        models[f"{_player(trained)} (player)"] = trained.baseline
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


def _reading(trained: Trained) -> str:
    """Return a sentence on what the model reads, and on default features that it does not."""
    said = f"It reads {', '.join(trained.reads)}"
    if trained.fitting.features is None:
        return f"{said}."
    default = default_features(known_game(trained.evaluator.game))
    without = [name for name in default if name not in trained.reads]
    if not without:
        return f"{said}."
    left_out = textwrap.shorten(", ".join(without), 70, placeholder=" ...")
    named = ",".join(trained.fitting.features)
    return (
        f"{said}, instead of the default features ({left_out}): --features +{named} adds to these."
    )


def _how(trained: Trained) -> str:
    """Return a sentence on what was learned, and from which rows."""
    fitting = trained.fitting
    details = {
        "blend": f" ({fitting.blend:g} score, where there is one)",
        "td": f" (lambda {fitting.td_lambda:g})",
    }
    said = [f"Target {fitting.target}{details.get(str(fitting.target), '')}"]
    if is_classifier(trained.estimator) and fitting.target != "exact":
        said = ["Target outcome (who wins)"]
    for name in ("plies", "plies_left"):
        bounds = getattr(fitting, name)
        if bounds is not None:
            said.append(f"{name.replace('_', ' ')} {bounds[0]} to {bounds[1]}")
    if fitting.weights:
        said.append("weights " + ", ".join(f"{k} {v:g}" for k, v in fitting.weights.items()))
    if fitting.parameters:
        said.append("parameters " + ", ".join(f"{k} {v}" for k, v in fitting.parameters.items()))
    if fitting.dedupe:
        said.append("same positions merged")
    if fitting.augment:
        said.append("in all symmetric images")
    return f"{'; '.join(said)}."
