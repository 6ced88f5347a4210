"""Files that somebody else made: what they name is never run, written to or deleted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

from samuel import Features, Plan, UserError, generate, learn, load_model, save
from samuel.arena import match
from samuel.arena.openings.book import Book, follow, read_book, write_book
from samuel.arena.pool.folder import Settings as PoolSettings
from samuel.arena.pool.folder import write_pool
from samuel.games import game_named, load_plugin
from samuel.games.random import random_positions
from samuel.learning.generation_folder import digest_of
from samuel.learning.generation_settings import Settings, settings_text
from samuel.learning.generations import Run as Learning
from samuel.learning.generations import yardsticks
from tests.cli.conftest import Run

NOUGHTS = game_named("tic_tac_toe")
EVIL = """
from pathlib import Path
Path("MARK").touch()
from dataclasses import replace
from samuel.games import register_game
from samuel.games.tic_tac_toe import GAME
mine = register_game(replace(GAME, name="evil"))

def make(game, features):
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from samuel import Features
    return make_pipeline(Features(features, game.name), Ridge())
"""
REFUSED = "is a file of code, and none is run because data names it"
SETTINGS = Settings(game="tic_tac_toe", games=8, depth=1, gate_pairs=4, curve_pairs=0)


@pytest.fixture(autouse=True)
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What running the file `evil.py` of the working folder leaves there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text(EVIL)
    return tmp_path / "MARK"


def change(path: str | Path, **entries: Any) -> None:
    """Change entries of a JSON file."""
    content = json.loads(Path(path).read_text())
    Path(path).write_text(json.dumps(content | entries))


def dataset(game: str) -> None:
    generate(Plan(game="tic_tac_toe", evaluator="zero", depth=1), 8, "thing")
    change("thing/manifest.json", game=game)


def model(game: str) -> None:
    X = random_positions(NOUGHTS, 50, seed=1)
    pipeline = make_pipeline(Features(["squares"], "tic_tac_toe"), Ridge())
    save("thing", pipeline.fit(X, np.arange(50.0)), name="m")
    change("thing/model.json", game=game)


def estimator(game: str) -> None:
    X = random_positions(NOUGHTS, 50, seed=1)
    pipeline = make_pipeline(Features(["squares"], "tic_tac_toe"), KNeighborsRegressor())
    save("thing", pipeline.fit(X, np.arange(50.0)), name="m")
    pipeline[0].game = game
    content = skops.io.dumps(pipeline)
    Path("thing/estimator.skops").write_bytes(content)
    change("thing/model.json", files={"estimator.skops": hashlib.sha256(content).hexdigest()})


def book(game: str) -> None:
    lines = np.arange(9, dtype=np.int32)[:, None][:3]
    _, positions, _ = follow(NOUGHTS, lines.tolist())
    named = replace(NOUGHTS, name=game)
    write_book("thing.npz", Book(named, lines, positions, np.zeros(3, np.float32), "e", "d", 1))


def event(game: str) -> None:
    match("zero", "zero", game=NOUGHTS, pairs=1, out="thing")
    change("thing/event.json", game=game)


def pool(game: str) -> None:
    terms = PoolSettings(game, 1, None, None, 0, 0, 60.0, None, None, 0)
    Path("thing").mkdir()
    write_pool(Path("thing"), terms, ())


def state(game: str, **more: Any) -> None:
    settings = SETTINGS.filled()
    Path("thing").mkdir()
    digests = {name: digest_of(who, settings) for name, who in yardsticks(settings).items()}
    Learning(Path("thing"), settings, digests).write()
    change("thing/state.json", settings=asdict(settings) | {"game": game} | more)


def settings(game: str, **more: Any) -> None:
    asked = replace(SETTINGS.filled(), game=game, **more)
    Path("thing.toml").write_text(settings_text(asked))


def recipe_in_state(name: str) -> None:
    state("tic_tac_toe", model=f"{name}:make")


def recipe_in_settings(name: str) -> None:
    settings("tic_tac_toe", model=f"{name}:make")


COMMANDS: list[tuple[Callable[[str], None], str]] = [
    (dataset, "dataset info thing"),
    (dataset, "dataset filter thing --plies 1-3 --out other"),
    (dataset, "dataset export thing --format transcripts --out other.txt"),
    (dataset, "train thing --model ridge --out other"),
    (dataset, "compare thing --models ridge"),
    (model, "search --evaluator thing --depth 1"),
    (model, "match thing zero --pairs 1"),
    (model, "evaluate evil.py --evaluator thing"),
    (model, "gtp --evaluator thing"),
    (model, "pool add other thing"),
    (estimator, "search --evaluator thing --depth 1"),
    (estimator, "match thing zero --game tic_tac_toe --pairs 1"),
    (book, "match zero zero --game tic_tac_toe --pairs 1 --openings thing.npz"),
    (book, "openings thing.npz"),
    (event, "games thing"),
    (event, "match zero zero --game tic_tac_toe --pairs 1 --out thing"),
    (pool, "pool add thing zero"),
    (state, "learn --out thing"),
    (state, "learn --out thing --show-settings"),
    (settings, "learn --settings thing.toml --out other"),
    (recipe_in_state, "learn --out thing"),
    (recipe_in_state, "learn --out thing --generations 5"),
    (recipe_in_settings, "learn --settings thing.toml --out other"),
]


@pytest.mark.parametrize(("make", "line"), COMMANDS)
def test_no_command_runs_code_that_a_file_names(
    run: Run, mark: Path, make: Callable[[str], None], line: str
) -> None:
    make("evil.py")
    status, out, err = run(line)
    assert not mark.exists()
    assert (status, err.count("\n"), out) == (1, 1, ""), (out, err)


@pytest.mark.parametrize(
    ("make", "line", "typed"),
    [
        (dataset, "dataset info thing", "--plugin evil.py"),
        (model, "match thing zero --pairs 1 --depth 1", "--game evil.py"),
        (recipe_in_state, "learn --out thing --show-settings", "--plugin evil.py"),
        (recipe_in_state, "learn --out thing --show-settings", "--model evil.py:make"),
        (recipe_in_settings, "learn --settings thing.toml --show-settings", "--plugin evil.py"),
    ],
)
def test_what_the_message_says_to_type_runs_it(
    run: Run, mark: Path, make: Callable[[str], None], line: str, typed: str
) -> None:
    make("evil.py")
    _, _, err = run(line)
    assert f"'evil.py' {REFUSED}" in err and "add --plugin evil.py to the command" in err
    assert not mark.exists()
    status, _, err = run(f"{line} {typed}")
    assert mark.exists() and REFUSED not in err and status == 0, err


def test_python_runs_only_what_it_is_given(mark: Path) -> None:
    estimator("evil.py")
    Path("thing").rename("model")
    book("evil.py")
    recipe_in_state("evil.py")
    for read in (
        lambda: load_model("model"),
        lambda: read_book("thing.npz"),
        lambda: learn("thing"),
        lambda: learn("thing", generations=4),
        lambda: Features(["squares"], "evil.py").fit(np.zeros((1, 2), np.uint64)),
    ):
        with pytest.raises(UserError, match=REFUSED):
            read()
    assert not mark.exists()
    learn("mine", SETTINGS, model="evil.py:make", generations=1)
    assert mark.exists()
    assert game_named("evil.py").name == "evil"
    assert Features(["squares"], "evil.py").fit(np.zeros((1, 2), np.uint64))  # it was run


@pytest.mark.parametrize("name", ["a\0.py", "\ud800.py", "x" * 5000 + ".py", "/dev/null/a.py"])
def test_names_that_no_file_can_have(name: str) -> None:
    for look_up in (game_named, load_plugin):
        with pytest.raises(UserError):
            look_up(name)
