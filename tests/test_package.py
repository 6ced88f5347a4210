"""What is installed is one name, and nothing beside a user's script takes its place."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.processes import ROOT

OURS = [path for path in sorted(ROOT.iterdir()) if (path / "__init__.py").exists()]
OURS += sorted(ROOT.glob("*.py"))
IS_OF_THE_PACKAGE = {path for path in OURS if path.name not in ("tests", "benchmarks")}


def packages() -> set[str]:
    """Return the packages that the folders make."""
    files = [file for of in IS_OF_THE_PACKAGE if of.is_dir() for file in of.rglob("__init__.py")]
    return {"samuel"} | {
        ".".join(("samuel", *file.parent.relative_to(ROOT).parts)) for file in files
    }


def test_every_folder_is_installed() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    assert set(settings["setuptools"]["packages"]) == packages()
    banned = settings["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]
    assert set(banned) == {path.stem for path in IS_OF_THE_PACKAGE} - {"__init__", "__main__"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder with files and folders called as all of ours are, each failing on import."""
    for path in OURS:
        if path.stem == "__init__":
            continue
        if path.is_dir():
            (tmp_path / path.name).mkdir()
        place = tmp_path / path.name / "__init__.py" if path.is_dir() else tmp_path / path.name
        place.write_text(f"raise SystemExit('ran the file {path.name} of a user')\n")
    return tmp_path


@pytest.mark.slow
def test_the_wheel_holds_one_name(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path, ROOT],
        check=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {
        "samuel",
        "samuel_learning",
    }
    held = {str(Path(name).parent).replace("/", ".") for name in names if name.endswith(".py")}
    assert held == packages()
