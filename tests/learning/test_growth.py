"""Shapes grown from single squares."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import samuel.learning.growth.steps as growth_steps
from samuel.common.errors import UserError
from samuel.features import Shape, pattern_set
from samuel.games.catalog import game_named
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.learning import FitOptions, Split
from samuel.learning.fitting.training_data import TrainingData
from samuel.learning.growth.candidates import Candidates, single_squares
from samuel.learning.growth.growth import grow, shapes_text
from samuel.learning.growth.sample import Sample
from samuel.learning.growth.steps import Growing
from samuel.models.patterns.estimators import PatternRegressor
from samuel.selfplay import SelfplayPlan, generate

SMALL = game_named("othello_6x6")


def digits_of(positions, game=SMALL):
    """Return 1, 0 or -1 for each square, (n, squares)."""
    bits = np.array(game.board.bits, np.uint64)
    player, opponent = (positions[:, [k]] >> bits & np.uint64(1) for k in (0, 1))
    return player.astype(int) - opponent.astype(int)


def instances_of(shape, game=SMALL):
    return [list(squares) for _, squares in pattern_set([shape], game).instances]


def size_of(shape):
    return 3 ** len(shape.squares)


def labelled(target_of, rows=6000, seed=1, noise=0.1):
    """Return random positions, each a game of its own, with a target that is known."""
    positions = random_positions(SMALL, rows, seed=seed)
    noisy = target_of(digits_of(positions)) + noise * np.random.default_rng(2).normal(size=rows)
    numbers = np.arange(rows)
    return TrainingData(numbers, positions, noisy.astype(np.float32), None, numbers)


def sample_of(rows, stages=2):
    return Sample.of(SMALL, rows.positions, rows.y, rows.groups, stages, seed=3)


def pair_product(digits):
    return sum(digits[:, a] * digits[:, b] for a, b in instances_of("a1 c2"))


def of_three(digits, instances):
    """Return what no sum over pairs is: a number for each way to fill three squares."""
    table = np.random.default_rng(5).normal(size=27)
    return sum(table[(digits[:, squares] + 1) @ [1, 3, 9]] for squares in instances)


def test_what_a_shape_explains_is_that_of_tables_of_the_other_half():
    sample = sample_of(labelled(pair_product, rows=400))
    digits = digits_of(sample.positions)
    predicted = np.zeros(len(digits))
    for a, b in itertools.pairwise(range(len(sample.starts))):
        stage = a // 2
        other = slice(*sample.starts[[2 * stage + 1 - a % 2, 2 * stage + 2 - a % 2]])
        seen, total = {}, {}
        for row in range(other.start, other.stop):
            for squares in instances_of("a1 c2"):
                held = tuple(digits[row, squares])
                seen[held] = seen.get(held, 0) + 1
                total[held] = total.get(held, 0) + float(sample.residual[row])
        for row in range(*sample.starts[[a, b]]):
            for squares in instances_of("a1 c2"):
                held = tuple(digits[row, squares])
                predicted[row] += total.get(held, 0) / (seen.get(held, 0) + 10)
    r = sample.residual.astype(float)
    full = (r @ predicted) ** 2 / (predicted @ predicted) / (len(r) * r.var())
    error = np.sqrt(np.sum((r * predicted) ** 2))  # each row is a game
    gain = full * (1 - error / (r @ predicted)) ** 2
    shape = Shape("", ("a1", "c2"))
    assert sample.gain(shape) == pytest.approx(gain, rel=1e-4)
    before = r @ r
    sample.take_out(shape)
    r = sample.residual.astype(float)
    assert before - r @ r == pytest.approx(full * sample.target.var() * len(r), rel=1e-3)


def test_noise_is_worth_nothing_however_large_the_shape():
    sample = sample_of(labelled(lambda digits: np.zeros(len(digits)), noise=1.0))
    square = ("a1", "b1", "c1", "a2", "b2", "c2", "a3")
    gains = [sample.gain(Shape("", square[:n])) for n in range(1, 8)]
    # a correlation of three standard errors, less the one taken off
    assert max(gains) < 2**2 / 6000
    assert 0.0 in gains


@pytest.mark.parametrize("name", ["othello", "othello_4x4", "connect_four", "tic_tac_toe"])
def test_pairs_are_proposed_once_whatever_their_image(name):
    game = game_named(name)
    classes = {
        frozenset(frozenset(symmetry[list(pair)].tolist()) for symmetry in game.symmetries)
        for pair in itertools.combinations(range(len(game.squares)), 2)
    }
    start = single_squares(game)
    assert len(Candidates(game, start)) == len(classes)
    covered = [square for _, square in pattern_set(start, game).instances]
    assert sorted(covered) == [(k,) for k in range(len(game.squares))]


def test_the_best_gains_most_for_its_cost_and_replaces_what_it_contains():
    start = single_squares(SMALL)
    sample = sample_of(labelled(pair_product))
    pool = Candidates(SMALL, start)
    shape, dropped, gain = pool.best(sample, start, room=100)
    images = {frozenset(image) for image in instances_of("a1 c2")}
    assert {frozenset(image) for image in instances_of(shape)} == images
    assert gain == sample.gain(shape) > 0.3
    assert gain >= max(sample.gain(one) for one in pool._shapes)
    assert {square.name for square in dropped} == {"a1", "c2"}
    shapes = [s for s in start if s not in dropped] + [shape]
    sample.take_out(shape)
    for room in (3, 6, 18):
        again, dropped, _ = pool.best(sample, shapes, room)
        assert again != shape
        assert size_of(again) - sum(map(size_of, dropped)) <= room
    assert pool.best(sample, shapes, room=2) is None


@pytest.mark.slow
def test_a_contained_shape_is_neither_kept_nor_proposed():
    squares = instances_of("a1 b1 b2")
    rows = labelled(lambda digits: of_three(digits, squares), rows=20000)
    start, model = (
        pattern_set(single_squares(SMALL), SMALL),
        PatternRegressor((), SMALL.name, stages=1),
    )
    growing = Growing(start, rows[:16000], rows[16000:], model, seed=0)
    growing.run(budget=150, steps=6)
    assert growing.steps[-1].r2 > 0.98 > 0.95 > growing.steps[0].r2
    found = [set(shape.squares) for shape in growing.best]
    assert {"a1", "b1", "b2"} in found
    images = [[set(i) for i in instances_of(" ".join(shape.squares))] for shape in growing.best]
    for one, other in itertools.permutations(images, 2):
        assert not any(a <= b for a in one for b in other)
    sizes = [step.size for step in growing.steps]
    assert sizes[-1] == sum(3 ** len(shape.squares) for shape in growing._shapes) <= 150


def test_the_rows_of_a_game_are_in_one_half_and_those_of_a_stage_together():
    positions = np.unique(random_positions(SMALL, 600, seed=1), axis=0)
    games = np.arange(len(positions)) // 10
    sample = Sample.of(SMALL, positions, games.astype(np.float32), games, 3, seed=0)
    assert sample.starts[0] == 0 and sample.starts[-1] == len(positions)
    parts = [slice(a, b) for a, b in itertools.pairwise(sample.starts)]
    halves = [set(np.concatenate([sample.target[p] for p in parts[k::2]])) for k in (0, 1)]
    assert not halves[0] & halves[1] and len(halves[0]) == pytest.approx(len(halves[1]), abs=1)
    left = left_of(SMALL, sample.positions)
    for part, knot in zip(parts, [0, 0, 16, 16, 32, 32], strict=True):
        assert np.abs(left[part] - knot).max() <= 8


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grown") / "data"
    generate(SelfplayPlan(depth=1, epsilon=0.05, seed=1), games=600, out=folder, jobs=1)
    made = Split.of(folder)
    digits = digits_of(made.dataset.positions, made.game)
    outcome = of_three(digits, instances_of("c3 d3 c4", made.game))
    return replace(made, frame=made.frame.assign(outcome=outcome.astype(np.float32)))


KNOWN = FitOptions("outcome")


@pytest.fixture(scope="module")
def growth(split):
    return grow(split, fitting=KNOWN)


def test_no_more_weights_than_all_pairs_in_line_and_a_better_prediction(growth, split):
    (pairs,) = growth.references
    assert pairs.name == "tuples2" and pairs.patterns.size == 288
    assert growth.grown.patterns.size <= growth.budget == pairs.patterns.n_weights == 264
    for key in ("r2", "r2_target"):
        assert growth.grown.metrics[key] > pairs.metrics[key] + 0.1 > 0.1
    again = PatternRegressor("tuples2", stages=5)
    examples = split.examples(KNOWN, classifier=False)
    again.fit(split.positions_of(examples), examples.target)
    predicted = again.predict(split.held_out_positions)
    targets = split.held_out_targets(KNOWN)
    r2 = 1 - np.mean((predicted - targets) ** 2) / targets.var()
    assert pairs.metrics["r2_target"] == pytest.approx(r2, abs=0.003)


def test_the_steps_say_what_happened(growth):
    first, *others = growth.steps
    assert first.shape is None and first.size == 30
    best = max(step.r2 for step in growth.steps if step.r2 is not None)
    shapes = set(single_squares(game_named("othello")))
    for step in others:
        assert shapes >= set(step.dropped) and step.gain > 0
        shapes = shapes - set(step.dropped) | {step.shape}
        assert step.size == sum(map(size_of, shapes))
        if step.r2 == best:
            assert set(growth.grown.patterns.shapes) == shapes


@pytest.mark.slow
def test_the_same_seed_grows_the_same(growth, split):
    again = grow(split, fitting=KNOWN, steps=3)
    assert again.ended == "the steps asked for were done"
    assert [s.shape for s in again.steps] == [s.shape for s in growth.steps[:4]]


def test_interrupted_it_keeps_what_it_found(split, monkeypatch):
    said = []

    def interrupt(doing):
        said.append(doing)
        if len(said) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(growth_steps, "_REFIT", 1.0)
    growth = grow(split, progress=interrupt)
    assert growth.ended == "it was interrupted" and len(growth.steps) == 4
    assert growth.steps[-1].shape in growth.grown.patterns.shapes


def test_the_time_is_kept(split):
    growth = grow(split, seconds=1e-9)
    assert growth.ended == "the time was over" and len(growth.steps) == 1
    assert growth.grown.patterns.size == 30


def test_the_text_of_shapes_is_read_back(growth, tmp_path):
    file = tmp_path / "shapes.txt"
    file.write_text(shapes_text(growth.grown.patterns.shapes, "grown"))
    assert pattern_set(file) == growth.grown.patterns


def test_too_small_a_budget(split):
    with pytest.raises(UserError, match="have 30 configurations; give a budget of at least 30"):
        grow(split, budget=29)
