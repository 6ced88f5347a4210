"""`samuel serve gtp`: a session over the standard streams."""

import io
import sys

import pytest


@pytest.fixture
def session(run, monkeypatch):
    """Return a function that runs a command with these lines to read."""

    def session(command, *lines):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return run(command)

    return session


def test_a_session(session):
    status, out, err = session(
        "serve gtp --depth 1", "1 name", "# a remark", "play b f5", "play b a1", "2 quit", "name"
    )
    assert (status, err) == (0, "")
    assert out == "=1 samuel (learned)\n\n=\n\n? illegal move: it is white's turn\n\n=2\n\n"


def test_the_end_of_the_lines_is_the_end(session):
    status, out, _ = session("serve gtp --evaluator wpc --level 3", "genmove black")
    assert status == 0 and out in {f"= {move}\n\n" for move in ("D3", "C4", "F5", "E6")}


def test_json_describes(as_json):
    about = as_json("serve gtp --evaluator wpc")
    assert (about["protocol"], about["evaluator"], about["game"]) == ("gtp", "wpc", "othello")
    assert len(about["levels"]) == 12 and "genmove" in about["commands"]


@pytest.mark.parametrize("options", ["--evaluator nobody", "--depth 3 --level 4"])
def test_wrong_options_end_in_one_line(run, options):
    status, out, err = run(f"serve gtp {options}")
    assert (status, out) == (1, "") and err.startswith("samuel: ") and err.count("\n") == 1
