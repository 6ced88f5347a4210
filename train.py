"""Dataset in; fitted, measured and saved evaluator out. `python train.py` is `samuel train`."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import cpu_count
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from errors import UserError
from games.abi import Evaluator
from learning import Examples, Metrics, Split, fit_scale, measure, recipe
from models import Staged, compile_model, evaluate, load_evaluator, save
from models.convert import predict
from models.saved import require_room
from selfplay import Dataset
from selfplay.generate import evaluator_digest


@dataclass(frozen=True, eq=False, repr=False)
class Trained:
    """A fitted model and what is known of it.

    Attributes
    ----------
    name
        What reports call it.
    estimator
        The fitted scikit-learn pipeline over positions.
    evaluator
        The same as the search runs it.
    scale
        Of a classifier: the units of score that a logit was made worth; else None.
    metrics
        On held-out games. Their own scale says what scores mean for winning; it comes from games
        that the model was not fitted to, so that models which are too sure are not flattered.
    baseline
        The same figures of the evaluator that played the games, or None where it cannot be
        loaded.
    card
        What a saved model says of itself besides: data, settings, figures.
    rows
        How many positions it was fitted to.
    seconds
        How long the fit took.
    out
        The folder it was saved in, or None.
    """

    name: str
    estimator: Any
    evaluator: Evaluator
    scale: float | None
    metrics: Metrics
    baseline: Metrics | None
    card: dict[str, Any]
    rows: int
    seconds: float
    out: Path | None = None

    def __repr__(self) -> str:
        m = self.metrics
        return (
            f"Trained({self.name!r}: {self.rows:,} rows, held-out R2 {m['r2'] or 0:.3f}, "
            f"log loss {m['log_loss']:.4f})"
        )


def train(
    dataset: Dataset | Path | str,
    model: str = "ridge",
    *,
    target: str = "blend",
    blend: float = 0.5,
    features: Sequence[str] | None = None,
    stages: int | None = None,
    held_out: float = 0.2,
    seed: int = 0,
    game: str | None = None,
    out: Path | str | None = None,
    name: str | None = None,
    progress: Callable[[str], None] = lambda doing: None,
) -> Trained:
    """Fit a model to a dataset, measure it on held-out games, and save it.

    Parameters
    ----------
    dataset
        A dataset or its folder.
    model
        The name of a recipe, or FILE.py:function (learning.recipes.recipe).
    target, blend
        What it is fitted to (learning.targets).
    features, stages
        Names of features, and into how many stages to divide the game; None for the recipe's.
    held_out
        The share of games to hold out.
    seed
        Of the split and of all that is random in the fit.
    game
        The name of the game the dataset should be of, where that matters.
    out
        The folder to save the model in; None to keep it in memory alone.
    name
        What reports call it; by default the folder's name, or the recipe's.
    progress
        Called with what is being done.

    Raises
    ------
    UserError
        The dataset, a name or a setting cannot be used, or `out` cannot be written.
    """
    if out is not None:
        require_room(Path(out))
    progress("reading")
    split = Split.of(dataset, held_out=held_out, seed=seed, game=game)
    name = name or (Path(out).name if out else name_of(model))
    trained = train_on(
        split,
        model,
        target=target,
        blend=blend,
        features=features,
        stages=stages,
        name=name,
        progress=progress,
    )
    if out is None:
        return trained
    progress("saving")
    return saved(trained, out)


def train_on(
    split: Split,
    model: str,
    *,
    target: str = "blend",
    blend: float = 0.5,
    features: Sequence[str] | None = None,
    stages: int | None = None,
    name: str | None = None,
    progress: Callable[[str], None] = lambda doing: None,
) -> Trained:
    """Fit a model to the training rows of a split and measure it; see train."""
    name = name or name_of(model)
    estimator = recipe(model, split.game, features, stages, split.seed)
    if is_classifier(estimator) and target == "score":
        warnings.warn(
            f"{name_of(model)} learns who wins: its target is the outcome, not the score",
            stacklevel=2,
        )
    examples = split.examples(target, blend, classifier=is_classifier(estimator))
    progress("fitting")
    started = time.perf_counter()
    _fit(estimator, split.dataset.positions[examples.rows], examples, model)
    seconds = time.perf_counter() - started
    progress("measuring")
    scale = _units_per_logit(estimator, split)
    evaluator = compile_model(estimator, name, scale=scale, origin=_origin(model, split, examples))
    scores = predict(estimator, split.held_out_positions, scale)
    targets = split.held_out_targets(target, blend)
    metrics = measure_on(split, scores, scale_on(split, evaluator), targets)
    baseline = _baseline(split, target, blend)
    rows = len(np.unique(examples.rows))
    card = {
        "recipe": model,
        "unit": split.game.unit,
        "stages": len(estimator.knots) if isinstance(estimator, Staged) else 1,
        "target": target,
        "blend": blend if target == "blend" else None,
        "seed": split.seed,
        "held_out": split.share,
        "data": _about(split),
        "rows": rows,
        "seconds": round(seconds, 3),
        "metrics": metrics,
        "baseline": baseline,
    }
    return Trained(name, estimator, evaluator, scale, metrics, baseline, card, rows, seconds)


def name_of(model: str) -> str:
    """Return what reports call a recipe, or a function FILE.py:function."""
    return model.rpartition(":")[2] if ".py:" in model else model


def saved(trained: Trained, out: Path | str) -> Trained:
    """Save a trained model in the folder `out`; return it with the folder."""
    save(out, trained.estimator, name=trained.name, scale=trained.scale, card=trained.card)
    return Trained(**{**vars(trained), "out": Path(out)})


def measure_on(
    split: Split, scores: ArrayLike, scale: float, targets: ArrayLike | None = None
) -> Metrics:
    """Return the metrics of scores of the held-out positions."""
    return measure(
        scores,
        split.outcomes[split.held_out],
        split.held_out_remaining,
        scale=scale,
        max_remaining=split.game.max_remaining,
        targets=targets,
    )


def scale_on(split: Split, evaluator: Evaluator) -> float:
    """Return the scale of an evaluator, from the calibration rows."""
    positions = split.dataset.positions[split.calibration]
    scores = evaluate(evaluator, split.game, positions)
    return fit_scale(scores, split.outcomes[split.calibration])


def _fit(estimator: Any, positions: NDArray[np.uint64], examples: Examples, model: str) -> None:
    classifier = is_classifier(estimator)
    target = examples.target.astype(np.int64) if classifier else examples.target
    weights = {} if examples.weight is None else _weights_for(estimator, examples.weight)
    with warnings.catch_warnings(), threadpool_limits({"openmp": _free_cores(), "blas": 1}):
        if ".py:" not in model:  # the recipes' limits on iterations are meant
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "Got `batch_size`")
        try:
            estimator.fit(positions, target, **weights)
        except ValueError as error:
            raise UserError(f"{model} cannot be fitted to these positions: {error}") from error


def _free_cores() -> int:
    """Return the cores that nothing else is using, at least one.

    OpenMP's threads wait for each other in turn: where one has no core to itself, histogram
    boosting was seen to take 60 times as long. How many there are does not change what is fitted;
    of BLAS's it does in the last digits, and matrices as narrow as these need but one.
    """
    cores = int(cpu_count())
    try:
        return max(1, round(cores - os.getloadavg()[0]))
    except (AttributeError, OSError):  # a system without load averages
        return cores


def _weights_for(estimator: Any, weight: NDArray[np.float32]) -> dict[str, Any]:
    """Return the argument by which an estimator takes weights; none where it takes none.

    Without weights a draw counts as a whole win and a whole loss.
    """
    if isinstance(estimator, Staged):
        return {"sample_weight": weight}
    name, last = estimator.steps[-1]
    return {f"{name}__sample_weight": weight} if has_fit_parameter(last, "sample_weight") else {}


def _units_per_logit(estimator: Any, split: Split) -> float | None:
    """Return what makes a classifier's logits scores: the multiple nearest to the outcomes."""
    if not is_classifier(estimator):
        return None
    logits = predict(estimator, split.dataset.positions[split.calibration], 1.0).astype(np.float64)
    squares = float(logits @ logits)
    multiple = float(logits @ split.outcomes[split.calibration]) / squares if squares > 0 else 0.0
    return multiple if multiple > 0 else split.game.max_utility


def _baseline(split: Split, target: str, blend: float) -> Metrics | None:
    manifest = split.dataset.manifest
    try:
        maker = load_evaluator(manifest["settings"]["evaluator"], split.game)
    except UserError:
        return None
    if evaluator_digest(maker, split.game) != manifest["evaluator_digest"]:
        return None  # what stands there now is another
    scores = evaluate(maker, split.game, split.held_out_positions)
    targets = split.held_out_targets(target, blend)
    return measure_on(split, scores, scale_on(split, maker), targets)


def _origin(model: str, split: Split, examples: Examples) -> str:
    return f"{name_of(model)}, fitted to {len(examples):,} rows of {split.dataset.folder.name}"


def _about(split: Split) -> dict[str, Any]:
    dataset = split.dataset
    return {
        "folder": str(dataset.folder),
        "game": split.game.name,
        "games": dataset.games,
        "positions": len(dataset),
        "settings": dataset.manifest["settings"],
        "evaluator_digest": dataset.manifest["evaluator_digest"],
    }


def main() -> None:
    """Run `samuel train`."""
    from cli.main import main as samuel

    samuel(["train", *sys.argv[1:]])


if __name__ == "__main__":
    main()
