"""`samuel serve uci`: a session over the standard streams."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.cli.conftest import Run


def test_a_session(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "ucci\nisready\nposition startpos\ngo depth 1\nquit\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    status, out, err = run("serve uci --game xiangqi --depth 2")
    assert (status, err) == (0, "")
    assert "ucciok" in out and out.splitlines()[-1] == "bye"


def test_json_describes(as_json: Callable[[str], dict[str, Any]]) -> None:
    about = as_json("serve uci --game xiangqi")
    assert (about["protocol"], about["game"]) == ("uci", "xiangqi")


def test_chinese_chess_alone(run: Run) -> None:
    status, out, err = run("serve uci")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "play xiangqi here, not othello" in err
