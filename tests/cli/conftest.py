"""Running the command inside the tests."""

import json
import shlex
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from samuel.cli.main import main
from tests.documented import require_documented

Run = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Return a function that runs a command in a folder of its own: status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop, warnings.catch_warnings():
            warnings.simplefilter("default", UserWarning)  # a command prints them, a line each
            main(shlex.split(line))
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return run


@pytest.fixture
def as_json(run: Run) -> Callable[[str], dict[str, Any]]:
    """Return a function that runs a command, which has to end well, and reads its JSON."""

    def as_json(line: str) -> dict[str, Any]:
        status, out, err = run(f"{line} --json")
        assert (status, out.count("\n")) == (0, 1), err
        content: dict[str, Any] = json.loads(out)
        require_documented(line, set(content))
        return content

    return as_json
