"""Rows of a dataset in the form in which an estimator is fitted to them."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from samuel.common.displayable import counted
from samuel.features import Features, Patterns
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.targets import Examples, note_on_targets
from samuel.models import Staged
from samuel.models.compiled.log_odds import first_step
from samuel.models.saved.saving import learner_of
from samuel.models.staged import takes_weights as learner_takes_weights


def takes_weights(estimator: Any) -> bool:
    """Return whether the fit of an estimator takes weights of rows."""
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
        Targets (m,): float32, in the game's unit for the side to move; for a classifier int64, 1
        for a win and 0 for a loss. Those of held-out rows are always outcomes, float32.
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
    def of_split(cls, split: Split, fitting: FitOptions, estimator: Any) -> TrainingData:
        """Return the training rows of a split, chosen and weighted by the options of a fit."""
        classifies = is_classifier(estimator)
        examples = split.examples(fitting, classifier=classifies)
        positions, games = split.positions_of(examples), split.games_of(examples)
        target = examples.target.astype(np.int64) if classifies else examples.target
        weight = examples.weight if takes_weights(estimator) else None
        reader = _reader_of(estimator, positions)
        return cls(examples.rows, positions, target, weight, games, reader)

    @classmethod
    def held_out(cls, split: Split, estimator: Any) -> TrainingData:
        """Return the held-out rows of a split."""
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
        """Matrix (m, columns) of the reader; positions if there is no reader."""
        return self.positions if self.reader is None else self.reader.transform(self.positions)

    @functools.cached_property
    def feature_names(self) -> list[str]:
        """Names of the columns of `X`; empty if `X` has positions."""
        return [] if self.reader is None else list(self.reader.get_feature_names_out())


def _reader_of(estimator: Any, positions: NDArray[np.uint64]) -> Features | Patterns | None:
    """Return the fitted transformer that an estimator starts with, or None."""
    first = first_step(estimator.estimator if isinstance(estimator, Staged) else estimator)
    return clone(first).fit(positions) if isinstance(first, Features | Patterns) else None


def warn_of(estimator: Any, name: str, fitting: FitOptions, split: Split) -> None:
    """Say what of the settings has no effect, and where there is little to learn from."""
    if is_classifier(estimator) and fitting.target in ("score", "td"):
        warnings.warn(
            f"{name} is a classifier: its target is the outcome, not {fitting.target}", stacklevel=3
        )
    weighted = fitting.weights or fitting.dedupe or "weight" in split.frame
    if weighted and not takes_weights(estimator):
        warnings.warn(f"{name} does not support weights; all rows count equally", stacklevel=3)
    used = split.with_target(fitting)
    if used.target == "outcome" and fitting.target is None and not is_classifier(estimator):
        warnings.warn(
            "no position of this dataset has a score, so the target is outcome", stacklevel=3
        )
    note = note_on_targets(split.labels, split.train, used)
    if note is not None and not is_classifier(estimator):
        warnings.warn(note, stacklevel=3)
