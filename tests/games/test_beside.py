"""What lies beside a plugin: it may import that, and nobody else does."""

import importlib.util
import sys
from pathlib import Path

import pytest

from samuel.errors import UserError
from samuel.games.catalog import (
    Plugin,
    game_named,
    install_plugins,
    known_game,
    load_plugin,
    load_plugins,
    loaded_plugins,
)
from tests.processes import run

MINE = """
import helper
from helper import NAME as name, make
import random
import samuel

GAME = make(helper.NAME)

@samuel.jit
def three(position):
    return helper.two() + 1

def late():
    import later
    return later.WORD
"""
HELPER = """
from dataclasses import replace
import samuel
from samuel.games.tic_tac_toe.rules import GAME as ORIGINAL

NAME = "{name}"

@samuel.jit
def two():
    return {two}

def make(name):
    return samuel.register_game(replace(ORIGINAL, name=name))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path, "beside")


def written(folder: Path, name: str, two: int = 2) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "mine.py").write_text(f"# {name}: equal files are one module{MINE}")
    (folder / "helper.py").write_text(HELPER.format(name=name, two=two))
    (folder / "later.py").write_text("WORD = 'later'")
    for shadow in ("random", "samuel", "mine_too"):
        (folder / f"{shadow}.py").write_text("1 / 0")
    return folder


def test_a_plugin_imports_what_lies_beside_it(folder: Path) -> None:
    places = list(sys.path)
    assert game_named(str(folder / "mine.py")).name == "beside"
    mine = load_plugin(folder / "mine.py")
    assert mine.helper is load_plugin(folder / "helper.py") and mine.name == "beside"
    assert mine.random is sys.modules["random"] and mine.samuel is sys.modules["samuel"]
    assert mine.late() == "later"
    assert sys.path == places
    assert not {"helper", "later", "mine"} & set(sys.modules)
    assert importlib.util.find_spec("helper") is None


def test_files_of_one_name_beside_two_plugins_are_two(tmp_path: Path) -> None:
    for name in ("one", "other"):
        assert game_named(str(written(tmp_path / name, name) / "mine.py")).name == name
    names = [load_plugin(tmp_path / name / "helper.py").NAME for name in ("one", "other")]
    assert names == ["one", "other"]


PROGRAM = """
import sys
from samuel.games.catalog import load_plugin
from samuel.kernels.digest import source_digest

print(source_digest(load_plugin(sys.argv[1]).three))
"""


@pytest.mark.slow
def test_code_of_a_file_beside_counts_for_what_was_compiled(tmp_path: Path) -> None:
    said = []
    for two in (2, 3, 2):
        file = written(tmp_path / "data", "same", two) / "mine.py"
        said.append(run("-c", PROGRAM, file))
    assert said[0] == said[2] != said[1]


def test_where_the_files_are_not_they_come_along_together(folder: Path) -> None:
    load_plugin(folder / "mine.py")
    sent = [Plugin(str(folder / "nowhere" / Path(p.path).name), p.source) for p in loaded_plugins()]
    install_plugins([])
    install_plugins(sent)
    assert known_game("beside").name == "beside"
    places = {Path(plugin.path).parent for plugin in loaded_plugins()}
    assert len(places) == 1 and folder not in places


def test_what_a_file_beside_lacks_is_an_error_of_import(tmp_path: Path) -> None:
    (tmp_path / "lacking.py").write_text("import no_such_module")
    (tmp_path / "mine.py").write_text("try:\n import lacking\nexcept ImportError:\n lacking = 0")
    assert load_plugin(tmp_path / "mine.py").lacking == 0
    (tmp_path / "lacking.py").write_text("1 / 0")
    (tmp_path / "again.py").write_text("import lacking")
    with pytest.raises(UserError, match=r"lacking\.py failed: ZeroDivisionError"):
        load_plugin(tmp_path / "again.py")


def test_plugins_are_loaded_in_an_order_that_works(folder: Path) -> None:
    (folder / "deep").mkdir()
    needy = folder / "deep" / "needy.py"
    needy.write_text(
        "import samuel\n@samuel.feature(game='beside')\ndef needed(position): return 1.0"
    )
    load_plugins([str(needy), str(folder / "mine.py")])
    assert load_plugin(needy).needed.game == "beside"
    (folder / "lost.py").write_text("import samuel\nsamuel.game_named('nobody')\n")
    with pytest.raises(UserError, match="no game called 'nobody'"):
        load_plugins([str(folder / "lost.py"), str(folder / "later.py")])
