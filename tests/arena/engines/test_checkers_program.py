"""The checkers program of the package index behind GTP: the adapter, and the program itself."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from benchmarks.checkers_program import LEGAL, PATH, PLACES, Program
from samuel.arena.engine_pool import open_engine
from samuel.arena.match import match
from samuel.games import game_named
from samuel.games.position import Position
from samuel.search.limits import Limits
from tests.arena.engines.helpers import checkers_program, choose

GAME = game_named("checkers")
COMMAND = checkers_program()
needs_program = pytest.mark.skipif(COMMAND is None, reason="make engines was not run")


class Scripted:
    """Stands for its module: knows one move of its own, and of others' only steps of one row."""

    def __init__(self, path: list[int], left: list[int], come: list[int]) -> None:
        self.told: list[Any] = []
        self._path, self._left, self._come = path, left, come

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.told.append((name, *arguments))

    def newgame(self) -> list[int]:
        board = [0] * 62
        for square in self._left:
            board[PLACES[square - 1]] = 1
        return board

    def hmove(self, origin: int, target: int) -> list[int]:
        board = self.newgame()
        board[LEGAL] = int(abs(target - origin) <= 5)
        return board

    def cmove(self, side: str) -> list[int]:
        board = self.newgame()
        for square in self._left:
            board[PLACES[square - 1]] = 0
        for square in self._come:
            board[PLACES[square - 1]] = int(side)
        board[PATH] = [PLACES[n - 1] for n in self._path] + [0] * (10 - len(self._path))
        return board


@pytest.mark.parametrize(
    ("path", "left", "come", "move"),
    [
        ([], [11], [15], "11-15"),
        ([], [11], [18], "11x18"),
        ([7, 16, 23], [7], [23], "7x16x23"),
        ([7, 16, 23, 14, 7], [7], [7], "7x16x23x14x7"),
        ([], [], [], "resign"),
    ],
)
def test_its_moves_are_read(path: list[int], left: list[int], come: list[int], move: str) -> None:
    program = Program(Scripted(path, left, come), 6)
    assert program.answer(["genmove", "black"]) == f"= {move}\n\n"


def test_limits_it_is_told() -> None:
    module, limit = Scripted([], [11], [15]), ctypes.c_float()
    program, told = Program(module, 6, limit), []
    for command in ("set_depth 6", "set_depth 9", "time_settings 0 3 1", "move_time 0.25"):
        assert program.answer(command.split())[0] == "="
        assert program.answer(["genmove", "b"])[0] == "="
        told.append((module.told[-2][2], limit.value))
    assert told == [(6, 86_400), (9, 86_400), (52, 3), (52, 0.25)]


@pytest.mark.parametrize(
    "command",
    [
        *("play black 11-22", "play black 44-3", "play red 11-15", "play black"),
        *("set_game Othello", "boardsize 10", "time_settings 60 0 0", "set_depth deep", "hello"),
        *("move_time 0", "move_time nan", "move_time soon", "move_time"),
    ],
)
def test_what_it_refuses(command: str) -> None:
    said = Program(Scripted([], [11], [15]), 6).answer(command.split())
    assert said.startswith(f"? cannot {command}") and said.endswith("\n\n")


@needs_program
def test_the_program_moves() -> None:
    with open_engine(f"gtp:{COMMAND}") as engine:
        engine.begin(Position.start(GAME))
        assert engine.name == "Samuel (checkers)"
        for text in ("11-15", "22-18", "15x22"):
            engine.see(GAME.notation.read_move(text))
        jumps = [GAME.notation.read_move(text) for text in ("25x18", "26x17")]
        assert choose(engine, depth=4) in jumps


@needs_program
@pytest.mark.slow
def test_whole_games_against_the_program() -> None:
    """Of openings at random, without an illegal move on either side."""
    played = match("classic", f"gtp:{COMMAND}", game=GAME, limits=Limits(3), pairs=4)
    assert played.faults == ({}, {}) and played.results.shape == (4, 2)
