"""Learning from the trees of Descent: against plain Python, interrupted, and stronger soon."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.kernels.bits import below, seed_stream
from samuel.learning.online.learner import Learner
from samuel.learning.options import LearnOptions
from samuel.models.evaluate import evaluate
from samuel.models.trainable.linear import trainable_patterns
from samuel.models.trainable.model import TrainableModel
from samuel.search.score import SCORE_UNIT, limits
from tests.descent import PlainTree

TIC_TAC_TOE = game_named("tic_tac_toe")
POSITIONS = random_positions(TIC_TAC_TOE, 50, 0)


def lines() -> TrainableModel:
    return trainable_patterns("tuples3", TIC_TAC_TOE, 1)


def drawn(trainable: TrainableModel, seed: int = 0) -> TrainableModel:
    trainable.weights[:] = np.random.default_rng(seed).normal(0, 0.3, len(trainable.weights))
    return trainable


def learning(**fields: Any) -> LearnOptions:
    plain = {"opening_plies": 0, "epsilon": 0.3, "learning_rate": 0.1, "tcl": False}
    return LearnOptions(
        game="tic_tac_toe", algorithm="descent", **(plain | {"nodes": 60, "depth": 1} | fields)
    )


class Plain:
    """The same learner in plain Python, of which every game begins with given weights."""

    def __init__(self, options: LearnOptions, rate: float) -> None:
        self.options, self.rate, self.trainable = options, rate, lines()
        self.evaluator = self.trainable.evaluator("plain")
        self.sums = np.zeros((2, len(self.trainable.weights)))

    def play(self, game: int) -> None:
        stream = np.zeros(1, np.uint64)
        seed_stream(stream, self.options.seed, game)
        tree = PlainTree(Position.start(TIC_TAC_TOE), self.evaluator, stream)
        while not tree.line[-1].position.is_terminal:
            tree.grow(self.options.selfplay.nodes or 0)
            tree.line.append(tree.draw(self.options.selfplay.epsilon))
        tree.descend()
        self.learn(tree, stream)

    def learn(self, tree: PlainTree, stream: Any) -> None:
        order = list(range(len(tree.expanded)))
        for k in order:
            j = below(stream, k + 1)
            order[k], order[j] = order[j], k
        most = limits(TIC_TAC_TOE)[1]
        for k in order:
            node = tree.expanded[k]
            row = np.array(node.position.row, np.uint64)
            now = float(evaluate(self.evaluator, TIC_TAC_TOE, row[None])[0])
            found = max(-most, min(most, node.value)) / SCORE_UNIT
            self.step((found - now) * self.trainable.gradient_at(row))

    def step(self, change: Any) -> None:
        rate = np.full(len(change), self.rate)
        if self.options.online.tcl:
            net, sizes = np.abs(self.sums[0]), self.sums[1]
            rate *= np.divide(net, sizes, out=np.ones_like(net), where=sizes > 0)
            self.sums += change, np.abs(change)
        self.trainable.weights[:] += (rate * change).astype(np.float32)


@pytest.mark.parametrize("tcl", [pytest.param(False, marks=pytest.mark.slow), True])
def test_games_leave_the_weights_of_plain_python(tcl: bool) -> None:
    learner = Learner(drawn(lines()), learning(tcl=tcl), POSITIONS)
    plain, state = Plain(learner.options, float(learner.state()["rate"])), learner.state()
    for game in range(4):
        plain.trainable.weights[:] = learner.trainable.weights
        plain.sums[:] = learner.state()["steps"] if tcl else 0
        learner.play(1)
        plain.play(game)
        assert np.abs(learner.trainable.weights - plain.trainable.weights).max() < 1e-5
    assert np.abs(learner.trainable.weights - state["weights"]).max() > 0.01


@pytest.mark.parametrize(
    ("game", "model", "tcl"),
    [("othello", "logistello", False), ("othello", "ridge", True), ("connect_four", "", True)],
)
def test_the_few_weights_of_features_take_smaller_and_smaller_steps(
    game: str, model: str, tcl: bool
) -> None:
    given = {"model": model} if model else {}
    assert LearnOptions(game=game, algorithm="descent", **given).online.tcl == tcl
