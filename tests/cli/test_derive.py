"""The options of subcommands are those of the functions that they call."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import pytest

from samuel.cli.app import ABOUT, COMMANDS, GROUPS
from samuel.cli.derive import derived, derived_table
from samuel.cli.subcommands import TABLE, function_at, subcommand, table
from tests.cli.conftest import Run
from tests.pages import parse


def test_the_table_is_what_the_functions_say() -> None:
    wanted = json.loads(json.dumps(derived_table()))
    assert json.loads(TABLE.read_text("utf-8")) == wanted, "python -m samuel.cli.derive writes it"


def test_every_option_says_what_it_is() -> None:
    for name, one in derived_table().items():
        assert one["about"].partition("\n")[0].endswith("."), name
        for option in one["options"]:
            about, place = option["about"], (name, option["name"])
            assert about.endswith((".", ")")), place
            assert not re.match(r"(Of|Who|What|Whether|How|\W|[a-z])\b", about), place
            assert len(about) <= 220, place


@pytest.mark.parametrize("name", [*COMMANDS, *GROUPS, ""])
def test_examples_of_the_help_are_commands(name: str) -> None:
    about = GROUPS.get(name) or (table()[name]["about"] if name else ABOUT)
    examples = re.findall(r"^Example: samuel (.*)$", about, re.MULTILINE)
    assert examples
    for line in examples:
        parse(shlex.split(line.partition(" > ")[0]))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_own_option_is_known_to_the_function_of_the_command(name: str) -> None:
    """What the command takes from `given` by itself, it takes as the function would."""
    run = function_at(COMMANDS[name])
    assert {"seed", "plugin", "json"} <= {one["name"] for one in derived(run)["options"]}


def test_own_options_take_the_place_of_the_functions() -> None:
    @subcommand("samuel.search:analyse", doing="testing", without=("threads",))
    def run(given: dict[str, Any], *, evaluator: str | None = None) -> None:
        """Test.

        Parameters
        ----------
        evaluator
            Mine.
        """

    options = {one["name"]: one for one in derived(run)["options"]}
    assert "threads" not in options and "memory" not in options and "given" not in options
    assert options["evaluator"]["about"] == "Mine."
    assert (options["depth"]["least"], options["depth"]["most"]) == (1, 119)
    assert options["seed"]["unused"]
    assert options["table_bits"]["flags"] == ["--table-bits"]
    assert options["ms"]["about"] == "Wall time per move, in milliseconds."


def test_a_seed_is_taken_where_none_is_used(run: Run) -> None:
    run.done("search --game tic_tac_toe --depth 1 --seed 3 --json")


def test_a_group_may_have_a_usual_subcommand(run: Run) -> None:
    assert run.done("models --game nim") == run.done("models list --game nim") != ""
    assert run.json("models zero --game nim") == run.json("models list zero --game nim")


def test_a_group_may_be_a_command(run: Run) -> None:
    assert "zero wins\n" in run.done("play --game nim --evaluator zero --side none --level 1")
    said = run.misused("learn --seed 2 compare")
    assert "options follow the subcommand: type samuel learn compare --seed" in said
