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
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr, stdtrit

from samuel.arena.rating.bradley_terry import (
    COLOUR_SIGN,
    Floats,
    Ints,
    derivatives,
    fit,
    probabilities,
)
from samuel.arena.rating.resampling import Games, PairCounts
from samuel.arena.statistics import ELO_PER_LOGIT, TAIL95, Z95
from samuel.common.displayable import Displayable
from samuel.common.errors import OptionError, UserError, unknown

RESAMPLES = 1000
_PRIOR_PAIRS = 10
"""Pairs of independent games that join those observed where their dependence is estimated."""


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
    covariance
        (n, n), of the ratings, in Elo squared, from the information in the games.
    colour, colour_low, colour_high
        the advantage of moving first, in Elo.
    draw_share
        the share of draws between players of one strength, colours balanced.
    dispersion
        the variance of a pair's score by that of two independent games; below 1 where openings
        favour a side.
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
    covariance: Floats
    colour: float
    colour_low: float
    colour_high: float
    draw_share: float
    dispersion: float
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
    """Elo of a logit of the model: its score then rises as fast as logistic Elo's at even odds.

    There the slope is 1 / (2 (2 + e^v)) a logit, and without draws 1/4.
    """
    return ELO_PER_LOGIT * (1 - draw_share)


def rate(
    names: Sequence[str],
    games: Games,
    *,
    anchor: str | Sequence[str] | None = None,
    anchor_elo: float = 0.0,
    prior: float = 1.0,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Ratings:
    """Rate players by their games.

    Parameters
    ----------
    names
        names of the players, by number; some may have no game.
    games
        between them.
    anchor
        a player, or some, whose rating, or mean rating, is to be `anchor_elo`; all where None.
        The intervals are those of the difference to it.
    prior
        virtual games of each player, of the advantage of moving first and, if it is not 0, one
        of draws (see the file). 0 for the ratings of greatest likelihood, where there are any: not
        where some players won, or lost, no game against the others, or never met them.
    resamples
        for the intervals and the likelihood of superiority; with 0 they are those of a normal
        distribution with the `covariance`, which is quicker.

    Raises
    ------
    UserError
        A name stands twice or is unknown, the prior is negative, or it is 0 and the games have no
        ratings of greatest likelihood.
    """
    _require_sound(names, prior, resamples)
    require_anchor(names, anchor)
    anchors = anchor_weights(names, anchor)
    counts = PairCounts.of(games, len(names))
    if prior == 0:
        _require_likeliest(counts)
    best = fit(counts.as_counted(prior))
    estimate = _elo(best, anchors, anchor_elo)[0]
    covariance, dispersion = _information(counts, best, prior, anchors)
    if resamples:
        samples = counts.resampled(prior, resamples, seed)
        fitted = np.concatenate([fit(sample, best[0]) for sample in samples])
        apart = _elo(fitted, anchors, anchor_elo) - estimate
        stretch = _stretch(float(counts.times.sum()), len(names))
        low, high, los = _percentiles(estimate + stretch * apart)
    else:
        low, high, los = _normal(estimate, covariance)
    n_games, score = counts.totals()
    return Ratings(
        names=tuple(names),
        elo=estimate[:-1],
        low=np.minimum(low, estimate)[:-1],
        high=np.maximum(high, estimate)[:-1],
        games=n_games,
        score=score,
        los=los,
        covariance=covariance[:-1, :-1],
        colour=float(estimate[-1]),
        colour_low=float(low[-1]),
        colour_high=float(high[-1]),
        draw_share=float(_draw_share(best)[0]),
        dispersion=dispersion,
        groups=_groups(names, counts),
        anchor=anchor_words(anchor, anchor_elo),
    )


def _draw_share(fitted: Floats) -> Floats:
    return fitted[:, -1] / (2 + fitted[:, -1])


def _elo(fitted: Floats, anchors: Floats, anchor_elo: float) -> Floats:
    """Return ratings, and last the advantage of moving first, (S, n + 1), from parameters."""
    elo = fitted[:, :-1] * elo_per_logit(_draw_share(fitted))[:, None]
    elo[:, :-1] += anchor_elo - (elo[:, :-1] @ anchors)[:, None]
    return elo


def _stretch(pairs: float, parameters: int) -> float:
    """Return by how much resamples understate deviations where there are few pairs.

    Like that of the mean of a sample, where it is exact: by the mean square's degrees of freedom,
    and the tails of Student's distribution against the normal one's.
    """
    freedom = max(pairs - parameters, pairs / 2, 2.0)
    return float(math.sqrt(max(1.0, pairs / freedom)) * stdtrit(freedom, 1 - TAIL95) / Z95)


def _percentiles(elo: Floats) -> tuple[Floats, Floats, Floats]:
    """Return low and high (n + 1,) and the likelihood of superiority from samples of Elo."""
    low, high = np.quantile(elo, [TAIL95, 1 - TAIL95], axis=0)
    ratings = elo[:, :-1]
    los = [(column[:, None] > ratings).mean(axis=0) for column in ratings.T]
    ties = [(column[:, None] == ratings).mean(axis=0) for column in ratings.T]
    return low, high, np.array(los) + np.array(ties) / 2


def _normal(elo: Floats, covariance: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the same from a normal distribution."""
    error = Z95 * np.sqrt(np.diag(covariance))
    variance = np.diag(covariance)[:-1]
    apart = variance[:, None] + variance - 2 * covariance[:-1, :-1]
    np.fill_diagonal(apart, 1.0)
    los = ndtr((elo[:-1, None] - elo[:-1]) / np.sqrt(np.maximum(apart, 1e-12)))
    return elo - error, elo + error, los


def _information(
    counts: PairCounts, best: Floats, prior: float, anchors: Floats
) -> tuple[Floats, float]:
    """Return the covariance (n + 1, n + 1) of `_elo`, and the dispersion of pairs.

    The inverse of the information, times the dispersion, as of any quasi-likelihood (McCullagh and
    Nelder 1989, chapter 9).
    """
    sample = counts.as_counted(prior)
    a, b = counts.pairings.T
    at = best.copy()
    at[:, -1] = np.log(at[:, -1]) if sample.with_draws else 0.0
    _, information = derivatives(sample, at)
    d = (best[0, a] - best[0, b])[:, None] + best[0, -2] * COLOUR_SIGN
    expected, variance, _ = probabilities(d, best[0, -1])
    pairs = counts.times.sum()
    mean = float((sample.games[0] * variance).sum()) / max(pairs, 1)
    observed = counts.squared_excess(expected) / max(mean, 1e-12)
    dispersion = (observed + _PRIOR_PAIRS) / (pairs + _PRIOR_PAIRS)
    n = len(anchors)
    to_anchor = np.eye(n + 1)
    to_anchor[:n, :n] -= anchors
    to_anchor *= elo_per_logit(float(_draw_share(best)[0]))
    covariance = to_anchor @ np.linalg.inv(information[0])[:-1, :-1] @ to_anchor.T
    return dispersion * covariance, float(dispersion)


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


def require_anchor(names: Sequence[str], anchor: str | Sequence[str] | None) -> None:
    """Raise UserError where an anchor, as `rate` takes it, is none of the players."""
    chosen = _anchors(names, anchor)
    if not chosen:
        raise UserError(f"anchor must be one of the players: {', '.join(names)}")
    for name in chosen:
        if name not in names:
            raise unknown("player", name, names, "the anchor is one of them")


def _anchors(names: Sequence[str], anchor: str | Sequence[str] | None) -> Sequence[str]:
    """Return the players whose mean rating the others are relative to."""
    return list(names) if anchor is None else [anchor] if isinstance(anchor, str) else anchor


def anchor_weights(names: Sequence[str], anchor: str | Sequence[str] | None) -> Floats:
    """Return what each rating (n,) counts in that mean."""
    chosen = _anchors(names, anchor)
    return np.array([name in chosen for name in names]) / len(set(chosen))


def anchor_words(anchor: str | Sequence[str] | None, elo: float) -> str:
    """Return what ratings are relative to, for tables."""
    if isinstance(anchor, str):
        return f"{anchor} at {elo:g}"
    return f"the mean of {'all players' if anchor is None else ', '.join(anchor)} at {elo:g}"


def _require_sound(names: Sequence[str], prior: float, resamples: int) -> None:
    if len(names) < 2:
        raise UserError(f"ratings need at least 2 players (got {len(names)})")
    twice = [name for name in names if list(names).count(name) > 1]
    if twice:
        raise UserError(f"two players have the name {twice[0]!r}; give each player its own name")
    if not 0 <= prior < np.inf:
        raise OptionError("prior", f"must be a number of virtual games, at least 0 (got {prior})")
    if resamples < 0:
        raise OptionError("resamples", f"must be at least 0 (got {resamples})")


def _require_likeliest(counts: PairCounts) -> None:
    """Raise UserError where no ratings are the likeliest (Albert and Anderson 1984).

    The likelihood rises for ever in a direction in which no outcome that was seen falls behind
    another of its game, and it is flat in one in which none changes against another.
    """
    ahead = _differences(counts)
    parameters = ahead.shape[1] - 1  # less what all ratings have in common
    found = linprog(-ahead.sum(axis=0), A_ub=-ahead, b_ub=np.zeros(len(ahead)), bounds=(-1, 1))
    if np.linalg.matrix_rank(ahead) < parameters or found.status != 0 or found.fun < -1e-6:
        raise UserError(
            "some players have no rating without a prior: they lost or won every game "
            "against the others, did not meet them, or the first player always won; give a "
            "prior above 0"
        )


def _differences(counts: PairCounts) -> Floats:
    """Return how each outcome that was seen differs from each other one of its game.

    Rows are of the log odds in ratings, the advantage of moving first and, with draws, their log
    weight. An outcome has rating difference and colour, by +1/2 if won and -1/2 if lost, or the
    weight.
    """
    drawn, n = bool(counts.outcomes[:, :, 2].any()), counts.players
    cells = np.zeros((len(counts.pairings), 2, 3))
    np.add.at(cells, counts.pairing, counts.outcomes)
    rows = []
    for (a, b), by_colour in zip(counts.pairings, cells, strict=True):
        for sign, (games, score, draws) in zip(COLOUR_SIGN, by_colour, strict=True):
            won = np.zeros(n + 1 + drawn)
            won[a], won[b], won[n] = 0.5, -0.5, 0.5 * sign
            level = np.eye(1, n + 2, n + 1)[0]
            outcomes = [(won, score - draws / 2), (-won, games - score - draws / 2)]
            outcomes += [(level, draws)] * drawn
            rows += [
                own - other
                for own, times in outcomes
                for other, _ in outcomes
                if times > 0 and own is not other
            ]
    return np.array(rows).reshape(-1, n + 1 + drawn)
