"""Ratings of many players from the games between them, in Elo, with intervals.

The model is Davidson's (bradley_terry.py), fitted by maximum likelihood. A logit of it is so
many points of Elo that the expected score of players near each other is the one that a match's
logistic Elo stands for, 1 / (1 + 10^(-Elo / 400)); without draws it is so at any distance. Draws
make the model's curve a little flatter further out, as in BayesElo.

The prior is one virtual game a player, half of it won and half of it lost against the centre of the
pool, and likewise one for the advantage of moving first and one, half of it drawn, for the share
of draws. For a single opponent that is Jeffreys's
prior of a binomial. So clean sweeps, and groups that never met, have ratings that are finite.

Intervals come from the Bayesian bootstrap over pairs of games (resampling.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import stdtrit

from samuel.arena.rating.bradley_terry import (
    Floats,
    Ints,
    fit,
)
from samuel.arena.rating.resampling import Games, PairCounts
from samuel.arena.statistics import ELO_PER_LOGIT, TAIL95, Z95
from samuel.common.displayable import Displayable
from samuel.common.errors import UserError, unknown

RESAMPLES = 1000
_PRIOR = 1.0
"""Virtual games of each player, of the advantage of moving first, and of draws (see the file)."""


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
        the share of draws between players of one strength, colours balanced.
    groups
        the players who are connected by games, by name, the largest group first; ratings of
        different groups are related by the prior alone.
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
        """Return a row a player, the strongest first."""
        columns = ("elo", "low", "high", "games", "score")
        frame = pd.DataFrame({"player": self.names} | {c: getattr(self, c) for c in columns})
        return frame.iloc[self.order].reset_index(drop=True)

    def as_dict(self) -> dict[str, Any]:
        """Return the ratings with the names that the JSON output uses."""
        return {
            "players": self.frame().to_dict("records"),
            "los": self.los[np.ix_(self.order, self.order)],
            "colour": self.colour,
            "colour_low": self.colour_low,
            "colour_high": self.colour_high,
            "draw_share": self.draw_share,
            "groups": self.groups,
            "anchor": self.anchor,
        }

    def half_width(self, player: int) -> float:
        """Return half the width of the interval of a player's rating, in Elo."""
        return float(self.high[player] - self.low[player]) / 2


def elo_per_logit(draw_share: Floats | float) -> Any:
    """Elo of a logit of the model: its score then rises as fast as logistic Elo's at even odds."""
    # There the slope is 1 / (2 (2 + e^v)) a logit, and without draws 1/4.
    return ELO_PER_LOGIT * (1 - draw_share)


def rate(
    names: Sequence[str],
    games: Games,
    *,
    anchor: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Ratings:
    """Rate players by their games."""
    _require_sound(names)
    require_anchor(names, anchor)
    weights = np.array([anchor in (None, name) for name in names], np.float64)
    anchors = weights / weights.sum()
    counts = PairCounts.of(games, len(names))
    best = fit(counts.as_counted(_PRIOR))
    estimate = _elo(best, anchors)[0]
    samples = counts.resampled(_PRIOR, resamples, seed)
    fitted = np.concatenate([fit(sample, best[0]) for sample in samples])
    stretch = _stretch(float(counts.times.sum()), len(names))
    low, high, los = _percentiles(estimate + stretch * (_elo(fitted, anchors) - estimate))
    n_games, score = counts.totals()
    return Ratings(
        names=tuple(names),
        elo=estimate[:-1],
        low=np.minimum(low, estimate)[:-1],
        high=np.maximum(high, estimate)[:-1],
        games=n_games,
        score=score,
        los=los,
        colour=float(estimate[-1]),
        colour_low=float(low[-1]),
        colour_high=float(high[-1]),
        draw_share=float(_draw_share(best)[0]),
        groups=_groups(names, counts),
        anchor="the mean of all players at 0" if anchor is None else f"{anchor} at 0",
    )


def _draw_share(fitted: Floats) -> Floats:
    return fitted[:, -1] / (2 + fitted[:, -1])


def _elo(fitted: Floats, anchors: Floats) -> Floats:
    """Return ratings, and last the advantage of moving first, (S, n + 1), from parameters."""
    elo = fitted[:, :-1] * elo_per_logit(_draw_share(fitted))[:, None]
    elo[:, :-1] -= (elo[:, :-1] @ anchors)[:, None]
    return elo


def _stretch(pairs: float, parameters: int) -> float:
    """Return by how much resamples understate deviations where there are few pairs."""
    # Like that of the mean of a sample, where it is exact: by the mean square's degrees of freedom,
    # and the tails of Student's distribution against the normal one's.
    freedom = max(pairs - parameters, pairs / 2, 2.0)
    return float(math.sqrt(max(1.0, pairs / freedom)) * stdtrit(freedom, 1 - TAIL95) / Z95)


def _percentiles(elo: Floats) -> tuple[Floats, Floats, Floats]:
    """Return low and high (n + 1,) and the likelihood of superiority from samples of Elo."""
    low, high = np.quantile(elo, [TAIL95, 1 - TAIL95], axis=0)
    ratings = elo[:, :-1]
    los = [(column[:, None] > ratings).mean(axis=0) for column in ratings.T]
    ties = [(column[:, None] == ratings).mean(axis=0) for column in ratings.T]
    return low, high, np.array(los) + np.array(ties) / 2


def _groups(names: Sequence[str], counts: PairCounts) -> tuple[tuple[str, ...], ...]:
    """Return the players who are connected by games, the largest group first."""
    a, b = counts.pairings.T
    graph = csr_array((np.ones(len(a)), (a, b)), (len(names), len(names)))
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


def _require_sound(names: Sequence[str]) -> None:
    if len(names) < 2:
        raise UserError(f"ratings need at least 2 players (got {len(names)})")
    twice = [name for name in names if list(names).count(name) > 1]
    if twice:
        raise UserError(f"two players have the name {twice[0]!r}; give each player its own name")
