"""Ratings of many players from the games between them, in Elo, with intervals.

The model is Bradley and Terry's (1952) with an advantage of moving first: the expected score of i
moving first against j is 1 / (1 + 10^(-(r_i - r_j + c) / 400)). A draw is half a win and half a
loss. It is fitted as a logistic regression on who played (+1 first, -1 second) and the constant c.

The prior is one virtual game per player, half of it won and half of it lost against the centre of
the pool, and likewise one for the advantage of moving first. For a single opponent that is
Jeffreys's prior of a binomial. So clean sweeps, and groups that never met, have finite ratings.

Intervals come from the Bayesian bootstrap (Rubin 1981): each pair of games, which is the
independent unit, gets an exponential weight of mean 1, and no pairing ever drops out. The virtual
games are weighted likewise, so that a clean sweep has the long interval that it should.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from samuel.arena.statistics import ELO_PER_LOGIT, GAME_OUTCOMES, TAIL95, Z95
from samuel.common.displayable import Displayable
from samuel.common.errors import UserError, unknown

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RESAMPLES = 300
_INVERSE_RIDGE = 1e6
"""Ridge of the regression, inverted: keeps finite what resampled virtual games leave open."""


class Games(NamedTuple):
    """Games between numbered players, with the score of the first and the number of the pair."""

    first: Ints
    second: Ints
    score: Floats
    pair: Ints

    @classmethod
    def of(
        cls, first: ArrayLike, second: ArrayLike, score: ArrayLike, pair: ArrayLike | None = None
    ) -> Games:
        """Return games from lists; without `pair` every game is independent of the others."""
        scores = np.asarray(score, np.float64)
        pairs = np.arange(len(scores)) if pair is None else np.asarray(pair, np.int64)
        games = cls(np.asarray(first, np.int64), np.asarray(second, np.int64), scores, pairs)
        if len({column.shape for column in games}) != 1 or scores.ndim != 1:
            raise ValueError("first, second, score and pair must have one length")
        if np.any(games.first == games.second) or not np.isin(scores, GAME_OUTCOMES).all():
            raise ValueError("scores must be 0, 0.5 or 1, and no player plays itself")
        return games


@dataclass(frozen=True, repr=False)
class Ratings(Displayable):
    """Strength of players by their games; intervals are of 95 %.

    Attributes
    ----------
    names
        names of the n players.
    elo, low, high
        (n,), the rating and its interval; both relative to the anchor, whose rating is certain.
    games, score
        (n,), how many, and the mean score in them, NaN where there are none.
    los
        (n, n), the likelihood of superiority: the probability that the player of the row is
        stronger than that of the column; 1/2 on the diagonal.
    colour, colour_low, colour_high
        the advantage of moving first, in Elo.
    draw_share
        the share of draws among the games.
    groups
        the players who are connected by games, by name, the largest group first; ratings of
        different groups are related only by the prior.
    anchor
        point to which the ratings are relative, in words.
    """

    names: tuple[str, ...]
    elo: Floats
    low: Floats
    high: Floats
    games: Ints
    score: Floats
    los: Floats
    colour: float
    colour_low: float
    colour_high: float
    draw_share: float
    groups: tuple[tuple[str, ...], ...]
    anchor: str

    def __repr__(self) -> str:
        best = [f"{self.names[player]} {self.elo[player]:+z.0f}" for player in self.order[:3]]
        more = ["..."] * (len(self.names) > len(best))
        return f"Ratings({len(self.names)} players: {', '.join(best + more)})"

    @property
    def order(self) -> list[int]:
        """The players' numbers, the strongest first."""
        return [int(i) for i in np.argsort(-self.elo, kind="stable")]

    def frame(self) -> pd.DataFrame:
        """Return a row per player, the strongest first."""
        columns = ("elo", "low", "high", "games", "score")
        frame = pd.DataFrame({"player": self.names} | {c: getattr(self, c) for c in columns})
        return frame.iloc[self.order].reset_index(drop=True)

    def as_dict(self) -> dict[str, Any]:
        """Return the ratings with the names that the JSON output uses."""
        kept = ("colour", "colour_low", "colour_high", "draw_share", "groups", "anchor")
        los = self.los[np.ix_(self.order, self.order)]
        players = self.frame().to_dict("records")
        return {"players": players, "los": los} | {name: getattr(self, name) for name in kept}

    def half_width(self, player: int) -> float:
        """Return half the width of the interval of a player's rating, in Elo."""
        return float(self.high[player] - self.low[player]) / 2


def rate(
    names: Sequence[str],
    games: Games,
    *,
    anchor: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Ratings:
    """Rate players by their games."""
    n = len(names)
    if n < 2:
        raise UserError(f"ratings need at least 2 players (got {n})")
    twice = [name for name in names if list(names).count(name) > 1]
    if twice:
        raise UserError(f"two players have the name {twice[0]!r}; give each player its own name")
    require_anchor(names, anchor)
    sides = np.concatenate([games.first, games.second])
    if np.any((sides < 0) | (sides >= n)):
        raise ValueError(f"players must be numbered 0 to {n - 1}")
    is_anchor = np.array([anchor in (None, name) for name in names], np.float64)
    fitted, pairs = _fitted(games, n, resamples, seed) if len(sides) else _prior(n, resamples, seed)
    elo = ELO_PER_LOGIT * fitted
    elo[:, :n] -= (elo[:, :n] @ (is_anchor / is_anchor.sum()))[:, None]
    best = elo[0]
    samples = best + _stretch(pairs, n) * (elo[1:] - best)
    low, high = np.quantile(samples, [TAIL95, 1 - TAIL95], axis=0)
    ratings = samples[:, :n]
    above = [np.sign(one[:, None] - ratings).mean(axis=0) for one in ratings.T]
    played = np.bincount(sides, minlength=n)
    points = np.bincount(sides, np.concatenate([games.score, 1 - games.score]), n)
    return Ratings(
        names=tuple(names),
        elo=best[:n],
        low=np.minimum(low, best)[:n],
        high=np.maximum(high, best)[:n],
        games=played,
        score=np.divide(points, played, out=np.full(n, np.nan), where=played > 0),
        los=(1 + np.array(above)) / 2,
        colour=float(best[n]),
        colour_low=float(low[n]),
        colour_high=float(high[n]),
        draw_share=float(np.mean(games.score == 0.5)) if len(games.score) else 0.0,
        groups=_groups(names, games),
        anchor="the mean of all players at 0" if anchor is None else f"{anchor} at 0",
    )


def _prior(n: int, resamples: int, seed: int) -> tuple[Floats, int]:
    """Return what `_fitted` does, without games, from the virtual ones."""
    won, lost = np.random.default_rng(seed).standard_gamma(0.5, (2, resamples, n + 1))
    return np.concatenate([np.zeros((1, n + 1)), np.log(won / lost)]), 0


def _fitted(games: Games, n: int, resamples: int, seed: int) -> tuple[Floats, int]:
    """Return ratings and first mover's advantage in logits, row 0 of the games; and pairs."""
    from sklearn import config_context
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    sides, kind = np.unique([games.first, games.second], axis=1, return_inverse=True)
    met = np.eye(n + 1)[sides[0]] - np.eye(n + 1)[sides[1]]
    met[:, n] = 1
    rows = np.concatenate([met, np.eye(n + 1)])
    won = np.repeat([1, 0], len(rows))
    keys = np.stack([*np.sort([games.first, games.second], axis=0), games.pair])
    pairs, pair = np.unique(keys, axis=1, return_inverse=True)
    rng = np.random.default_rng(seed)
    model = LogisticRegression(
        C=_INVERSE_RIDGE, fit_intercept=False, solver="newton-cholesky", tol=1e-8, warm_start=True
    )
    fitted = np.empty((1 + resamples, n + 1))
    with (
        config_context(assume_finite=True, skip_parameter_validation=True),
        warnings.catch_warnings(),
    ):
        for k in range(1 + resamples):
            times = np.ones(pairs.shape[1]) if k == 0 else rng.standard_gamma(1.0, pairs.shape[1:])
            virtual = rng.standard_gamma(0.5, (2, n + 1)) if k else np.full((2, n + 1), 0.5)
            counts = [
                np.concatenate([np.bincount(kind, times[pair] * score, len(met)), half])
                for score, half in zip((games.score, 1 - games.score), virtual, strict=True)
            ]
            weights = np.concatenate(counts)
            model.fit(np.tile(rows, (2, 1)), won, sample_weight=weights)
            fitted[k] = np.asarray(model.coef_).ravel()
            # resampled virtual games may be next to none; such ratings lie beyond the intervals
            warnings.simplefilter("ignore", ConvergenceWarning)
    return fitted, pairs.shape[1]


def _stretch(pairs: float, parameters: int) -> float:
    """Return by how much resamples understate deviations where there are few pairs."""
    # Like that of the mean of a sample, where it is exact: by the mean square's degrees of freedom,
    # and the tails of Student's distribution against the normal one's.
    freedom = max(pairs - parameters, pairs / 2, 2.0)
    return float(math.sqrt(max(1.0, pairs / freedom)) * stdtrit(freedom, 1 - TAIL95) / Z95)


def _groups(names: Sequence[str], games: Games) -> tuple[tuple[str, ...], ...]:
    """Return the players who are connected by games, the largest group first."""
    n = len(names)
    graph = csr_array((np.ones(len(games.first)), (games.first, games.second)), (n, n))
    _, label = connected_components(graph, directed=False)
    groups = [
        tuple(name for name, own in zip(names, label, strict=True) if own == group)
        for group in dict.fromkeys(label)
    ]
    return tuple(sorted(groups, key=len, reverse=True))


def require_anchor(names: Sequence[str], anchor: str | None) -> None:
    """Raise UserError where an anchor, as `rate` takes it, is none of the players."""
    if anchor is not None and anchor not in names:
        raise unknown("player", anchor, names, "the anchor is one of them")
