"""The settings of a recipe, found by random search with successive halving.

Settings are drawn at random and evaluated on few of the training games, the best third of them on
three times as many, and so on up to all (Jamieson and Talwalkar 2016). The measure is the loss on
games left out of the fit, over folds of whole games; the held-out games of the split play no part.

scikit-learn's HalvingRandomSearchCV does not do it: it has no limit on time, keeps nothing when it
is interrupted, takes few rows and not few games, and weighs no rows when it scores.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import GroupKFold

from samuel.common.errors import OptionError, UserError
from samuel.learning.fitting.estimators import ModelLike, fit, unfitted
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.spaces import draw_value, space_of
from samuel.learning.fitting.split import Split
from samuel.learning.fitting.training_data import TrainingData

FOLDS = 3
FACTOR = 3
"""Each round has so many times the games of the one before, and the best of so many trials."""
RUNGS = 3
FEWEST_GAMES = 60
"""On fewer, chance decides."""
BRACKET = FACTOR ** (RUNGS - 1)
"""Trials that are halved together while there is time: one comes to be evaluated on all games."""
TRIALS = 20
"""Number of trials where neither trials nor minutes are given."""


@dataclass(frozen=True)
class Trial:
    """Settings and how they did.

    Attributes
    ----------
    settings
        Values for names of the space; empty for the recipe as it stands.
    games
        How many training games it was last evaluated on.
    loss
        Squared error against the target, or of a classifier the log loss in nats; the mean over
        the folds. None where it could not be fitted.
    """

    settings: Mapping[str, Any]
    games: int
    loss: float | None
    seconds: float

    @property
    def order(self) -> tuple[float, float]:
        """Sorts the best first: a loss compares only with others on as many games."""
        return (math.inf, math.inf) if self.loss is None else (-self.games, self.loss)


@dataclass(frozen=True)
class Tuning:
    """A search for settings.

    Attributes
    ----------
    best
        The fitting with the settings of the first trial: the best of those evaluated on the most
        games.
    trials
        Those evaluated on the most games first, among them the least loss first; losses on other
        numbers of games do not compare. Those that failed come last.
    measure
        What the loss is: "squared error" or "log loss".
    ended
        Why it ended before all was tried: "interrupted", "out of time", or "".
    """

    best: FitOptions
    trials: tuple[Trial, ...]
    measure: str
    ended: str

    def as_dict(self) -> dict[str, Any]:
        """Return what a model's card says of it; `rank` is among trials on as many games."""
        ranks: Counter[int] = Counter()
        trials = []
        for trial in self.trials:
            ranks[trial.games] += trial.loss is not None
            rank = None if trial.loss is None else ranks[trial.games]
            trials.append(vars(trial) | {"rank": rank})
        return {
            "measure": self.measure,
            "folds": FOLDS,
            "ended": self.ended,
            "games": self.trials[0].games,
            "best": self.trials[0].settings,
            "trials": trials,
        }


def tune(
    split: Split,
    model: ModelLike,
    fitting: FitOptions = FitOptions(),
    *,
    trials: int | None = None,
    minutes: float | None = None,
    progress: Callable[[str], None] = lambda doing: None,
) -> Tuning:
    """Return the best settings found for a recipe on the training rows of a split.

    The first trial is the recipe as it stands. Stages and parameters of `fitting` stay. An
    interruption (Ctrl-C) ends the search once a trial was evaluated. The same seed of the split and
    the same `trials` give the same result.

    Parameters
    ----------
    split, model, fitting
        As for train.train_on.
    trials
        How many settings to try; TRIALS where no time is given either.
    minutes
        For how long to try them, but for the end of a fit that has begun. With `trials`,
        whichever comes first.
    progress
        Called with what is being done.

    Raises
    ------
    UserError
        The recipe has no space, a number is out of its range, or nothing could be tried in that
        time or on so few games.
    """
    if trials is not None and trials < 1:
        raise OptionError("trials", f"must be at least 1 (got {trials})")
    if minutes is not None and not 0 < minutes < math.inf:
        raise OptionError("minutes", f"must be above 0 (got {minutes:g})")
    deadline = math.inf if minutes is None else time.monotonic() + 60 * minutes
    trials = TRIALS if trials is None and minutes is None else trials
    search = _Search(
        split, model, fitting, space_of(model, split.game, fitting), deadline, progress
    )
    ended = search.run(trials)
    tried = sorted(search.trials.values(), key=lambda trial: trial.order)
    if not tried or tried[0].loss is None:
        raise UserError(search.refusal or "no trial ended in that time; give more minutes")
    best = _with(fitting, tried[0].settings)
    return Tuning(best, tuple(tried), search.measure, ended)


def setting_text(value: Any) -> str:
    """Return a value of a setting for people."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _with(fitting: FitOptions, settings: Mapping[str, Any]) -> FitOptions:
    parameters = {k: v for k, v in settings.items() if k != "stages"}
    return replace(
        fitting,
        stages=settings.get("stages", fitting.stages),
        parameters={**fitting.parameters, **parameters},
    )


class _OutOfTimeError(Exception):
    """The time is over."""


@dataclass
class _Search:
    """One run: what the trials have in common, and what was found."""

    split: Split
    model: ModelLike
    fitting: FitOptions
    space: dict[str, Any]
    deadline: float
    progress: Callable[[str], None]
    trials: dict[str, Trial] = field(default_factory=dict)
    refusal: str = ""

    def __post_init__(self) -> None:
        self.progress("tuning: choosing rows")
        self.classifier = is_classifier(unfitted(self.model, self.split.game, self.fitting))
        self.measure = "log loss" if self.classifier else "squared error"
        self.examples = self.split.examples(self.fitting, classifier=self.classifier)
        self.positions = self.split.positions_of(self.examples)
        self.games = self.split.games_of(self.examples)
        self.rng = np.random.default_rng((self.split.seed, 2))
        self.order = self.rng.permutation(np.unique(self.games))
        if len(self.order) < FOLDS:
            raise UserError(f"{len(self.order)} training games are too few for tuning; play more")

    def run(self, trials: int | None) -> str:
        """Try settings until all are tried or the time is over; return why it ended early."""
        drawn = itertools.islice(self._drawn(), trials)
        size = trials if self.deadline == math.inf else BRACKET
        try:
            while bracket := list(itertools.islice(drawn, size)):
                self._halve(bracket)
        except _OutOfTimeError:
            return "out of time"
        except KeyboardInterrupt:
            if not self.trials:
                raise
            return "interrupted"
        return ""

    def _drawn(self) -> Iterator[dict[str, Any]]:
        """Yield settings, none twice: the recipe's own, then random ones while there are any."""
        seen: set[str] = set()
        settings: dict[str, Any] = {}
        repeated = 0
        while repeated < 100:
            if repr(settings) in seen:
                repeated += 1
            else:
                repeated = 0
                seen.add(repr(settings))
                yield settings
            settings = {name: draw_value(choice, self.rng) for name, choice in self.space.items()}

    def _halve(self, bracket: list[dict[str, Any]]) -> None:
        """Evaluate settings on more and more games, each time the best third of them."""
        sizes = [len(self.order) // FACTOR**k for k in range(RUNGS)]
        for games in reversed([n for k, n in enumerate(sizes) if k == 0 or n >= FEWEST_GAMES]):
            folds = list(self._folds(games))
            found = [(self._evaluate(settings, games, folds), settings) for settings in bracket]
            found.sort(key=lambda pair: pair[0])
            best = found[: -(-len(found) // FACTOR)]
            bracket = [settings for loss, settings in best if loss < math.inf]

    def _folds(self, games: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the examples to fit to, and those to evaluate on, of the first so many games."""
        rows = np.flatnonzero(np.isin(self.games, self.order[:games]))
        for fitted, left_out in GroupKFold(FOLDS).split(rows, groups=self.games[rows]):
            yield rows[fitted], rows[left_out]

    def _evaluate(self, settings: dict[str, Any], games: int, folds: Any) -> float:
        """Note the loss of settings on so many games and return it, infinite if there is none."""
        started, loss = time.monotonic(), None
        said = "".join(f", {name} {setting_text(value)}" for name, value in settings.items())
        self.progress(f"tuning: {len(self.trials)} settings tried, now on {games:,} games{said}")
        try:
            loss = float(np.mean([self._loss(settings, *fold) for fold in folds]))
        except UserError as error:  # of a stray setting; where all fail, the search says why
            self.refusal = str(error)
        seconds = round(time.monotonic() - started, 3)
        self.trials[repr(settings)] = Trial(settings, games, loss, seconds)
        return math.inf if loss is None else loss

    def _loss(
        self, settings: dict[str, Any], fitted: NDArray[np.int64], left_out: NDArray[np.int64]
    ) -> float:
        if time.monotonic() > self.deadline:
            raise _OutOfTimeError
        estimator = unfitted(
            self.model, self.split.game, _with(self.fitting, settings), self.split.seed
        )
        rows = self.examples[fitted], self.positions[fitted], self.games[fitted]
        fit(estimator, TrainingData.of(estimator, *rows), self.model)
        positions, truth = self.positions[left_out], self.examples[left_out]
        if not self.classifier:
            predicted = estimator.predict(positions)
            return float(mean_squared_error(truth.target, predicted, sample_weight=truth.weight))
        chance = estimator.predict_proba(positions)[:, 1]
        return float(log_loss(truth.target, chance, sample_weight=truth.weight, labels=[0, 1]))
