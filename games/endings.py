"""Files of solved endings: a line that names the game, then the table as bytes.

A game with a solver names its module in `Defaults.endings_in`. The module has:

    PIECES, MOST_PIECES     default and largest number of pieces
    solve(pieces, say)      tables; `say` is called with a description of the step
    count(tables)           number of positions
    array_of(tables)        array for a file
    tables_of(content)      tables of the bytes in a file; None if these are cut off or altered
    with_endings(evaluator, tables)   evaluator that knows the tables
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from samuel.common.errors import UserError
from samuel.common.files import read_bytes, whole
from samuel.games.interface import Game


def solver_of(game: Game) -> Any:
    """Return the module that solves endings of a game.

    Raises
    ------
    UserError
        The game has no solver.
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
        The file cannot be written; nothing is left behind.
    """
    with whole(path) as partial, open(partial, "wb") as file:
        file.write(_first_line(game))
        file.write(solver_of(game).array_of(tables).tobytes())


def load_endings(path: Path | str, game: Game) -> Any:
    """Return the tables of a file.

    Raises
    ------
    UserError
        The file is missing, holds no endings of the game, or is cut off or altered.
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
