"""Dataset in; fitted, measured and saved evaluator out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.common.options import Argument, Flag, Seed
from samuel.common.public import public
from samuel.common.steps import OnStep, sending
from samuel.learning.findings import warn_of_data
from samuel.learning.fitting.by_moments import is_by_moments
from samuel.learning.fitting.estimators import (
    ModelLike,
    begin_from,
    fit_split,
    name_of,
    refusing,
    text_of,
    unfitted,
    why_not_in_batches,
)
from samuel.learning.fitting.measuring import (
    baseline_of,
    measure_on,
    require_numbers,
    units_per_logit,
)
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.split import BATCH_ROWS, Split, has_outcomes
from samuel.learning.fitting.training_data import TrainingData, warn_of
from samuel.learning.trained import Trained, saved
from samuel.models import Staged, compile_model, evaluate
from samuel.models.convert import predict
from samuel.models.saved.saving import require_room
from samuel.selfplay.data.dataset import Dataset

MOST_IN_MEMORY, MOST_BY_MOMENTS = 20_000_000, 4_000_000
"""Rows that a fit to patterns takes about 4 GB for, and rows of a fit that reads batches once."""


@public
def train(
    dataset: Annotated[Dataset, Argument()],
    model: ModelLike = "ridge",
    fitting: FitOptions = FitOptions(),
    *,
    start: Annotated[Path | str | None, Flag("from")] = None,
    stream: bool | None = None,
    held_out: float = 0.2,
    seed: Seed = 0,
    game: str | None = None,
    out: Path | str | None = None,
    name: str | None = None,
    keep_estimator: bool = False,
    progress: Callable[[str], None] = lambda doing: None,
    on_step: OnStep | None = None,
) -> Trained:
    """Fit a model to a dataset, measure it on held-out games and save it.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    model
        Recipe: a name (samuel models lists them), or FILE.py:function. In Python also a
        scikit-learn estimator or pipeline, which is copied. If it does not start with `Features` or
        `Patterns`, the default features of the game are put in front of it.
    fitting
        Options of the fit. Its fields may be given by name: train(dataset, "ridge",
        target="outcome", features=["mobility"]).
    start
        Where the fit starts: the folder of a model for a recipe with warm start, or a linear
        hand-made evaluator for the recipe `texel`. By default from scratch.
    stream
        Read the games batch by batch: once for `ridge` and `linear`, at each pass for pattern
        models. Default: on above 4 million positions, for pattern models above 20 million.
    held_out
        Share of games to hold out and measure the model on. With `stream`, fewer games may be held
        out.
    seed
        Seed of the split and of the fit.
    game
        Game of the dataset. The command fails if the dataset is of another game.
    out
        Folder for the model. In Python None keeps it in memory alone.
    name
        Name of the model in reports. By default the name of the folder, or of the recipe.
    keep_estimator
        Save the scikit-learn estimator too. Play needs only its compiled form. In Python it is
        load_model(out).estimator.
    progress
        Called with a description of the current step.
    on_step
        Called with the figures of each step, a dict (docs/callbacks.md). Its exceptions end the
        run.

    Returns
    -------
    Trained
        Fitted model with its figures on held-out games.

    Raises
    ------
    UserError
        The dataset, a name or a setting cannot be used, or `out` cannot be written.

    Examples
    --------
    >>> import samuel
    >>> trained = samuel.train("data/games", "ridge", out="runs/new")
    >>> trained.evaluator.name
    'new'
    """
    if out is not None:
        require_room(Path(out))
    progress("reading")
    split = Split.of(
        dataset,
        held_out=held_out,
        seed=seed,
        game=game,
        batch_rows=_batch_rows(dataset, model, fitting, stream),
        progress=progress,
    )
    name = name or (Path(out).name if out else name_of(model))
    with sending(on_step) as steps:
        trained = train_on(split, model, fitting, start=start, name=name, progress=progress)
        if out is not None:
            progress("saving")
            trained = saved(trained, out, keep_estimator=keep_estimator)
        steps.send("train", 1, **_figures(trained))
    return trained


def _figures(trained: Trained) -> dict[str, Any]:
    figures = {key: x for key, x in trained.metrics.items() if isinstance(x, int | float)}
    of_fit = {"name": trained.name, "rows": trained.rows, "seconds": trained.seconds}
    return {**figures, **of_fit, "held_out_rows": figures["rows"]}


def _batch_rows(
    dataset: Dataset, model: ModelLike, fitting: FitOptions, stream: bool | None
) -> int | None:
    """Return how many rows a fit reads at once, None for all; see `train`."""
    estimator = unfitted(model, dataset.game, fitting)
    most = MOST_BY_MOMENTS if is_by_moments(estimator) else MOST_IN_MEMORY
    if stream is False or (stream is None and len(dataset) <= most):
        return None
    why = why_not_in_batches(estimator, model, fitting)
    if why and stream:
        raise UserError(why)
    return None if why else BATCH_ROWS


@public
def training_data(
    dataset: Dataset,
    model: ModelLike = "ridge",
    fitting: FitOptions = FitOptions(),
    *,
    held_out: float = 0.2,
    seed: Seed = 0,
    game: str | None = None,
) -> TrainingData:
    """Return the rows that `train` fits a model to, and those that it measures on.

    The parameters are those of `train`, and so are rows, targets, features and weights: what is
    fitted to them by hand is what `train` fits.

        data = samuel.training_data(dataset)
        ridge = Ridge(100.0).fit(data.X, data.y, sample_weight=data.sample_weight)

    `data.y` is the target of training, by default a blend of score and outcome (in games
    that count in pawns the score). `data.test.y` is always the outcome, because figures measure how
    well a model predicts results. So the two lines differ by more than their rows:

        ridge.score(data.X, data.y)  # against the target
        ridge.score(data.test.X, data.test.y)  # against the outcomes of held-out games

    Rows that an exploratory move separates from their outcome are learned only by their scores, and
    are not among the held-out ones. About a tenth of the other games is in neither: these games set
    the scale of scores.

    Parameters
    ----------
    dataset
        Dataset, or its folder.
    model
        Recipe, or a scikit-learn estimator.
    fitting
        Options of the fit.
    held_out
        Share of games to hold out.
    seed
        Seed of every random choice.
    game
        Game, or its name.

    Returns
    -------
    TrainingData
        Rows to fit to, and in `test` the held-out rows.

    Raises
    ------
    UserError
        The dataset, a name or a setting cannot be used.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.training_data("data/games", "ridge")
    >>> data.X.shape == (len(data.y), 13)
    True
    """
    split = Split.of(dataset, held_out=held_out, seed=seed, game=game)
    estimator = unfitted(model, split.game, fitting, split.seed)
    data = TrainingData.of_split(split, fitting, estimator)
    return replace(data, test=TrainingData.held_out(split, estimator))


def train_on(
    split: Split,
    model: ModelLike,
    fitting: FitOptions = FitOptions(),
    *,
    start: Path | str | None = None,
    name: str | None = None,
    progress: Callable[[str], None] = lambda doing: None,
) -> Trained:
    """Fit a model to the training rows of a split and measure it; see train."""
    name = name or name_of(model)
    estimator = unfitted(model, split.game, fitting, split.seed)
    begun = "" if start is None else begin_from(estimator, start, name_of(model), split.game)
    described = " ".join(repr(estimator).split())
    warn_of(estimator, name_of(model), fitting, split)
    warn_of_data(estimator, split)
    fitting = split.with_target(fitting)
    rows, seconds = fit_split(estimator, split, fitting, model, progress)
    progress("measuring")
    origin = f"{name_of(model)}, fitted to {rows:,} rows of {split.dataset.folder.name}"
    with refusing(model, "cannot score these positions"):
        scale = units_per_logit(estimator, split)
        evaluator = compile_model(estimator, name, scale=scale, origin=origin)
        is_slow = not hasattr(evaluator.source, "kind")
        scores = (
            predict(estimator, split.held_out_positions, scale)
            if is_slow
            else evaluate(evaluator, split.game, split.held_out_positions)
        )
    require_numbers(scores, name_of(model))
    targets = split.held_out_targets(fitting)
    metrics = measure_on(split, evaluator, scores, targets)
    baseline = baseline_of(split, targets)
    card = {
        "recipe": text_of(model),
        "estimator": described,
        "unit": split.game.scores.unit,
        **fitting.flat(),
        "stages": len(estimator.knots) if isinstance(estimator, Staged) else 1,
        "seed": split.seed,
        "held_out": split.share,
        "stream": split.batch_rows is not None,
        "data": _about(split),
        "rows": rows,
        "seconds": round(seconds, 3),
        **({"begun": begun} if begun else {}),
        "metrics": metrics,
        "baseline": baseline,
        **_fit_of_weights(estimator, split, targets),
    }
    return Trained(
        name, estimator, evaluator, scale, metrics, baseline, fitting, card, rows, seconds
    )


def _fit_of_weights(estimator: Any, split: Split, targets: NDArray[Any]) -> dict[str, Any]:
    """Return what Texel's method tells of itself; nothing of other fits."""
    if not hasattr(estimator, "weight_fit"):
        return {}
    before, after = estimator.losses(split.held_out_positions, targets)
    return {
        "start": estimator.start,
        "logit_scale": estimator.scale_,
        "passes": estimator.n_iter_,
        "loss": {"before": before, "after": after},
    }


def _about(split: Split) -> dict[str, Any]:
    dataset = split.dataset
    return {
        "folder": str(dataset.folder),
        **({} if has_outcomes(dataset) else {"outcomes": "scores"}),
        "game": split.game.name,
        "games": dataset.games,
        "positions": len(dataset),
        "digest": dataset.digest,
        "settings": dataset.manifest["settings"],
        "evaluator_digest": dataset.manifest.get("evaluator_digest"),
    }
