"""Files that somebody else made: what they name is never run, written to or deleted."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.ensemble import AdaBoostRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from samuel import Features, SelfplayPlan, UserError, generate, learn, load_model, save
from samuel.arena.match import match
from samuel.arena.tournament import tournament
from samuel.games import game_named, load_plugin
from samuel.games.playing import random_positions
from samuel.learning.generations.folder import digest_of
from samuel.learning.generations.run import Run as Learning
from samuel.learning.generations.run import baselines_of
from samuel.learning.generations.settings import checked, options_text
from samuel.learning.options import LearnOptions
from tests.cli.conftest import Run
from tests.processes import ROOT

pytestmark = pytest.mark.filterwarnings("ignore:only .* openings")

NOUGHTS = game_named("tic_tac_toe")
EVIL = """
from pathlib import Path
Path("MARK").touch()
from dataclasses import replace
from samuel.games import register_game
from samuel.games.tic_tac_toe.rules import GAME
mine = register_game(replace(GAME, name="evil"))

def make(game, features):
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from samuel import Features
    return make_pipeline(Features(features, game.name), Ridge())
"""
REFUSED = "is a file of code, which data cannot start"
SETTINGS = LearnOptions(game="tic_tac_toe", games=8, depth=1, gate_pairs=4, curve_pairs=0)


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
    generate(SelfplayPlan(game="tic_tac_toe", evaluator="zero", depth=1), 8, "thing")
    change("thing/manifest.json", game=game)


def model(game: str) -> None:
    X = random_positions(NOUGHTS, 50, seed=1)
    pipeline = make_pipeline(Features(["squares"], "tic_tac_toe"), Ridge())
    save("thing", pipeline.fit(X, np.arange(50.0)), name="m")
    change("thing/model.json", game=game)


def estimator(game: str) -> None:
    X = random_positions(NOUGHTS, 50, seed=1)
    pipeline = make_pipeline(Features(["squares"], "tic_tac_toe"), KernelRidge())
    save("thing", pipeline.fit(X, np.arange(50.0)), name="m")
    pipeline[0].game = game
    content = skops.io.dumps(pipeline)
    Path("thing/estimator.skops").write_bytes(content)
    change("thing/model.json", files={"estimator.skops": hashlib.sha256(content).hexdigest()})


def event(game: str) -> None:
    match("zero", "zero", game=NOUGHTS, pairs=1, out="thing")
    change("thing/event.json", game=game)


def state(game: str, **more: Any) -> None:
    settings = checked(SETTINGS)
    Path("thing").mkdir()
    digests = {name: digest_of(who, settings) for name, who in baselines_of(settings).items()}
    Learning(Path("thing"), settings, digests, 3).write()
    change("thing/state.json", settings=settings.flat() | {"game": game} | more)


def settings(game: str, **more: Any) -> None:
    asked = options_text(replace(checked(SETTINGS), **more))
    Path("thing.toml").write_text(asked.replace('"tic_tac_toe"', f'"{game}"'))


def recipe_in_state(name: str) -> None:
    state("tic_tac_toe", model=f"{name}:make")


def recipe_in_settings(name: str) -> None:
    settings("tic_tac_toe", model=f"{name}:make")


COMMANDS: list[tuple[Callable[[str], None], str]] = [
    (dataset, "dataset info thing"),
    (dataset, "train thing --model ridge --out other"),
    (model, "search --evaluator thing --depth 1"),
    (model, "match thing zero --pairs 1"),
    (model, "serve gtp --evaluator thing"),
    (estimator, "search --evaluator thing --depth 1"),
    (event, "games thing"),
    (event, "tournament thing"),
    (state, "learn --out thing"),
    (state, "learn --out thing --show-settings"),
    (settings, "learn --settings thing.toml --out other"),
    (recipe_in_state, "learn --out thing"),
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


def test_types_that_a_person_names_are_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samuel.models.saved.loading._trusted", set())
    X = random_positions(NOUGHTS, 50, seed=1)
    boosted = AdaBoostRegressor(n_estimators=2)
    model = make_pipeline(Features(["squares"], "tic_tac_toe"), boosted)
    with pytest.warns(UserWarning, match=r"only if you trust .* by name"):
        save("thing", model.fit(X, np.arange(50.0)), name="boosted")
    line = "search --evaluator thing --depth 1"
    status, out, err = run(line)
    typed = "--trust sklearn.tree._tree.Tree"
    assert (status, out, err.count("\n")) == (1, "", 1) and f"add {typed} (in Python" in err
    run.done(f"{line} {typed}")


def test_python_runs_only_what_it_is_given(mark: Path) -> None:
    estimator("evil.py")
    Path("thing").rename("model")
    recipe_in_state("evil.py")
    for read in (
        lambda: load_model("model"),
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


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """A folder that no command has to do with; it stays as it is."""
    folder = tmp_path / "victim" / "0001"
    folder.mkdir(parents=True)
    (folder / "letter.txt").write_text("mine")
    yield folder.parent
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]
    assert (folder / "letter.txt").read_text() == "mine" and folder.parent.is_dir()


def test_a_tournament_starts_no_program_that_is_not_named(run: Run, mark: Path) -> None:
    tournament(["zero", "classic"], out="thing", pairs=1, game="tic_tac_toe", depth=1)
    players = json.loads(Path("thing/event.json").read_text())["players"]
    change("thing/event.json", players=[players[0], players[1] | {"engine": "gtp:touch MARK"}])
    line = "tournament zero random --out thing --pairs 1 --game tic_tac_toe --depth 1"
    for typed in ("tournament thing", line):
        run.done(typed)
        assert not mark.exists()


@pytest.mark.parametrize("who", ["gtp:touch MARK", "{}/0001", "../victim", "evil.py"])
def test_a_run_plays_what_lies_in_it(run: Run, mark: Path, victim: Path, who: str) -> None:
    for changed in ({"start": who.format(victim)}, {"baselines": [who.format(victim)]}):
        state("tic_tac_toe", **changed)
        name = Path(changed.get("against", ["classic"])[0]).name
        change("thing/state.json", digests=dict.fromkeys(["first", name], "0" * 16))
        run.refused("learn --out thing --generations 4")
        assert not mark.exists()
        shutil.rmtree("thing")


def test_an_evaluator_that_a_dataset_names_is_not_loaded(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    model("tic_tac_toe")
    Path("thing").rename("secret")
    dataset("tic_tac_toe")
    manifest = json.loads(Path("thing/manifest.json").read_text())
    change("thing/manifest.json", settings=manifest["settings"] | {"evaluator": "secret"})
    loaded = []
    monkeypatch.setattr("samuel.models._load", lambda folder, card: loaded.append(folder))
    status, _, err = run("train thing --model ridge --features squares --out other")
    assert status == 0 and not loaded, err


OUTPUTS = [
    "match zero zero --game tic_tac_toe --pairs 2 --report {}",
    "dataset export thing --format transcripts --out {}",
]


@pytest.mark.parametrize("line", OUTPUTS)
def test_outputs_go_where_their_paths_lead(run: Run, line: str) -> None:
    dataset("tic_tac_toe")
    Path("deep").mkdir()
    Path("link.svg").symlink_to("deep/there.svg")
    for path in ("link.svg", "/dev/null", "/dev/full"):
        status, _, err = run(line.format(path))
        assert status == (path == "/dev/full"), err
        assert ("the disk is full: /dev/full" in err) == (path == "/dev/full")
    assert Path("link.svg").is_symlink() and Path("deep/there.svg").stat().st_size
    assert Path("/dev/null").is_char_device() and Path("/dev/full").is_char_device()


# What runs code that it is given: for names that a person typed. All else calls known_game.
DOORS = """
arena/tournament.py games/catalog.py games/feature.py games/leaves.py games/plugins.py
games/position.py learning/fitting/estimators.py learning/fitting/recipes.py
learning/fitting/split.py learning/generations/settings.py learning/options.py
learning/trying.py models/__init__.py models/evaluate.py models/export/__init__.py
models/game_of.py reports/models.py reports/weights.py
selfplay/generate.py selfplay/plan.py testing/check.py
"""


def test_code_that_is_named_is_run_at_the_doors_alone() -> None:
    doors = {"game_for", "game_named", "load_plugin", "run_code_of", "recipe"}

    def has_door(path: Path) -> bool:  # in its code: an example in a docstring calls nothing
        nodes = list(ast.walk(ast.parse(path.read_text())))
        called = [node.func for node in nodes if isinstance(node, ast.Call)]
        defined = [node.name for node in nodes if isinstance(node, ast.FunctionDef)]
        names = [getattr(function, "id", getattr(function, "attr", None)) for function in called]
        return not doors.isdisjoint(names + defined)

    outside = ("benchmarks", "build", "cli", "examples", "tests", ".venv")
    files = [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] not in outside]
    found = {str(file.relative_to(ROOT)) for file in files if has_door(file)}
    assert found == set(DOORS.split())
