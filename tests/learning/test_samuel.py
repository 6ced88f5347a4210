"""Samuel's learning of 1959: each rule against numbers worked out by hand, and his appendix C."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.features import column_names, extract
from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.learning.generations.loop import learn
from samuel.learning.generations.online import generalizer_of
from samuel.learning.options import LearnOptions, SamuelOptions
from samuel.learning.samuel.learner import Event, Generalizer
from samuel.learning.samuel.polynomial import (
    Polynomial,
    corrected,
    divisor,
    jolt,
    least_delta,
    powers_of,
    tally,
    terms_of,
)
from samuel.models import compile_model
from samuel.models.evaluate import evaluate
from samuel.reports import write_generations
from samuel.reports.generations.polynomial import polynomial_table
from samuel.search.alphabeta.memory import new_memory

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


def test_proportional_weights_are_as_the_correlations() -> None:
    polynomial = Polynomial.of(4, 3, is_proportional=True)
    assert not polynomial.weights().any()
    polynomial.correlation[:] = 0.5, -0.25, 0.0, 0.9  # the last is in reserve
    assert polynomial.weights().tolist() == [2**18, -(2**17), 0, 0]
    assert [part.tolist() for part in polynomial.powers()] == [[1, -1, 0, 0], [18, 17, 0, 0]]
    learner = small(proportional=True)
    learner.play(4)
    sizes = np.abs(learner.alpha.correlation[learner.alpha.in_use])
    weights = np.abs(learner.alpha.weights()[learner.alpha.in_use])
    assert np.count_nonzero(sizes) > 1
    assert weights == pytest.approx(2**18 * sizes / sizes.max())


def test_the_pieces_of_a_saved_position_are_those_at_the_end_of_its_search() -> None:
    options = LearnOptions(game="checkers", algorithm="samuel")
    learner = Generalizer(terms_of(CHECKERS, "pieces", 0.02), options)
    position = Position.parse("B:W18,32:B14,1", "checkers")  # a jump: 14x23
    _, before = learner.terms.values(position.row)
    saved = learner._save(position, new_memory(CHECKERS, 10, 1))
    after = position.play("14x23")
    assert before == 0
    assert saved.pieces == -learner.terms.values(after.row)[1] > 0


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


CHECKERS, TIC_TAC_TOE = game_named("checkers"), game_named("tic_tac_toe")


def small(series: int = 2, **options: Any) -> Generalizer:
    """A learner of tic-tac-toe, of whose four terms three are in use."""
    own = {"series": series, "active": 3, "opening_plies": 2} | options
    told = LearnOptions(game="tic_tac_toe", algorithm="samuel", **own)
    return Generalizer(terms_of(TIC_TAC_TOE, "zero", 0.05, ["open_lines"]), told)


def test_checkers_has_his_38_terms_for_both_sides() -> None:
    terms = terms_of(CHECKERS, "pieces", 0.02)
    assert len(terms.names) == 38
    rows = random_positions(CHECKERS, 20, 1)
    columns = {c: k for k, c in enumerate(column_names(terms.features))}
    numbers = extract(terms.features, rows).astype(float)
    cent = numbers[:, columns["cent_player"]] - numbers[:, columns["cent_opponent"]]
    exchange = numbers[:, columns["exchange"]]
    for row, its_cent, its_pieces in zip(rows, cent, exchange, strict=True):
        values, pieces = terms.values(row)
        assert values[terms.names.index("cent")] == its_cent
        assert pieces == pytest.approx(its_pieces)


def test_the_polynomial_is_an_ordinary_linear_model() -> None:
    learner = small()
    learner.alpha.correlation[:2] = 0.5, -0.4
    rows, weights = random_positions(TIC_TAC_TOE, 30, 2), learner.alpha.weights()
    expected = [learner.terms.unit * weights @ learner.terms.values(row)[0] for row in rows]
    assert np.abs(expected).max() > 0
    scores = evaluate(learner.evaluator(), TIC_TAC_TOE, rows)
    assert scores == pytest.approx(expected, abs=1e-6)
    compiled = compile_model(learner.estimator(), "it")
    assert evaluate(compiled, TIC_TAC_TOE, rows) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("series", [1, 2])
def test_a_learner_goes_on_where_it_was(series: int) -> None:
    unbroken, broken = small(series), small(series)
    unbroken.play(12)
    broken.play(5)
    again = small(series)
    again.restore(broken.state())
    again.play(7)
    for name, kept in unbroken.state().items():
        assert np.array_equal(kept, again.state()[name]), name
    assert unbroken.alpha.adjusted.sum() > 0
    assert len(unbroken.outcomes().events) == 12


def test_beta_takes_over_and_alpha_is_jolted() -> None:
    learner = small(series=1)
    learner.alpha.correlation[0] = 0.5
    assert [learner._settle(result) for result in (-1, -1, 0, 1)] == [0, 0, 0, Event.TAKEN_OVER]
    assert learner.beta.tolist() == learner.alpha.weights().tolist()
    assert [learner._settle(-1) for _ in range(3)] == [0, 0, Event.JOLTED]
    assert learner.alpha.correlation[0] == 0
    assert learner.beta[0] == 2**18


def test_in_the_second_series_beta_waits_for_a_majority() -> None:
    learner = small(series=2)
    results = (1, -1, 0, 1)
    assert [learner._settle(result) for result in results] == [0, 0, 0, Event.TAKEN_OVER]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: terms_of(CHECKERS, "classic", 0.02),
            "a hand-made evaluator with the same weights at all stages",
        ),
        (lambda: terms_of(CHECKERS, "nothing", 0.02), "nothing"),
        (lambda: terms_of(CHECKERS, ".", 0.02), "cannot be the piece advantage"),
        (lambda: terms_of(CHECKERS, "pieces", 0.02, ["centre"]), "centre"),
        (lambda: terms_of(game_named("backgammon"), "zero", 0.02), "without dice"),
        (lambda: SamuelOptions(series=3), "series"),
    ],
)
def test_what_cannot_be_learned_so_is_said(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        call()


SMALL: dict[str, Any] = {"game": "tic_tac_toe", "algorithm": "samuel", "games": 40, "depth": 2}
SMALL |= {"match_depth": 1, "gate_pairs": 4, "curve_pairs": 2, "terms": ["open_lines"], "active": 3}


@pytest.mark.slow
def test_a_run_that_was_interrupted_ends_as_one_that_was_not(tmp_path: Path) -> None:
    settings = SMALL | {"start": "zero", "leading": 0.05}
    unbroken = learn(tmp_path / "unbroken", generations=2, draw=write_generations, **settings)
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
        for part in ("model/weights.npz", "learner.npz"):
            kept = [run.part(generation, part).read_bytes() for run in (unbroken, broken)]
            assert kept[0] == kept[1], part
    assert broken.repeatable() == unbroken.repeatable()
    page = (tmp_path / "unbroken" / "report.html").read_text()
    assert "The polynomial" in page
    assert "In 80 games Alpha" in page
    learner = generalizer_of(unbroken)
    assert learner is not None
    assert polynomial_table(learner).rows[0][0].startswith("open_lines")
