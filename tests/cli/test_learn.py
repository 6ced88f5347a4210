"""`samuel learn` and `learn compare`: options, JSON, manner of failing."""

import shutil
import tomllib

import pytest

from samuel.learning.generations.run import Run
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions

SMALL = (
    "--game tic_tac_toe --games 64 --depth 1 --epsilon 0.2 --model ridge --target blend "
    "--gate-pairs 8 --match-depth 1 --curve-pairs 4 --seed 4"
)


def test_a_run_begins_goes_on_and_is_told(run, tmp_path):
    found = run.json(f"learn --out x --generations 1 {SMALL} --from zero --jobs 2")
    assert (found["out"], found["generations"]) == ("x", 1)
    assert (found["best"], found["best_generation"]) == ("x/generation-001/model", 1)
    assert [row["generation"] for row in found["log"]] == [0, 1]
    assert found["log"][0]["promoted"] is None and found["log"][1]["promoted"] is True
    settings = tomllib.loads((tmp_path / "x/settings.toml").read_text())
    assert (settings["games"], settings["seed"], settings["start"]) == (64, 4, "zero")
    again = run.json("learn --out x")
    assert again["log"] == found["log"]
    more = run.json("learn --out x --generations 2 --settings x/settings.toml --games 64")
    assert more["generations"] == 2 and more["log"][:2] == found["log"]
    out = run.quiet("learn --out x --generations 2")
    assert "2 candidates" in out and "report: x/report.html" in out
    assert "for a narrower interval play more games: samuel match x/best classic\n" in out
    assert (tmp_path / "x/report.html").exists()
    for line, message in (
        ("learn --out x --games 65 --generations 3", "was started with games = 64, not 65"),
        ("learn --out x --sprt 0,5 --generations 3", "was started with sprt"),
        ("learn --out x --generations 1", "already in generation 2"),
    ):
        assert message in run.refused(line)
    assert len(Run.open(tmp_path / "x").log) == 11


@pytest.mark.slow
def test_the_folder_alone_is_enough_to_go_on(run, tmp_path):
    """Anywhere, and without the models that it was begun with."""
    run.json(f"learn --out x --generations 1 {SMALL}")
    (tmp_path / "x/generation-001/model").rename(tmp_path / "mine")
    shutil.rmtree(tmp_path / "x")
    line = f"learn --out x --generations 2 {SMALL} --from mine --baselines classic"
    began = run.json(line)
    (tmp_path / "mine").rename(tmp_path / "moved")
    assert run.json("learn --out x")["log"] == began["log"] == run.json(line)["log"]
    more = run.json("learn --out x --generations 3")
    assert more["generations"] == 3 and more["log"][:3] == began["log"]


def test_settings_are_shown_and_the_options_come_before_the_file(run, tmp_path):
    out = run.quiet("learn --show-settings")
    assert LearnOptions.of(tomllib.loads(out), "shown") == checked(LearnOptions())
    shown = run.json("learn --show-settings")["settings"]
    assert LearnOptions.of(shown, "shown") == checked(LearnOptions())
    (tmp_path / "my.toml").write_text('game = "connect_four"\ngames = 10\nmodel = "tuples2"\n')
    line = "learn --settings my.toml --games 20 --sprt 0,5 --baselines zero --show-settings"
    shown = tomllib.loads(run.done(line))
    assert (shown["game"], shown["games"], shown["model"]) == ("connect_four", 20, "tuples2")
    gate = shown["gate"]
    assert (gate["sprt"], shown["start"], gate["baselines"]) == ([0, 5], "zero", [])
    assert not (tmp_path / "runs").exists()


def test_a_shipped_recipe_is_a_settings_file(run, tmp_path):
    recipe = "--settings connect_four/learned/recipe-1.toml --seed 3"
    line = f"learn {recipe} --games 20 --generations 1 --gate-pairs 0 --curve-pairs 0 --out it"
    found = run.json(line)
    assert found["generations"] == 1 and (tmp_path / "it/best/model.json").exists()
    assert run.json(line) == found
    shown = run.json(f"learn {recipe} --show-settings")["settings"]
    assert (shown["game"], shown["model"], shown["seed"]) == ("connect_four", "network", 3)


def test_a_settings_file_may_have_generations(run, tmp_path):
    (tmp_path / "my.toml").write_text("generations = 2\n")
    small = SMALL.replace("pairs 8", "pairs 0").replace("pairs 4", "pairs 0")
    line = f"learn {small} --settings my.toml --out it"
    assert run.json(f"{line} --generations 1")["generations"] == 1
    assert run.json(line)["generations"] == 2
    (tmp_path / "my.toml").write_text("generations = 'x'\n")
    assert "generations must be" in run.refused(line)


@pytest.mark.parametrize(
    "typed, option",
    [
        ("learn --learning-rate 0.1 --out it", "--learning-rate"),
        ("learn --algorithm treestrap --target score --out it", "--target"),
        ("learn --algorithm descent --last 3 --out it", "--last"),
        ("learn --algorithm treestrap --lambda=0.5 --out it", "--lambda"),
        ("learn --algorithm samuel --game checkers --last 3 --out it", "--last"),
        ("learn --algorithm rote --game checkers --model ridge --out it", "--model"),
        ("learn compare --algorithms tdleaf,treestrap --active 3 --out it", "--active"),
    ],
)
def test_an_option_that_no_method_uses_is_refused(run, typed, option):
    assert run.misused(typed).startswith(f"samuel: {option} has no effect with --algorithm")


def test_an_option_that_one_of_the_methods_uses_is_taken(run):
    run.done("learn --algorithm tdleaf --game tic_tac_toe --lambda 0.3 --show-settings")
    line = "learn compare --game tic_tac_toe --algorithms generations,tdlambda --games 20 --depth 1"
    run.done(f"{line} --seeds 1 --generations 1 --pairs 1 --from zero --tcl --last 1 --out it")


def test_methods_are_compared(run, tmp_path):
    (tmp_path / "algorithms.toml").write_text(
        'game = "tic_tac_toe"\nstart = "zero"\nmodel = "tuples3"\ngames = 30\nmatch_depth = 1\n'
        '[algorithms.slow]\nalgorithm = "tdlambda"\nlearning_rate = 0.01\n'
        '[algorithms.fast]\nalgorithm = "tdlambda"\n'
    )
    line = "learn compare --settings algorithms.toml --seeds 1 --generations 1 --pairs 2 --out it"
    found = run.json(line)
    assert {row["algorithm"] for row in found["algorithms"]} == {"slow", "fast"}
    assert run.json("learn compare --out it") == found
    assert "slow" in run.done("learn compare --out it") and (tmp_path / "it/report.html").exists()


def test_a_comparison_that_cannot_be_run_makes_no_folder(run, tmp_path):
    line = "learn compare --algorithms descent --from zero --out it --game backgammon"
    assert "without dice" in run.refused(line)
    assert not (tmp_path / "it").exists()
