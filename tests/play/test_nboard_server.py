"""Scripted sessions with the NBoard server."""

import io
import re
import threading
import time

import pytest

from samuel.games import game_named
from samuel.games.position import Position
from samuel.play.engine import EnginePlayer
from samuel.play.servers.conversation import converse
from samuel.play.servers.nboard import NBoardServer
from tests.arena.engines.helpers import PASSING
from tests.processes import TIMEOUT, eventually

# The example of the protocol's description.
GAME = (
    "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]"
    "BO[8 ---------------------------O*------*O--------------------------- *]"
    "B[F5]W[F6]B[D3/1.2/3.4]W[C5//5]B[E6]W[F7]B[E7]W[F4];)"
)


def serve(**options) -> NBoardServer:
    return NBoardServer(EnginePlayer("classic", game_named("othello"), **({"depth": 2} | options)))


def say(server: NBoardServer, *lines: str) -> list[str]:
    return [answer for line in lines for answer in server.answer(line)]


def test_the_session_of_the_description():
    server = serve()
    assert say(server, "nboard 2") == ["set myname samuel2"]
    assert say(server, f"set game {GAME}") == []
    assert server.position == Position.from_transcript("f5f6d3c5e6f7e7f4")
    assert say(server, "set depth 6", "ping 1") == ["set myname samuel6", "pong 1"]
    *thinking, stats, answer = say(server, "go")
    assert thinking[0].startswith("status ") and re.fullmatch(r"nodestats \d+ [\d.]+", stats)
    move, score, seconds = re.fullmatch(r"=== ([A-H][1-8])/(\S+)/(\S+)", answer).groups()
    assert move.lower() in server.position.legal_moves()
    assert -64 <= float(score) <= 64 and float(seconds) >= 0
    # it waits to be told
    assert server.position == Position.from_transcript("f5f6d3c5e6f7e7f4")
    assert say(server, f"move {move}/-0.5/1.2") == []
    assert server.position == Position.from_transcript("f5f6d3c5e6f7e7f4" + move)


def test_hints():
    server = serve(depth=6)
    say(server, f"set game {GAME}")
    lines = [line.split() for line in say(server, "hint 3")]
    hints = [line for line in lines if line[0] == "search"]
    assert [hint[4] for hint in hints] == ["4"] * 3 + ["6"] * 3
    last = hints[3:]
    assert len({hint[1][:2] for hint in last}) == 3 and all(hint[3] == "0" for hint in last)
    scores = [float(hint[2]) for hint in last]
    assert scores == sorted(scores, reverse=True)
    assert lines[-1] == ["status"]
    assert len([line for line in say(server, "hint 1") if line.startswith("search")]) == 2


def test_passes():
    server = serve()
    moves = "".join(f"{'BW'[k % 2]}[{move}]" for k, move in enumerate(PASSING.split()))
    say(server, f"set game (;GM[Othello]{moves};)")
    assert say(server, "go")[-1] == "=== PA"
    say(server, "move PA")
    assert server.position == Position.from_transcript(PASSING + " pass")
    say(server, f"set game (;GM[Othello]{moves};)", "move A3")  # the pass left out
    assert server.position == Position.from_transcript(PASSING + " pass a3")
    say(server, f"set game (;GM[Othello]{moves}B[PA]W[A3];)")
    assert server.position == Position.from_transcript(PASSING + " pass a3")


def test_what_is_not_known_or_wrong_changes_nothing():
    server = serve()
    say(server, f"set game {GAME}")
    before = server.position
    assert say(server, "set contempt 20", "set clock 5", "dance", "", "learn") == ["learned"]
    for line in ("hint many", "set depth x", "set depth 0"):
        (said,) = say(server, line)
        assert said.startswith("status "), line
    assert server.position == before
    say(server, "D6")  # as NBoard 1.1 tells a move
    assert server.position == before.play("d6")
    assert say(server, "quit") == [] and server.is_over


@pytest.mark.parametrize(
    "line",
    [
        *("move A1", "A1", "move hello", "set game (;GM[Go];)", "set game nonsense"),
        "set game (;GM[Othello]B[A1];)",
    ],
)
def test_where_a_position_is_refused_the_one_before_is_not_played(line):
    server = serve()
    say(server, f"set game {GAME}")
    (said,) = say(server, line)
    assert said.startswith("status ")
    for asked in ("go", "hint 1", "analyze", "move D3"):
        assert say(server, asked)[-1].startswith("status no position")
    say(server, f"set game {GAME}")
    assert say(server, "go")[-1].startswith("===")


class Pipe(io.StringIO):
    """Lines that come when they are written, as through a pipe."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []
        self._news = threading.Condition()

    def put(self, line: str) -> None:
        with self._news:
            self._lines.append(line)
            self._news.notify_all()

    def readline(self, size: int | None = -1, /) -> str:
        with self._news:
            while not self._lines:
                self._news.wait()
            return self._lines.pop(0)


def test_ping_stops_a_long_search():
    server = serve(depth=40)
    server._engine.warm_up()
    lines, answers = Pipe(), io.StringIO()
    talk = threading.Thread(target=converse, args=(server, lines, answers))
    talk.start()
    for line in (f"set game {GAME}\n", "hint 2\n", "go\n"):
        lines.put(line)
    time.sleep(0.3)  # into the search; a "ping" that comes before it stops it, too
    assert "pong" not in answers.getvalue() and "===" not in answers.getvalue()
    lines.put("ping 5\n")
    assert eventually(lambda: "pong 5\n" in answers.getvalue())
    said = answers.getvalue().splitlines()
    assert said[-1] == "pong 5" and said[-2].startswith("=== ")
    lines.put("go\n")
    time.sleep(0.1)
    lines.put("quit\n")
    talk.join(TIMEOUT)
    assert not talk.is_alive()
