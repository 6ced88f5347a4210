"""Estimators for a `FitOptions`: made by their names, and fitted to training data."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from joblib import cpu_count
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import check_is_fitted, has_fit_parameter
from threadpoolctl import threadpool_limits

from samuel.common.errors import UserError, unknown
from samuel.games.evaluator import of_another_game
from samuel.games.game import Game
from samuel.learning.fitting.by_moments import fit_by_moments, is_by_moments
from samuel.learning.fitting.given import in_one_line, over_positions
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.reading import default_features, features_read
from samuel.learning.fitting.recipes import in_stages, recipe, seeded
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.targets import NoRowError
from samuel.learning.fitting.training_data import TrainingData
from samuel.models import load_model
from samuel.models.compiled.log_odds import is_search
from samuel.models.saved.card import ESTIMATOR, WARM_START
from samuel.models.saved.loading import start_from
from samuel.models.saved.saving import learner_of, made_of

if TYPE_CHECKING:
    from samuel.models.patterns.base_estimator import Batch

ModelLike: TypeAlias = str | Any
"""Name of a recipe, FILE.py:function, or a scikit-learn estimator or pipeline."""


def name_of(model: ModelLike) -> str:
    """Return the name of a recipe, a function FILE.py:function, or an estimator in reports."""
    if not isinstance(model, str):
        return type(learner_of(model)).__name__
    return model.rpartition(":")[2] if ".py:" in model else model


def text_of(model: ModelLike) -> str:
    """Return the text that a user typed for a model, or the name of an estimator."""
    return model if isinstance(model, str) else name_of(model)


def is_own(model: ModelLike) -> bool:
    """Return whether an estimator is the user's own, and no recipe of the package."""
    return not isinstance(model, str) or ".py:" in model


def unfitted(model: ModelLike, game: Game, fitting: FitOptions, seed: int = 0) -> Any:
    """Return the estimator of a model with the parameters of `fitting`."""
    if isinstance(model, str):
        estimator = recipe(model, game, fitting.features, fitting.stages, seed)
    else:
        named = None if fitting.features is None else features_read(game, fitting.features)
        own = over_positions(model, game, default_features(game), named)
        estimator = seeded(in_stages(own, game, fitting.stages), seed)
    return with_parameters(estimator, fitting.parameters)


def with_parameters(estimator: Any, parameters: Mapping[str, Any]) -> Any:
    """Return an unfitted estimator, with parameters of the part that learns; else UserError."""
    learner = learner_of(estimator)
    known = learner.get_params()
    for name in parameters:
        if name not in known:
            raise unknown("parameter", name, known, of=type(learner).__name__)
    learner.set_params(**parameters)
    return estimator


def goes_on(estimator: Any) -> bool:
    """Return whether an estimator can continue the fit of a saved model (warm start)."""
    return bool(getattr(learner_of(estimator), "warm_start", False))


def begin_from(estimator: Any, start: Path | str, name: str, game: Game | None = None) -> str:
    """Let the fit of an estimator start from a model, or an evaluator; return a message.

    An estimator with a parameter `start` takes the weights of a linear evaluator. One with
    `warm_start` continues the fit of a saved model. Both must have the same parameters, except the
    seed and those that do not change a fit. If they differ, or the saved model is of another kind
    or lacks arrays, the estimator trains from scratch.
    """
    if "start" in estimator.get_params(deep=False):
        estimator.set_params(start=str(start))
        return ""
    if not goes_on(estimator):
        raise UserError(
            f"{name} cannot start from {start}: it has no warm start, and only texel starts from "
            "an evaluator"
        )
    learner, earlier = learner_of(estimator), start
    model, anew = load_model(earlier), "starts from scratch: "
    if game is not None and model.card["game"] != game.name:
        raise of_another_game(str(start), model.card["game"], game)
    if type(learner).__name__ not in str(model.card.get("model")):
        return f"{anew}the earlier model is of another kind"
    if WARM_START in model.card["files"] and hasattr(learner, "start_from"):
        if model.card.get("made_of") != made_of(estimator):
            return f"{anew}the earlier model was made with other parameters"
        start_from(learner, earlier)
        return "continues from the earlier fit"
    if ESTIMATOR not in model.card["files"]:
        return f"{anew}the earlier model was saved without what a fit goes on from"
    try:
        found = learner_of(model.estimator)
        alike = type(found) is type(learner) and made_of(model.estimator) == made_of(estimator)
        check_is_fitted(found)
    except UserError as error:
        return f"{anew}{error}"
    except (AttributeError, TypeError, NotFittedError):
        alike = False  # of an earlier version, or crafted
    if not alike:
        return f"{anew}the earlier model was made with other parameters"
    vars(learner).update({name: one for name, one in vars(found).items() if name.endswith("_")})
    return "continues from the earlier fit"


def fit(estimator: Any, data: TrainingData, model: ModelLike) -> None:
    """Fit an estimator to training data.

    Its `fit` gets `sample_weight`, and `groups` (the games of the rows), if it takes them. A search
    hands weights on to its estimator, and groups to its `cv`. The `cv` of another step that splits
    by groups is replaced by the splits during the fit. Without weights a draw counts as a win and a
    loss.
    """
    details = _details(estimator, data)
    with _fitting(model), _dividing_by_games(estimator, data):
        estimator.fit(data.positions, data.y, **details)


@contextlib.contextmanager
def _fitting(model: ModelLike) -> Iterator[None]:
    """Set warnings, threads, output, errors and unrouted weights for a fit in the block."""
    with (
        config_context(enable_metadata_routing=False),
        warnings.catch_warnings(),
        threadpool_limits({"openmp": _free_cores(), "blas": 1}),
        contextlib.redirect_stdout(sys.stderr),  # what a verbose estimator prints is no result
        refusing(model, "cannot be fitted to these positions"),
    ):
        warnings.filterwarnings("ignore", "The groups parameter is ignored")
        if not is_own(model):  # the recipes' limits on iterations are meant
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "Got `batch_size`")
        yield


def fit_split(
    estimator: Any,
    split: Split,
    fitting: FitOptions,
    model: ModelLike,
    progress: Callable[[str], None] = lambda doing: None,
) -> tuple[int, float]:
    """Fit an estimator to the training rows of a split."""
    batches = split.batches(fitting)
    started = time.perf_counter()

    def given(batch: Callable[[], Split]) -> TrainingData:
        return TrainingData.of_split(batch(), fitting, estimator)

    if is_by_moments(estimator):
        with _fitting(model):
            chosen = _with_rows(batches, given, progress)
            rows = fit_by_moments(estimator, (data for _, data in chosen))
        return rows, time.perf_counter() - started
    if len(batches) == 1:
        progress("choosing rows")
        data = given(batches[0])
        progress(f"fitting to {data.different_rows:,} rows")
        started = time.perf_counter()
        fit(estimator, data, model)
        return data.different_rows, time.perf_counter() - started
    counts = {batch: data.different_rows for batch, data in _with_rows(batches, given, progress)}
    last, rows = batches[-1], sum(counts.values())
    held_out: list[Callable[[], Batch]] = []
    if getattr(estimator, "early_stopping", False) and len(counts) > 1 and counts.pop(last, 0):
        held_out = [functools.partial(_as_batch, given(last))]
    asked = itertools.count()

    def read(batch: Callable[[], Split]) -> Batch:
        number = 1 + next(asked) // len(counts)
        progress(f"fitting to {rows:,} rows: pass {number}")
        return _as_batch(given(batch))

    with _fitting(model):
        readers = [functools.partial(read, batch) for batch in counts]
        estimator.fit_batches(readers, held_out=held_out)
    return rows, time.perf_counter() - started


def _as_batch(data: TrainingData) -> Batch:
    return data.positions, data.y, data.sample_weight


def _with_rows(
    batches: Sequence[Callable[[], Split]],
    given: Callable[[Callable[[], Split]], TrainingData],
    progress: Callable[[str], None],
) -> Iterator[tuple[Callable[[], Split], TrainingData]]:
    """Yield the batches in which `given` finds rows, with these."""
    refusal, found = UserError("there are no games to fit to; play more"), False
    for number, batch in enumerate(batches, 1):
        progress(f"choosing rows: batch {number} of {len(batches)}")
        try:
            data = given(batch)
        except NoRowError as error:  # others may have some
            refusal = error
        else:
            found = True
            yield batch, data
    if not found:
        raise refusal


def why_not_in_batches(estimator: Any, model: ModelLike, fitting: FitOptions) -> str:
    """Return the reason why a fit needs all rows in memory; empty if it does not."""
    if not (hasattr(estimator, "fit_batches") or is_by_moments(estimator)):
        return (
            f"{text_of(model)} needs all rows in memory at once; what learns from a stream is "
            "ridge, and patterns such as tuples2"
        )
    if fitting.dedupe or "rare" in fitting.weights:
        return (
            "merging positions and the weight rare need all rows in memory at once; stream without "
            "them, or what samuel dataset dedupe made"
        )
    return ""


def _details(estimator: Any, data: TrainingData) -> dict[str, Any]:
    """Return the arguments of an estimator's `fit` other than rows and targets."""
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return {f"{name}__{key}": value for key, value in _details(last, data).items()}
    if is_search(estimator):  # which hands on what its estimator takes
        return {**_details(estimator.estimator, data), "groups": data.groups}
    details: dict[str, Any] = (
        {} if data.sample_weight is None else {"sample_weight": data.sample_weight}
    )
    if has_fit_parameter(estimator, "groups"):
        details["groups"] = data.groups
    return details


@contextlib.contextmanager
def _dividing_by_games(estimator: Any, data: TrainingData) -> Iterator[None]:
    """Replace each `cv` of a step that splits by games, but does not get them, by its splits."""
    given = []
    for step in _steps_in(estimator):
        for name, value in step.get_params().items():
            if not (hasattr(value, "get_n_splits") and _reads_games(value)):
                continue
            if name != "cv":
                raise UserError(
                    f"{type(value).__name__} inside {type(step).__name__} splits by games, "
                    "which it does not receive there; use KFold"
                )
            if not is_search(step):
                given.append((step, value))
    try:
        for step, cv in given:
            step.cv = list(cv.split(data.positions, data.y, data.groups))
        yield
    finally:
        for step, cv in given:
            step.cv = cv


def _steps_in(estimator: Any) -> Iterator[Any]:
    if isinstance(estimator, Pipeline):
        for _, step in estimator.steps:
            yield from _steps_in(step)
    elif hasattr(estimator, "get_params"):
        yield estimator


def _reads_games(splitter: Any) -> bool:
    return bool(get_routing_for_object(splitter).consumes("split", ["groups"]))


@contextlib.contextmanager
def refusing(model: ModelLike, what: str) -> Iterator[None]:
    """Turn an error of an estimator into a sentence; a user's own may raise any error."""
    expected: tuple[type[Exception], ...] = (Exception,) if is_own(model) else (ValueError,)
    try:
        yield
    except UserError:
        raise
    except expected as error:
        raise UserError(f"{text_of(model)} {what}: {in_one_line(error)}") from error


def _free_cores() -> int:
    """Return the number of free cores, at least one: OpenMP's threads wait for each other.

    Without a core for each, histogram boosting took up to 60 times as long.
    """
    cores = int(cpu_count())
    if sys.platform != "win32":
        with contextlib.suppress(OSError):  # a system without load averages
            return max(1, round(cores - os.getloadavg()[0]))
    return cores
