"""Samplers by name: SPSA, and those of Optuna, whose trials play against the start values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samuel.arena.tuning.spsa import Floats, Gains, Parameter, Sampler, Spsa
from samuel.common.errors import unknown
from samuel.common.extras import extra

SPSA = "spsa"
_OPTUNA = {"tpe": "TPESampler", "cma": "CmaEsSampler", "random": "RandomSampler"}
_BEST = 0.1
"""Share of the trials, the best, whose mean is the result: the best by noise would be luck."""


def sampler_named(
    name: str, parameters: Sequence[Parameter], gains: Gains, pairs: int, seed: int
) -> Sampler:
    """Return a sampler for a run of so many pairs."""
    if name == SPSA:
        return Spsa(parameters, gains, pairs, seed)
    if name not in _OPTUNA:
        raise unknown("sampler", name, (SPSA, *_OPTUNA))
    return OptunaSampler(name, parameters, seed)


class OptunaSampler:
    """A sampler of Optuna (Akiba et al. 2019); a run that continues tells it all again."""

    def __init__(self, name: str, parameters: Sequence[Parameter], seed: int) -> None:
        optuna = extra("optuna", f"--sampler {name}")
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        sampler = getattr(optuna.samplers, _OPTUNA[name])(seed=seed)
        self._study = optuna.create_study(sampler=sampler, direction="maximize")
        distribution = optuna.distributions
        self._ranges = {
            one.name: distribution.IntDistribution(int(one.least), int(one.most))
            if one.is_integer
            else distribution.FloatDistribution(one.least, one.most)
            for one in parameters
        }
        self._start = self.values = np.array([one.start for one in parameters])
        self.noise = np.full(len(parameters), np.nan)
        self._trials: list[tuple[float, Floats]] = []

    def ask(self, done: int) -> tuple[Floats, Floats]:
        """Return the values of the next trial, and those at the start."""
        self._trial = self._study.ask(self._ranges)
        self._asked = np.array([self._trial.params[name] for name in self._ranges], float)
        return self._asked, self._start

    def tell(self, done: int, results: Sequence[int]) -> None:
        """Take the result of the trial; the values are the mean of the best trials."""
        mean = float(np.mean(results))
        self._study.tell(self._trial, mean)
        self._trials.append((mean, self._asked))
        self._trials.sort(key=lambda one: -one[0])
        best = self._trials[: max(1, round(_BEST * len(self._trials)))]
        self.values = np.mean([values for _, values in best], axis=0)
