"""What ProbCut is fitted to, and that searches with it are selective and still searches."""

import dataclasses

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.evaluator import probcut_is_sound
from samuel.games.playing import random_positions
from samuel.games.rows import left_of
from samuel.learning.probcut import (
    FIRST_DEEP,
    LAST_DEEP,
    fit_pairs,
    fit_probcut,
    scores_by_depth,
    shallow_depths,
)
from samuel.models import load_evaluator
from samuel.models.probcut import shipped_file
from samuel.search import analyse
from samuel.search.alphabeta.probcut import FIELDS, OFFSET, PAIRS, SHALLOW, SIGMA, SLOPE
from tests.rarely import rarely

OTHELLO = game_named("othello")
CLASSIC = load_evaluator("classic", OTHELLO)
SHIPPED = [
    ("othello", "classic"),
    ("othello", "wpc"),
    ("othello_6x6", "classic"),
    ("connect_four", "classic"),
]


def fit(**settings):
    return fit_probcut(CLASSIC, OTHELLO, **{"positions": 240, "max_depth": 6, "seed": 1} | settings)


@pytest.fixture(scope="module")
def fitted():
    done = []
    found = fit(jobs=2, progress=done.append)
    assert done[-1] == found.positions == 240
    return found


def positions(n, game=OTHELLO):
    rows = random_positions(game, n, seed=3, min_plies=10, max_plies=30)
    return [Position(game, tuple(map(int, row))) for row in rows]


def test_the_fit_is_sensible(fitted):
    pairs = fitted.pairs
    assert pairs["slope"].between(0.5, 1.8).all()
    assert (pairs["sigma"] > 0).all()
    assert pairs["r2"].median() > 0.7
    sigma = pairs.groupby(["deep", "shallow"])["sigma"].mean()
    assert sigma[6, 2] > sigma[6, 4] and sigma[5, 1] > sigma[5, 3]
    assert list(pairs.columns[:5]) == ["stage", "least", "most", "deep", "shallow"]
    assert (pairs["least"].min(), pairs["most"].max()) == (0, 60)


def test_every_depth_has_pairs_measured_or_extrapolated(fitted):
    parameters = fitted.parameters
    assert parameters.dtype == np.float32 and parameters.shape[1:] == (LAST_DEEP + 1, PAIRS, FIELDS)
    assert not parameters[:, :FIRST_DEEP].any()
    for deep in range(FIRST_DEEP, LAST_DEEP + 1):
        shallow = parameters[:, deep, :, SHALLOW]
        assert (shallow[0][: len(shallow_depths(deep))] == shallow_depths(deep)).all()
        assert (shallow < deep).all() and ((deep - shallow) % 2 == 0)[shallow > 0].all()
    used = parameters[parameters[..., SHALLOW] > 0]
    assert ((used[:, SLOPE] > 0.5) & (used[:, SLOPE] < 3)).all() and (used[:, SIGMA] > 0).all()
    # 16 from 4, extrapolated, is no surer than 6 from 4, measured
    assert (parameters[6:, [16, 6], [0, 1], SHALLOW] == 4).all()
    assert (parameters[6:, 16, 0, SIGMA] >= parameters[6:, 6, 1, SIGMA]).all()


def synthetic(slope):
    """Scores by depth of 3000 positions: two plies deeper they are `slope` of what they were."""
    rng = np.random.default_rng(4)
    remaining = np.repeat(np.arange(1, 61), 50)
    scores = np.full((len(remaining), LAST_DEEP + 1), np.nan)
    score = rng.normal(0, 20_000, len(remaining))
    for depth in range(1, 9):
        noisy = score * slope ** (depth / 2)
        scores[:, depth] = noisy + rng.normal(0, 1 + 0.1 * np.std(noisy), len(remaining))
    return scores, remaining


@pytest.mark.parametrize("slope", [*map(rarely, (0.0, 0.2, 0.5, 1.0)), 0.8, 0.9])
def test_pairs_that_predict_nothing_are_left_out(slope):
    parameters, _ = fit_pairs(*synthetic(slope), OTHELLO)
    assert probcut_is_sound(parameters)
    used = parameters[..., SHALLOW] > 0
    assert (parameters[used][:, SLOPE] >= np.float32(0.1)).all()
    assert (parameters[used][:, SIGMA] > 0).all()
    assert not parameters[~used].any()
    assert (used[..., 0] >= used[..., 1]).all()  # the kernel stops at the first that is missing
    asked = [len(shallow_depths(deep)) for deep in range(FIRST_DEEP, LAST_DEEP + 1)]
    left_out = used[:, FIRST_DEEP:].sum(axis=2) < asked
    assert left_out.any() == (slope < 0.85)
    if slope > 0.4:
        assert used[:, 4, 0].all()
    if slope == 0.8:  # 16 from 4 has a slope below 0.1; what stands in its place is 16 from 8
        assert (parameters[:, 16, 0, SHALLOW] == 8).any()


def test_cuts_save_most_nodes_and_little_is_lost(fitted):
    selective = dataclasses.replace(CLASSIC, probcut=fitted.parameters)
    full, cut, errors = 0, 0, []
    for position in positions(20):
        one = analyse(position, CLASSIC, depth=8, exact_from=0)
        other = analyse(position, selective, depth=8, exact_from=0, probcut=1.0)
        full, cut = full + one.nodes, cut + other.nodes
        errors.append(abs(one.score - other.score))
    assert cut < full / 2
    assert np.median(errors) < 1.5


def test_the_pairs_are_those_of_the_stage():
    late, early = CLASSIC.probcut.copy(), CLASSIC.probcut.copy()
    half = len(late) // 2
    late[half:], early[:half] = 0, 0  # stages go by the squares that remain
    openings = [
        Position(OTHELLO, tuple(map(int, row)))
        for row in random_positions(OTHELLO, 6, seed=3, min_plies=10, max_plies=14)
    ]

    def nodes(parameters):
        selective = dataclasses.replace(CLASSIC, probcut=parameters)
        found = [analyse(p, selective, depth=7, exact_from=0, probcut=1.0) for p in openings]
        return [one.nodes for one in found]

    assert nodes(late) == nodes(np.zeros_like(late))
    assert nodes(early) == nodes(CLASSIC.probcut) < nodes(late)


@pytest.mark.slow
@pytest.mark.parametrize("game, name", SHIPPED)
def test_what_ships_is_of_the_evaluator_as_it_is_now(game, name):
    rules = game_named(game)
    evaluator = load_evaluator(name, rules)
    assert shipped_file(name, game).exists() and evaluator.probcut is not None
    rows = random_positions(rules, 80, seed=9, min_plies=8, max_plies=24)
    scores = scores_by_depth(evaluator, rules, rows, 4)
    stages = len(evaluator.probcut)
    pairs = evaluator.probcut[left_of(rules, rows) * stages // (rules.most_left + 1), 4, 0]
    assert (pairs[:, SHALLOW] == 2).all()
    errors = scores[:, 4] - pairs[:, SLOPE] * scores[:, 2] - pairs[:, OFFSET]
    known = np.isfinite(errors)
    assert known.sum() > 40
    assert np.mean(np.abs(errors[known]) < 2 * pairs[known, SIGMA]) > 0.7
    # and not because sigma is large
    assert np.median(pairs[known, SIGMA]) < 0.5 * np.std(scores[known, 4])


def test_what_cannot_be_fitted_or_used_is_refused():
    with pytest.raises(UserError, match=r"max_depth must be .*\(got 2\)"):
        fit(max_depth=2)
    with pytest.raises(UserError, match="10 positions are too few to fit ProbCut: too few of them"):
        fit(positions=10)
    with pytest.raises(UserError, match="evaluates othello, not connect_four"):
        fit_probcut(CLASSIC, game_named("connect_four"))
    for unsound in (np.full((2, 20, 2, 4), 5, np.float32), np.zeros((0, 3, 2, 4), np.float32)):
        with pytest.raises(ValueError, match="parameters of ProbCut must be float32 of shape"):
            dataclasses.replace(CLASSIC, probcut=unsound)
    dice = game_named("backgammon")
    with pytest.raises(UserError, match="backgammon has dice"):
        fit_probcut(load_evaluator("pubeval", dice), dice)
    zero = load_evaluator("zero", OTHELLO)
    with pytest.raises(UserError, match="zero has no ProbCut parameters; leave out --probcut, or"):
        analyse(Position.start(OTHELLO), zero, depth=2, probcut=1.0)
    with pytest.raises(UserError, match=r"probcut must be .* from 0 to 1,000 \(got -1\)"):
        analyse(Position.start(OTHELLO), CLASSIC, depth=2, probcut=-1.0)
