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
    "board": "web",
    "tune zero --game tic_tac_toe --method uct --parameter scale=1,0,4,1 --sampler cma --out out": (
        "optuna"
    ),
}
CASES = [(line, package) for line, extra in NEEDS.items() for package in EXTRAS[extra]]


@pytest.mark.parametrize(("line", "package"), CASES)
def test_a_command_says_first_which_extra_it_needs(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str, package: str
) -> None:
    for other in {*EXTRAS[NEEDS[line]]} - {package}:
        pytest.importorskip(other)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    error = run.refused(line)
    assert f"needs {package}, which is not installed: " in error and f"[{NEEDS[line]}]" in error
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((Path(samuel.__file__).parent / "pyproject.toml").read_text())
    declared = project["project"]["optional-dependencies"]
    for name, packages in EXTRAS.items():
        assert [one.partition(">")[0] for one in declared[name]] == list(packages)
