"""The settings of the package name all of its folders and files."""

from __future__ import annotations

import runpy
import tomllib

import pytest

from tests.processes import ROOT

OURS = [path for path in sorted(ROOT.iterdir()) if (path / "__init__.py").exists()]
OURS += sorted(ROOT.glob("*.py"))
IS_OF_THE_PACKAGE = {p for p in OURS if p.name not in ("tests", "benchmarks", "setup.py")}


def packages() -> set[str]:
    """Return the packages that the folders with code make."""
    files = [file for of in IS_OF_THE_PACKAGE if of.is_dir() for file in of.rglob("*.py")]
    return {"samuel"} | {
        ".".join(("samuel", *file.parent.relative_to(ROOT).parts)) for file in files
    }


def test_no_folder_is_imported_under_a_second_name() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    banned = settings["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]
    assert set(banned) == {path.stem for path in IS_OF_THE_PACKAGE} - {"__init__", "__main__"}


def test_every_folder_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, list[str]] = {}
    monkeypatch.setattr("setuptools.setup", lambda **settings: given.update(settings))
    runpy.run_path(str(ROOT / "setup.py"))
    assert sorted(given["packages"]) == sorted(packages())
