"""Running the command inside the tests."""

from __future__ import annotations

import io
import json
import shlex
import sys
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from samuel.cli.main import main
from tests.documented import require_documented


@dataclass(frozen=True)
class Run:
    """Runs a command: its status, output and errors.

    Attributes
    ----------
    head
        What each line begins with.
    """

    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch
    head: str = ""

    def __call__(self, line: str, *typed: str) -> tuple[int, str, str]:
        if typed:
            text = "".join(f"{one}\n" for one in typed)
            self.monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        with pytest.raises(SystemExit) as stop, warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)  # a command prints them, a line each
            main(shlex.split(self.head + line))
        out, err = self.capsys.readouterr()
        return int(stop.value.code or 0), out, err

    def of(self, head: str) -> Run:
        """Return what runs lines that begin so."""
        return replace(self, head=f"{head} ")

    def done(self, line: str, *typed: str) -> str:
        """Run a command that has to end well: its output."""
        status, out, err = self(line, *typed)
        assert status == 0, err
        return out

    def quiet(self, line: str, *typed: str) -> str:
        """Run a command that has to end well without a note: its output."""
        status, out, err = self(line, *typed)
        assert (status, err) == (0, "")
        return out

    def json(self, line: str) -> dict[str, Any]:
        """Run a command that has to end well, and return its JSON, whose keys are documented."""
        out = self.done(f"{line} --json")
        assert out.count("\n") == 1
        content: dict[str, Any] = json.loads(out)
        require_documented(self.head + line, set(content))
        return content

    def refused(self, line: str) -> str:
        """Run a command that has to fail in one line: that line."""
        status, out, err = self(line)
        assert (status, out, err.count("\n")) == (1, "", 1), err
        assert err.startswith("samuel: ")
        return err

    def misused(self, line: str) -> str:
        """Run a command that has to be wrong usage, which is told in one line: that line."""
        status, out, err = self(line)
        assert (status, out, err.count("\n")) == (2, "", 1), err
        assert err.startswith("samuel: ")
        return err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return what runs commands in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return Run(capsys, monkeypatch)
