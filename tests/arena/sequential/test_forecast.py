"""Sequential tests: expected lengths, error rates of simulated ones."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from samuel.arena.sequential.sprt import Sprt
from samuel.arena.sprt_evaluation import _ends, forecast, pair_probabilities
from samuel.arena.statistics import score_of_elo
from tests.arena.sequential.bayeselo import probabilities_of
from tests.arena.sequential.simulation import simulate
from tests.rarely import rarely_but

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "sprt_vectors.json").read_text())[
    "vectors"
]
PAIR_SCORES = np.arange(5) / 4
MODELS = ("normalized", "logistic")


def vector_of(kind):
    (vector,) = (v for v in VECTORS if v["kind"] == kind)
    return vector


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
    above, length = _ends(lower, upper, drift, 1.0)
    assert above == pytest.approx(np.linalg.solve(matrix, chance)[start], rel=1e-3)
    assert length == pytest.approx(np.linalg.solve(matrix, time)[start], rel=1e-3)


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
    variance = float((joint * (both - drift) ** 2).sum())
    above, length = _ends(sprt.lower, sprt.upper, drift, variance)
    assert above == pytest.approx(vector["trinomial"]["pass_prob_theory"], abs=0.001)
    assert 2 * length == pytest.approx(vector["trinomial"]["expected"], rel=0.01)


@pytest.mark.parametrize("model", MODELS)
def test_a_forecast_at_the_edges_is_what_was_asked_for(model):
    sprt = Sprt(0, 5, alpha=0.02, beta=0.1, model=model)
    low, middle, high = (forecast(sprt, elo) for elo in (0, 2.5, 5))
    assert low.pass_probability == pytest.approx(0.02, abs=0.001)
    assert high.pass_probability == pytest.approx(0.9, abs=0.001)
    assert middle.games > max(low.games, high.games)


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
