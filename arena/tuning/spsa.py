"""SPSA with the gains of fishtest: values of parameters from results of games, and no games.

All parameters are moved at once by random signs, and one result says whether that was uphill
(J. Spall 1992; gains: Spall 1998, in the form of fishtest). With N pairs planned and A = `a_ratio`
N, pair k of 1 to N is played at the values +c_k and -c_k times the signs, where

    c_k = step (N / k)^gamma          a_k = r_end step^2 ((A + N) / (A + k))^alpha

and moves each value by a_k / c_k times its sign times the wins less the losses of +c_k. All pairs
of a batch are played at one place and by the gains of its first pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.common.extras import extra
from samuel.common.options import OptionClass, Range

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Parameter:
    """A number to tune: its start, its range, and its step at the end of the run."""

    name: str
    start: float
    least: float
    most: float
    step: float
    is_integer: bool = False

    @classmethod
    def parse(cls, text: str) -> Parameter:
        """Read NAME=START,MIN,MAX,STEP."""
        name, _, rest = text.partition("=")
        try:
            start, least, most, step = map(float, rest.split(","))
        except ValueError:
            start = least = most = step = math.nan
        is_sound = -math.inf < least <= start <= most < math.inf and 0 < step <= most - least
        if not (name.strip() and is_sound):
            raise UserError(
                f"{text!r} is no parameter; write NAME=START,MIN,MAX,STEP, such as "
                "RFPMargin=80,20,200,8, with START within the range and a STEP that fits into it"
            )
        return cls(name.strip(), start, least, most, step)

    def __post_init__(self) -> None:
        fractions = any(number % 1 for number in (self.start, self.least, self.most))
        if self.is_integer and (fractions or self.step < 0.5):  # smaller: both sides mostly equal
            raise UserError(
                f"{self.name} is an integer: START, MIN and MAX must be, too, and STEP at least 0.5"
            )

    def text(self, value: float) -> str:
        """Return a value as an engine takes it."""
        return str(round(value)) if self.is_integer else f"{value:.6g}"


@dataclass(frozen=True)
class Gains(OptionClass):
    """Gains of SPSA, as fishtest has them.

    Attributes
    ----------
    alpha
        Exponent by which the moves of the values shrink.
    gamma
        Exponent by which the steps shrink to their ends.
    a_ratio
        Share of the planned game pairs by which the first moves are damped (A).
    r_end
        Move of a value at the end of the run, in steps, for a win more than losses.

    Raises
    ------
    UserError
        A number is out of its range.

    Examples
    --------
    >>> import samuel
    >>> samuel.Gains(r_end=0.02).alpha
    0.602
    """

    alpha: Annotated[float, Range(0.0, 2.0)] = 0.602
    gamma: Annotated[float, Range(0.0, 1.0)] = 0.101
    a_ratio: Annotated[float, Range(0.0, 10.0)] = 0.1
    r_end: Annotated[float, Range(1e-6, 1.0)] = 0.002


def column(parameters: Sequence[Parameter], name: str = "start") -> Floats:
    """Return the start, the least or the largest value, or the step of each parameter."""
    return np.array([getattr(one, name) for one in parameters], float)


def texts(parameters: Sequence[Parameter], values: Floats) -> dict[str, str]:
    """Return the values by the names of their parameters, integers rounded."""
    return {one.name: one.text(value) for one, value in zip(parameters, values, strict=True)}


class Spsa:
    """Values of parameters, and the standard deviation that chance alone would give them."""

    def __init__(
        self, parameters: Sequence[Parameter], gains: Gains, pairs: int, seed: int
    ) -> None:
        names = ("start", "least", "most", "step")
        self.values, self._low, self._high, self._steps = (column(parameters, n) for n in names)
        self.noise = np.zeros(len(parameters))
        self._integer = np.array([one.is_integer for one in parameters])
        self._gains, self._pairs, self._seed = gains, pairs, seed
        self._squares = self._played = self._moved = 0.0

    def _draws(self, done: int) -> tuple[Floats, Floats]:
        """Return the signs of a batch, and numbers from 0 to 1 to round by."""
        draw, n = np.random.default_rng((self._seed, done)), len(self.values)
        return draw.choice((-1.0, 1.0), n), draw.random(n)

    def ask(self, done: int) -> tuple[Floats, Floats]:
        """Return the values of both sides for the batch after so many pairs, integers rounded.

        They are rounded up with the probability of their fraction, both by the same draw: so the
        mean over draws is the value itself, and the difference of both sides is kept.
        """
        signs, draws = self._draws(done)
        moved = signs * self._steps * (self._pairs / (done + 1)) ** self._gains.gamma
        both = (np.clip(self.values + one, self._low, self._high) for one in (moved, -moved))
        plus, minus = (np.where(self._integer, np.floor(one + draws), one) for one in both)
        return plus, minus

    def tell(self, done: int, results: Sequence[int]) -> None:
        """Move the values by the wins less losses of the first side in each pair of that batch."""
        gains, n, k = self._gains, self._pairs, done + 1
        damping = gains.a_ratio * n
        move = gains.r_end * ((damping + n) / (damping + k)) ** gains.alpha  # a_k / c_k in steps
        move /= (n / k) ** gains.gamma
        moved = self.values + move * sum(results) * self._draws(done)[0] * self._steps
        self.values = np.clip(moved, self._low, self._high)
        self._squares += sum(one * one for one in results)
        self._played += len(results)
        self._moved += len(results) * move**2
        self.noise = self._steps * math.sqrt(self._moved * self._squares / self._played)


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
