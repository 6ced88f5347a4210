"""The command: its JSON, its manner of failing, its help."""

import re
from dataclasses import replace

import pytest

START = "---------------------------OX------XO--------------------------- X"
FFO_1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
COMMANDS = [
    "selfplay",
    "train",
    "models probcut",
    "compare",
    "match",
    "tournament",
    "learn",
    "sprt",
    "openings",
    "games",
    "serve gtp",
    "serve nboard",
    "serve gomocup",
    "serve uci",
    "pool add",
    "pool show",
    "league",
    "select",
    "learn policy",
    "grow",
    "search",
    "solve",
    "perft",
    "evaluate",
    "models list",
    *(f"dataset {what}" for what in ("info", "merge", "split", "dedupe", "filter")),
    *(f"dataset {what}" for what in ("relabel", "import", "export")),
]


def test_the_main_job_in_json(as_json):
    played = as_json("selfplay --depth 1 --games 60 --seed 1 --out data/gen0")
    assert {"games", "positions", "seconds", "out"} <= played.keys()
    assert (played["games"], played["out"]) == (60, "data/gen0")

    trained = as_json("train data/gen0 --model ridge --out runs/ridge")
    assert {"model", "out", "rows", "seconds", "metrics"} <= trained.keys()
    assert trained["metrics"]["r2"] > 0

    found = as_json("match runs/ridge wpc --depth 2 --pairs 10")
    keys = "a b games wins losses draws score elo elo_low elo_high los pentanomial sprt"
    assert set(keys.split()) <= found.keys()
    assert found["wins"] + found["losses"] + found["draws"] == found["games"] == 20

    searched = as_json("search --evaluator runs/ridge --depth 3")
    assert {"move", "score", "depth", "pv", "nodes", "seconds"} <= searched.keys()
    assert searched["depth"] == 3 and searched["pv"][0] == searched["move"]

    info = as_json("dataset info data/gen0")
    assert info["games"] == 60 and info["complete"]

    compared = as_json("compare data/gen0 --models runs/ridge,classic --report report.html")
    assert compared["report"] == "report.html"
    assert {row["model"] for row in compared["models"]} == {"ridge", "classic"}


@pytest.mark.parametrize(
    "game, depth, leaves",
    [("othello", 6, 8200), ("Connect-Four", 5, 16807), ("tictactoe", 9, 127872)],
)
def test_perft(as_json, game, depth, leaves):
    counted = as_json(f"perft --game {game} --depth {depth}")
    assert counted["leaves"] == leaves and counted["seconds"] >= 0


def test_divide_adds_up(as_json):
    counted = as_json("perft --depth 4 --divide")
    assert sum(counted["moves"].values()) == counted["leaves"] == 244


def test_solve_and_evaluate_a_file(as_json, tmp_path):
    board = FFO_1
    (tmp_path / "problems.obf").write_text(
        f"{board}; G8:+18; H1:+12; % FFO 1\n\n{board};\n{board}\n"
    )
    problems = as_json("solve problems.obf")["problems"]
    assert [p["name"] for p in problems] == ["FFO 1", "3", "4"]
    for problem in problems:
        assert {"name", "score", "move", "nodes", "seconds"} <= problem.keys()
        assert (problem["score"], problem["move"]) == (18, "g8")
    assert problems[0]["right"] is True and problems[1]["right"] is None
    scores = as_json("evaluate problems.obf --evaluator wpc")["scores"]
    assert len(scores) == 3 and scores[0] == scores[1]


def test_solve_only_who_wins(as_json, run, tmp_path):
    over = f"{'X' * 30}{'O' * 34} X"
    (tmp_path / "problems.obf").write_text(f"{FFO_1}; G8:+18; H1:+12;\n{over}\n")
    won, lost = as_json("solve problems.obf --wld")["problems"]
    assert (won["score"], won["right"], won["pv"]) == (1, True, [won["move"]])
    assert (lost["score"], lost["move"], lost["pv"]) == (-1, None, [])
    (tmp_path / "four.obf").write_text(f"{'-' * 42} X\n")
    status, out, err = run("solve four.obf --wld --game connect-four")
    assert (status, out, err.count("\n")) == (1, "", 1) and "no solver of its own" in err


def test_solve_takes_the_game_of_the_evaluator(as_json, tmp_path):
    as_json("selfplay --game othello_4x4 --depth 1 --games 60 --seed 1 --out data")
    as_json("train data --model ridge --features mobility --out small")
    (tmp_path / "problems.obf").write_text("-----OX--XO----- X\n")
    (solved,) = as_json("solve problems.obf --evaluator small")["problems"]
    assert (
        solved["score"] == as_json("solve problems.obf --game othello_4x4")["problems"][0]["score"]
    )


def test_solve_says_when_it_could_not(run, tmp_path, monkeypatch):
    from samuel import search

    (tmp_path / "problems.obf").write_text(f"{FFO_1}; G8:+18; % FFO 1\n")
    solve = search.solve
    monkeypatch.setattr(search, "solve", lambda *a, **k: replace(solve(*a, **k), exact=False))
    status, out, err = run("solve problems.obf")
    assert (status, out, err.count("\n")) == (1, "", 1) and "FFO 1: not solved" in err


def test_tables_for_people(run):
    for line in ("search --depth 4", "perft --depth 3 --divide", "models", "match classic wpc "
                 "--pairs 4 --depth 1"):  # fmt: skip
        status, out, err = run(line)
        assert (status, err) == (0, "") and out


@pytest.mark.parametrize(
    "line, message",
    [
        (f"search --position '{START[1:]}'", "64 characters"),
        (f"search --position '{START[:-2]}'", "64 characters"),
        (f"search --position '{START[:-1]}Z'", "side to move"),
        (f"search --position '?{START[1:]}'", "'?' (character 1)"),
        ("search --moves f5f5", "move 2"),
        ("search --moves z9", "not a move"),
        (f"search --moves f5 --position '{START}'", "not both"),
        ("search --evaluator nobody", "no evaluator called 'nobody'"),
        ("search --game go", "no game called 'go'"),
        ("search --game missing.py", "no Python file"),
        ("search --plugin missing.py", "no Python file"),
        ("match classic nobody", "no evaluator called 'nobody'"),
        ("match classic wpc --game connect_four", "no evaluator called 'wpc'"),
        ("match classic wpc --pairs 99 --opening-plies 2", "different openings"),
        ("train nowhere --out x", "no dataset at nowhere"),
        ("compare nowhere --models ridge --report x.html", "no dataset at nowhere"),
        ("dataset info nowhere", "no dataset at nowhere"),
        ("solve missing.obf", "missing.obf cannot be read"),
        ("evaluate missing.obf", "missing.obf cannot be read"),
        ("selfplay --evaluator nobody --out data", "no evaluator called 'nobody'"),
        ("selfplay --opening-plies 60 --out data", "out of range"),
    ],
)
def test_bad_input_gets_one_line(run, line, message):
    status, out, err = run(line)
    assert (status, out) == (1, "")
    assert err.startswith("samuel: ") and err.count("\n") == 1
    assert message in err


def test_folders_that_hold_something_else(run, tmp_path):
    assert run("selfplay --depth 1 --games 40 --out data --json")[0] == 0
    for line, message in (
        ("selfplay --depth 2 --games 40 --out data", "holds another run (depth 1, not 2)"),
        ("train data --out data", "holds a dataset"),
        ("train data --model nothing --out x", "no recipe called 'nothing'"),
        ("train data --features nothing --out x", "no feature called 'nothing'"),
        ("train data --game connect_four --out x", "holds games of othello"),
        ("match data classic", "data"),
    ):
        status, _, err = run(line)
        assert (status, err.count("\n")) == (1, 1) and message in err


@pytest.mark.parametrize(
    "line", ["", "nothing", "search --depth 0", "search --nothing", "match classic", "perft 3"]
)
def test_wrong_usage_exits_with_two(run, line):
    assert run(line)[0] == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_whose_options_exist(run, command):
    status, out, _ = run(f"{command} --help")
    text = re.sub(r"[│\n ]+", " ", out)
    example = re.search(rf"Example: samuel {command} (.*?)(?: ╭|$)", text)
    assert status == 0 and example
    for option in re.findall(r"--[a-z-]+", example[1]):
        assert text.count(option) >= 2, option
    assert "--json" in text


def test_help_imports_nothing_heavy():
    import subprocess
    import sys

    program = "from samuel.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    program += (
        "import sys; print(sorted({'numba', 'numpy', 'pandas', 'sklearn'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.strip().endswith("[]"), run.stdout[-200:]
