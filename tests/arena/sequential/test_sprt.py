"""Sequential tests: published log-likelihood ratios, an independent maximum, extreme counts."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from samuel.arena.sequential.sprt import LEAST_CHANCE, LEAST_DISTANCE, Sprt, SprtState
from samuel.arena.statistics import score_of_elo, statistics_of
from samuel.common.errors import UserError
from tests.arena.sequential.bayeselo import (
    generalized_llr,
    parameters_of,
    probabilities_of,
    scale_of,
    wald_llr,
)
from tests.processes import run

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "sprt_vectors.json").read_text())[
    "vectors"
]
ELO_MODELS = ("normalized", "logistic")
PAIR_SCORES = np.arange(5) / 4


def of_kind(*kinds):
    return [vector for vector in VECTORS if vector["kind"] in kinds]


def counts_of(vector):
    return vector.get("penta") or vector["counts_LDW"]


def llr_of(vector):
    counts, bounds = counts_of(vector), (vector["elo0"], vector["elo1"])
    match vector["model"]:
        case "normalized" | "logistic" as model:
            chances = vector.get("alpha", 0.05), vector.get("beta", 0.05)
            return Sprt(*bounds, *chances, model).llr(counts)
        case "cutechess_bayeselo_jeffreys":
            return wald_llr(counts, *bounds, scaled=True, prior=0.5)
        case "openbench_trinomial_bayeselo":
            return wald_llr(counts, *bounds)
        case "bayesian_gsprt":
            return generalized_llr(counts, *bounds)
    raise AssertionError(vector["model"])


def test_all_published_ratios():
    """Stockfish's commits, fishtest, fastchess, cutechess, OpenBench, racetrack, ShogiHome."""
    vectors = of_kind("llr")
    assert len(vectors) == 202
    for vector in vectors:
        tolerance = {"abs": vector.get("abs_tol"), "rel": vector.get("rel_tol", 1e-12)}
        assert llr_of(vector) == pytest.approx(vector["llr"], **tolerance), vector


def test_all_ratios_as_fishtest_computes_them():
    for vector in of_kind("llr", "sprt_decision"):
        exact = vector.get("fishtest_code_gives", vector.get("recomputed"))
        assert llr_of(vector) == pytest.approx(exact, abs=2e-5), vector


@pytest.mark.parametrize("vector", of_kind("sprt_decision"), ids=lambda v: v["state"])
def test_published_decisions(vector):
    sprt = Sprt(vector["elo0"], vector["elo1"], vector["alpha"], vector["beta"])
    state = sprt.state(vector["penta"])
    assert state.decision == vector["state"]
    assert [state.lower, state.upper] == pytest.approx(vector["bounds"], abs=1e-5)


@pytest.mark.parametrize("vector", [v for v in of_kind("llr") if "lower" in v or "state" in v])
def test_published_bounds_and_state(vector):
    sprt = Sprt(vector["elo0"], vector["elo1"], vector["alpha"], vector["beta"])
    if "lower" in vector:
        assert (sprt.lower, sprt.upper) == pytest.approx(
            (vector["lower"], vector["upper"]), abs=0.006
        )
    if "state" in vector:
        assert sprt.state(vector["penta"]).decision == vector["state"]
        found = statistics_of(vector["penta"])
        half_width = (found.nelo_high - found.nelo_low) / 2
        assert found.nelo == pytest.approx(vector["nelo"], abs=0.006)
        assert half_width == pytest.approx(vector["nelo_err95"], abs=0.006)


def test_raw_statistics_of_fishtest():
    """Of its page: exact ratios, approximate ones, and what each further result would add."""
    (vector,) = of_kind("fishtest_raw")
    counts = np.array(vector["penta"])
    units, shares = counts.sum(), counts / counts.sum()
    score = float(shares @ PAIR_SCORES)
    variance = float(shares @ (PAIR_SCORES - score) ** 2)
    assert (score, 2 * variance) == pytest.approx(
        (vector["score"], vector["variance_per_game"]), abs=6e-6
    )
    assert statistics_of(vector["penta"]).nelo == pytest.approx(vector["nelo"], abs=0.006)

    normalized = Sprt(vector["nelo0"], vector["nelo1"], vector["alpha"], vector["beta"])
    assert [normalized.lower, normalized.upper] == pytest.approx(vector["bounds"], abs=6e-5)
    llr = normalized.llr(counts)
    assert llr == pytest.approx(vector["llr_normalized_exact"], abs=6e-6)
    t = (score - 0.5) / math.sqrt(variance)
    t0, t1 = normalized.unit_bounds(5)
    alternative = units * math.log((2 + (t - t0) ** 2) / (2 + (t - t1) ** 2))
    assert alternative == pytest.approx(vector["llr_normalized_alt"], abs=6e-6)

    elo1 = vector["fishtest_code_gives"]["elo1_logistic"]
    logistic = Sprt(vector["elo0_logistic"], elo1, model="logistic")
    llr = logistic.llr(counts)
    assert llr == pytest.approx(vector["llr_logistic_exact"], abs=6e-6)
    s0, s1 = logistic.unit_bounds(5)
    r0, r1 = (float(shares @ (PAIR_SCORES - s) ** 2) for s in (s0, s1))
    assert units / 2 * math.log(r0 / r1) == pytest.approx(vector["llr_logistic_alt"], abs=6e-6)
    linear = units * (s1 - s0) * (2 * score - s0 - s1) / (2 * variance)
    assert linear == pytest.approx(vector["llr_logistic_alt2"], abs=6e-6)
    assert logistic.jumps(counts) == pytest.approx(vector["llr_jumps"], abs=6e-7)


@pytest.mark.parametrize("model", ELO_MODELS)
def test_a_jump_is_the_slope_of_the_ratio(model):
    counts, sprt, h = np.array([13.0, 37, 50, 25, 3]), Sprt(0, 4, model=model), 1e-3
    slopes = [
        (sprt.llr(counts + h * unit) - sprt.llr(counts - h * unit)) / (2 * h) for unit in np.eye(5)
    ]
    assert sprt.jumps(counts) == pytest.approx(slopes, abs=1e-6)


@pytest.mark.parametrize("model", ELO_MODELS)
@pytest.mark.parametrize("elo", [-80, 0, 30, 120])
@pytest.mark.parametrize("counts", [[13, 37, 50, 25, 3], [30, 2, 11, 3, 60], [31, 9, 44]])
def test_probabilities_are_the_likeliest(model, elo, counts):
    """Against a general optimizer under the same condition."""
    scores = np.linspace(0, 1, len(counts))

    def off(p):
        mean = p @ scores
        if model == "logistic":
            return mean - score_of_elo(elo)
        per_game = math.sqrt((2 if len(p) == 5 else 1) * (p @ (scores - mean) ** 2))
        return (mean - 0.5) / per_game - elo * math.log(10) / 800

    shares = np.array(counts) / sum(counts)
    found = minimize(
        lambda p: -(shares @ np.log(p)),
        shares,
        constraints=[
            {"type": "eq", "fun": off},
            {"type": "eq", "fun": lambda p: p.sum() - 1},
        ],
        bounds=[(1e-9, 1)] * len(counts),
        options={"ftol": 1e-15, "maxiter": 1000},
    ).x
    ours = Sprt(-100, 300, model=model).probabilities_at(elo, counts)
    assert off(ours) == pytest.approx(0, abs=2e-6)  # fishtest's ten rounds
    assert shares @ np.log(ours) == pytest.approx(shares @ np.log(found), abs=1e-6)
    assert ours == pytest.approx(found, abs=1e-4)


sprts = st.builds(
    lambda elos, alpha, beta, model: Sprt(min(elos), max(elos), alpha, beta, model),
    st.tuples(st.floats(-1000, 1000), st.floats(-1000, 1000)).filter(
        lambda e: abs(e[0] - e[1]) > LEAST_DISTANCE
    ),
    st.floats(LEAST_CHANCE, 0.499),
    st.floats(LEAST_CHANCE, 0.499),
    st.sampled_from(ELO_MODELS),
)
numbers = st.one_of(st.integers(0, 3), st.integers(0, 10**15))
any_counts = st.one_of(st.lists(numbers, min_size=n, max_size=n) for n in (3, 5))


@given(sprts, any_counts)
def test_the_ratio_is_always_a_number(sprt, counts):
    state = sprt.state(counts)
    assert math.isfinite(state.llr)
    assert state.decision in ("H0", "H1", "continue")


@given(sprts, st.one_of(st.lists(st.integers(0, 10**4), min_size=n, max_size=n) for n in (3, 5)))
def test_swapping_the_players_changes_the_sign(sprt, counts):
    mirrored = Sprt(-sprt.elo1, -sprt.elo0, model=sprt.model)
    expected = -mirrored.llr(counts[::-1])
    assert sprt.llr(counts) == pytest.approx(expected, rel=1e-5, abs=1e-5)


def test_nothing_played_decides_nothing():
    assert Sprt(0, 5).state([0] * 5) == SprtState(0.0, -math.log(19), math.log(19), "continue")
    assert Sprt(0, 5).llr([0, 0, 0]) == 0


def test_an_even_score_favours_the_nearer_hypothesis():
    even = [20, 200, 400, 200, 20]
    assert Sprt(0, 5).llr(even) < 0 < Sprt(-5, 0).llr(even)
    assert Sprt(-5, 5).llr(even) == pytest.approx(0, abs=1e-9)


def test_parse():
    assert Sprt.parse("0,5") == Sprt(0, 5)
    assert Sprt.parse(" -1.75, 0.25") == Sprt(-1.75, 0.25)
    assert str(Sprt.parse("0,5")) == "0 or 5 nElo, alpha 0.05, beta 0.05"
    for text in ("", "5", "0,5,10", "a,b", "0;5"):
        with pytest.raises(UserError, match="must be elo0 and elo1"):
            Sprt.parse(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, 5), "elo0 must be at least 0.001 below elo1"),
        ((5, 0), "elo0 must be at least 0.001 below elo1"),
        ((5, 5 + 1e-9), "at least 0.001 below"),
        ((math.nan, 5), r"elo0 must be .*\(got nan\)"),
        ((0, math.inf), r"elo1 must be .*\(got inf\)"),
        ((0, 1001), "from -1000 to 1000"),
        ((0, 5, 0), "alpha must be"),
        ((0, 5, 0.05, 0.5), "beta must be"),
        ((0, 5, math.nan), r"alpha must be .*\(got nan\)"),
        ((0, 5, 0.05, 0.05, "bayesian"), "no model of Elo called 'bayesian'"),
    ],
)
def test_what_is_no_test_is_refused(arguments, message):
    with pytest.raises(UserError, match=message):
        Sprt(*arguments)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 2, 3, 4], "got 4 numbers"),
        (7, "got 1 numbers"),
        ([[1, 2, 3]], "losses, draws, wins"),
        ([1, -1, 1], "counts must be from 0 to 1e"),
        ([1, math.nan, 1], "counts must be from 0 to 1e"),
        ([1, math.inf, 1], "counts must be from 0 to 1e"),
        (["a", 1, 2], "counts must be numbers of games or pairs"),
        ([10**400, 1, 2], "counts must be numbers of games or pairs"),
    ],
)
def test_what_are_no_counts_is_refused(counts, message):
    with pytest.raises(UserError, match=message):
        Sprt(0, 5).llr(counts)


def test_bayeselo_and_back():
    for elo, draw_elo in ((0, 327), (-80, 100), (200, 40)):
        p = probabilities_of(elo, draw_elo)
        assert p.sum() == pytest.approx(1)
        assert parameters_of(p) == pytest.approx((elo, draw_elo))
        assert parameters_of(1000 * p) == pytest.approx((elo, draw_elo))
    loss, draw, win = probabilities_of(0, 327)  # vdbergh/pentanomial: draws of equal players
    assert loss == win and draw == pytest.approx(1 - 2 * loss)
    # scale: logistic Elo for a point of BayesElo between equals
    h, draw_elo = 1e-3, 200.0
    higher, lower = (probabilities_of(e, draw_elo) @ (0, 0.5, 1) for e in (h, -h))
    slope = (higher - lower) / (2 * h) / (math.log(10) / 1600)
    assert scale_of(draw_elo) == pytest.approx(slope, rel=1e-6)


@pytest.mark.slow
def test_as_plain_python():
    program = (
        "from samuel.arena.sequential.sprt import Sprt; "
        "print([Sprt(0, 2, model=m).llr(c) for m in ('normalized', 'logistic') "
        "for c in ([365, 16618, 36229, 16974, 390], [0, 0, 7, 0, 0], [3, 0, 9])])"
    )
    plain = json.loads(run("-W", "ignore", "-c", program, env={"NUMBA_DISABLE_JIT": "1"}))
    compiled = [
        Sprt(0, 2, model=m).llr(c)
        for m in ELO_MODELS
        for c in ([365, 16618, 36229, 16974, 390], [0, 0, 7, 0, 0], [3, 0, 9])
    ]
    assert plain == pytest.approx(compiled, rel=1e-9)
