"""Games of a tournament by pairs, and how often each counts when they are resampled.

The Bayesian bootstrap (Rubin 1981): each pair of games, which is the independent unit, gets an
exponential weight of mean 1; m pairs that went alike get the sum of theirs, a gamma variate. No
pairing and no draw ever drops out. Virtual games of a prior are weighted likewise, so that a clean
sweep has the long interval that it should.

Pairs are weighted over the whole event. To resample each pairing for itself would leave out a share
1/m of the variance where m pairs were played: half of it where there are two, as in a Swiss.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from samuel.arena.rating.bradley_terry import Floats, Ints, Samples
from samuel.arena.records import MOST_PLAYERS, PlayedPair, movers_after_openings
from samuel.arena.statistics import GAME_OUTCOMES
from samuel.games.interface import Game

_AT_ONCE = 2_000_000
"""Numbers in an array of the resamples that are fitted together."""


@dataclass(frozen=True)
class Games:
    """Games between numbered players."""

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
        numbers = np.arange(len(scores)) if pair is None else np.asarray(pair, np.int64)
        return cls(np.asarray(first, np.int64), np.asarray(second, np.int64), scores, numbers)

    def __post_init__(self) -> None:
        lengths = {a.shape for a in (self.first, self.second, self.score, self.pair)}
        if len(lengths) != 1 or len(lengths.pop()) != 1:
            raise ValueError("first, second, score and pair must have one length")
        if np.any(self.first == self.second):
            raise ValueError("a player cannot play itself")
        if not np.isin(self.score, GAME_OUTCOMES).all():
            raise ValueError("scores must be 0, 0.5 or 1")

    def __len__(self) -> int:
        return len(self.score)


def games_of(pairs: Sequence[PlayedPair], game: Game) -> Games:
    """Return the pairs of games of a tournament as ratings take them."""
    movers = movers_after_openings(pairs, game)
    first, second, score, number = [], [], [], []
    for k, pair in enumerate(pairs):
        sides = divmod(pair.pairing, MOST_PLAYERS)
        for turn, result in enumerate(pair.results):
            # who made the first player's moves: who has the move after the opening is A in game 0
            of_a = (turn + movers[k]) % 2 == 0
            first.append(sides[0] if of_a else sides[1])
            second.append(sides[1] if of_a else sides[0])
            score.append((1 + (1 if of_a else -1) * np.sign(result)) / 2)
            number.append(k)
    return Games(
        np.array(first, np.int64),
        np.array(second, np.int64),
        np.array(score, np.float64),
        np.array(number, np.int64),
    )


_GAMES, _SCORE, _DRAWS = range(3)


@dataclass(frozen=True)
class PairCounts:
    """The pairs of games of an event, those that went alike counted together."""

    players: int
    pairings: Ints
    pairing: Ints
    outcomes: Floats
    times: Floats

    @classmethod
    def of(cls, games: Games, players: int) -> PairCounts:
        """Count the games between so many players."""
        numbers = np.concatenate([games.first, games.second])
        if np.any((numbers < 0) | (numbers >= players)):
            raise ValueError(f"players must be numbered 0 to {players - 1}")
        a, b = np.minimum(games.first, games.second), np.maximum(games.first, games.second)
        pairs, unit = np.unique(np.stack([a, b, games.pair]), axis=1, return_inverse=True)
        went = np.zeros((pairs.shape[1], 2, 3))
        colour = (games.first == b).astype(np.int64)
        score = np.where(colour == 0, games.score, 1 - games.score)
        for column, values in enumerate((np.ones(len(games)), score, games.score == 0.5)):
            np.add.at(went[:, :, column], (unit.ravel(), colour), values)
        pairings, pairing = np.unique(pairs[:2], axis=1, return_inverse=True)
        rows = np.column_stack([pairing.ravel(), went.reshape(len(went), 6)])
        different, times = np.unique(rows, axis=0, return_counts=True)
        return cls(
            players,
            pairings.T,
            different[:, 0].astype(np.int64),
            different[:, 1:].reshape(-1, 2, 3).astype(np.float64),
            times.astype(np.float64),
        )

    def as_counted(self, prior: float) -> Samples:
        """Return the games as they are, in one sample, with virtual games (`rate`'s `prior`)."""
        return self._samples(
            self.times[None],
            np.full((1, self.players + 1, 2), prior / 2),
            np.full((1, 2), 0.5 if prior else 0.0),
        )

    def resampled(self, prior: float, resamples: int, seed: int) -> Iterator[Samples]:
        """Yield so many samples with random weights, as many at a time as memory likes."""
        rng = np.random.default_rng(seed)
        size = max(1, _AT_ONCE // max(len(self.times), (self.players + 2) ** 2))
        for begin in range(0, resamples, size):
            n = min(size, resamples - begin)
            yield self._samples(
                rng.standard_gamma(self.times, (n, len(self.times))),
                rng.standard_gamma(prior / 2, (n, self.players + 1, 2)),
                rng.standard_gamma(0.5 if prior else 0.0, (n, 2)),
            )

    def _samples(self, weights: Floats, virtual: Floats, for_draws: Floats) -> Samples:
        shape = len(self.times), len(self.pairings)
        rows = np.arange(shape[0])

        def summed(column: int) -> Floats:
            by_colour = [
                weights @ csr_array((self.outcomes[:, colour, column], (rows, self.pairing)), shape)
                for colour in (0, 1)
            ]
            return np.stack(by_colour, axis=2)

        return Samples(
            players=self.players,
            pairings=self.pairings,
            games=summed(_GAMES),
            score=summed(_SCORE),
            draws=weights @ self.outcomes[:, :, _DRAWS].sum(axis=1),
            for_players=virtual[:, :-1],
            for_colour=virtual[:, -1],
            for_draws=for_draws,
        )

    def totals(self) -> tuple[Ints, Floats]:
        """Return each player's number of games, and his mean score, NaN without games."""
        sample = self.as_counted(0.0)
        games, score = sample.games[0].sum(axis=1), sample.score[0].sum(axis=1)
        a, b = self.pairings.T
        n = self.players
        played = np.bincount(a, games, n) + np.bincount(b, games, n)
        points = np.bincount(a, score, n) + np.bincount(b, games - score, n)
        with np.errstate(invalid="ignore"):
            return played.astype(np.int64), points / played
