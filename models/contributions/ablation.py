"""Parts of scores that are no sums: the change by one feature, or by one piece."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from samuel.features import column_names, extract
from samuel.features.terms import Stages
from samuel.games.evaluator import Evaluator
from samuel.games.position import Position
from samuel.games.rows import are_possible
from samuel.models.compiled.features import FeatureModel
from samuel.models.contributions.result import Contributions, Part, names_seen, part_of
from samuel.models.evaluate import evaluate

FEATURES = "one feature at a time: the change of score from 0 to its value; the rest is joint"
PIECES = "one piece at a time: the loss of score without it; the rest is joint"


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


def by_feature(model: FeatureModel, rows: NDArray[np.uint64]) -> Iterator[Part]:
    """Yield the change of score of a position, of one row, by each column."""
    here = extract(model.features, rows)
    without = np.repeat(here, here.shape[1], axis=0)
    np.fill_diagonal(without, 0)
    scores = _scores_at(model, int(model.counts_of(rows)[0]), np.concatenate([here, without]))
    for name, value, part in zip(
        column_names(model.features), here[0], scores[0] - scores[1:], strict=True
    ):
        yield part_of(name, value, float(part), model.game)


def by_piece(evaluator: Evaluator, position: Position) -> Contributions:
    """Return the loss of score without each piece."""
    game, words = position.game, position.game.rows([position.words])
    board = game.board
    score = float(evaluate(evaluator, game, words)[0])
    if board is None:
        return Contributions(score, PIECES, (), score, position.side)
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
    return Contributions(score, PIECES, parts, rest, position.side)
