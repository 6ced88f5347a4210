"""Learning while playing, against plain Python: gradients, rules of learning, and what is kept."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.features import Patterns
from samuel.games import Position, game_named
from samuel.games.game import Game
from samuel.games.playing import random_positions
from samuel.kernels.laid_out import FieldsIn
from samuel.learning.fitting.reading import default_features
from samuel.learning.generations.loop import learn
from samuel.learning.online.kernel import listener_for
from samuel.learning.online.learner import Learner, begin_learning
from samuel.learning.options import LearnOptions
from samuel.models import compile_model, load_evaluator
from samuel.models.evaluate import evaluate
from samuel.models.trainable.linear import trainable_features, trainable_patterns
from samuel.models.trainable.model import Learned, TrainableModel, trainable_network
from samuel.search import analyse
from samuel.search.alphabeta.method import AlphaBeta
from samuel.search.alphabeta.options import SearchOptions
from samuel.search.score import SCORE_UNIT, limits
from tests.minimax import minimax
from tests.processes import TIMEOUT, start
from tests.rarely import rarely

TIC_TAC_TOE = game_named("tic_tac_toe")
POSITIONS = random_positions(TIC_TAC_TOE, 50, 0)


def lines(stages: int = 2) -> TrainableModel:
    return trainable_patterns("tuples3", TIC_TAC_TOE, stages)


def drawn(trainable: TrainableModel, seed: int = 0) -> TrainableModel:
    trainable.weights[:] = np.random.default_rng(seed).normal(0, 0.3, len(trainable.weights))
    return trainable


LIVE: dict[str, Callable[[Game, Any], TrainableModel]] = {
    "features": lambda game, rows: trainable_features(
        default_features(game), game, rows, (0, 20, 40)
    ),
    "patterns": lambda game, rows: trainable_patterns("tuples2", game, 3),
    "network": lambda game, rows: trainable_network(default_features(game), game, rows, 5),
}


@pytest.mark.parametrize("form", LIVE)
def test_what_learns_scores_as_the_estimator_that_it_becomes(form: str) -> None:
    game = game_named("othello")
    rows = random_positions(game, 60, 1)
    trainable = drawn(LIVE[form](game, rows))
    scores = evaluate(trainable.evaluator("it"), game, rows)
    estimator = trainable.estimator(trainable.weights.astype(np.float64))
    assert np.abs(estimator.predict(rows) - scores).max() < 1e-3
    compiled = evaluate(compile_model(estimator, "it"), game, rows)
    assert np.abs(compiled - scores).max() < 0.05  # patterns are held in 16 bits


@pytest.mark.parametrize("form", LIVE)
def test_gradients_are_the_differences(form: str) -> None:
    game = game_named("othello")
    rows = random_positions(game, 60, 2)
    trainable = drawn(LIVE[form](game, rows))
    evaluator, first = trainable.evaluator("it"), trainable.weights.copy()
    for row in rows[:3]:
        gradient = trainable.gradient_at(row)
        places = np.flatnonzero(gradient)[::7]
        assert len(places)
        for place in places:
            found = []
            for step in (1 / 64, -1 / 64):
                trainable.weights[:] = first
                trainable.weights[place] += np.float32(step)
                found.append(float(evaluate(evaluator, game, row[None])[0]))
            trainable.weights[:] = first
            difference = (found[0] - found[1]) * 32
            assert gradient[place] == pytest.approx(difference, abs=2e-3, rel=2e-3)


def learning(algorithm: str, depth: int, **fields: Any) -> LearnOptions:
    """Return options of tic-tac-toe without random moves, unless some are asked for."""
    plain = {"opening_plies": 0, "epsilon": 0.0, "learning_rate": 0.05, "tcl": False}
    plain |= {"td_lambda": 0.7}
    return LearnOptions(game="tic_tac_toe", algorithm=algorithm, depth=depth, **(plain | fields))


class Plain:
    """The same learner in plain numpy, its games apart: dot products, one weight vector."""

    def __init__(self, options: LearnOptions, rate: float) -> None:
        self.options, self.rate = options, rate
        self.reader = Patterns("tuples3", "tic_tac_toe", stages=2).fit([TIC_TAC_TOE.start])
        self.counter = Patterns("tuples3", "tic_tac_toe", stages=1).fit([TIC_TAC_TOE.start])
        self.trainable = lines()
        self.weights = np.zeros(len(self.trainable.weights))
        self.sums = np.zeros((2, len(self.weights)))

    def columns(self, position: Position, reader: Any = None) -> Any:
        found = (reader or self.reader).transform(np.array([position.row], np.uint64))
        return np.asarray(found.todense() if hasattr(found, "todense") else found)[0]

    def places(self, position: Position) -> Any:
        """Count how many lines of a position read each weight, in whichever share."""
        return np.tile(self.columns(position, self.counter), 2) * (self.columns(position) != 0)

    def score(self, position: Position) -> float:
        return float(self.weights @ self.columns(position))

    def step(self, change: Any) -> None:
        rate = np.full(len(change), self.rate)
        if self.options.online.tcl:
            net, sizes = np.abs(self.sums[0]), self.sums[1]
            rate *= np.divide(net, sizes, out=np.ones_like(net), where=sizes > 0)
            self.sums += change, np.abs(change)
        self.weights = self.weights + rate * change

    def play(self) -> None:
        position, notes = Position.start(TIC_TAC_TOE), []
        rule, depth = self.options.algorithm, self.options.depth
        while not position.is_terminal:
            self.trainable.weights[:] = self.weights
            evaluator = self.trainable.evaluator("plain")
            found = analyse(position, evaluator, depth=depth, exact_from=0)
            assert found.move is not None
            if rule == "rootstrap":
                self.step(self.error(found.score, position) * self.columns(position))
            elif rule == "treestrap-minimax":
                changes, places = map(
                    sum, zip(*self.tree(position, evaluator, depth, 0), strict=True)
                )
                self.step(changes / np.maximum(places, 1))
            leaf = position
            for move in found.pv if rule == "tdleaf" else []:
                leaf = leaf.play(move)
            notes.append((leaf, 1 if leaf.side == 0 else -1))
            position = position.play(found.move)
        if rule in ("tdlambda", "tdleaf"):
            self.differences(notes, self.outcome(position))

    def error(self, found: float, position: Position) -> float:
        if not self.options.online.wins:
            return found - self.score(position)
        squash = 4 / TIC_TAC_TOE.scores.max_utility
        return (math.tanh(squash * found) - math.tanh(squash * self.score(position))) / squash

    def outcome(self, position: Position) -> float:
        result = TIC_TAC_TOE.utility_of(position.row)
        return result if position.side == 0 else -result

    def tree(self, position: Position, evaluator: Any, depth: int, ply: int) -> list[Any]:
        if depth == 0 or position.is_terminal:
            return []
        most = limits(TIC_TAC_TOE)[1] / SCORE_UNIT
        value = minimax(position, evaluator, depth, ply) or 0.0
        error = self.error(max(-most, min(most, value)), position)
        below = [
            self.tree(position.play(m), evaluator, depth - 1, ply + 1)
            for m in position.legal_moves()
        ]
        here = error * self.columns(position), self.places(position)
        return [here, *(one for many in below for one in many)]

    def differences(self, notes: list[tuple[Position, int]], outcome: float) -> None:
        values, following = [], []
        for leaf, sign in notes:
            over = leaf.is_terminal
            values.append(sign * (TIC_TAC_TOE.utility_of(leaf.row) if over else self.score(leaf)))
        squash = 4 / TIC_TAC_TOE.scores.max_utility if self.options.online.wins else 0.0
        if squash:
            values, outcome = [math.tanh(squash * v) for v in values], float(np.sign(outcome))
        following = [*values[1:], outcome]
        change = np.zeros(len(self.weights))
        for t, (leaf, sign) in enumerate(notes):
            if leaf.is_terminal:
                continue
            error = sum(
                self.options.fit.td_lambda ** (j - t) * (following[j] - values[j])
                for j in range(t, len(notes))
            )
            slope = (1 - values[t] ** 2) / squash if squash else 1.0
            change += sign * slope * error * self.columns(leaf)
        self.step(change)


@pytest.mark.parametrize("tcl", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize(
    ("rule", "depth", "wins"),
    [
        pytest.param("tdlambda", 1, False, marks=pytest.mark.slow),
        ("tdlambda", 1, True),
        ("tdleaf", 2, False),
        ("rootstrap", 2, False),
        ("treestrap-minimax", 2, False),
        ("treestrap-minimax", 2, True),
    ],
)
def test_games_leave_the_weights_of_plain_numpy(
    rule: str, depth: int, wins: bool, tcl: bool
) -> None:
    options = learning(rule, depth, learning_rate=0.1, td_lambda=0.6, wins=wins, tcl=tcl)
    learner = Learner(drawn(lines()), options, POSITIONS)  # of equal moves either may be played
    plain = Plain(options, float(learner.state()["rate"]))
    plain.weights = first = learner.trainable.weights.astype(np.float64)
    for games in (1, 9) if rule.startswith("tree") else (1, 9, 60 if rule == "tdlambda" else 20):
        learner.play(games)
        for _ in range(games):
            plain.play()
        assert np.abs(learner.trainable.weights - plain.weights).max() < 1e-5
    assert np.abs(plain.weights - first).max() > 0.01


def test_treestrap_learns_from_bounds_what_they_say() -> None:
    """Plain alpha-beta: above a lower bound, below an upper one, there is nothing to learn."""
    trainable = drawn(lines(), 3)
    evaluator, most = trainable.evaluator("it"), limits(TIC_TAC_TOE)[1] / SCORE_UNIT
    told: list[Any] = []

    def alphabeta(position: Position, depth: int, alpha: float, beta: float, ply: int) -> float:
        if depth == 0 or position.is_terminal:
            return minimax(position, evaluator, 0, ply) or 0.0
        best, reached = -math.inf, alpha
        for move in position.legal_moves():
            score = -alphabeta(position.play(move), depth - 1, -beta, -reached, ply + 1)
            best, reached = max(best, score), max(reached, score)
            if best >= beta:
                break
        now = float(evaluate(evaluator, TIC_TAC_TOE, np.array([position.row], np.uint64))[0])
        error = max(-most, min(most, max(alpha, min(beta, best)))) - now
        is_low, is_high = best >= beta, best <= alpha
        if not ((is_low and error <= 0) or (is_high and error >= 0)):
            told.append(error * trainable.gradient_at(np.array(position.row, np.uint64)))
        return best

    for row in POSITIONS[:8]:
        position = Position(TIC_TAC_TOE, tuple(map(int, row)))
        method = AlphaBeta(SearchOptions.none(), listener=listener_for(trainable.gradient, 0.0))
        analyse(position, evaluator, depth=3, exact_from=0, method=method)
        changes = FieldsIn(Learned, trainable.integers, trainable.floats).changes
        found = np.array(changes[: len(trainable.weights)])
        trainable.gradient_at(row)  # which also drops what waits
        told.clear()
        alphabeta(position, 3, -math.inf, math.inf, 0)
        assert len(told) > 3
        assert np.abs(found - sum(told)).max() < 1e-4


@pytest.mark.parametrize("rule", ["tdlambda", "treestrap", "descent"])
def test_it_goes_on_from_what_was_kept(rule: str) -> None:
    options = learning(rule, 2, epsilon=0.2, opening_plies=1, tcl=True, seed=5)
    unbroken, broken = (Learner(lines(), options, POSITIONS) for _ in range(2))
    unbroken.play(30)
    for games in (1, 12, 17):
        broken.play(games)
        state = broken.state()
        broken = Learner(lines(), options, POSITIONS)
        broken.restore(state)
    assert broken.games == 30
    assert (broken.trainable.weights == unbroken.trainable.weights).all()
    other = Learner(lines(), learning(rule, 2, epsilon=0.2, tcl=True, seed=6), POSITIONS)
    other.play(30)
    assert (other.trainable.weights != unbroken.trainable.weights).any()


@pytest.mark.parametrize(
    ("model", "share"), [("ridge", 0.9), ("tuples3", 0.5), rarely("network", 0.5)]
)
def test_it_begins_as_what_comes_nearest(model: str, share: float) -> None:
    game = game_named("connect_four")
    classic = load_evaluator("classic", game)
    options = LearnOptions(game=game.name, algorithm="tdlambda", model=model, learning_rate=0.05)
    learner = begin_learning(options, classic)
    rows = random_positions(game, 500, 77)
    wanted = evaluate(classic, game, rows)
    scores = evaluate(learner.trainable.evaluator("it"), game, rows)
    assert np.corrcoef(scores, wanted)[0, 1] ** 2 > share
    nothing = begin_learning(options, load_evaluator("zero", game))
    assert model == "network" or not nothing.trainable.weights.any()


def test_weights_that_explode_end_it_and_the_rate_is_named() -> None:
    learner = Learner(
        lines(), learning("tdlambda", 1, learning_rate=1000.0, epsilon=0.5), POSITIONS
    )
    with pytest.raises(
        UserError, match="after 200 games; give a smaller --learning-rate than 1000"
    ):
        learner.play(200)


SMALL: dict[str, Any] = {"game": "tic_tac_toe", "games": 40, "depth": 1, "match_depth": 1}
SMALL |= {"gate_pairs": 4, "curve_pairs": 2, "model": "tuples3", "seed": 2}


@pytest.mark.parametrize(
    "opponent",
    [pytest.param(other, marks=pytest.mark.slow) for other in ("earlier", "self", "zero")],
)
def test_a_run_that_was_interrupted_ends_as_one_that_was_not(opponent: str, tmp_path: Path) -> None:
    settings = {**SMALL, "algorithm": "tdlambda", "opponent": opponent}
    unbroken = learn(tmp_path / "unbroken", generations=2, **settings)
    stops = 0

    def interrupt(doing: Any) -> None:
        nonlocal stops
        if doing.step == "teach" and doing.done > stops * 13 and doing.entry is None:
            stops += 1
            raise KeyboardInterrupt

    for _ in range(50):
        try:
            broken = learn(tmp_path / "broken", generations=2, progress=interrupt, **settings)
            break
        except KeyboardInterrupt:
            pass
    assert stops >= 2
    for generation in (1, 2):
        models = [run.part(generation, "model") / "weights.npz" for run in (unbroken, broken)]
        assert models[0].read_bytes() == models[1].read_bytes()
    assert broken.repeatable() == unbroken.repeatable()


KILLED = """
import os, signal, sys
from samuel.learning.generations.loop import learn

left, replace = {n}, os.replace

def count():
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

def counted(*paths):
    count()
    replace(*paths)
    count()

os.replace = counted
learn({out!r}, generations=1, **{settings!r})
"""


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["tdlambda", "treestrap", "descent"])
def test_killed_at_many_moments_it_learns_the_same(algorithm: str, tmp_path: Path) -> None:
    settings = {**SMALL, "games": 100, "gate_pairs": 0, "curve_pairs": 0, "algorithm": algorithm}
    unbroken, out = learn(tmp_path / "unbroken", generations=1, **settings), tmp_path / "broken"
    for n in (5, 16):  # before a file is in its place, and after
        process = start("-c", KILLED.format(n=n, out=str(out), settings=settings))
        process.communicate(timeout=TIMEOUT)
        assert process.returncode == -signal.SIGKILL
    broken = learn(out, generations=1, **settings)
    models = [run.part(1, "model") / "weights.npz" for run in (unbroken, broken)]
    assert models[0].read_bytes() == models[1].read_bytes()
    assert not list(out.rglob("*.partial"))


def test_what_cannot_learn_while_it_plays_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="boosting cannot learn while it plays tic_tac_toe"):
        learn(tmp_path / "run", **{**SMALL, "algorithm": "treestrap", "model": "boosting"})
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("content", [rarely(b""), b"PK\x03\x04", rarely(b"x" * 100)])
def test_a_damaged_learner_is_told(content: bytes, tmp_path: Path) -> None:
    settings = {**SMALL, "algorithm": "rootstrap"}

    def interrupt(doing: Any) -> None:
        if doing.step == "teach" and doing.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learn(tmp_path, generations=1, progress=interrupt, **settings)
    (tmp_path / "generation-001" / "learner.npz").write_bytes(content)
    with pytest.raises(UserError, match=r"learner\.npz is damaged"):
        learn(tmp_path, generations=1, **settings)
