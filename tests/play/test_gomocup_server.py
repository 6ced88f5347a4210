"""Scripted sessions with the brain of Gomocup."""

from __future__ import annotations

import re

import pytest

from samuel.games import game_named
from samuel.play.engine import EnginePlayer
from samuel.play.servers.gomocup import GomocupServer


def serve(game: str = "gomoku") -> GomocupServer:
    return GomocupServer(EnginePlayer("classic", game_named(game), depth=2))


def say(server: GomocupServer, *lines: str) -> list[str]:
    return [answer for line in lines for answer in server.answer(line)]


@pytest.mark.slow
def test_a_game_from_the_empty_board() -> None:
    server = serve()
    assert say(server, "ABOUT")[0].startswith('name="samuel (classic)", version="')
    assert say(server, "START 15", "INFO timeout_turn 5000", "INFO evaluate 3,4") == ["OK"]
    assert say(server, "BEGIN") == ["7,7"]
    (move,) = say(server, "TURN 8,8")
    assert re.fullmatch(r"\d+,\d+", move) and move not in ("7,7", "8,8")
    assert say(server, f"TAKEBACK {move}", "TAKEBACK 8,8") == ["OK", "OK"]
    assert say(server, "TURN 8,8") == [move]
    assert say(server, "TAKEBACK 8,8") == ["ERROR only the last move can be taken back"]
    assert say(server, "RESTART", "BEGIN") == ["OK", "7,7"]
    assert say(server, "END") == [] and server.is_over


def test_a_board_that_is_shown() -> None:
    server = serve()
    board = ["BOARD", "3,12,2", "3,10,1", "4,12,2", "5,10,1", "5,12,2", "7,10,1", "6,12,2"]
    assert say(server, "START 15", *board, "DONE")[1] in ("2,12", "7,12")
    board = ["BOARD", "3,12,1", "3,10,2", "4,12,1", "5,10,2", "5,12,1", "7,10,2", "6,12,1", "9,9,2"]
    assert say(server, "BOARD", "7,7,3", "DONE")[0].startswith("ERROR")
    (move,) = say(server, *board, "DONE")
    assert move in ("2,12", "7,12")
    assert say(server, "TURN 0,0")[0].startswith("ERROR")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["TURN 7,7"], "ERROR no board yet: send START first"),
        (["START 100"], "ERROR the number of columns"),
        (["START x"], "ERROR 'x,x' is not a board size"),
        (["START 15", "TURN 15,0"], "ERROR 15,0 is not a square"),
        (["START 15", "TURN here"], "ERROR 'here' is not a square"),
        (["START 15", "BOARD", "7,7,1", "DONE"], "ERROR X has 1 stones and O 0|ERROR X has 0"),
        (["START 15", "BOARD", "7,7,3", "DONE"], "ERROR '7,7,3' is not a stone"),
        (["START 15", "BOARD", "7,7,1", "7,7,2", "DONE"], "ERROR two stones on one square"),
        (["SWAP2BOARD"], "UNKNOWN 'SWAP2BOARD'"),
    ],
)
def test_what_is_wrong_is_said(lines: list[str], why: str) -> None:
    assert re.match(why, say(serve(), *lines)[-1])
