"""Subcommands that others took in: they run, and say what to type."""

import json
import re

import pytest

from samuel.cli.old import OLD


@pytest.mark.parametrize("old", OLD)
def test_help_is_that_of_the_command_which_took_it_in(run, old):
    usage, help_text = run(f"{old} --help")[1].split("\n", 1)
    assert old in usage and run(f"{OLD[old][0]} --help")[1].endswith(help_text)


@pytest.mark.parametrize(
    ("typed", "now"),
    [
        ("league classic --games 20", "match classic wpc {} --pairs 10"),
        ("league zero --against wpc --epsilon=0.1", "match zero wpc {} --pairs 1000"),
        (
            "league zero --game connect-four",
            "match zero classic {} --pairs 1000 --game connect-four",
        ),
    ],
)
def test_the_league_is_a_match(run, typed, now):
    status, out, err = run(f"{typed} --json --seed 3")
    new = now.format("--method greedy --epsilon 0.1 --openings start")
    assert status == 0 and f"is now samuel {new}" in err
    same = ("seconds_per_move", "nodes_per_second")
    found, again = (json.loads(text) for text in (out, run(f"{new} --json --seed 3")[1]))
    assert {k: found[k] for k in found.keys() - same} == {k: again[k] for k in again.keys() - same}


def test_a_pool_is_a_tournament(run):
    terms = "--error 70 --pairs 8"
    for typed, now in (
        (
            "add p classic wpc --depth 1 --goal 70 --most-pairs 8",
            f"classic wpc --out p {terms} --depth 1",
        ),
        ("add p random", "random --out p --error 15"),
        ("show p --anchor wpc", "p --anchor wpc"),
        ("remove p wpc", "p --remove wpc"),
    ):
        status, out, err = run(f"pool {typed} --json")
        assert status == 0, err
        said = re.search("samuel pool is now samuel tournament (.*) --json", err)
        assert said and {*said[1].split()} == {*now.split()}
        content = json.loads(out)
        assert content["pool"] == "p" and content["unrated"] == []
    assert [one["player"] for one in content["players"]] == ["classic", "random"]


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("league nobody", 1, "no evaluator called 'nobody'"),
        ("league wpc --against nobody", 1, "no evaluator called 'nobody'"),
        ("league wpc --games 11", 1, "--games must be an even number, as the players swap"),
        ("league wpc --epsilon 2", 2, "--epsilon"),
        ("league wpc --games 0", 2, "--pairs"),
        ("league wpc zero", 2, "two players"),
        ("pool", 2, "samuel pool is now samuel tournament; see samuel"),
        ("pool show", 2, "samuel pool is now samuel tournament; see samuel"),
    ],
)
def test_bad_input(run, line, status, message):
    found = run(line)
    assert found[:2] == (status, "") and message in found[2]
