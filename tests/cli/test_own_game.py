"""Commands for a game of a person's own, in a file that the command does not name."""

import json
from pathlib import Path

import pytest

from samuel.games import catalog
from tests.cli.conftest import Run
from tests.models.test_plugin_types import forget

FILE = """
from dataclasses import replace
from samuel.games import game_named, register_game
from samuel.games.defaults import Defaults

TOE = game_named("tic_tac_toe")
GAME = register_game(replace(TOE, name="crosses", defaults=Defaults()))
"""
LEARN = (
    "learn --out thing --generations 1 --games 64 --depth 1 --explore 0.2 --model tuples2 "
    "--target blend --gate-pairs 8 --match-depth 1 --curve-pairs 0"
)
MATCH = "match zero zero --depth 1 --pairs 2 --openings random --out thing"
TOURNAMENT = "tournament zero zero --depth 1 --pairs 2 --openings random --out thing"
POOL = "pool add thing zero --depth 1 --openings random"


@pytest.fixture
def mine(run: Run, tmp_path: Path) -> Path:
    """The file of the game, where commands run."""
    forget()
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return path


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize(
    ("make", "state", "read"),
    [
        (LEARN, "state.json", ["learn --out thing"]),
        (MATCH, "event.json", ["games thing", "games thing --report page.html"]),
        (TOURNAMENT, "event.json", ["games thing"]),
        (POOL, "pool.json", ["pool show thing", "pool add thing zero", "pool remove thing zero"]),
    ],
    ids=["learn", "match", "tournament", "pool"],
)
def test_what_was_made_names_the_file_of_its_game(
    make: str, state: str, read: list[str], run: Run, tmp_path: Path
) -> None:
    status, _, err = run(f"{make} --game mine.py")
    assert status == 0, err
    for line in read:
        forget()
        status, out, err = run(line)
        assert (status, out) == (1, "")
        assert "thing is of the game 'crosses', which is not known here" in err
        assert err.endswith(
            f"made with mine.py: add --plugin mine.py (in Python, load_plugin); "
            f"type: samuel {line} --plugin mine.py\n"
        )
    status, _, err = run(f"{read[0]} --plugin mine.py")
    assert status == 0, err
    forget()
    assert run(f"{make} --game mine.py")[0] == 0  # the file named as it was at first
    # what was written before says nothing of files
    path = tmp_path / "thing" / state
    content = json.loads(path.read_text())
    assert (content.pop("plugins", None) or content["about"].pop("plugins"))[0]["file"] == "mine.py"
    path.write_text(json.dumps(content))
    if state == "pool.json":
        (tmp_path / "thing" / "event.json").unlink(missing_ok=True)
    forget()
    status, _, err = run(read[0])
    assert status == 1 and "no game called 'crosses'" in err
    status, _, err = run(f"{read[0]} --plugin mine.py")
    assert status == 0, err


def test_an_edited_file_is_told_apart_once(run: Run, mine: Path) -> None:
    assert run(f"{MATCH} --game mine.py")[0] == 0
    forget()
    mine.write_text(FILE + "\n# a remark\n")
    status, _, err = run("games thing --plugin mine.py")
    assert status == 0 and err.count("thing was made with another mine.py than the mine.py") == 1


@pytest.mark.usefixtures("mine")
def test_a_book_is_made_as_is_advised(run: Run) -> None:
    for line in ("--game mine.py", "--plugin mine.py --game crosses"):
        forget()
        status, _, err = run(f"openings {line}")
        _, _, advised = err.strip().partition("no book for crosses; make one: samuel ")
        assert status == 1 and advised == "openings --game crosses --plugin mine.py --plies 2"
    forget()
    status, _, err = run(f"{advised} --depth 1")
    assert status == 0, err


@pytest.mark.usefixtures("mine")
def test_probcut_is_fitted_as_is_advised(run: Run) -> None:
    assert run(f"{LEARN} --game mine.py")[0] == 0
    model = "thing/generation-001/model"
    forget()
    status, _, err = run(f"match {model} zero --plugin mine.py --depth 3 --probcut 1.5 --pairs 1")
    assert status == 1
    advised = f"models probcut {model} --plugin mine.py"
    assert f"{model} has no parameters for ProbCut; samuel {advised} fits them" in err
    forget()
    status, _, err = run(f"{advised} --positions 100 --max-depth 3")
    assert "not known here" not in err


@pytest.mark.usefixtures("mine")
def test_names_beside_a_file_are_of_its_game(run: Run) -> None:
    status, out, err = run("models check mine.py --features squares --evaluator zero")
    assert status == 0, err
    assert "feature squares of crosses" in out and "evaluator zero of crosses" in out


@pytest.mark.usefixtures("mine")
def test_a_folder_that_is_not_there_is_said_in_one_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "runs" / "net").mkdir(parents=True)
    (tmp_path / "runs" / "net" / "model.json").touch()
    for name, hint in (("nets", "; did you mean runs/net?"), ("other", "")):
        status, _, err = run(f"search --evaluator runs/{name}")
        assert status == 1
        assert err == f"samuel: there is no folder 'runs/{name}' of a model{hint}\n"


OWN = """
from samuel import Evaluator, register_evaluator
def even(position, integers, floats):
    return floats[0]
register_evaluator(Evaluator("even", "tic_tac_toe", even))
"""


def test_what_was_made_names_the_file_of_an_evaluator(run: Run, tmp_path: Path) -> None:
    forget()
    (tmp_path / "own.py").write_text(OWN)
    status, _, err = run(f"{LEARN} --from even --plugin own.py")
    assert status == 0, err
    (origin,) = json.loads((tmp_path / "thing" / "state.json").read_text())["plugins"]
    assert origin["file"] == "own.py"
    forget()
    catalog.own_evaluators.clear()
    status, _, err = run("learn --out thing --generations 2")
    assert (status, err.count("\n")) == (1, 1)
    assert "thing goes by the evaluator 'even', which is not known here" in err
    assert "add --plugin own.py" in err
    status, _, err = run("learn --out thing --generations 2 --plugin own.py")
    assert status == 0, err
