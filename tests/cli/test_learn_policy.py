"""`samuel learn policy`: its JSON, its model, its manner of failing."""

import importlib
import json

import pytest

from tests.rarely import rarely


def test_what_is_learned_is_saved_and_judged(run, tmp_path):
    line = "learn policy --game othello_4x4 --against self,zero --generations 5 --games 200"
    found = run.json(f"{line} --seed 3 --out runs/four")
    assert (found["model"], found["out"]) == ("four", "runs/four")
    assert (found["generations"], found["games"], found["ended"]) == (5, 5000, "generations")
    (judged,) = found["league"]
    assert (judged["a"], judged["b"], judged["games"]) == ("four", "zero", 200)
    terms = "--method greedy --epsilon 0.1 --openings start --pairs 100 --seed 4"
    said = run.json(f"match runs/four zero {terms}")
    assert judged == {key: said[key] for key in judged}
    card = json.loads((tmp_path / "runs/four/model.json").read_text())
    assert card["policy"]["against"] == ["self", "zero"] and card["policy"]["games"] == 5000
    again = run.json("learn policy --against runs/four --generations 1 --games 20 --out runs/next")
    assert again["league"][0]["b"] == "four"


@pytest.mark.parametrize(
    "options, opponents, judge",
    [
        ("--game othello_4x4", ["classic"], "classic"),
        ("--game othello_4x4 --against self", ["self"], "classic"),
        ("--game tic_tac_toe", ["classic"], "classic"),
        rarely("", ["wpc"], "wpc"),
    ],
)
def test_who_plays_where_nobody_is_named(run, options, opponents, judge):
    found = run.json(f"learn policy {options} --generations 1 --games 20 --out model")
    assert found["against"] == opponents and found["league"][0]["b"] == judge


def test_a_table_for_people(run):
    line = "learn policy --game othello_4x4 --generations 1 --games 20 --name mine --out model"
    out = run.quiet(line)
    assert "mine in fresh games" in out and "trained on 1,000 games in" in out
    assert "saved in model" in out


@pytest.mark.parametrize(
    "line, message",
    [
        ("--against nobody --out model", "no evaluator called 'nobody'"),
        (
            "--shapes logistello --out model",
            "have 113,877 weights; policy gradients take at most 4,096",
        ),
        ("--shapes tuples2 --game connect_four --against wpc --out model", "called 'wpc'"),
        ("--games 3 --out model", "give 2 or 4"),
        ("--out .", "holds other files than a model"),
    ],
)
def test_bad_input_gets_one_line(run, monkeypatch, tmp_path, line, message):
    """Before anything is learned."""
    (tmp_path / "mine.txt").touch()
    module = importlib.import_module("samuel.learning.online.natural_gradient")
    monkeypatch.setattr(module, "_learn", lambda *_: pytest.fail("learned"))
    assert message in run.refused(f"learn policy {line}")


def test_wrong_usage_exits_with_two(run):
    for line in ("", "--out a --epsilon 1", "--out a --generations 0", "--out a --minutes 0"):
        run.misused(f"learn policy {line}")
    assert "--games must be a whole number from 2 to 2,000,000 (got 2000002)" in run.misused(
        "learn policy --out a --games 2000002"
    )
