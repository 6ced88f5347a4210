"""Several models on the same held-out games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from errors import UserError
from games.abi import Evaluator
from games.random import random_positions
from learning import (
    Metrics,
    Split,
    evaluation_time,
    feature_importance,
    is_recipe,
    linear_weights,
    parameter_count,
)
from models import evaluate, handmade_names, load_evaluator, load_model
from selfplay import Dataset
from train import measure_on, scale_on, train_on

COLUMNS = {
    "model": "model",
    "r2": "R2",
    "mae": "mean absolute error",
    "log_loss": "log loss",
    "brier": "Brier",
    "rank_correlation": "rank correlation",
    "nanoseconds": "nanoseconds per evaluation",
    "parameters": "parameters",
    "seconds": "seconds to train",
}
"""Of the table, with the name that readers see."""

_SAMPLE = 4000


@dataclass(frozen=True, eq=False)
class Compared:
    """A model and how it did.

    Attributes
    ----------
    name, about
        What reports call it, and what it is.
    evaluator
        As the search runs it.
    metrics
        On held-out games.
    nanoseconds
        Of one evaluation.
    parameters, seconds
        How many numbers were learned, and how long that took; None where nothing was.
    weights
        Of a linear model, by stage (learning.linear_weights), else None.
    importance
        Of the features of a model that is not linear, by stage (learning.feature_importance).
    note
        What a reader should know, or "".
    """

    name: str
    about: str
    evaluator: Evaluator
    metrics: Metrics
    nanoseconds: float
    parameters: int | None = None
    seconds: float | None = None
    weights: pd.DataFrame | None = None
    importance: pd.DataFrame | None = None
    note: str = ""

    @property
    def row(self) -> dict[str, Any]:
        """Its row of the table, under the keys of COLUMNS."""
        own = {
            "model": self.name,
            "nanoseconds": self.nanoseconds,
            "parameters": self.parameters,
            "seconds": self.seconds,
        }
        return {key: own[key] if key in own else self.metrics.get(key) for key in COLUMNS}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Models on the same held-out games, the best log loss first."""

    split: Split
    models: tuple[Compared, ...]

    @property
    def table(self) -> pd.DataFrame:
        """One row a model, the columns named as readers see them."""
        return pd.DataFrame([m.row for m in self.models]).rename(columns=COLUMNS)


def compare(
    dataset: Dataset | Path | str,
    models: Sequence[str],
    *,
    target: str = "blend",
    blend: float = 0.5,
    features: Sequence[str] | None = None,
    stages: int | None = None,
    held_out: float = 0.2,
    seed: int = 0,
    game: str | None = None,
    progress: Callable[[str], None] = lambda model: None,
) -> Comparison:
    """Measure models on the held-out games of a dataset.

    Parameters
    ----------
    dataset
        A dataset or its folder.
    models
        Names of recipes, or FILE.py:function, which are trained on the other games; folders of
        saved models and names of hand-made ones, which are measured only, their scale fitted to
        the same games as that of the others.
    target, blend, features, stages, held_out, seed, game
        As for train.train.
    progress
        Called with each model's name before its turn.

    Returns
    -------
    Comparison
        The models, the best log loss first.

    Raises
    ------
    UserError
        The dataset, a name or a setting cannot be used.
    """
    if not models:
        raise UserError("name at least one model to compare")
    split = Split.of(dataset, held_out=held_out, seed=seed, game=game)
    for name in models:
        if not is_recipe(name) and not Path(name).is_dir():
            _require_known(name, split)
    settings = {"target": target, "blend": blend, "features": features, "stages": stages}
    compared = []
    for name in dict.fromkeys(models):
        progress(name)
        compared.append(
            _trained(split, name, settings) if is_recipe(name) else _loaded(split, name)
        )
    named = _told_apart(compared, list(dict.fromkeys(models)))
    return Comparison(split, tuple(sorted(named, key=lambda m: m.metrics["log_loss"])))


def _told_apart(compared: list[Compared], texts: list[str]) -> list[Compared]:
    """Name models of one name by the text each was asked for with."""
    names = [model.name for model in compared]
    return [
        replace(model, name=text) if names.count(model.name) > 1 else model
        for model, text in zip(compared, texts, strict=True)
    ]


def _require_known(name: str, split: Split) -> None:
    known = handmade_names(split.game.name)
    if name not in known:
        raise UserError(
            f"{name!r} is no recipe (samuel models lists them), no folder of a model, and no "
            f"hand-made evaluator of {split.game.name} ({', '.join(known)})"
        )


def _trained(split: Split, name: str, settings: dict[str, Any]) -> Compared:
    trained = train_on(split, name, **settings)
    return _compared(
        split,
        trained.evaluator,
        trained.metrics,
        trained.estimator,
        trained.scale,
        seconds=trained.seconds,
    )


def _loaded(split: Split, name: str) -> Compared:
    is_saved = Path(name).is_dir()
    evaluator = load_evaluator(name, split.game)
    scores = evaluate(evaluator, split.game, split.held_out_positions)
    metrics = measure_on(split, scores, scale_on(split, evaluator))
    if not is_saved:
        return _compared(split, evaluator, metrics, about=handmade_names(split.game.name)[name])
    saved = load_model(name)
    note = _note(saved.card, split)
    try:
        estimator = saved.estimator
    except UserError as error:  # the evaluator needs it not, only the pictures do
        estimator, note = None, "; ".join(filter(None, [note, str(error)]))
    return _compared(
        split,
        evaluator,
        metrics,
        estimator,
        saved.card.get("scale"),
        seconds=saved.card.get("seconds"),
        note=note,
    )


def _compared(
    split: Split,
    evaluator: Evaluator,
    metrics: Metrics,
    estimator: Any = None,
    scale: float | None = None,
    *,
    about: str | None = None,
    seconds: float | None = None,
    note: str = "",
) -> Compared:
    weights = importance = None
    if estimator is not None:
        weights = linear_weights(estimator, scale)
        if weights is None:
            sample = np.random.default_rng(split.seed).permutation(len(split.held_out))[:_SAMPLE]
            positions = split.held_out_positions[sample]
            outcomes = split.outcomes[split.held_out[sample]]
            importance = feature_importance(
                estimator, positions, outcomes, scale=scale, seed=split.seed
            )
    return Compared(
        name=evaluator.name,
        about=evaluator.origin if about is None else about,
        evaluator=evaluator,
        metrics=metrics,
        nanoseconds=evaluation_time(evaluator, split.game, random_positions(split.game, _SAMPLE)),
        parameters=None if estimator is None else parameter_count(estimator),
        seconds=seconds,
        weights=weights,
        importance=importance,
        note=note,
    )


def _note(card: dict[str, Any], split: Split) -> str:
    """Say so where a saved model may have been fitted to games that are held out here."""
    data, manifest = card.get("data") or {}, split.dataset.manifest
    same_games = all(data.get(key) == manifest[key] for key in ("settings", "evaluator_digest"))
    same_split = (
        card.get("seed") == split.seed
        and card.get("held_out") == split.share
        and data.get("games") == split.dataset.games
    )
    if same_games and not same_split:
        return "was fitted to another split of these games, so it has seen some of those held out"
    return ""
