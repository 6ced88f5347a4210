"""Games by name, and a user's own from a file.

What lies beside a plugin: it may import that, and nobody else does.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from samuel.common.errors import UserError
from samuel.games import game_names, register_game
from samuel.games.catalog import game_named, known_game
from samuel.games.groups import Defaults
from samuel.games.plugins import (
    install_plugins,
    load_plugin,
    loaded_plugins,
)
from samuel.games.sound import rules_digest
from samuel.games.tic_tac_toe.rules import GAME

OWN = """
from dataclasses import replace
from samuel.games import register_game
from samuel.games.tic_tac_toe.rules import GAME as ORIGINAL

mine = GAME = register_game(replace(ORIGINAL, name="{name}"))
"""


@pytest.mark.parametrize("name", ["othello", "Othello", " oth-ello", "reversi"])
def test_names_are_read_generously(name: str) -> None:
    assert game_named(name).name == "othello"


def test_an_unknown_game_is_refused_with_those_there_are() -> None:
    with pytest.raises(UserError, match=r"no game called .shogi.; there are backg.*othello_6x6"):
        game_named("shogi")


def test_an_own_game_is_known_by_its_name() -> None:
    game = register_game(replace(GAME, name="my_own"))
    assert game_named("my own") is game
    assert "my_own" in game_names()


def test_the_name_of_a_game_of_the_package_is_taken() -> None:
    with pytest.raises(
        UserError, match="othello is the name of a game that ships with samuel; give"
    ):
        register_game(replace(GAME, name="othello"))


def test_what_a_game_names_has_names() -> None:
    shapes = {"two words": ("a line", ("a1 b1",))}
    for change in ({"name": "../x"}, {"defaults": Defaults(shapes=shapes)}):
        with pytest.raises(
            UserError, match="must be letters, digits, _ and -, at most 100, and not"
        ):
            register_game(replace(GAME, **{"name": "my_own", **change}))


def test_a_file_stands_for_the_game_it_registers(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN.format(name="from_a_file"))
    game = game_named(str(file))
    assert game.name == "from_a_file"
    assert game_named(str(file)) is game
    assert load_plugin(file) is load_plugin(str(file))


def test_a_file_with_no_game_or_two_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "none.py"
    file.write_text("from samuel.games.othello.rules import GAME\n")
    with pytest.raises(UserError, match="registers 0 games"):
        game_named(str(file))
    file = tmp_path / "two.py"
    another = "another = register_game(replace(ORIGINAL, name='two_of_two'))\n"
    file.write_text(OWN.format(name="one_of_two") + another)
    with pytest.raises(UserError, match="registers 2 games"):
        game_named(str(file))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "py is missing, or is not a Python file"),
        ("1 / 0", "ZeroDivisionError"),
        ("def (", "SyntaxError"),
    ],
)
def test_a_file_that_fails_is_refused(tmp_path: Path, content: str | None, complaint: str) -> None:
    file = tmp_path / "broken.py"
    if content is not None:
        file.write_text(content)
    with pytest.raises(UserError, match=complaint):
        load_plugin(file)
    with pytest.raises(UserError, match=complaint):
        load_plugin(file)


UNSOUND = """
from dataclasses import replace
from samuel.games import Scores, register_game
from math import nan
from samuel.games.tic_tac_toe.rules import GAME as ORIGINAL
from samuel.kernels.jit import jit

legal_moves = ORIGINAL.legal_moves

@jit
def beyond(position, moves):
    n = legal_moves(position, moves)
    moves[0] = 49
    return n

@jit
def before(position, moves):
    n = legal_moves(position, moves)
    moves[0] = -40
    return n

GAME = register_game(replace(ORIGINAL, name="unsound", {change}))
"""


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("max_plies=6", "max_plies = 6 plies are played"),
        ("max_moves=8", "more than max_moves = 8 moves"),
        ("scores=Scores('wins', 0.5)", "the result is"),
        ("utility=jit(lambda position: nan)", "the result is nan, max_utility 1$"),
        ("legal_moves=beyond", r"move 49 is listed, .* no text for it: write_move\(49\) raises"),
        ("legal_moves=before", "moves must be 0 to .*, or only a pass .got -40"),
    ],
)
def test_a_game_whose_rules_do_not_fit_is_refused_every_time(
    tmp_path: Path, change: str, complaint: str
) -> None:
    file = tmp_path / "unsound.py"
    file.write_text(UNSOUND.format(change=change))
    for _ in range(2):
        with pytest.raises(UserError, match=f"unsound do not fit together: .*{complaint}"):
            game_named(str(file))
    assert "unsound" not in game_names()


def test_rules_are_told_apart_by_how_games_go() -> None:
    ours = ("othello_6x6", "othello_4x4", "connect_four", "tic_tac_toe", "nim", "nim_misere")
    digests = {name: rules_digest(game_named(name)) for name in ours}
    assert len(set(digests.values())) == len(digests)
    same = replace(game_named("tic_tac_toe"), name="called_otherwise")
    assert rules_digest(same) == digests["tic_tac_toe"]


@pytest.mark.parametrize(
    "source",
    [
        b"raise SystemExit(0)",
        b"import sys; sys.exit('gone')",
        b"def f(): f()\nf()",
        b"def f(:",
        b"\xff\xfe = 1",
        b"\0",
        b"raise ValueError('two\\nlines')",
        None,
    ],
)
def test_a_plugin_that_fails_however_is_refused_and_forgotten(
    source: bytes | None, tmp_path: Path
) -> None:
    file = tmp_path / "mine.py"
    if source is None:
        file.mkdir()
    else:
        file.write_bytes(source)
    before = set(sys.modules)
    with pytest.raises(UserError, match=r"mine\.py"):
        load_plugin(file)
    assert not {name for name in set(sys.modules) - before if name.startswith("plugin_")}


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


def test_a_plugin_may_do_without_what_a_file_beside_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "try:\n    import extra\nexcept ImportError:\n    extra = 'without'\n"
    )
    (tmp_path / "extra.py").write_text("import nosuchmodule\n")
    assert load_plugin(tmp_path / "mine.py").extra == "without"
    assert not [one for one in loaded_plugins() if one.path.endswith("extra.py")]


PROGRAM = """
import sys
from samuel.games.catalog import load_plugin
from samuel.kernels.digest import source_digest

print(source_digest(load_plugin(sys.argv[1]).three))
"""


def test_workers_import_the_same_file(folder: Path) -> None:
    load_plugin(folder / "mine.py")
    sent = loaded_plugins()
    install_plugins([])
    install_plugins(sent)
    assert known_game("beside").name == "beside"
    install_plugins([])
    (folder / "helper.py").write_text(HELPER.format(name="beside", two=3))
    with pytest.raises(UserError, match="another file on a worker; put the same file there"):
        install_plugins(sent)
