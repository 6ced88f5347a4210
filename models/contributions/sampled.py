"""Parts of other models, by Shapley values, and of scores alone, by ablation."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samuel.common.units import rounded
from samuel.features import column_names, extract
from samuel.features.terms import Stages
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.games.playing import random_positions
from samuel.games.position import Position
from samuel.games.rows import are_possible
from samuel.models.compiled.features import FeatureModel
from samuel.models.contributions.parts import names_seen, square_in
from samuel.models.contributions.result import Contributions, Part
from samuel.models.evaluate import evaluate

ABLATION = "ablation: the loss of score without each piece; the rest is not due to one piece"
_ORDERS = 64
_POOL = 2000
"""Random positions, of which those nearest in phase are compared with."""


def _scores_at(
    model: FeatureModel, count: int, columns: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the scores (n,) of columns (n, F) at a stage of the game, or of a class."""
    stages = Stages.of(model.knots, model.most_count)
    low, share = int(stages.knot[count]), float(stages.share[count])
    total = np.zeros(len(columns))
    for knot, weight in ((low, share), (min(low + 1, len(model.blocks) - 1), 1.0 - share)):
        if weight > 0:
            total += weight * model.scores_of(model.blocks[knot], columns)
    return total


def shapley_parts(model: FeatureModel, rows: NDArray[np.uint64], seed: int) -> Iterator[Part]:
    """Yield the Shapley value of each column: its mean effect over random orders.

    In each order the columns of another position take their values here, one at a time. The changes
    add up to the score here less that of the other position, and so do their means.
    """
    game, names = model.game, column_names(model.features)
    count = int(model.counts_of(rows)[0])
    begun = extract(model.features, _alike(model, count, seed))
    here = extract(model.features, rows)[0]
    chooser, width = np.random.default_rng(seed), len(names)
    orders = np.stack([chooser.permutation(width) for _ in range(_ORDERS)])
    starts = begun[np.arange(_ORDERS) % len(begun)]
    ways = np.repeat(starts[:, None, :], width + 1, axis=1)
    for step in range(width):
        ways[
            np.arange(_ORDERS)[:, None], np.arange(step + 1, width + 1)[None], orders[:, [step]]
        ] = here[orders[:, [step]]]
    scores = _scores_at(model, count, ways.reshape(-1, width)).reshape(_ORDERS, width + 1)
    added = np.zeros(width)
    np.add.at(added, orders, np.diff(scores, axis=1))
    yield Part("random positions of the same phase", float(scores[:, 0].mean()))
    for name, value, part in zip(names, here, added / _ORDERS, strict=True):
        yield Part(f"{name} = {rounded(value, 6)}", float(part), square_in(name, game))


def _alike(model: FeatureModel, count: int, seed: int) -> NDArray[np.uint64]:
    """Return the random positions whose count of what is left, or class, is nearest."""
    pool = _pool(model.game, seed)
    distance = np.abs(model.counts_of(pool) - count)
    return pool[np.argsort(distance, kind="stable")[:_ORDERS]]


@functools.lru_cache(maxsize=8)
def _pool(game: Game, seed: int) -> NDArray[np.uint64]:
    return random_positions(game, _POOL, seed=seed)


def by_ablation(evaluator: Evaluator, position: Position) -> Contributions:
    """Return the loss of score without each piece."""
    game, words = position.game, position.game.rows([position.words])
    board = game.board
    score = float(evaluate(evaluator, game, words)[0])
    if board is None:
        return Contributions(score, ABLATION, (), score, position.side)
    digits = board.digits(words)[:, 0]
    held = [square for square, digit in enumerate(digits) if digit != board.empty]
    without = np.repeat(words, len(held), axis=0)
    for row, square in zip(without, held, strict=True):
        word, bit = divmod(board.bits[square], 64)
        for content in board.kept:
            assert content.word is not None
            row[content.word + word] &= ~(np.uint64(1) << np.uint64(bit))
    possible = are_possible(game, without)  # no game of Chinese chess lacks a general
    held = [square for square, one in zip(held, possible, strict=True) if one]
    without = without[possible]
    names = names_seen(game, position.side)
    lost = score - evaluate(evaluator, game, without).astype(np.float64)
    parts = tuple(
        Part(f"{names[square]} = {board.contents[digits[square]].signs[position.side]}",
             float(part), (names[square],))
        for square, part in zip(held, lost, strict=True)
    )  # fmt: skip
    rest = score - sum(part.value for part in parts)
    return Contributions(score, ABLATION, parts, rest, position.side)
