"""GTP in front of the checkers program that the package index has under the name `samuel`.

    build/engines/bin/python -I benchmarks/checkers_program.py --depth 8 --no-book

It runs with the interpreter of that program's own environment, by `-I`: the program's import name
is this project's, so nothing of this project may be imported here, nor its graphical part there.
What it searches with is a C++ module with one game in it, which is loaded by its path. Written for
version 0.1.9; it deepens by two plies at a time, so that odd depths from 5 on are searched one ply
deeper, keeps its table from game to game, and chooses among the moves of its book at random. Its
limit of time is of processor time, which this file sets in fractions of a second (`move_time`).
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import itertools
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SIDES = {"black": 1, "b": 1, "white": 2, "w": 2}
"""As the module numbers the sides; Black moves first."""
BOTH = 3
"""The bits of a piece that say whose it is; less a side the other side."""
USER_LEVEL, DEEPEST, LONGEST = 3, 52, 86_400
"""The level whose depth and seconds are told, and their most."""
LEGAL, PATH = 50, slice(52, 62)
"""Places in its list: legality of the last move, and the squares of its own move."""
PLACES = [5 + 4 * row + (row + 1) // 2 + 3 - k for row in range(8) for k in range(4)]
"""Places of the squares 1 to 32 on its board."""
LONGEST_STEP = 5
"""Between two of those."""


def loaded(*, has_book: bool, has_endings: bool) -> Any:
    """Return the module, set up; what it says of its files goes to standard error.

    Raises
    ------
    FileNotFoundError
        This interpreter's environment has no such program.
    """
    found = sorted(Path(sys.prefix).glob("lib*/python*/site-packages/samuel/engine*.so"))
    data = Path(sys.prefix) / "share" / "samuel" / "data"
    spec = importlib.util.spec_from_file_location("engine", found[0]) if found else None
    if spec is None or spec.loader is None or not (data / "4pc.cdb").exists():
        raise FileNotFoundError(f"{sys.prefix} does not have the checkers program 'samuel'")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    book = data / "opening.gbk" if has_book else data / "none"
    endings = [data / (f"{n}pc.cdb" if has_endings else "none") for n in (2, 3, 4)]
    module.init(*map(str, (book, *endings)))
    return module


def its_seconds(module: Any) -> ctypes.c_float:
    """Return the module's own limit of processor time, which its functions set in whole seconds."""
    return ctypes.c_float.in_dll(ctypes.CDLL(module.__file__), "fMaxSeconds")


class Program:
    """The program as a GTP engine; a command is a method whose arguments are its words."""

    def __init__(self, module: Any, depth: int, limit: ctypes.c_float | None = None) -> None:
        self._module, self._depth, self._seconds = module, depth, float(LONGEST)
        self._limit = ctypes.c_float() if limit is None else limit
        self._board: list[int] = module.newgame()
        self._commands: dict[str, Callable[..., str]] = {
            "protocol_version": lambda: "2",
            "name": lambda: "Samuel (checkers)",
            "version": lambda: "0.1.9",
            "list_commands": lambda: "\n".join(self._commands),
            "list_games": lambda: "Checkers",
            "set_game": self._set_game,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "play": self._play,
            "genmove": self._genmove,
            "set_depth": self._set_depth,
            "time_settings": self._time_settings,
            "move_time": self._move_time,
            "quit": lambda: "",
        }

    def answer(self, words: Sequence[str]) -> str:
        """Return the answer to a command, the empty line at its end included."""
        try:
            said = self._commands[words[0]](*words[1:])
        except (LookupError, TypeError, ValueError) as error:
            return f"? cannot {' '.join(words)}: {error}\n\n"
        return f"= {said}\n\n"

    def _set_game(self, name: str) -> str:
        if name != "Checkers":
            raise ValueError("it plays Checkers")
        return ""

    def _boardsize(self, size: str) -> str:
        if size != "8":
            raise ValueError("its board has 8 rows")
        return ""

    def _clear_board(self) -> str:
        self._board = self._module.newgame()
        return ""

    def _set_depth(self, depth: str) -> str:
        self._depth = min(DEEPEST, max(1, int(depth)))
        return ""

    def _time_settings(self, main: str, seconds: str, moves: str) -> str:
        if int(main) or int(moves) != 1:
            raise ValueError("it takes seconds a move")
        return self._move_time(str(max(1, int(seconds))))

    def _move_time(self, seconds: str) -> str:
        """Take a limit a move in fractions of a second, which GTP itself does not have."""
        limit = float(seconds)
        if not 0 < limit <= LONGEST:
            raise ValueError(f"it takes up to {LONGEST} seconds")
        self._seconds, self._depth = limit, DEEPEST
        return ""

    def _play(self, colour: str, move: str) -> str:
        """Make a move, with every square of it given."""
        self._module.setcomputercolour(BOTH - SIDES[colour.lower()])
        squares = [PLACES[int(text) - 1] for text in move.lower().replace("x", "-").split("-")]
        for origin, target in itertools.pairwise(squares):
            self._board = self._module.hmove(origin, target)
            if not self._board[LEGAL]:
                raise ValueError("illegal move")
        return ""

    def _genmove(self, colour: str) -> str:
        side = SIDES[colour.lower()]
        before = self._board
        self._module.setlevel(USER_LEVEL, self._depth, LONGEST)
        self._limit.value = self._seconds
        self._module.setcomputercolour(side)
        self._board = self._module.cmove(str(side))
        places = [place for place in self._board[PATH] if place]
        if not places:  # they are of a jump of several alone
            changed = [place for place in PLACES if before[place] != self._board[place]]
            left = [place for place in changed if before[place] & BOTH == side]
            places = left + [place for place in changed if self._board[place] & BOTH == side]
        if len(places) < 2:
            return "resign"
        is_jump = abs(places[0] - places[1]) > LONGEST_STEP
        return ("x" if is_jump else "-").join(str(PLACES.index(place) + 1) for place in places)


def main() -> None:
    """Answer commands until standard input ends."""
    parser = argparse.ArgumentParser(description="The checkers program 'samuel' as a GTP engine.")
    parser.add_argument("--depth", type=int, default=8, help="plies, where no limit is told")
    parser.add_argument("--no-book", action="store_true", help="without its opening book")
    parser.add_argument("--no-endings", action="store_true", help="without its endgame databases")
    options = parser.parse_args()
    # What the module prints must not come between answers.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        try:
            module = loaded(has_book=not options.no_book, has_endings=not options.no_endings)
        except FileNotFoundError as error:
            sys.exit(str(error))
        program = Program(module, options.depth, its_seconds(module))
        for line in sys.stdin:
            words = line.split()
            if words:
                print(program.answer(words), end="", file=answers, flush=True)
            if words[:1] == ["quit"]:
                break


if __name__ == "__main__":
    main()
