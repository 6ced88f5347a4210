"""Without the package of an extra a command says so before its work."""

import sys
import tomllib
from pathlib import Path

import pytest

import samuel
from samuel.common.extras import EXTRAS
from tests.cli.conftest import Run

NEEDS = {
    "selfplay --game tic_tac_toe --games 5 --out out --cluster localhost:1": "dask",
    "train toe --model lightgbm --out out": "lightgbm",
    "compare toe --models ridge,lightgbm --report out": "lightgbm",
    "learn --game tic_tac_toe --model lightgbm --out out": "lightgbm",
    "board": "web",
    "train toe --model xgboost --out out": "xgboost",
    "tune zero --game tic_tac_toe --method uct --parameter scale=1,0,4,1 --sampler cma --out out": (
        "optuna"
    ),
}
CASES = [(line, package) for line, extra in NEEDS.items() for package in EXTRAS[extra]]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    samuel.generate(game="tic_tac_toe", depth=1, games=20, out=folder / "toe")
    return folder


@pytest.mark.parametrize(("line", "package"), CASES)
def test_a_command_says_first_which_extra_it_needs(
    run: Run, monkeypatch: pytest.MonkeyPatch, data: Path, line: str, package: str
) -> None:
    for other in {*EXTRAS[NEEDS[line]]} - {package}:
        pytest.importorskip(other)
    monkeypatch.chdir(data)
    monkeypatch.setitem(sys.modules, package, None)
    error = run.refused(line)
    assert f"needs {package}, which is not installed: " in error and f"[{NEEDS[line]}]" in error
    assert not (data / "out").exists() or not list((data / "out").iterdir())


def test_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((Path(samuel.__file__).parent / "pyproject.toml").read_text())
    declared = project["project"]["optional-dependencies"]
    for name, packages in EXTRAS.items():
        assert [one.partition(">")[0] for one in declared[name]] == list(packages)
