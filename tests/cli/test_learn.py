"""`samuel learn`: its options, its JSON, its manner of failing."""

import json
import re
import shutil
import signal
import tomllib

import pytest

from samuel.learning.generations.run import Run
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from tests.processes import TIMEOUT, eventually, start

SMALL = (
    "--game tic_tac_toe --games 64 --depth 1 --explore 0.2 --model ridge --target blend "
    "--gate-pairs 8 --match-depth 1 --curve-pairs 4 --seed 3"
)


def test_a_run_begins_goes_on_and_is_told(as_json, run, tmp_path):
    found = as_json(f"learn --out x --generations 1 {SMALL} --from zero --jobs 2")
    assert (found["out"], found["generations"]) == ("x", 1)
    assert (found["best"], found["best_generation"]) == ("x/generation-001/model", 1)
    assert [row["generation"] for row in found["log"]] == [0, 1]
    assert found["log"][0]["promoted"] is None and found["log"][1]["promoted"] is True
    settings = tomllib.loads((tmp_path / "x/settings.toml").read_text())
    assert (settings["games"], settings["seed"], settings["first"]) == (64, 3, "zero")
    again = as_json("learn --out x")
    assert again["log"] == found["log"]
    more = as_json("learn --out x --generations 2 --settings x/settings.toml --games 64")
    assert more["generations"] == 2 and more["log"][:2] == found["log"]
    status, out, err = run("learn --out x --generations 2")
    assert (status, err) == (0, "")
    assert "2 candidates" in out and "report: x/report.html" in out
    assert (tmp_path / "x/report.html").exists()
    for line, message in (
        ("learn --out x --games 65 --generations 3", "was begun with games = 64, not 65"),
        ("learn --out x --sprt 0,5 --generations 3", "was begun with sprt"),
        ("learn --out x --generations 1", "in generation 2 already"),
    ):
        status, out, err = run(line)
        assert (status, out, err.count("\n")) == (1, "", 1) and message in err
    assert len(Run.open(tmp_path / "x").log) == 11


@pytest.mark.slow
def test_the_folder_alone_is_enough_to_go_on(as_json, tmp_path):
    """Anywhere, and without the models that it was begun with."""
    as_json(f"learn --out x --generations 1 {SMALL}")
    (tmp_path / "x/generation-001/model").rename(tmp_path / "mine")
    shutil.rmtree(tmp_path / "x")
    line = f"learn --out x --generations 2 {SMALL} --from mine --against classic"
    began = as_json(line)
    (tmp_path / "mine").rename(tmp_path / "moved")
    assert as_json("learn --out x")["log"] == began["log"] == as_json(line)["log"]
    more = as_json("learn --out x --generations 3")
    assert more["generations"] == 3 and more["log"][:3] == began["log"]


def test_settings_are_shown_and_the_options_come_before_the_file(as_json, run, tmp_path):
    status, out, err = run("learn --show-settings")
    assert (status, err) == (0, "")
    assert LearnOptions.of(tomllib.loads(out), "shown") == checked(LearnOptions())
    shown = as_json("learn --show-settings")["settings"]
    assert LearnOptions.of(shown, "shown") == checked(LearnOptions())
    (tmp_path / "my.toml").write_text('game = "connect_four"\ngames = 10\nmodel = "tuples2"\n')
    status, out, _ = run(
        "learn --settings my.toml --games 20 --sprt 0,5 --against zero --show-settings"
    )
    shown = tomllib.loads(out)
    assert (shown["game"], shown["games"], shown["model"]) == ("connect_four", 20, "tuples2")
    gate = shown["gate"]
    assert (gate["sprt"], shown["first"], gate["baselines"]) == ([0, 5], "zero", [])
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "line, message",
    [
        ("--out x --settings none.toml", "none.toml cannot be read"),
        ("--out x --settings bad.toml", "did you mean games?"),
        ("--out x --sprt 5", "is no pair of bounds"),
        ("--out x --sprt 5,0", "elo0"),
        ("--out x --model magic", "no recipe called 'magic'"),
        ("--out x --target luck", "no target called 'luck'"),
        ("--out x --from nobody", "no evaluator called 'nobody'"),
        ("--out x --game chess", "no game called 'chess'"),
        ("--out x --jobs 0", "0 workers"),
        ("--out x --cluster nonsense", "no scheduler answers at 'nonsense'"),
        ("--out .", "holds other files and no run"),
        ("--out bad.toml/x", "a file stands where a folder is needed"),
    ],
)
def test_bad_input_gets_one_line_and_makes_nothing(run, tmp_path, line, message):
    (tmp_path / "bad.toml").write_text("gamess = 3\n")
    status, out, err = run(f"learn {line}")
    assert (status, out, err.count("\n")) == (1, "", 1), err
    assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


def test_wrong_usage_exits_with_two(run):
    for line in ("", "--out x --generations 0", "--out x --explore 2", "--out x --depth 0"):
        assert run(f"learn {line}")[0] == 2


def test_help_has_an_example_whose_options_exist(run):
    status, out, _ = run("learn --help")
    text = re.sub(r"[│\n ]+", " ", out)
    assert status == 0 and "Example: samuel learn --generations 3 --out runs/learn" in text
    for option in re.findall(r"--[a-z-]+", text[: text.index("Options")]):
        assert text.count(option) >= 2, option


def test_ctrl_c_says_how_to_go_on(tmp_path):
    out = tmp_path / "x"
    command = "from samuel.cli.main import main; main()"
    options = f"{SMALL} --games 1000000 --generations 2 --out {out}".split()
    process = start("-c", command, "learn", *options)
    assert eventually(lambda: any(out.rglob("*.parquet")))
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130
    assert errors.split("\n")[-4:] == [
        f"samuel: what is whole is kept in {out}; the same command goes on",
        "",
        "samuel: interrupted",
        "",
    ]
    assert json.loads((out / "state.json").read_text())["best"] == 0
