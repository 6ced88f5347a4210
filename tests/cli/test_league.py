"""`samuel league`: its JSON, its defaults, its manner of failing."""

import re

import pytest

from samuel.arena import league


def test_the_numbers_are_those_of_the_function(as_json):
    found = as_json("league classic --games 300 --epsilon 0.2 --seed 4 --jobs 2")
    assert found == league("classic", "wpc", games=300, epsilon=0.2, seed=4).as_dict()


def test_a_trained_model_of_another_game(as_json):
    as_json("selfplay --game othello_4x4 --depth 1 --games 60 --seed 1 --out data")
    as_json("train data --model ridge --features mobility --out small")
    found = as_json("league small --games 40")
    assert (found["a"], found["b"], found["games"], found["epsilon"]) == (
        "small",
        "classic",
        40,
        0.1,
    )


@pytest.mark.parametrize(
    "line, opponent",
    [
        ("league classic", "wpc"),
        ("league classic --against zero", "zero"),
        ("league zero --game connect-four", "classic"),
    ],
)
def test_who_plays_where_nobody_is_named(as_json, line, opponent):
    assert as_json(f"{line} --games 10")["b"] == opponent


def test_a_table_for_people(run):
    status, out, err = run("league wpc --games 20")
    assert (status, err) == (0, "")
    assert "wpc against wpc" in out and "50.0%" in out and "20:" in out


@pytest.mark.parametrize(
    "line, message",
    [
        ("league nobody", "no evaluator called 'nobody'"),
        ("league wpc --against nobody", "no evaluator called 'nobody'"),
        ("league wpc --game connect_four", "no evaluator called 'wpc'"),
        ("league wpc --games 11", "play 10 or 12"),
        ("league wpc --jobs 0", "0 workers"),
    ],
)
def test_bad_input_gets_one_line(run, line, message):
    status, out, err = run(line)
    assert (status, out, err.count("\n")) == (1, "", 1) and message in err


def test_wrong_usage_exits_with_two(run):
    for line in ("league", "league wpc zero", "league wpc --epsilon 2", "league wpc --games 0"):
        assert run(line)[0] == 2


def test_the_interval_narrows_with_games(as_json):
    few, many = (as_json(f"league classic --games {games}") for games in (100, 2500))
    widths = [found["score_high"] - found["score_low"] for found in (few, many)]
    assert widths[0] == pytest.approx(5 * widths[1], rel=0.3)


def test_help_has_an_example_whose_options_exist(run):
    status, out, _ = run("league --help")
    text = re.sub(r"[│\n ]+", " ", out)
    example = re.search(r"Example: samuel league (.*?)(?: ╭|$)", text)
    assert status == 0 and example
    for option in re.findall(r"--[a-z-]+", example[1]):
        assert text.count(option) >= 2, option
