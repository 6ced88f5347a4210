"""`samuel serve gomocup`: a session over the standard streams."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.conftest import Run


@pytest.mark.slow
def test_a_session(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("ABOUT\nSTART 15\nBEGIN\nEND\nBEGIN\n"))
    status, out, err = run("serve gomocup --game gomoku --depth 2")
    assert (status, err) == (0, "")
    name, *rest = out.splitlines()
    assert name.startswith('name="samuel (classic)"') and rest == ["OK", "7,7"]


def test_json_describes(as_json: Callable[[str], dict[str, Any]]) -> None:
    about = as_json("serve gomocup --game gomoku")
    assert (about["protocol"], about["game"]) == ("gomocup", "gomoku")


def test_five_in_a_row_alone(run: Run) -> None:
    status, out, err = run("serve gomocup")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "othello is no game of so many stones in a row" in err


def test_games_are_imported_and_exported_as_psq(run: Run) -> None:
    assert run("selfplay --game gomoku --depth 1 --games 3 --evaluator classic --out data")[0] == 0
    assert run("dataset export data --format psq --out games.psq")[0] == 0
    status, out, err = run("dataset import games.psq --game gomoku --out again")
    assert status == 0 and "3" in out + err
