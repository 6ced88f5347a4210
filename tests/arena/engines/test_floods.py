"""Engines that write without end, or never read: each wait ends at its deadline."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

import pytest

from samuel.arena.engine_pool import open_engine
from samuel.arena.engines.process import EngineError, EngineProcess, EngineTimeout
from samuel.common.errors import UserError
from samuel.games import Position, game_named
from tests.arena.engines.helpers import choose, script
from tests.processes import TIMEOUT, eventually
from tests.rarely import rarely

# Answers until PHASE (start, go, quit), and from then on writes a line again and again.
_FLOOD = """
import os, sys
protocol, phase, line = sys.argv[1:]
block = (line + "\\n").encode() * (60_000 // len(line))
def say(text):
    os.write(1, text.encode())
for line in sys.stdin:
    words = line.split()
    number = words.pop(0) + " " if words[0].isdigit() else ""
    first = words[0]
    asked = {"start": True, "quit": first in ("quit", "END"),
        "go": first in ("go", "genmove", "BEGIN", "hint")}
    while asked[phase]:
        os.write(1, block)
    if protocol == "gtp":
        told = {"protocol_version": "2", "list_commands": "genmove"}.get(first, "x")
        say(f"={number}{told}\\n\\n")
    say({protocol: protocol + "ok\\n", "isready": "readyok\\n", "ABOUT": 'name="x"\\n',
        "START": "OK\\n", "ping": "pong " + words[-1] + "\\n"}.get(first, ""))
    if words[:4] == ["set", "player", "0", "name"]:
        say(f"GNU Backgammon 1.07\\nPlayer 0 is now known as `{words[4]}'.\\n")
"""
GAMES = {
    "gtp": "othello",
    "nboard": "othello",
    "gnubg": "backgammon",
    "gomocup": "gomoku",
    "uci": "chess",
    "ucci": "xiangqi",
}
LATEST = 0.4


def is_soon(began: float) -> bool:
    """Return whether it is no more than a second after the deadline, or some on a busy machine."""
    return time.monotonic() - began < LATEST + TIMEOUT / 3


@pytest.mark.parametrize(
    ("protocol", "phase"),
    [
        *((one, "go") if one in ("gtp", "uci") else rarely(one, "go") for one in GAMES),
        ("uci", "quit"),
    ],
)
def test_a_flood_ends_at_the_deadline(tmp_path: Path, protocol: str, phase: str) -> None:
    game = game_named(GAMES[protocol])
    position = (
        Position.parse("4HPwATDgc/ABMA X 31", game) if protocol == "gnubg" else Position.start(game)
    )
    with open_engine(f"{protocol}:{script(tmp_path, _FLOOD, protocol, phase, 'x')}") as engine:
        engine.begin(position)
        game.moves_in(engine.position.row)
        began = time.monotonic()
        if phase == "go":
            with pytest.raises(EngineError):
                choose(engine, depth=1, timeout=LATEST)
            assert not engine.is_alive
    assert is_soon(began) and not engine.is_alive


def test_what_is_not_read_ends_at_the_deadline(tmp_path: Path) -> None:
    process = EngineProcess(f"{sys.executable} -c 'while True: print(7)'")
    began = time.monotonic()
    process.deadline = began + LATEST
    with pytest.raises(EngineTimeout, match=r"did not read 'xxx.*' in time"):
        process.send("x" * (1 << 20))  # more than a pipe holds
    assert is_soon(began) and not process.is_alive


def test_of_what_nobody_reads_the_last_characters_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samuel.arena.engines.process._MOST_WAITING", 1000)
    written = "for k in range(100): print(f'{k:100}')"
    process = EngineProcess(script(tmp_path, f"{written}\nprint()"))
    assert eventually(lambda: not process.is_alive)
    assert [process.receive(math.inf).strip() for _ in range(6)] == [*map(str, range(95, 100)), ""]
    process.end()


@pytest.mark.parametrize("protocol", ["gtp", "gnubg"])
def test_an_answer_has_an_end(tmp_path: Path, protocol: str) -> None:
    """Answers that are kept until they end are refused when they are too long."""
    command = script(tmp_path, _FLOOD, protocol, "start", "= 2 " + 1000 * "x")
    with pytest.raises(UserError, match="writes without end"):
        open_engine(f"{protocol}:{command}")
