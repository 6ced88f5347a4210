"""Estimators for a `FitOptions`: made, and fitted with what their `fit` takes."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from joblib import cpu_count
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import check_is_fitted, has_fit_parameter
from threadpoolctl import threadpool_limits

from samuel.errors import UserError, unknown
from samuel.features import Features, Patterns
from samuel.games.interface import Game
from samuel.learning.fitting.given import in_one_line, over_positions
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.reading import default_features, features_read
from samuel.learning.fitting.recipes import in_stages, recipe, seeded
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.targets import Examples, NoRowError
from samuel.models import Staged, load_model
from samuel.models.compiled.log_odds import first_step, is_search
from samuel.models.patterns.base_estimator import Batch
from samuel.models.saved.card import ESTIMATOR, WARM_START
from samuel.models.saved.loading import start_from
from samuel.models.saved.saving import learner_of, made_of
from samuel.models.staged import takes_weights as learner_takes_weights
from samuel.units import counted

ModelLike: TypeAlias = str | Any
"""The name of a recipe, FILE.py:function, or a scikit-learn estimator or pipeline."""


def name_of(model: ModelLike) -> str:
    """Return what reports call a recipe, a function FILE.py:function, or an estimator."""
    if not isinstance(model, str):
        return type(learner_of(model)).__name__
    return model.rpartition(":")[2] if ".py:" in model else model


def text_of(model: ModelLike) -> str:
    """Return what a person typed for a model, or the name of the estimator that was given."""
    return model if isinstance(model, str) else name_of(model)


def is_own(model: ModelLike) -> bool:
    """Return whether an estimator is a person's own, and no recipe of the package."""
    return not isinstance(model, str) or ".py:" in model


def unfitted(model: ModelLike, game: Game, fitting: FitOptions, seed: int = 0) -> Any:
    """Return the estimator of a model with the parameters of `fitting`.

    See learning.fitting.recipes for names, and learning.fitting.given for estimators.

    Raises
    ------
    UserError
        There is no such recipe, feature or parameter, or it is no estimator that can be trained.
    """
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


def go_on_from(estimator: Any, earlier: Path | str) -> str:
    """Let an unfitted estimator with `warm_start` begin with what a saved one has learned.

    It does where both are made alike, but for the seed and what no fit depends on. Where they are
    not, or the saved model is of another kind or holds too little to continue from, it trains from
    scratch. Return a message about this for the user, empty without `warm_start`.

    Raises
    ------
    UserError
        The saved one is needed, and cannot be read.
    """
    learner = learner_of(estimator)
    if not getattr(learner, "warm_start", False):
        return ""
    model, anew = load_model(earlier), "beginning anew: "
    if type(learner).__name__ not in str(model.card.get("model")):
        return f"{anew}the earlier model is of another kind"
    if WARM_START in model.card["files"] and hasattr(learner, "start_from"):
        if model.card.get("made_of") != made_of(estimator):
            return f"{anew}the earlier model was made with other parameters"
        start_from(learner, earlier)
        return "going on from the earlier fit"
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
    return "going on from the earlier fit"


def takes_weights(estimator: Any) -> bool:
    """Return whether rows can count differently in its fit."""
    return learner_takes_weights(learner_of(estimator))


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Rows of a dataset in the form in which an estimator is fitted to them.

    Attributes
    ----------
    rows
        Numbers of the rows in the dataset, int64 (m,). A row may stand more than once.
    positions
        Positions, uint64 (m, K), each from its side to move.
    y
        (m,), float32 targets in the game's unit for the side to move; of a classifier int64, 1
        for a win and 0 for a loss. Held-out rows have outcomes, float32, whatever the target.
    sample_weight
        Weights, float32 (m,), or None if all are equal or the estimator takes none.
    groups
        Games of the rows, int64 (m,), for `GroupKFold` and the like.
    reader
        Fitted transformer that makes `X` from positions, or None if the estimator reads positions.
    test
        Held-out rows that `train` measures on, or None.

    Examples
    --------
    >>> import samuel
    >>> data = samuel.training_data("data/games", "ridge")
    >>> data.positions.shape == (len(data.groups), 2)
    True
    """

    rows: NDArray[np.int64]
    positions: NDArray[np.uint64]
    y: NDArray[Any]
    sample_weight: NDArray[np.float32] | None
    groups: NDArray[np.int64]
    reader: Features | Patterns | None = None
    test: TrainingData | None = None

    @classmethod
    def of(
        cls,
        estimator: Any,
        examples: Examples,
        positions: NDArray[np.uint64],
        games: NDArray[np.int64],
    ) -> TrainingData:
        """Return examples in the form that an estimator takes.

        Parameters
        ----------
        estimator
            Estimator that the data is for.
        examples
            Examples: positions with targets and weights.
        positions
            Positions, uint64 (m, K).
        games
            Game of each position (m,).

        Returns
        -------
        TrainingData
            Rows with columns for the estimator.
        """
        weight = examples.weight if takes_weights(estimator) else None
        target = examples.target.astype(np.int64) if is_classifier(estimator) else examples.target
        reader = _reader_of(estimator, positions)
        return cls(examples.rows, positions, target, weight, games, reader)

    @classmethod
    def of_split(cls, split: Split, fitting: FitOptions, estimator: Any) -> TrainingData:
        """Return the training rows of a split, chosen and weighted by the options of a fit.

        Parameters
        ----------
        split
            Dataset that is divided into training and held-out games.
        fitting
            Options of the fit.
        estimator
            Estimator that the data is for.

        Returns
        -------
        TrainingData
            Training rows.
        """
        examples = split.examples(fitting, classifier=is_classifier(estimator))
        return cls.of(estimator, examples, split.positions_of(examples), split.games_of(examples))

    @classmethod
    def held_out(cls, split: Split, estimator: Any) -> TrainingData:
        """Return the held-out rows of a split.

        Parameters
        ----------
        split
            Dataset that is divided into training and held-out games.
        estimator
            Estimator that the data is for.

        Returns
        -------
        TrainingData
            Held-out rows.
        """
        outcomes = Examples(split.held_out, split.outcomes[split.held_out])
        positions, games = split.held_out_positions, split.games_of(outcomes)
        reader = _reader_of(estimator, positions)
        return cls(outcomes.rows, positions, outcomes.target, None, games, reader)

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, chosen: NDArray[Any]) -> TrainingData:
        """Return the chosen rows (a mask or numbers)."""
        weight = None if self.sample_weight is None else self.sample_weight[chosen]
        rows, positions, y = self.rows[chosen], self.positions[chosen], self.y[chosen]
        return TrainingData(rows, positions, y, weight, self.groups[chosen], self.reader)

    @property
    def different_rows(self) -> int:
        """Number of different rows of the dataset."""
        return int(np.count_nonzero(np.bincount(self.rows)))

    def __repr__(self) -> str:
        rows, games = counted(len(self), "row"), counted(len(np.unique(self.groups)), "game")
        reads = "positions" if self.reader is None else f"X of {type(self.reader).__name__}"
        held_out = ""
        if self.test is not None:
            of_games = counted(len(np.unique(self.test.groups)), "game")
            held_out = (
                f"; test: {counted(len(self.test), 'row')} of {of_games}, held out; other games "
                "set the scale of scores"
            )
        weights = "" if self.sample_weight is None else ", with weights"
        return f"TrainingData({rows} of {games}, {reads}{weights}{held_out})"

    @functools.cached_property
    def X(self) -> Any:  # noqa: N802 (as scikit-learn calls it)
        """The matrix (m, columns) that follows the reader in a pipeline; else the positions."""
        return self.positions if self.reader is None else self.reader.transform(self.positions)

    @functools.cached_property
    def feature_names(self) -> list[str]:
        """The names of the columns of `X`; empty where it holds positions."""
        return [] if self.reader is None else list(self.reader.get_feature_names_out())


def _reader_of(estimator: Any, positions: NDArray[np.uint64]) -> Features | Patterns | None:
    """Return the transformer that an estimator starts with, fitted, so that it reads any rows."""
    first = first_step(estimator.estimator if isinstance(estimator, Staged) else estimator)
    return clone(first).fit(positions) if isinstance(first, Features | Patterns) else None


def fit(estimator: Any, data: TrainingData, model: ModelLike) -> None:
    """Fit an estimator to training data.

    Its `fit` is given `sample_weight` where it takes it, and `groups`, the games of the rows, so
    that it can hold some out for itself; a search hands weights on to its estimator, and groups to
    its `cv`. Another step's `cv` that divides by groups is given the splits for the time of the
    fit. Without weights a draw counts as a win and a loss.

    Parameters
    ----------
    estimator
        A pipeline, a Staged, or another estimator over positions.
    model
        What it was made from, for the error.

    Raises
    ------
    UserError
        It cannot be fitted to them, or a `cv` inside of it divides by groups that it does not get.
    """
    details = _details(estimator, data)
    with _fitting(model), _dividing_by_games(estimator, data):
        estimator.fit(data.positions, data.y, **details)


@contextlib.contextmanager
def _fitting(model: ModelLike) -> Iterator[None]:
    """Fit in the block what was made from `model`; see `fit` for errors."""
    with (
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
    """Fit an estimator to the training rows of a split.

    With several batches the estimator asks for each once a pass (`fit_batches`). The weights of
    rows are scaled to a mean of 1 in each.

    Parameters
    ----------
    estimator
        Unfitted; for several batches see why_not_in_batches.
    fitting
        Which rows, in what form.
    model
        What it was made from, for the error.
    progress
        Called with what is being done.

    Returns
    -------
    To how many rows, and in how many seconds.

    Raises
    ------
    UserError
        There is no row to fit to, or it cannot be fitted to them.
    """
    batches = split.batches(fitting)
    if len(batches) == 1:
        progress("choosing rows")
        data = TrainingData.of_split(split, fitting, estimator)
        progress(f"fitting to {data.different_rows:,} rows")
        started = time.perf_counter()
        fit(estimator, data, model)
        return data.different_rows, time.perf_counter() - started

    def given(batch: Callable[[], Split]) -> TrainingData:
        return TrainingData.of_split(batch(), fitting, estimator)

    started = time.perf_counter()
    last = batches[-1]
    batches, rows = _with_rows(batches, given, progress)
    held_out: list[Callable[[], Batch]] = []
    if getattr(estimator, "early_stopping", False) and len(batches) > 1 and batches[-1] is last:
        held_out = [functools.partial(_as_batch, given(batches.pop()))]
    asked = itertools.count()

    def read(batch: Callable[[], Split]) -> Batch:
        number = 1 + next(asked) // len(batches)
        progress(f"fitting to {rows:,} rows: pass {number}")
        return _as_batch(given(batch))

    with _fitting(model):
        readers = [functools.partial(read, batch) for batch in batches]
        estimator.fit_batches(readers, held_out=held_out)
    return rows, time.perf_counter() - started


def _as_batch(data: TrainingData) -> Batch:
    return data.positions, data.y, data.sample_weight


def _with_rows(
    batches: Sequence[Callable[[], Split]],
    given: Callable[[Callable[[], Split]], TrainingData],
    progress: Callable[[str], None],
) -> tuple[list[Callable[[], Split]], int]:
    """Return the batches in which `given` finds rows, and how many in all."""
    found, total = [], 0
    refusal = UserError("there are no games to fit to; play more")
    for number, batch in enumerate(batches, 1):
        progress(f"choosing rows: batch {number} of {len(batches)}")
        try:
            total += given(batch).different_rows
        except NoRowError as error:  # others may have some
            refusal = error
        else:
            found.append(batch)
    if not found:
        raise refusal
    return found, total


def why_not_in_batches(estimator: Any, model: ModelLike, fitting: FitOptions) -> str:
    """Return why a fit needs all rows in memory at once; nothing where it does not."""
    if not hasattr(estimator, "fit_batches"):
        return (
            f"{text_of(model)} needs all rows in memory at once; what learns from a stream is "
            "patterns, such as tuples2 or logistello"
        )
    if fitting.dedupe or "rare" in fitting.weights:
        return (
            "merging positions and the weight rare need all rows in memory at once; stream without "
            "them, or what samuel dataset dedupe made"
        )
    return ""


def _details(estimator: Any, data: TrainingData) -> dict[str, Any]:
    """Return what the `fit` of an estimator is given beside rows and targets."""
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
    """Replace each `cv` that divides by games, and does not get them, by its splits.

    Those of the steps of a pipeline can be replaced, which are fitted in place and to all rows.
    """
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
    """Say in one sentence what an estimator refuses; a person's own may raise anything.

    Raises
    ------
    UserError
        The estimator raised an error in the block.
    """
    expected: tuple[type[Exception], ...] = (Exception,) if is_own(model) else (ValueError,)
    try:
        yield
    except UserError:
        raise
    except expected as error:
        raise UserError(f"{text_of(model)} {what}: {in_one_line(error)}") from error


def _free_cores() -> int:
    """Return the cores that nothing else is using, at least one.

    OpenMP's threads wait for each other in turn: where one has no core to itself, histogram
    boosting was seen to take 60 times as long. The number of OpenMP's threads does not change the
    fit; that of BLAS's does in the last digits, and matrices as narrow as these need but one.
    """
    cores = int(cpu_count())
    try:
        return max(1, round(cores - os.getloadavg()[0]))
    except (AttributeError, OSError):  # a system without load averages
        return cores
