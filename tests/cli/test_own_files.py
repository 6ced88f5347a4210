"""Files of a person's own, with games and evaluators: what is wrong with one is a sentence."""

import json
from pathlib import Path

import pytest

from samuel.games import plugins
from tests.cli.conftest import Run
from tests.models.test_plugin_types import forget

FILE = """
from dataclasses import replace
from samuel.games import game_named, register_game
from samuel.games.groups import Defaults

TOE = game_named("tic_tac_toe")
GAME = register_game(replace(TOE, name="crosses", defaults=Defaults()))
"""
LEARN = (
    "learn --out thing --generations 1 --games 64 --depth 1 --epsilon 0.2 --model tuples2 "
    "--target blend --gate-pairs 8 --match-depth 1 --curve-pairs 0"
)
MATCH = "match zero zero --depth 1 --pairs 2 --openings random --out thing"
TOURNAMENT = "tournament zero zero --depth 1 --pairs 2 --openings random --out thing"


@pytest.fixture
def mine(run: Run, tmp_path: Path) -> Path:
    """The file of the game, where commands run."""
    forget()
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return path


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("make", "read"),
    [
        (LEARN, ["learn --out thing"]),
        (MATCH, ["games thing", "games thing --report page.html"]),
        (TOURNAMENT, ["games thing", "tournament thing"]),
    ],
    ids=["learn", "match", "tournament"],
)
def test_what_was_made_names_the_file_of_its_game(make: str, read: list[str], run: Run) -> None:
    run.done(f"{make} --game mine.py")
    for line in read:
        forget()
        err = run.refused(line)
        assert "thing is of the game 'crosses', which is not known here" in err
        assert err.endswith(
            f"made with mine.py: add --plugin mine.py (in Python, load_plugin); "
            f"type: samuel {line} --plugin mine.py\n"
        )
    run.done(f"{read[0]} --plugin mine.py")
    forget()
    assert run(f"{make} --game mine.py")[0] == 0  # the file named as it was at first


def test_an_edited_file_is_told_apart_once(run: Run, mine: Path) -> None:
    run.done(f"{MATCH} --game mine.py")
    forget()
    mine.write_text(FILE + "\n# a remark\n")
    status, _, err = run("games thing --plugin mine.py")
    assert status == 0 and err.count("thing was made with another version of mine.py than") == 1


@pytest.mark.usefixtures("mine")
def test_probcut_is_fitted_as_is_advised(run: Run) -> None:
    run.done(f"{LEARN} --game mine.py")
    model = "thing/generation-001/model"
    forget()
    err = run.refused(f"match {model} zero --plugin mine.py --depth 3 --probcut 1.5 --pairs 1")
    advised = f"models probcut {model} --plugin mine.py"
    assert f"{model} has no parameters for ProbCut; samuel {advised} fits them" in err
    forget()
    assert "not known here" not in run(f"{advised} --positions 100 --max-depth 3")[2]


@pytest.mark.usefixtures("mine")
def test_commands_that_are_advised_name_the_file(run: Run) -> None:
    out = " ".join(run.done(f"{LEARN} --game mine.py".replace("--games 64", "--games 512")).split())
    train = "train thing/generation-001/data --plugin mine.py --model ridge --out model"
    out += " ".join(run.done(train).split())
    assert "samuel match model zero --plugin mine.py" in out
    if "for a narrower interval" in out:  # where a model was promoted
        assert "samuel match thing/best zero --plugin mine.py" in out
    forget()
    run.done("match model zero --plugin mine.py --pairs 1 --depth 1 --openings random")
    forget()
    err = run.refused("search --game othello --evaluator model")
    assert "model evaluates crosses, not othello; choose an evaluator for othello" in err


def test_a_board_of_another_size_is_said(run: Run, tmp_path: Path) -> None:
    forget()
    imports = "from samuel.games import Board, GridNotation\n"
    small = 'name="crosses", notation=GridNotation(Board(3, 2), TOE.squares)'
    (tmp_path / "mine.py").write_text(imports + FILE.replace('name="crosses"', small))
    err = run.refused("models check mine.py")
    assert "it has 6 squares, the notation 9 names of moves" in err


@pytest.mark.usefixtures("mine")
def test_names_beside_a_file_are_of_its_game(run: Run) -> None:
    out = run.done("models check mine.py --features squares --evaluator zero")
    assert "feature squares of crosses" in out and "evaluator zero of crosses" in out


@pytest.mark.usefixtures("mine")
def test_a_folder_that_is_not_there_is_said_in_one_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "runs" / "net").mkdir(parents=True)
    (tmp_path / "runs" / "net" / "model.json").touch()
    for name, hint in (("nets", "; did you mean runs/net?"), ("other", "")):
        err = run.refused(f"search --evaluator runs/{name}")
        assert err == f"samuel: there is no folder 'runs/{name}' of a model{hint}\n"


OWN = """
from samuel import Evaluator, register_evaluator
def mine(position, integers, floats):
    {body}
register_evaluator(Evaluator("mine", "tic_tac_toe", mine, floats=[1.0, 2.0]))
"""


def register(folder: Path, body: str = "return floats[0]") -> None:
    """Write a file with an evaluator, which is not known yet."""
    forget()
    plugins.own_evaluators.clear()
    (folder / "own.py").write_text(OWN.format(body=body))


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (
            "return floats[0] / (floats[0] - 1) * 0",
            "mine returns nan as the score of some positions; scores",
        ),
        ("import math; return math.pi", "mine cannot be compiled"),
        ("return floats", "mine cannot be compiled: not every path"),
        ("raise ValueError('too hard')", "mine"),
        ("return floats.nosuch(1)", "mine cannot be compiled"),
    ],
)
def test_a_slip_in_the_function_is_a_sentence(
    run: Run, tmp_path: Path, body: str, complaint: str
) -> None:
    register(tmp_path, body)
    status, out, err = run("match mine zero --depth 1 --pairs 2 --plugin own.py")
    assert (status, out) == (1, "") and complaint in err.splitlines()[-1]


def test_a_file_beside_that_fails_is_a_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("import helper_of_mine\n")
    (tmp_path / "helper_of_mine.py").write_text("import nosuchmodule\n")
    assert "nosuchmodule" in run.refused("models --plugin own.py")


def test_a_file_that_changes_the_directory_moves_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    register(tmp_path)
    with open(tmp_path / "own.py", "a") as file:
        file.write("import os\nos.chdir('elsewhere')\n")
    run.done("models --plugin own.py")
    assert Path.cwd() == tmp_path


def test_what_was_made_names_the_file_of_an_evaluator(run: Run, tmp_path: Path) -> None:
    register(tmp_path)
    run.done(f"{LEARN} --from mine --plugin own.py")
    (origin,) = json.loads((tmp_path / "thing" / "state.json").read_text())["plugins"]
    assert origin["file"] == "own.py"
    register(tmp_path)
    err = run.refused("learn --out thing --generations 2")
    assert "thing goes by the evaluator 'mine', which is not known here" in err
    assert "add --plugin own.py" in err
    run.done("learn --out thing --generations 2 --plugin own.py")
