"""The command: its JSON, its manner of failing, its help."""

import re
import subprocess
import sys
from dataclasses import replace
from functools import wraps

import pytest

from samuel.cli.help import range_text

FFO_1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


def test_the_main_job_in_json(run):
    played = run.json("selfplay --depth 1 --games 60 --seed 1 --out data/gen0")
    assert (played["games"], played["out"]) == (60, "data/gen0")

    trained = run.json("train data/gen0 --model ridge --out runs/ridge")
    assert trained["metrics"]["r2"] > 0

    found = run.json("match runs/ridge wpc --depth 2 --pairs 10")
    assert found["wins"] + found["losses"] + found["draws"] == found["games"] == 20

    searched = run.json("search --evaluator runs/ridge --depth 3")
    assert searched["depth"] == 3 and searched["pv"][0] == searched["move"]

    info = run.json("dataset info data/gen0")
    assert info["games"] == 60 and info["complete"]

    compared = run.json("compare data/gen0 --models runs/ridge,classic --report report.html")
    assert compared["report"] == "report.html"
    assert {row["model"] for row in compared["models"]} == {"ridge", "classic"}


@pytest.mark.parametrize(
    "game, depth, leaves",
    [("othello", 6, 8200), ("Connect-Four", 5, 16807), ("tictactoe", 9, 127872)],
)
def test_perft(run, game, depth, leaves):
    counted = run.json(f"perft --game {game} --depth {depth}")
    assert counted["leaves"] == leaves and counted["seconds"] >= 0


def test_divide_adds_up(run):
    counted = run.json("perft --depth 4 --divide")
    assert sum(counted["moves"].values()) == counted["leaves"] == 244
    for game, many in (("othello", 4), ("gomoku", 225)):
        shown = run.done(f"perft --depth 1 --divide --game {game}").splitlines()
        assert sum(line.replace("│", " ").split()[1:] == ["1"] for line in shown) == many


def test_solve_and_evaluate_a_file(run, tmp_path):
    problems = f"{FFO_1}; G8:+18; H1:+12; % FFO 1\n\n{FFO_1};\n{FFO_1}\n"
    (tmp_path / "problems.obf").write_text(problems)
    solved = run.json("solve problems.obf")
    problems = solved["problems"]
    assert (solved["right"], solved["asked"]) == (1, 1)
    assert solved["nodes"] == sum(problem["nodes"] for problem in problems)
    shown = run.done("solve problems.obf")
    assert "+18" in shown and "nodes per second" in shown
    assert re.search("as the file says +1 of 1 ", shown)
    assert [p["name"] for p in problems] == ["FFO 1", "3", "4"]
    for problem in problems:
        assert (problem["score"], problem["move"]) == (18, "g8")
    assert problems[0]["right"] is True and problems[1]["right"] is None
    scores = run.json("evaluate problems.obf --evaluator wpc")["scores"]
    assert len(scores) == 3 and scores[0] == scores[1]


def test_a_suite_is_searched_and_its_points_are_counted(run, tmp_path):
    mate, back = "6k1/5ppp/8/8/8/8/8/R5K1 w - -", "6k1/5ppp/8/8/8/8/8/R3r1K1 w - -"
    lines = [
        f'{mate} bm Ra8; id "T.1"; c0 "Ra8=10, Rb1=3";',
        f'{mate} am Ra8; id "T.2";',
        f'{back} id "U.1";',
    ]
    (tmp_path / "some.epd").write_text("\n".join(lines))
    told = run.json("search --game chess --suite some.epd --depth 2")
    assert [row["solved"] for row in told["problems"]] == [True, False, None]
    assert [row["move"] for row in told["problems"]] == ["a1a8", "a1a8", "a1e1"]
    assert (told["solved"], told["asked"], told["points"], told["most"]) == (1, 2, 10, 10)
    shown = run.quiet("search --game chess --suite some.epd --depth 2")
    assert "T.1" in shown and re.search("solved +1 ", shown) and re.search("points +10 ", shown)
    assert all(
        head in shown for head in ("wanted", "avoid", "Ra8#", "10 of 10", "nodes per second")
    )
    (tmp_path / "many.epd").write_text("\n".join(lines * 30))
    shown = run.quiet("search --game chess --suite many.epd --depth 1")
    assert "theme" in shown and re.search("solved +30 ", shown)
    (tmp_path / "problems.obf").write_text(f"{FFO_1}; G8:+18; H1:+12; % FFO 1\n")
    assert run.json("search --suite problems.obf --depth 4")["asked"] == 1
    status, _, err = run("search --suite some.epd --moves e2e4 --game chess")
    assert status == 2 and "--suite takes the place of" in err


def test_solve_only_who_wins(run, tmp_path):
    over = f"{'X' * 30}{'O' * 34} X"
    (tmp_path / "problems.obf").write_text(f"{FFO_1}; G8:+18; H1:+12;\n{over}\n")
    won, lost = run.json("solve problems.obf --wld")["problems"]
    assert (won["score"], won["right"], won["pv"]) == (1, True, [won["move"]])
    assert (lost["score"], lost["move"], lost["pv"]) == (-1, None, [])
    (tmp_path / "four.obf").write_text(f"{'-' * 42} X\n")
    assert "loss solver; leave out --wld" in run.refused("solve four.obf --wld --game connect-four")


def test_solve_says_when_it_could_not(run, tmp_path, monkeypatch):
    from samuel import search

    (tmp_path / "problems.obf").write_text(f"{FFO_1}; G8:+18; % FFO 1\n")
    solve = search.solve
    unsolved = wraps(solve)(lambda *a, **k: replace(solve(*a, **k), exact=False))
    monkeypatch.setattr(search, "solve", unsolved)
    assert "FFO 1: the solver stopped before the end of the game" in run.refused(
        "solve problems.obf"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("search --ms 0", "--ms must be a number above 0 (got 0)"),
        ("search --depth 0", "--depth must be an integer from 1 to 119 (got 0)"),
        ("search --seconds 1 --ms 2", "--seconds cannot be given together with --ms"),
        ("match classic wpc --depth 2 --depth-b 0", "--depth-b must be an integer from 1"),
        ("match classic wpc --depth 2,4", "--depth must be an integer (got '2,4')"),
        ("match classic wpc --clock 0+1", "--clock must be a number above 0 (got 0)"),
        ("selfplay --opening-plies 60 --out data", "--opening-plies must be an integer from 0"),
        ("selfplay --jobs 0 --out data", "--jobs must be at least 1"),
        ("selfplay --epsilon nan --out data", "--epsilon must be a number from 0 to 1 (got nan)"),
        ("learn --held-out 1 --out a", "--held-out must be a number above 0 and below 1 (got 1)"),
        ("match classic wpc --depth 2.5", "--depth must be an integer"),
        ("match classic wpc --pairs ten", "--pairs must be an integer (got 'ten')"),
        ("match classic wpc --pairs --depth 2", "--pairs needs a value before --depth"),
        ("match classic wpc --pairs", "--pairs needs a value"),
        ("match classic wpc --depth 1 --depth 2", "--depth specified multiple times"),
        ("match classic wpc --pair 2", "unknown option --pair; did you mean --pairs?; see"),
        ("match classic wpc --plies 2", "unknown option --plies; see samuel match --help"),
        ("--hlep", "unknown option --hlep; did you mean --help?"),
        ("--install-completion=bogus", "--install-completion does not accept a value; see"),
        ("search --game '' --depth 1", "--game needs a name (got an empty text)"),
        ("mtach classic wpc", "no command called 'mtach'; did you mean match?"),
        ("selfplay --epsilon x --out data", "--epsilon must be a number (got 'x')"),
        ("train data --plies x --out model", "the first not larger than the second (got 'x')"),
    ],
)
def test_errors_name_the_flag_that_was_typed(run, line, message):
    assert message in run.misused(line)


def test_options_may_stand_between_the_words_of_a_list(run):
    apart = run.json("match zero --pairs 1 random --game nim --depth 1")
    assert apart["games"] == 2 and {apart["a"], apart["b"]} == {"zero", "random"}
    assert "a match needs two players (got 0)" in run.misused("match --pairs 1 --game nim")
    assert "needs a value" in run.misused("dataset merge --out it")


def test_most_of_the_width_of_help_is_for_what_options_mean(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run.done("learn --help").splitlines()
    assert max(map(len, lines)) <= 80
    assert min(len(line) - len(line.lstrip()) for line in lines if line.startswith(" " * 8)) <= 28


def test_help_tells_a_default_of_1_that_has_an_effect(run):
    text = run.done("solve --help")
    threads, _, rest = text.partition("--threads N")[2].partition("--table-bits")
    assert "default: 1]" in threads and "0 to 34; default: 20]" in rest
    assert "no effect here. [0 or more]" in rest


@pytest.mark.parametrize(
    ("least", "most", "text"),
    [
        (1, 1 << 62, "1 or more"),
        (0, 1, "0 to 1"),
        (1e-9, None, "above 0"),
        (1e-9, 0.499, "above 0, below 0.5"),
        (1e-9, 10, "above 0, at most 10"),
        (-1, 1024, ""),
        (0, 100_000, "0 to 100,000"),
    ],
)
def test_ranges_are_words(least, most, text):
    assert range_text(least, most) == text


@pytest.mark.parametrize("line", ["--help", "--version", "dataset --help", "mtach"])
def test_what_names_no_command_imports_nothing_heavy(line):
    program = (
        f"from samuel.cli.main import main\ntry: main({line.split()})\nexcept SystemExit: pass\n"
    )
    program += "import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    imported = set(run.stdout.splitlines()[-1].split())
    assert "samuel.cli.app" in imported
    assert not imported & {"numba", "numpy", "pandas", "sklearn", "rich", "samuel.cli.common"}
