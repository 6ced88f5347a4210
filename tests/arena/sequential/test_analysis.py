"""Sequential tests: expected lengths, unbiased estimates, error rates of simulated ones."""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import ndtr

from samuel.arena.sequential import Sprt, estimate, forecast, pair_probabilities
from samuel.arena.sequential.analysis import _Outcome, statistics_of
from samuel.arena.sequential.brownian import Brownian
from samuel.arena.statistics import elo_of_score, from_pentanomial, score_of_elo
from tests.arena.sequential.bayeselo import probabilities_of
from tests.arena.sequential.simulation import simulate
from tests.rarely import rarely, rarely_but

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "sprt_vectors.json").read_text())[
    "vectors"
]
PAIR_SCORES = np.arange(5) / 4
MODELS = ("normalized", "logistic")


def vector_of(kind):
    (vector,) = (v for v in VECTORS if v["kind"] == kind)
    return vector


def eigenfunctions(path, time, place):
    """The probability of a worse outcome by the other classical series, of sines (Cox and Miller).

    To be absorbed below by `time` is to be absorbed there ever, and not from where it is then.
    """
    a, b, m, v = path.lower, path.upper, path.drift, path.variance
    width, pull = b - a, m / v
    x = np.linspace(a, b, 20_001)
    n = np.arange(1, 200)[:, None]
    decay = np.exp(-((n * math.pi / width) ** 2 * v + m * m / v) * time / 2)
    waves = np.sin(n * math.pi * -a / width) * np.sin(n * math.pi * (x - a) / width)
    density = np.exp(pull * x) * 2 / width * (decay * waves).sum(axis=0)
    ruin = (np.exp(-2 * pull * (x - a)) - np.exp(-2 * pull * width)) / -math.expm1(
        -2 * pull * width
    )
    later = np.trapezoid(density * ruin, x)
    inside = np.trapezoid(np.where(x <= place, density, 0), x)
    return 1 - path.upper_probability - later + inside


@pytest.mark.parametrize("drift", [-2.0, -0.3, 0.01, 0.3, 2.0])
@pytest.mark.parametrize("time", [0.5, rarely(3.0), 20.0])
def test_outcomes_by_another_series(drift, time):
    path = Brownian(-2.25, 2.89, drift, 1.0)
    for place in (-2.0, 0.0, 1.3, 2.5):
        assert path.worse(time, place) == pytest.approx(eigenfunctions(path, time, place), abs=2e-4)


def test_outcomes_are_in_order():
    path = Brownian(-2.0, 3.0, 0.1, 1.0)
    times = [1e-6, 0.1, 1, 3, 10, 100, 1e4, 1e9]
    fail = [path.worse(t, path.lower) for t in times]
    inside = [path.worse(3, y) for y in np.linspace(-2, 3, 50)]
    passed = [path.worse(t, path.upper) for t in times[::-1]]
    assert fail == sorted(fail) and inside == sorted(inside) and passed == sorted(passed)
    assert fail[0] == 0 and passed[-1] == 1
    assert fail[-1] == pytest.approx(1 - path.upper_probability)
    assert passed[0] == pytest.approx(1 - path.upper_probability)
    far = Brownian(-50.0, 50.0, 0.1, 1.0)  # no barrier in reach: the plain normal law
    assert far.worse(4.0, 1.0) == pytest.approx(float(ndtr((1 - 0.4) / 2)))


@given(
    st.floats(-1e9, 1e9),
    st.floats(1e-12, 1e6),
    st.floats(1e-9, 1e15),
    st.floats(0, 1),
)
def test_a_probability_whatever_the_drift(drift, variance, time, share):
    path = Brownian(-2.9, 2.9, drift, variance)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = path.worse(time, -2.9 + 5.8 * share)
        assert 0 <= found <= 1 and 0 <= path.upper_probability <= 1
        assert path.mean_time >= 0


@pytest.mark.parametrize("drift", [-1.0, -1e-7, 0.0, 1e-7, 0.4])
def test_where_and_when_a_path_ends(drift):
    """Against a random walk's exact equations, in steps so small that it hardly overshoots."""
    lower, upper, h = -2.0, 3.0, 0.01
    up = 0.5 * (1 + math.tanh(drift * h))  # steps of h in time h^2 have this drift
    n = round((upper - lower) / h)
    chance, time = np.zeros(n + 1), np.zeros(n + 1)
    chance[n] = 1
    matrix = np.eye(n + 1)
    for i in range(1, n):
        matrix[i, i - 1], matrix[i, i + 1] = up - 1, -up
        time[i] = h * h
    start = round(-lower / h)
    path = Brownian(lower, upper, drift, 1.0)
    assert path.upper_probability == pytest.approx(np.linalg.solve(matrix, chance)[start], rel=1e-3)
    assert path.mean_time == pytest.approx(np.linalg.solve(matrix, time)[start], rel=1e-3)


def biased_pairs(elo, vector):
    """Joint probabilities (3, 3) of a pair's games where openings favour a side (BayesElo)."""
    games = [
        np.outer(probabilities_of(elo + b, d), probabilities_of(elo - b, d))
        for d in [vector["draw_elo"]]
        for b in vector["biases_bayeselo"]
    ]
    return np.mean(games, axis=0)


def pentanomial_of(joint):
    return np.array([np.trace(joint[:, ::-1], 2 - k) for k in range(5)])


def test_length_and_power_as_van_den_bergh_published():
    """vdbergh/pentanomial, README; its lengths, "expected" there, are games."""
    vector = vector_of("sprt_operating")
    even = biased_pairs(0, vector)
    assert pentanomial_of(even) == pytest.approx(vector["probs5_at_elo0"], abs=6e-5)
    assert even.sum(axis=0)[[0, 2]].mean() == pytest.approx(vector["probs3_at_elo0"][0], abs=6e-5)
    score = score_of_elo(vector["true_elo"])
    bayeselo = brentq(
        lambda e: pentanomial_of(biased_pairs(e, vector)) @ PAIR_SCORES - score, 0, 100
    )
    joint = biased_pairs(bayeselo, vector)
    sprt = Sprt(vector["elo0"], vector["elo1"], model="logistic")

    found = forecast(sprt, vector["true_elo"], pentanomial_of(joint))
    expected = vector["pentanomial"]
    assert found.pass_probability == pytest.approx(expected["pass_prob_theory"], abs=0.001)
    assert found.games == pytest.approx(expected["expected_pairs"], rel=0.01)
    assert found.games == 2 * found.pairs
    runs = simulate(sprt, pentanomial_of(joint), 2000, seed=2)
    error = math.sqrt(0.05 * 0.95 / 2000)
    assert runs.pass_share == pytest.approx(expected["simulated_pass"], abs=3 * error)
    assert 2 * runs.lengths.mean() == pytest.approx(expected["simulated_len"], rel=0.05)

    # the same games taken for independent: the LLR moves by both games' jumps
    jumps = sprt.jumps((joint.sum(axis=0) + joint.sum(axis=1)) / 2)
    both = jumps[:, None] + jumps
    drift = float((joint * both).sum())
    path = Brownian(sprt.lower, sprt.upper, drift, float((joint * (both - drift) ** 2).sum()))
    assert path.upper_probability == pytest.approx(
        vector["trinomial"]["pass_prob_theory"], abs=0.001
    )
    assert 2 * path.mean_time == pytest.approx(vector["trinomial"]["expected"], rel=0.01)


@pytest.mark.parametrize("model", MODELS)
def test_a_forecast_at_the_edges_is_what_was_asked_for(model):
    sprt = Sprt(0, 5, alpha=0.02, beta=0.1, model=model)
    low, middle, high = (forecast(sprt, elo) for elo in (0, 2.5, 5))
    assert low.pass_probability == pytest.approx(0.02, abs=0.001)
    assert high.pass_probability == pytest.approx(0.9, abs=0.001)
    assert middle.games > max(low.games, high.games)


def test_estimate_as_in_fishtest():
    """What its code gives; the figures of the page itself are of another version.

    Its interval takes the variance for the same at any strength, ours of an undecided test does
    not; the probabilities of the outcomes are the same.
    """
    vector = vector_of("fishtest_raw")
    code = vector["fishtest_code_gives"]
    sprt, counts = Sprt(vector["nelo0"], vector["nelo1"]), np.array(vector["penta"], float)
    found, outcome = estimate(sprt, counts), _Outcome(sprt, counts)
    assert found.elo == pytest.approx(vector["elo"], abs=6e-5)
    ends = [elo_of_score(outcome.quantile(q, outcome.variance)) for q in (0.975, 0.025)]
    assert ends == pytest.approx(code["ci"], abs=1e-4)
    assert found.los == pytest.approx(code["LOS"], abs=1e-7)


@pytest.mark.parametrize(
    "counts",
    [
        [1, 1, 1, 0, 0],
        [1, 0, 0, 0, 1],
        [0, 1, 30, 2, 0],
        [13, 37, 50, 25, 3],
        [3, 2, 40],
        [2, 95, 9],
    ],
)
def test_far_from_the_bounds_the_estimate_is_the_plain_one(counts):
    found, plain = estimate(Sprt(0, 0.1), counts), statistics_of(counts)
    assert (found.elo, found.los) == pytest.approx((plain.elo, plain.los), rel=1e-6, abs=1e-5)
    ends = plain.elo_low, plain.elo_high
    assert (found.elo_low, found.elo_high) == pytest.approx(ends, rel=1e-5)
    assert found.bias == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("pairs", [3, 10, 50])
def test_the_interval_of_a_test_cut_short_covers_the_truth(pairs):
    counts = simulate(Sprt(0, 5), pair_probabilities(), 2000, seed=5, longest=pairs).counts
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    found = [estimate(Sprt(0, 5), kind) for kind in kinds]
    covered = times @ [one.elo_low <= 0 <= one.elo_high for one in found] / 2000
    assert covered >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 2000)


@pytest.mark.parametrize("model", MODELS)
def test_a_test_that_passed_was_lucky_and_one_that_failed_unlucky(model):
    sprt = Sprt(0, 30, model=model)
    runs = simulate(sprt, sprt.probabilities_at(15, pair_probabilities()), 40, seed=1)
    for counts, decision in zip(runs.counts, runs.decisions, strict=True):
        found = estimate(sprt, counts)
        assert found.bias == pytest.approx(found.naive_elo - found.elo)
        assert found.elo_low < found.elo < found.elo_high and 0 < found.los < 1
        assert (found.bias > 0) == (decision == "H1")
        assert found.naive_elo == pytest.approx(from_pentanomial(counts).elo)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("elo", [rarely(0), 30])
def test_the_estimate_is_median_unbiased_and_the_plain_one_is_not(model, elo):
    n, sprt = 300, Sprt(0, 30, model=model)
    truth = sprt.probabilities_at(elo, pair_probabilities())
    true_elo = elo_of_score(float(truth @ PAIR_SCORES))
    found = [estimate(sprt, counts) for counts in simulate(sprt, truth, n, seed=3).counts]
    below = np.mean([one.elo < true_elo for one in found])
    covered = np.mean([one.elo_low <= true_elo <= one.elo_high for one in found])
    plainly_below = np.mean([one.naive_elo < true_elo for one in found])
    assert below == pytest.approx(0.5, abs=3 * 0.5 / math.sqrt(n))
    assert covered == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / n))
    assert abs(plainly_below - 0.5) > 3 * 0.5 / math.sqrt(n)


bounds = st.integers(-10_000, 10_000).map(lambda n: n / 100)


@settings(deadline=None)
@given(
    st.one_of(st.lists(st.integers(0, 300), min_size=n, max_size=n) for n in (3, 5)),
    st.tuples(bounds, bounds).filter(lambda e: e[0] != e[1]),
    st.sampled_from(MODELS),
)
def test_an_estimate_is_never_nan(counts, elos, model):
    sprt = Sprt(min(elos), max(elos), model=model)
    if not any(counts):
        return
    found = estimate(sprt, counts)
    assert found.elo_low <= found.elo <= found.elo_high
    assert 0 <= found.los <= 1 and not math.isnan(found.bias)


def check_error_rates(sprt, runs, seed, overshoot):
    """At both hypotheses the errors keep to their limits, and lengths to their forecast."""
    for elo, limit, wrong in ((sprt.elo0, sprt.alpha, "H1"), (sprt.elo1, sprt.beta, "H0")):
        found = simulate(sprt, sprt.probabilities_at(elo, pair_probabilities()), runs, seed)
        rate, expected = np.mean(found.decisions == wrong), forecast(sprt, elo)
        print(
            f"{sprt}, truly {elo:g}: {rate:.4f} wrong, {found.lengths.mean():.1f} pairs, "
            f"{expected.pairs:.1f} expected"
        )
        assert rate <= limit + 3 * math.sqrt(limit * (1 - limit) / runs)
        assert found.lengths.mean() == pytest.approx(expected.pairs, rel=overshoot)
        assert (found.decisions != "continue").all()


@pytest.mark.parametrize("model", rarely_but(MODELS, "logistic"))
def test_error_rates(model):
    check_error_rates(Sprt(0, 60, model=model), 5000, seed=7, overshoot=0.1)


def test_simulated_tests_stop_at_the_first_bound():
    sprt = Sprt(0, 100)
    found = simulate(sprt, pair_probabilities(100), 120, seed=4)
    again = simulate(sprt, pair_probabilities(100), 60, seed=4)
    assert np.array_equal(found.counts[:60], again.counts)
    assert set(found.decisions) == {"H0", "H1"}
    for counts, decision in zip(found.counts, found.decisions, strict=True):
        assert sprt.state(counts).decision == decision
        before = [sprt.state(counts - unit) for unit in np.eye(5) if (counts >= unit).all()]
        assert any(state.decision == "continue" for state in before)
    short = simulate(Sprt(0, 5), pair_probabilities(), 10, longest=20)
    assert (short.decisions == "continue").all() and (short.lengths == 20).all()
    games = simulate(Sprt(0, 100), [0.2, 0.2, 0.6], 50)
    assert games.counts.shape == (50, 3) and games.pass_share > 0.8
