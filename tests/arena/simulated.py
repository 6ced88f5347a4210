"""Games with known ratings, for tests: pairs whose two games depend on each other."""

import numpy as np
from scipy.special import ndtr

from samuel.arena.ratings import Games
from samuel.arena.statistics import score_of_elo


def simulated(elo, schedule, rng, draw_share=0.05, colour=20.0, correlation=-0.4):
    """Return games between players of known `elo`, for (i, j, pairs) of the schedule.

    Scores are those of logistic Elo, and draws are rarer where one side is stronger. The normal
    variates behind i's results in the two games of a pair have the `correlation`: below 0, as where
    the opening favours a side.
    """
    parts, before = [], 0
    for i, j, pairs in schedule:
        one, other = rng.normal(size=(2, pairs))
        other = correlation * one + np.sqrt(1 - correlation**2) * other
        for number, (chance, shift) in enumerate(((one, colour), (other, -colour))):
            score = score_of_elo(elo[i] - elo[j] + shift)
            drawn = 4 * draw_share * score * (1 - score)
            win = score - drawn / 2
            points = (ndtr(chance) < win) / 2 + (ndtr(chance) < win + drawn) / 2
            sides = (i, j) if number == 0 else (j, i)
            numbers = (np.full(pairs, side) for side in sides)
            mine = points if number == 0 else 1 - points
            parts.append((*numbers, mine, before + np.arange(pairs)))
        before += pairs
    return Games.of(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def everyone(players, pairs):
    """Return the schedule of a round robin."""
    return [(i, j, pairs) for i in range(players) for j in range(i + 1, players)]
