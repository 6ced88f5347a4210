"""The options of commands are those of the functions that they call."""

from __future__ import annotations

import pkgutil
import re
import shlex
from typing import Any

import pytest

import samuel
from samuel.cli.app import ABOUT, COMMANDS, GROUPS, command, place_of
from samuel.cli.options import Subcommand, subcommand
from samuel.common.public import options_of
from samuel.games import game_named
from samuel.games.catalog import game_names
from samuel.learning.options import OF_THE_GAME
from tests.cli.conftest import Run
from tests.pages import parse


def function_of(name: str) -> Subcommand:
    found: Subcommand = pkgutil.resolve_name(place_of(name))
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_is(name: str) -> None:
    run = function_of(name)
    first = run.about.partition("\n\n")[0]
    assert first == COMMANDS[name] and first.endswith(".")
    for option in run.options:
        assert option.about.endswith((".", ")")), option.name
        assert not re.match(r"(Of|Who|What|Whether|How|\W|[a-z])\b", option.about), option.name
        assert len(option.about) <= 220, option.name
    assert {"seed", "plugin", "json"} <= {one.name for one in run.options}
    assert "_" not in run.doing


@pytest.mark.parametrize("name", [*COMMANDS, *GROUPS, ""])
def test_examples_of_the_help_are_commands(name: str) -> None:
    about = GROUPS.get(name) or (function_of(name).about if name else ABOUT)
    examples = re.findall(r"^Example: samuel (.*)$", about, re.MULTILINE)
    assert examples
    for line in examples:
        parse(shlex.split(line.partition(" > ")[0]))


OF_COMMANDS = {"json", "seed", "plugin", "trust", "report", "jobs", "cluster", "out"}
"""Options of every command that has files, workers or random choices, whatever it calls."""
ON_THE_LINE = {
    "match": {"players", "engine", "alpha", "beta", "sprt_model"},  # a and b; an Sprt
    "tune": {"players", "engine"},  # player
    "tournament": {"engine"},  # players
    "bench": {"engine"},
    "search": {"suite", "moves", "game"},  # of a Position
    "explain": {"tree", "moves", "game"},  # explain_tree; of a Position
    "solve": {"problems", "wld", "game"},  # solve_sign
    "models probcut": {"model", "data"},
    "learn": {"settings", "show_settings"},  # LearnOptions.of
    "learn compare": {"settings", "algorithms", "seeds", "minutes", "pairs", "rounds"},
    "dataset info": {"game"},
    "dataset relabel": {"engine", "nodes", "ms", "timeout"},  # relabel_by_engine
    "play": {"side", "position", "moves", "plain", "dice"},
}
"""Options that Python has as an object, or as another function."""
WITHOUT_A_FUNCTION = {"board"}
"""Commands that call no public function."""


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - WITHOUT_A_FUNCTION))
def test_the_options_of_a_command_are_the_parameters_of_a_public_function(name: str) -> None:
    run = function_of(name)
    if not name.startswith(("serve", "play", "models check")):
        assert getattr(samuel, run.public.__name__) is run.public
    of = options_of(run.public)
    named = {*of, *(also.name for one in of.values() for also in one.also_called)}
    assert {one.name for one in run.options} - named - OF_COMMANDS == ON_THE_LINE.get(name, set())


def test_own_options_take_the_place_of_the_functions() -> None:
    @subcommand("samuel.search:analyse", doing="testing", without=("threads",))
    def run(given: dict[str, Any], *, evaluator: str | None = None) -> None:
        """Test.

        Parameters
        ----------
        evaluator
            Mine.
        """

    options = {one.name: one for one in run.options}
    assert "threads" not in options and "memory" not in options and "given" not in options
    assert options["evaluator"].about == "Mine."
    assert (options["depth"].least, options["depth"].most) == (1, 119)
    assert options["seed"].unused
    assert options["table_bits"].flag == "--table-bits"
    assert options["ms"].about == "Wall time per move, in milliseconds."


def test_a_seed_is_taken_where_none_is_used(run: Run) -> None:
    run.done("search --game tic_tac_toe --depth 1 --seed 3 --json")


def test_a_group_may_have_a_usual_subcommand(run: Run) -> None:
    assert run.done("models --game nim") == run.done("models list --game nim") != ""
    assert run.json("models zero --game nim") == run.json("models list zero --game nim")


def test_a_value_of_another_kind_is_told_with_where_to_read_more(run: Run) -> None:
    for value in ("x", "0"):
        said = run.misused(f"match classic zero --pairs 2 --depth {value}")
        assert said.startswith("samuel: --depth must be ")
        assert said.endswith("; see samuel match --help\n")


def test_an_error_names_the_option_that_was_typed_and_not_one_typed_before(run: Run) -> None:
    run("search --game tic_tac_toe --depth 1 --ms 5")
    said = run.misused("search --game tic_tac_toe --seconds 1 --ms 2")
    assert "--seconds cannot be given together with --ms" in said


def test_a_group_may_be_a_command(run: Run) -> None:
    assert "zero wins\n" in run.done("play --game nim --evaluator zero --side none --level 1")
    said = run.misused("learn --generations 3 compare")
    assert "options follow the subcommand: type samuel learn compare --generations ..." in said
    assert "unexpected argument 'x'; see samuel learn --help" in run.misused("learn x compare")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(shell: Any) -> None:
    script = command().generate_completion(shell=shell)
    assert "tournament" in script and "pairs" in script


@pytest.mark.parametrize(
    "line, expected",
    [
        ("learn", "[1 or more; Othello: 20000]"),
        ("learn --algorithm generations", "[1 to 119; Othello: 2]"),
        ("learn --algorithm generations", "[Othello: td]"),
        ("learn --algorithm=tdlambda --game chess", "[0 to 1; Chess: 0.3]"),
        ("learn compare --algorithms descent", "[0 or more; default: 0]"),
        ("search", "[1 to 119; Othello: 8]"),
        ("search --game chess", "Chess: learned]"),
        ("train --game xiangqi", "[Xiangqi: score]"),
    ],
)
def test_help_has_the_defaults_of_a_game(run: Run, line: str, expected: str) -> None:
    assert expected in " ".join(run.done(f"{line} --help").split())


def test_help_of_learn_has_the_options_that_an_algorithm_uses(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    short = run.done("learn --help")
    assert len(short.splitlines()) <= 80 and "--learning-rate, --tcl" in short
    assert len(run.done("learn compare --help").splitlines()) <= 80
    samuel, both = (
        run.done(f"learn {line} --help")
        for line in ("--algorithm samuel", "compare --algorithms samuel,tdleaf")
    )
    assert "--series N" in samuel and "--lambda" not in samuel and "--target" not in samuel
    assert "--series N" in both and "--lambda X" in both and "--target" not in both
    assert "no algorithm called 'sam'" in run.refused("learn --algorithm sam --help")


def test_defaults_of_learning_that_games_change_are_known() -> None:
    own = {name for game in game_names() for name in game_named(game).defaults.learn}
    assert own <= OF_THE_GAME
