"""Subcommands that others took in: they run, and say what to type."""

import json

import pytest

from samuel.cli.old import OLD


@pytest.mark.parametrize("old", OLD)
def test_help_is_that_of_the_command_which_took_it_in(run, old):
    usage, help_text = run(f"{old} --help")[1].split("\n", 2)[1:]
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
    assert status == 0 and f"is now called samuel {new}" in err
    same = ("seconds_per_move", "nodes_per_second")
    found, again = (json.loads(text) for text in (out, run(f"{new} --json --seed 3")[1]))
    assert {k: found[k] for k in found.keys() - same} == {k: again[k] for k in again.keys() - same}


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("league nobody", 1, "no evaluator called 'nobody'"),
        ("league wpc --against nobody", 1, "no evaluator called 'nobody'"),
        ("league wpc --games 11", 1, "--games 11 cannot give both players"),
        ("league wpc --epsilon 2", 2, "--epsilon"),
        ("league wpc --games 0", 2, "--pairs"),
        ("league wpc zero", 2, "two players"),
    ],
)
def test_bad_input(run, line, status, message):
    found = run(line)
    assert found[:2] == (status, "") and message in found[2]
