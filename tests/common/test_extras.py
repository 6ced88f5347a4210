"""What a message says is to be typed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from samuel.common import extras
from samuel.common.errors import UserError


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """Stand in a clone whose environment is not active."""
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "pip", "samuel"):
        (programs / name).touch(mode=0o755)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    monkeypatch.setattr(extras, "__file__", str(tmp_path / "common" / "extras.py"))
    return programs


def test_in_a_clone_the_programs_of_its_environment_are_named(clone, monkeypatch):
    assert extras.command() == ".venv/bin/samuel"
    with pytest.raises(UserError, match=r"\.venv/bin/pip install -e '\.\[web\]'"):
        extras.extra("no_such_package", "the board", of="web")
    (clone.parents[1] / "data").mkdir()
    monkeypatch.chdir("data")
    assert extras.command() == str(clone / "samuel")
    assert extras.installing("web") == f"{clone / 'pip'} install -e '{clone.parents[1]}[web]'"


def test_what_the_system_finds_is_named_shortly(clone, monkeypatch):
    monkeypatch.setenv("PATH", str(clone))
    Path("pyproject.toml").unlink()
    assert extras.command() == "samuel"
    assert extras.installing("web") == "pip install starlette uvicorn websockets"
    (clone / "samuel").unlink()
    assert extras.command() == "python -m samuel"
