"""From the targets of rows to what one fit sees: chosen, weighted, merged, in all images.

Weights of rows:

    late=x   1 at the start of the game, rising evenly to 1 + x at its end
    exact=x  x where the score is exact, 1 elsewhere
    rare=x   n^-x for a position that comes n times up to symmetry: 1 makes all positions count
             the same, however often they were reached
    close=x  1 / (1 + (t / x)^2) for a target of t: what is decided counts little, as games are won
             and lost where it is not; nothing changes for classifiers, which learn who wins

They multiply, are scaled to a mean of 1, so that a penalty on what an estimator learns keeps its
meaning, and multiply with the weights that a dataset brings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from samuel.games.game import Game
from samuel.games.rows import are_quiet, canonical_keys, left_of
from samuel.learning.fitting.options import FitOptions
from samuel.learning.fitting.targets import Examples, NoRowError
from samuel.selfplay.data.dataset import within


def prepared(
    examples: Examples,
    frame: pd.DataFrame,
    positions: NDArray[np.uint64],
    game: Game,
    fitting: FitOptions,
    *,
    classifier: bool,
) -> Examples:
    """Return the examples as `fitting` wants them."""
    examples = _chosen(examples, frame, positions, game, fitting)
    if "weight" in frame or fitting.weights or fitting.dedupe:
        seen = positions[examples.rows]
        by_position = fitting.dedupe or "rare" in fitting.weights
        keys = canonical_keys(game, seen if by_position else seen[:0])
        own = np.ones(len(examples)) if examples.weight is None else examples.weight.astype(float)
        if "weight" in frame:
            own *= frame["weight"].to_numpy()[examples.rows]
        weight = _weigh(
            fitting.weights,
            own,
            played=1 - left_of(game, seen) / game.most_left,
            exact=frame["exact"].to_numpy()[examples.rows],
            keys=keys,
            target=np.zeros(len(examples)) if classifier else examples.target,
        )
        examples = replace(examples, weight=weight.astype(np.float32))
        if fitting.dedupe:
            examples = _merged(examples, keys, classifier)
    return _in_all_images(examples, game) if fitting.augment else examples


def _chosen(
    examples: Examples,
    frame: pd.DataFrame,
    positions: NDArray[np.uint64],
    game: Game,
    fitting: FitOptions,
) -> Examples:
    if fitting.plies is not None:
        plies = frame["ply"].to_numpy()[examples.rows]
        examples = examples[within(plies, fitting.plies)]
    if fitting.plies_left is not None:
        plies_left = left_of(game, positions[examples.rows])
        examples = examples[within(plies_left, fitting.plies_left)]
    if fitting.quiet_only:
        examples = examples[are_quiet(game, positions[examples.rows])]
    if fitting.rows_per_game is not None:
        games = frame["game_id"].to_numpy()[examples.rows]
        examples = examples[_some_of_each(games, fitting.rows_per_game)]
    if not len(examples):
        raise NoRowError(
            "no training rows remain; play more games, or choose more plies and empties"
        )
    return examples


def _some_of_each(games: NDArray[Any], most: int) -> NDArray[np.bool_]:
    """Return which rows stay where each game keeps at most so many, chosen at random."""
    shuffled = np.random.default_rng(0).permutation(len(games))
    rank = pd.Series(games[shuffled]).groupby(games[shuffled]).cumcount().to_numpy()
    kept = np.zeros(len(games), bool)
    kept[shuffled] = rank < most
    return kept


def _weigh(
    weights: Mapping[str, float],
    own: NDArray[np.float64],
    *,
    played: NDArray[np.float64],
    exact: NDArray[np.bool_],
    keys: NDArray[np.uint64],
    target: NDArray[np.floating[Any]],
) -> NDArray[np.float64]:
    """Return how much rows (m,) count."""
    factor = np.ones(len(own))
    if "late" in weights:
        factor *= 1 + weights["late"] * played
    if "exact" in weights:
        factor[exact] *= weights["exact"]
    if "close" in weights:
        factor /= 1 + (target / weights["close"]) ** 2
    if "rare" in weights:
        position, _ = pd.factorize(keys)
        factor *= np.bincount(position, own)[position] ** -weights["rare"]
    return own * factor * (own.sum() / (own @ factor))


def _merged(examples: Examples, keys: NDArray[np.uint64], classifier: bool) -> Examples:
    """Return one example for each key (and class), its target the mean by weight."""
    group, _ = pd.factorize(keys)
    if classifier:
        group, _ = pd.factorize(2 * group + (examples.target > 0))
    weight = examples.weight.astype(float) if examples.weight is not None else np.ones(len(group))
    total = np.bincount(group, weight)
    mean = np.bincount(group, weight * examples.target) / total
    _, first = np.unique(group, return_index=True)
    return Examples(examples.rows[first], mean.astype(np.float32), total.astype(np.float32))


def _in_all_images(examples: Examples, game: Game) -> Examples:
    """Return each example under every symmetry of the game, together of its weight."""
    symmetries = len(game.symmetries)
    weight = np.float32(1) if examples.weight is None else examples.weight
    return Examples(
        np.tile(examples.rows, symmetries),
        np.tile(examples.target, symmetries),
        np.resize(weight / symmetries, symmetries * len(examples)).astype(np.float32),
        np.repeat(np.arange(symmetries, dtype=np.int16), len(examples)),
    )
