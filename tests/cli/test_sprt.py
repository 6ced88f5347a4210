"""`samuel sprt`: its JSON, its table, its manner of failing."""

import pytest

from samuel.arena.sequential.sprt import Sprt
from samuel.arena.sprt_evaluation import forecast
from samuel.arena.statistics import statistics_of


def test_pairs(run):
    """Disservin/fastchess, app/tests/sprt_test.cpp."""
    found = run.json("sprt --pentanomial 365,16618,36229,16974,390 --elo0 0 --elo1 2")
    assert found["llr"] == pytest.approx(2.25, abs=0.006)
    assert (found["decision"], found["games"]) == ("continue", 141152)
    assert found["nelo"] == pytest.approx(statistics_of(found["pentanomial"]).nelo)


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
        f"sprt --pentanomial {counts} --elo1 40 --sprt-model logistic"
    )
    run.json(f"{line} --pairs 2 --out plain")
    assert (run.json("sprt plain")["elo1"], run.json("sprt plain")["model"]) == (5, "normalized")
    assert "nowhere is not the folder of a match" in run("sprt nowhere")[2]


def test_expected_length_before_a_test(run):
    found = run.json("sprt --elo0 -5 --elo1 5")
    low, middle, high = found["expected"]
    assert [one["elo"] for one in found["expected"]] == [-5, 0, 5]
    assert middle["games"] == pytest.approx(forecast(Sprt(-5, 5), 0).games)
    assert low["pass_probability"] < 0.06 < 0.94 < high["pass_probability"]
    assert "llr" not in found
    fewer = run.json("sprt --sprt-model logistic --draw-ratio 0.6")["expected"][1]["games"]
    assert fewer < 0.6 * run.json("sprt --sprt-model logistic")["expected"][1]["games"]


def test_tables_for_people(run):
    out = run.quiet("sprt --pentanomial 365,16618,36229,16974,390 --elo0 0 --elo1 2")
    assert "+2.25" in out and "The test is not decided." in out and "+2.25 (-2.94 to 2.94)" in out
    out = run.quiet("sprt")
    assert "25,6" in out and "50.0 %" in out


def test_results_are_given_once_and_whole(run):
    assert "--wdl" in run.refused("sprt --wdl 1,2,3 --pentanomial 1,2,3,4,5")
    assert "--wdl must be 3 numbers (got 2)" in run.misused("sprt --wdl 1,2")
    assert "--wdl must be integers, 0 or more (got '1,-1'); write" in run.misused("sprt --wdl 1,-1")
    assert "leave it out" in run.refused("sprt --wdl 1,2,3 --draw-ratio 0.1")
    assert "nothing to estimate" in run.refused("sprt --wdl 0,0,0")
