"""`samuel serve nboard`: a session over the standard streams."""

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
        "serve nboard --depth 2", "nboard 2", "ping 7", "set game (;GM[Othello]B[F5]W[F6];)", "go"
    )
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[:3] == ["set myname samuel2", "pong 7", "status thinking"]
    assert lines[-1].startswith("=== ")


def test_json_describes(as_json):
    about = as_json("serve nboard")
    assert (about["protocol"], about["evaluator"]) == ("nboard", "learned")


def test_othello_alone(run):
    status, out, err = run("serve nboard --game connect_four")
    assert (status, out) == (1, "") and "Othello" in err and err.count("\n") == 1
