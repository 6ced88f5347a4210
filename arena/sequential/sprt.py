"""Sequential tests of strength: play until it is decided whether A is at least so much stronger.

The generalized sequential probability ratio test of Wald (1945) and Van den Bergh, as fishtest,
fastchess and OpenBench run it: H0 says that A is `elo0` points stronger than B, H1 that it is
`elo1`. After every unit, a pair of games or a single game, the log-likelihood ratio (LLR) is
compared with two bounds, and the test stops at the first that is reached.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.arena.sequential.likelihood import fit, log_likelihood_ratio, new_room
from samuel.arena.statistics import NELO_FACTOR, checked_counts, score_of_elo
from samuel.common.errors import OptionError, require_number, unknown

Decision = Literal["H0", "H1", "continue"]

MODELS = ("normalized", "logistic")
MOST_ELO = 1000.0
"""The furthest from 0 that a bound of a test may be."""
LEAST_DISTANCE = 1e-3
"""Least distance of two bounds: below it a test would take more games than anybody can play."""
LEAST_CHANCE, MOST_CHANCE = 1e-9, 0.499
"""Least and largest chance of an error."""


@dataclass(frozen=True)
class SprtState:
    """State of a test: its LLR, the bounds at which it stops, and its decision."""

    llr: float
    lower: float
    upper: float
    decision: Decision


@dataclass(frozen=True)
class Sprt:
    """Sequential probability ratio test of `elo0` (H0) against `elo1` (H1).

    Attributes
    ----------
    elo0, elo1
        Elo difference of A over B under H0 and under H1; elo0 is the smaller.
    alpha
        Probability to accept H1 if H0 is true.
    beta
        Probability to accept H0 if H1 is true.
    model
        Elo scale. "normalized" makes a test equally long for any share of draws; "logistic" is
        ordinary Elo.

    Raises
    ------
    UserError
        A bound is beyond 1000, or they are not in order; alpha or beta is not between 0 and 0.5; or
        there is no such model.

    Examples
    --------
    >>> import samuel
    >>> test = samuel.Sprt(0, 5)
    >>> round(test.llr([3, 10, 40, 15, 5]), 3)
    0.191
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "normalized"

    def __post_init__(self) -> None:
        for name in ("elo0", "elo1"):
            require_number(name, getattr(self, name), -MOST_ELO, MOST_ELO)
        if not self.elo1 - self.elo0 >= LEAST_DISTANCE:
            raise OptionError("elo0", f"must be at least {LEAST_DISTANCE:g} below", "elo1")
        for name in ("alpha", "beta"):
            require_number(name, getattr(self, name), LEAST_CHANCE, MOST_CHANCE)
        if self.model not in MODELS:
            raise unknown("model of Elo", self.model, MODELS)

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """Return the test with bounds written as "elo0,elo1", such as "0,5".

        Parameters
        ----------
        text
            Both bounds, joined by a comma.

        Returns
        -------
        Sprt
            Test with these bounds.

        Raises
        ------
        UserError
            The text is not two numbers, or they cannot be bounds.
        """
        try:
            elo0, elo1 = map(float, text.split(","))
        except ValueError:
            raise OptionError(
                "sprt", f"must be elo0 and elo1 with a comma, such as 0,5 (got {text!r})"
            ) from None
        return cls(elo0, elo1)

    def __str__(self) -> str:
        return (
            f"{self.elo0:g} or {self.elo1:g} {self.unit}, alpha {self.alpha:g}, beta {self.beta:g}"
        )

    @property
    def unit(self) -> str:
        """Name of the unit of the bounds."""
        return "nElo" if self.normalized else "Elo"

    @property
    def normalized(self) -> bool:
        """True if the bounds are normalized Elo."""
        return self.model == "normalized"

    @property
    def lower(self) -> float:
        """LLR at which H0 is accepted: log(beta / (1 - alpha))."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """LLR at which H1 is accepted: log((1 - beta) / alpha)."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: ArrayLike) -> float:
        """Return the log-likelihood ratio of H1 over H0.

        Parameters
        ----------
        counts
            Counts of A's results: of games, [losses, draws, wins], or of pairs, [LL, LD+DL,
            LW+DD+WL, DW+WD, WW]. Use pairs for games that were played in pairs.

        Returns
        -------
        float
            Finite number; 0 before the first game.

        Raises
        ------
        UserError
            There are not 3 or 5 counts.
        """
        checked = checked_counts(counts)
        if not checked.any():
            return 0.0
        bounds = self.unit_bounds(len(checked))
        return float(
            log_likelihood_ratio(checked, *bounds, int(self.normalized), new_room(len(checked)))
        )

    def state(self, counts: ArrayLike) -> SprtState:
        """Return the state of the test after some results.

        Parameters
        ----------
        counts
            Counts of results, as in `llr`.

        Returns
        -------
        SprtState
            LLR, its bounds and the decision.
        """
        llr = self.llr(counts)
        decision: Decision = "continue"
        if llr >= self.upper:
            decision = "H1"
        elif llr <= self.lower:
            decision = "H0"
        return SprtState(llr, self.lower, self.upper, decision)

    def unit_bounds(self, outcomes: int) -> tuple[float, float]:
        """Return both hypotheses for one game (3 outcomes) or one game pair (5 outcomes)."""
        return self._unit_bound(self.elo0, outcomes), self._unit_bound(self.elo1, outcomes)

    def probabilities_at(self, elo: float, probabilities: ArrayLike) -> NDArray[np.float64]:
        """Return the most likely outcome probabilities of a player of a given strength."""
        near = checked_counts(probabilities)
        found = np.empty(len(near))
        bound = self._unit_bound(elo, len(near))
        fit(near / near.sum(), bound, int(self.normalized), new_room(len(near)), found)
        return found / found.sum()

    def jumps(self, probabilities: ArrayLike) -> NDArray[np.float64]:
        """Return the change of the LLR by one more game or pair, for each outcome."""
        p0, p1 = (self.probabilities_at(elo, probabilities) for elo in (self.elo0, self.elo1))
        return np.log(p1 / p0)

    def _unit_bound(self, elo: float, outcomes: int) -> float:
        if self.normalized:
            return elo / NELO_FACTOR * (math.sqrt(2) if outcomes == 5 else 1)
        return score_of_elo(elo)


def claim(test: Sprt, decision: Decision, player: str, other: str = "") -> str:
    """Return what a decided test says of a player, such as "new is stronger than old"."""
    if decision == "H1":
        said = "stronger" if test.elo0 >= 0 else f"not {-test.elo0:g} {test.unit} weaker"
    else:
        said = "weaker" if test.elo1 <= 0 else f"not {test.elo1:g} {test.unit} stronger"
    return f"{player} is {said}{f' than {other}' if other else ''}"


def sprt_of(bounds: str | tuple[float, float], _game: object = None) -> Sprt:
    """Return the test of two bounds, which may be a text such as "0,5" (`Sprt.parse`)."""
    return Sprt.parse(bounds) if isinstance(bounds, str) else Sprt(*bounds)
