"""Brownian motion between two barriers: what a log-likelihood ratio is like over many games.

The path starts at 0, drifts, and is absorbed at `lower` or `upper`. Formulas: Wald, "Sequential
Analysis" (1947), for where and when it ends; Siegmund, "Sequential Analysis" (1985), chapters 3 and
4, for the order of outcomes and the method of images.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

_FORGOTTEN = 12.0
"""Standard deviations, in widths of the corridor, after which no path is left in it: without drift
the share is near exp(-(12 pi)^2 / 2)."""


@dataclass(frozen=True)
class Brownian:
    """A path from 0 with `drift` and `variance` a unit of time, between `lower` < 0 < `upper`."""

    lower: float
    upper: float
    drift: float
    variance: float

    @property
    def upper_probability(self) -> float:
        """The probability to end at the upper barrier."""
        width, pull = self.upper - self.lower, self.drift / self.variance
        if abs(pull) * width < 1e-9:
            return -self.lower / width
        if pull > 0:
            return math.expm1(2 * pull * self.lower) / math.expm1(-2 * pull * width)
        share = math.expm1(-2 * pull * self.lower) / math.expm1(2 * pull * width)
        return math.exp(2 * pull * self.upper) * share

    @property
    def mean_time(self) -> float:
        """The mean time until the path ends: by Wald's identity its mean end over its drift."""
        width = self.upper - self.lower
        if abs(self.drift / self.variance) * width < 1e-6:
            return -self.lower * self.upper / self.variance
        return (self.lower + width * self.upper_probability) / self.drift

    def worse(self, time: float, place: float) -> float:
        """Return the probability of a worse outcome than to be at `place` at `time`.

        In Siegmund's order the worst is to end early at the lower barrier, then to end there late,
        then to be low between the barriers at `time`, to end late at the upper barrier, and early.
        """
        spread = math.sqrt(self.variance * time)
        width = self.upper - self.lower
        if spread > _FORGOTTEN * width:
            return 1 - self.upper_probability
        images = math.ceil(5 * spread / width) + 2
        shifts: NDArray[np.float64] = 2 * width * np.arange(-images, images + 1, dtype=np.float64)
        total = self._absorbed_below(time, spread, shifts)
        total += self._inside(time, place, spread, shifts)
        return min(1.0, max(0.0, total))

    def _absorbed_below(self, time: float, spread: float, shifts: NDArray[np.float64]) -> float:
        """Return the probability to have ended at the lower barrier by `time`.

        The density of the time is a sum over images of the barrier at distance d; each is an
        inverse Gaussian, tilted by the drift, and its integral the two terms below.
        """
        pull, travelled = self.drift / self.variance, self.drift * time
        distance = shifts - self.lower
        d = np.abs(distance)
        ahead = np.exp(pull * (self.lower - d) + log_ndtr((travelled - d) / spread))
        back = np.exp(pull * (self.lower + d) + log_ndtr((-travelled - d) / spread))
        return float(np.sign(distance) @ (ahead + back))

    def _inside(
        self, time: float, place: float, spread: float, shifts: NDArray[np.float64]
    ) -> float:
        """Return the probability to be inside still, at most at `place`: images of the source."""
        return self._from(shifts, time, place, spread) - self._from(
            2 * self.upper + shifts, time, place, spread
        )

    def _from(
        self, sources: NDArray[np.float64], time: float, place: float, spread: float
    ) -> float:
        """Return the weighted normal mass between the lower barrier and `place`, of all sources.

        A source at c weighs exp(c drift / variance), which may be huge where its mass is tiny: so
        each product is formed from logarithms, with the smaller of both tails.
        """
        weight = self.drift / self.variance * sources
        centre = sources + self.drift * time
        high, low = (place - centre) / spread, (self.lower - centre) / spread
        flip = high + low > 0
        high, low = np.where(flip, -low, high), np.where(flip, -high, low)
        return float(np.sum(np.exp(weight + log_ndtr(high)) - np.exp(weight + log_ndtr(low))))
