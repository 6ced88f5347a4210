"""`samuel sprt`: its JSON, its table, its manner of failing."""

import re
import sys

import pytest

from samuel.arena.sequential import Sprt, estimate, forecast
from samuel.arena.statistics import from_pentanomial, from_wdl
from samuel.cli.sprt import llr_bar

KEYS = (
    *("llr", "lower", "upper", "decision", "elo", "elo_low", "elo_high", "nelo", "nelo_low"),
    *("nelo_high", "los", "games", "score", "score_low", "score_high", "adjusted_elo"),
    *("adjusted_elo_low", "adjusted_elo_high", "bias", "elo0", "elo1", "alpha", "beta", "model"),
    "pentanomial",
)


def test_pairs(run):
    """Disservin/fastchess, app/tests/sprt_test.cpp."""
    found = run.json("sprt --pentanomial 365,16618,36229,16974,390 --elo0 0 --elo1 2")
    assert set(found) >= set(KEYS)
    assert found["llr"] == pytest.approx(2.25, abs=0.006)
    assert (found["decision"], found["games"]) == ("continue", 141152)
    assert found["nelo"] == pytest.approx(from_pentanomial(found["pentanomial"]).nelo)
    adjusted = estimate(Sprt(0, 2), found["pentanomial"])
    assert (found["adjusted_elo"], found["bias"]) == pytest.approx((adjusted.elo, adjusted.bias))


def test_games_are_wins_draws_and_losses_in_this_order(run):
    """Disservin/fastchess, app/tests: Elo of 136 won, 111 drawn and 96 lost; a logistic test."""
    found = run.json("sprt --wdl 136,111,96")
    assert (found["wins"], found["draws"], found["losses"]) == (136, 111, 96)
    assert found["elo"] == pytest.approx(40.70, abs=0.006)
    assert found["los"] == pytest.approx(from_wdl(136, 111, 96).los)
    assert found["pentanomial"] is None
    line = "sprt --wdl 57433,106593,57030 --elo1 2 --model logistic"
    assert run.json(line)["llr"] == pytest.approx(-2.59, abs=0.01)


def test_the_folder_of_a_match(run):
    line = "match classic zero --game tic_tac_toe --depth 1 --openings random --jobs 1"
    line += " --opening-plies 3"
    played = run.json(f"{line} --pairs 20 --sprt 0,80 --sprt-model logistic --out event")
    found = run.json("sprt event")
    assert {key: found[key] for key in played["sprt"]} == played["sprt"]
    assert found["pentanomial"] == played["pentanomial"]
    assert (found["elo1"], found["model"]) == (80, "logistic")
    counts = ",".join(map(str, played["pentanomial"]))
    assert run.json("sprt event --elo1 40") == run.json(
        f"sprt --pentanomial {counts} --elo1 40 --model logistic"
    )
    run.json(f"{line} --pairs 2 --out plain")
    assert (run.json("sprt plain")["elo1"], run.json("sprt plain")["model"]) == (5, "normalized")
    assert "nowhere is not the folder of a match" in run("sprt nowhere")[2]


def test_bounds_and_decision(run):
    """MortenLohne/racetrack, src/tests/sprt_tests.rs."""
    line = "sprt --pentanomial 485,1923,2942,1937,594 --elo0 0 --elo1 5 --alpha 0.05 --beta 0.1"
    found = run.json(line)
    assert (found["lower"], found["upper"]) == pytest.approx((-2.25129, 2.89037), abs=1e-5)
    assert (found["decision"], found["llr"]) == ("H1", pytest.approx(3.00599, abs=1e-5))
    found = run.json("sprt --pentanomial 440,2910,5170,2888,455 --beta 0.1")
    assert found["decision"] == "H0"


def test_a_clean_sweep(run):
    found = run.json("sprt --pentanomial 0,0,0,0,10")
    assert found["elo"] is None and found["elo_low"] > 0 and found["llr"] > 0


def test_expected_length_before_a_test(run):
    found = run.json("sprt --elo0 -5 --elo1 5")
    low, middle, high = found["expected"]
    assert [one["elo"] for one in found["expected"]] == [-5, 0, 5]
    assert middle["games"] == pytest.approx(forecast(Sprt(-5, 5), 0).games)
    assert low["pass_probability"] < 0.06 < 0.94 < high["pass_probability"]
    assert "llr" not in found
    fewer = run.json("sprt --model logistic --draw-ratio 0.6")["expected"][1]["games"]
    assert fewer < 0.6 * run.json("sprt --model logistic")["expected"][1]["games"]


def test_tables_for_people(run):
    out = run.quiet("sprt --pentanomial 365,16618,36229,16974,390 --elo0 0 --elo1 2")
    assert (
        "+2.25" in out
        and "play more games" in out
        and "H0 -2.94 [          |========  ] 2.94 H1" in out
    )
    out = run.quiet("sprt")
    assert "25,6" in out and "50.0%" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--pentanomial 1,2,3,4", "--pentanomial takes 5 whole numbers"),
        ("--pentanomial 1,2,3,4,x", "--pentanomial takes 5 whole numbers"),
        ("--pentanomial 1,2,3,4,-5", "--pentanomial takes 5 whole numbers of 0 or more"),
        ("--wdl 1,2,3,4,5", "--wdl takes 3 whole numbers"),
        ("--wdl 1,2.5,3", "--wdl takes 3 whole numbers"),
        ("--wdl 1,1,9999999999999999999999", "counts must be from 0 to 1e"),
        ("--wdl 0,0,0", "there are no games, so there is nothing to estimate"),
        ("--pentanomial 0,0,0,0,0", "there are no games, so there is nothing to estimate"),
        ("--wdl 1,2,3 --pentanomial 1,2,3,4,5", "give only one of these: the folder of a match"),
        ("event --wdl 1,2,3", "give only one of these: the folder of a match"),
        ("--wdl 1,2,3 --draw-ratio 0.5", "leave it out"),
        ("--model bayesian", "no model of Elo called 'bayesian'"),
    ],
)
def test_bad_input_gets_one_line(run, options, message):
    assert message in run.refused(f"sprt {options}")


def test_options_are_looked_at_before_what_takes_long_to_import(run, monkeypatch):
    for name in ("samuel.arena.results", "samuel.arena.sequential"):
        monkeypatch.setitem(sys.modules, name, None)
    for options in ("--wdl 1,2,3 --pentanomial 1,2,3,4,5", "--wdl 1,2"):
        assert "--wdl" in run.refused(f"sprt {options}")


def test_where_few_pairs_decide_that_is_said(run):
    assert "only approximate" not in run("sprt --draw-ratio 0.99")[1]
    said = re.sub(r"\s+", " ", run("sprt --draw-ratio 0.955 --elo1 50")[1])
    assert "95.5 % draws" in said and "few pairs decide" in said


def test_wrong_usage_exits_with_two(run):
    for line in ("sprt one two", "sprt --elo0 x", "sprt --pentanomial", "sprt --draw-ratio 0.999"):
        run.misused(line)
    for options, message in (
        ("--elo0 5 --elo1 5", "--elo0 must be at least 0.001 below --elo1"),
        ("--elo0=-2000", "--elo0 must be a number from -1000 to 1000 (got -2000)"),
        ("--alpha 0", "--alpha must be a number from 1e-09 to 0.499"),
        ("--beta 0.5", "--beta must be a number from 1e-09 to 0.499"),
    ):
        assert message in run.misused(f"sprt {options}")


def test_help_has_an_example_that_works(run):
    status, out, _ = run("sprt --help")
    text = re.sub(r"\n +", " ", out)
    example = re.search(r"Example: samuel (sprt --.*)", text)
    assert status == 0 and example
    assert run.json(example[1])["decision"] == "continue"


def test_the_bar_shows_where_a_test_stands():
    assert llr_bar(0, -2, 2, 5) == "H0 -2.00 [  |  ] 2.00 H1"
    assert llr_bar(1, -2, 2, 5) == "H0 -2.00 [  |= ] 2.00 H1"
    assert llr_bar(-7, -2, 2, 5) == "H0 -2.00 [==|  ] 2.00 H1"
    assert llr_bar(99, -2, 2, 5) == "H0 -2.00 [  |==] 2.00 H1"
    assert "[ |==]" in llr_bar(3, -1, 2, 4)
