"""Samuel's learning of 1959: each rule against numbers worked out by hand, and his appendix C."""

from __future__ import annotations

import numpy as np
import pytest

from samuel.learning.samuel.polynomial import (
    Polynomial,
    corrected,
    divisor,
    jolt,
    least_delta,
    powers_of,
    tally,
)

APPENDIX_C = {  # after 42 games: the correlation coefficient, the sign, the power of 2
    "MOC2": (0.45, -1, 18),
    "KCENT": (0.40, 1, 16),
    "MOC4": (0.35, -1, 14),
    "MODE3": (0.33, -1, 13),
    "DEMMO": (0.27, -1, 11),
    "MOVE": (0.19, 1, 8),
    "ADV": (0.19, -1, 8),
    "MODE2": (0.19, -1, 8),
    "BACK": (0.14, -1, 6),
    "CNTR": (0.13, 1, 5),
    "THRET": (0.13, 1, 5),
    "MOC3": (0.10, 1, 4),
}


def known(*correlations: float, reserve: int = 0) -> Polynomial:
    polynomial = Polynomial.of(len(correlations) + reserve, len(correlations))
    polynomial.correlation[: len(correlations)] = correlations
    return polynomial


def test_weights_are_those_of_appendix_c() -> None:
    sizes, signs, powers = map(np.array, zip(*APPENDIX_C.values(), strict=True))
    polynomial = known(*(sizes * signs), reserve=26)
    assert powers_of(sizes).tolist() == powers.tolist()
    weights = polynomial.weights()
    assert weights[:12].tolist() == (signs * 2**powers).tolist()
    assert not weights[12:].any()


def test_terms_of_which_nothing_is_known_have_no_weight() -> None:
    assert not known(0.0, 0.0, reserve=1).weights().any()
    assert known(0.5, 0.0).weights().tolist() == [2**18, 0]


def test_n_is_16_then_powers_of_two_up_to_256() -> None:
    uses = [0, 1, 16, 31, 32, 63, 64, 127, 128, 255, 256, 512, 10_000]
    assert [divisor(n) for n in uses] == [16, 16, 16, 16, 32, 32, 64, 64, 128, 128, 256, 256, 256]


def test_a_correction_moves_correlations_by_one_over_n() -> None:
    polynomial = known(0.0, 0.5, -0.5, 0.25)
    polynomial.uses[2] = 40
    values = np.array([3.0, -2.0, 1.0, 0.0])
    assert corrected(polynomial, values, 0.1) == 3
    # 0 - (0 - 1)/16; 0.5 - (0.5 + 1)/16; -0.5 - (-0.5 - 1)/32; of value 0: as it was
    assert polynomial.correlation.tolist() == [0.0625, 0.40625, -0.453125, 0.25]
    assert polynomial.uses.tolist() == [1, 1, 41, 0]
    corrected(polynomial, np.array([3.0, 0, 0, 0]), -0.1)
    assert polynomial.correlation[0] == 0.0625 - (0.0625 + 1) / 16


@pytest.mark.parametrize("times", [1, 2, 4])
def test_large_deltas_count_twice_or_four_times(times: int) -> None:
    polynomial = known(0.5)
    corrected(polynomial, np.array([1.0]), -1.0, times=times)
    assert polynomial.correlation[0] == 0.5 - times * 1.5 / 16


@pytest.mark.parametrize(
    ("delta", "score", "changed"),
    [
        (1.0, 5.0, [1]),  # the score was positive: what spoke against it
        (1.0, -5.0, [0, 2]),
        (1.0, 0.0, []),
        (-1.0, 5.0, [0, 1, 2, 4]),  # a negative delta corrects every term of a value
    ],
)
def test_in_the_second_series_good_news_corrects_what_spoke_against_the_score(
    delta: float, score: float, changed: list[int]
) -> None:
    polynomial = known(0.5, 0.5, -0.5, 0.5, 0.0)
    values = np.array([1.0, -1.0, -1.0, 0.0, 1.0])
    contributions = polynomial.weights() * values
    corrected(polynomial, values, delta, contributions=contributions, score=score)
    assert np.flatnonzero(polynomial.uses).tolist() == changed


def test_terms_in_reserve_are_not_corrected() -> None:
    polynomial = known(0.5, reserve=1)
    assert corrected(polynomial, np.array([1.0, 1.0]), 1.0) == 1
    assert polynomial.correlation[1] == 0


def test_delta_has_to_exceed_the_mean_weight() -> None:
    assert least_delta(known(0.45, -0.40, 0.0, 0.0)) == (2**18 + 2**16) / 4
    assert least_delta(known(0.0, 0.0)) == 0


def test_the_lowest_term_goes_to_the_tail_of_the_reserve() -> None:
    polynomial = known(0.5, -0.1, 0.2, reserve=2)
    polynomial.uses[1] = polynomial.adjusted[1] = 7
    polynomial.correlation[3] = 0.4  # of an earlier time in use
    assert [tally(polynomial, 3) for _ in range(3)] == [None, None, 1]
    assert polynomial.order.tolist() == [0, 3, 2, 4, 1]
    assert polynomial.correlation.tolist() == [0.5, -0.1, 0.2, 0.0, 0.0]
    assert polynomial.replaced == 1
    assert not polynomial.weights()[[1, 3, 4]].any()
    assert [tally(polynomial, 3) for _ in range(3)] == [None, None, 3]  # nothing known of it
    assert polynomial.order.tolist() == [0, 4, 2, 1, 3]
    assert [tally(polynomial, 3) for _ in range(3)] == [None, None, 4]
    assert polynomial.order.tolist() == [0, 1, 2, 3, 4]
    assert (polynomial.uses[1], polynomial.tallies[1], polynomial.adjusted[1]) == (0, 0, 7)


def test_without_a_reserve_every_term_stays() -> None:
    polynomial = known(0.5, -0.1)
    assert [tally(polynomial, 1) for _ in range(3)] == [None] * 3


def test_the_jolt_takes_the_leading_weight_away() -> None:
    polynomial = known(0.2, -0.5, 0.1)
    assert jolt(polynomial) == 1
    assert polynomial.weights().tolist() == [2**18, 0, 2**9]
