"""Files of solved endings: a line that names the game, then the table as bytes.

A game with a solver names its module in `Defaults.endings_in`. The module has:

    PIECES, MOST_PIECES     how many pieces are solved by default, and at most
    solve(pieces, say)      the tables; `say` is told how far it is
    count(tables)           how many positions they hold
    array_of(tables)        the array that a file holds
    tables_of(content)      the tables of its bytes; None where they are cut off or altered
    with_endings(evaluator, tables)   an evaluator that knows them
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from samuel.errors import UserError
from samuel.files import read_bytes, whole
from samuel.games.interface import Game


def solver_of(game: Game) -> Any:
    """Return the module that solves endings of a game.

    Raises
    ------
    UserError
        There is none.
    """
    if not game.defaults.endings_in:
        raise UserError(f"{game.name} has no solver for endings; backgammon and checkers have one")
    return importlib.import_module(game.defaults.endings_in)


def _first_line(game: Game) -> bytes:
    return f"samuel: endings of {game.name}, 1\n".encode()


def save_endings(path: Path | str, game: Game, tables: Any) -> None:
    """Write tables of a game to a file.

    Raises
    ------
    UserError
        It cannot be written; nothing is left behind.
    """
    with whole(path) as partial, open(partial, "wb") as file:
        file.write(_first_line(game))
        file.write(solver_of(game).array_of(tables).tobytes())


def load_endings(path: Path | str, game: Game) -> Any:
    """Return the tables of a file.

    Raises
    ------
    UserError
        There is no file, it holds no endings of the game, or it is cut off or altered.
    """
    content, first = read_bytes(path), _first_line(game)
    if not content.startswith(first):
        raise UserError(
            f"{path} is not a file of {game.name} endings; samuel models endings makes one"
        )
    tables = solver_of(game).tables_of(content[len(first) :])
    if tables is None:
        raise UserError(f"{path} is cut off or altered; make it again with samuel models endings")
    return tables
