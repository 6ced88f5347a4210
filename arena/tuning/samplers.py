"""Samplers of Optuna with the methods of Spsa; their trials play against the start values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samuel.arena.tuning.spsa import Floats, Parameter, column
from samuel.common.extras import extra

OPTUNA = {"tpe": "TPESampler", "cma": "CmaEsSampler"}
_BEST = 0.1
"""Share of the trials, the best, whose mean is the result: a single one would be luck."""


class OptunaSampler:
    """A sampler of Optuna (Akiba et al. 2019); a run that continues tells it all again."""

    def __init__(self, name: str, parameters: Sequence[Parameter], seed: int) -> None:
        optuna = extra("optuna", f"--sampler {name}")
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        sampler = getattr(optuna.samplers, OPTUNA[name])(seed=seed)
        self._study = optuna.create_study(sampler=sampler, direction="maximize")
        self._parameters, self._trials = parameters, list[tuple[float, Floats]]()
        self._start = self.values = column(parameters)
        self.noise = np.full(len(parameters), np.nan)

    def ask(self, done: int) -> tuple[Floats, Floats]:
        """Return the values of the next trial, and those at the start."""
        self._trial = self._study.ask()
        found = [
            self._trial.suggest_int(one.name, int(one.least), int(one.most))
            if one.is_integer
            else self._trial.suggest_float(one.name, one.least, one.most)
            for one in self._parameters
        ]
        self._asked = np.array(found, float)
        return self._asked, self._start

    def tell(self, done: int, results: Sequence[int]) -> None:
        """Take the result of the trial; the values are the mean of the best trials."""
        self._study.tell(self._trial, float(np.mean(results)))
        self._trials.append((float(np.mean(results)), self._asked))
        self._trials.sort(key=lambda one: -one[0])
        best = self._trials[: max(1, round(_BEST * len(self._trials)))]
        self.values = np.mean([values for _, values in best], axis=0)
