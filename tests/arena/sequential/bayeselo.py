"""BayesElo: Elo with a parameter of its own for draws, as older sequential tests have it.

A game between players `elo` apart is won with probability 1 / (1 + 10^((draw_elo - elo) / 400)) and
lost with 1 / (1 + 10^((draw_elo + elo) / 400)) (Coulom, BayesElo). Tests in these points are kept
for comparison with results of cutechess, OpenBench and fastchess; they know single games alone,
[losses, draws, wins].
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from samuel.arena.sequential.likelihood import log_likelihood_ratio, new_room
from samuel.arena.statistics import ELO_PER_LOGIT, checked_counts
from samuel.common.errors import UserError


def probabilities_of(elo: float, draw_elo: float) -> NDArray[np.float64]:
    """Return the probabilities of loss, draw and win, shape (3,)."""
    win = float(expit((elo - draw_elo) / ELO_PER_LOGIT))
    loss = float(expit((-elo - draw_elo) / ELO_PER_LOGIT))
    return np.array([loss, 1 - win - loss, win])


def parameters_of(probabilities: ArrayLike) -> tuple[float, float]:
    """Return (elo, draw_elo) of probabilities or counts of loss, draw and win, none of them 0.

    Raises
    ------
    UserError
        There are not three, or one is 0 or less: no such parameters exist.
    """
    shares = checked_counts(probabilities)
    if len(shares) != 3 or not shares.all():
        raise UserError("BayesElo needs at least one loss, one draw and one win")
    loss, _, win = shares / shares.sum()
    of_win, of_loss = float(logit(win)), float(logit(loss))
    return ELO_PER_LOGIT / 2 * (of_win - of_loss), -ELO_PER_LOGIT / 2 * (of_win + of_loss)


def scale_of(draw_elo: float) -> float:
    """Return the points of logistic Elo that a point of BayesElo is worth between equal players."""
    x = 10 ** (-draw_elo / 400)
    return 4 * x / (1 + x) ** 2


def wald_llr(
    counts: ArrayLike, elo0: float, elo1: float, *, scaled: bool = False, prior: float = 0.0
) -> float:
    """Return Wald's log-likelihood ratio between two strengths, with the draws as observed.

    Parameters
    ----------
    counts
        [losses, draws, wins]; the ratio is 0 where one of them, with `prior`, is 0.
    elo0, elo1
        of H0 and H1: BayesElo (as in OpenBench before 2020), or where `scaled` logistic Elo, near
        equality (as in cutechess).
    prior
        is added to each count: 1/2 in cutechess.
    """
    seen = checked_counts(counts) + prior
    if not seen.all():
        return 0.0
    draw_elo = parameters_of(seen)[1]
    unit = scale_of(draw_elo) if scaled else 1.0
    p0, p1 = (probabilities_of(elo / unit, draw_elo) for elo in (elo0, elo1))
    return float(seen @ np.log(p1 / p0))


def generalized_llr(counts: ArrayLike, elo0: float, elo1: float) -> float:
    """Return the generalized log-likelihood ratio with bounds in BayesElo (as in fastchess).

    Each bound stands for the score that it gives with the draws as observed. `counts` is as in
    `wald_llr`.
    """
    seen = checked_counts(counts)
    if not seen.all():
        return 0.0
    draw_elo = parameters_of(seen)[1]
    p0, p1 = (probabilities_of(elo, draw_elo) for elo in (elo0, elo1))
    scores = (float(p @ (0, 0.5, 1)) for p in (p0, p1))
    ratio = float(log_likelihood_ratio(seen, *scores, 0, new_room(3)))
    return ratio if math.isfinite(ratio) else 0.0
