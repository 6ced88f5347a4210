"""`samuel serve`: sessions over the standard streams."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run


def test_a_session_of_gtp(run: Run) -> None:
    lines = "1 name", "# a remark", "play b f5", "play b a1", "2 quit", "name"
    out = run.quiet("serve gtp --depth 1", *lines)
    assert out == "=1 samuel (learned)\n\n=\n\n? illegal move: it is white's turn\n\n=2\n\n"


def test_the_end_of_the_lines_is_the_end(run: Run) -> None:
    out = run.done("serve gtp --evaluator wpc --level 3", "genmove black")
    assert out in {f"= {move}\n\n" for move in ("D3", "C4", "F5", "E6")}


def test_a_session_of_nboard(run: Run) -> None:
    lines = "nboard 2", "ping 7", "set game (;GM[Othello]B[F5]W[F6];)", "go"
    said = run.quiet("serve nboard --depth 2", *lines).splitlines()
    assert said[:3] == ["set myname samuel2", "pong 7", "status thinking"]
    assert said[-1].startswith("=== ")


@pytest.mark.slow
def test_a_session_of_gomocup(run: Run) -> None:
    lines = "ABOUT", "START 15", "BEGIN", "END", "BEGIN"
    name, *rest = run.quiet("serve gomocup --game gomoku --depth 2", *lines).splitlines()
    assert name.startswith('name="samuel (learned)"') and rest == ["OK", "7,7"]
