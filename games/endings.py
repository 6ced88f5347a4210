"""Files of solved endings: a line that names the game, then the table as bytes.

A game with a solver names its module in `Defaults.endings_in`. The module has:

    PIECES, MOST_PIECES     how many pieces are solved by default, and at most
    solve(pieces, say)      the table; `say` is told how far it is
    count(table)            how many positions a table holds
    save, load              a table as a file
    with_endings            an evaluator that knows a table
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.files import read_bytes, whole


def _first_line(game: str) -> bytes:
    return f"samuel: endings of {game}, 1\n".encode()


def save_endings(path: Path | str, game: str, table: NDArray[Any]) -> None:
    """Write the table of a game to a file.

    Raises
    ------
    UserError
        It cannot be written; nothing is left behind.
    """
    with whole(path) as partial, open(partial, "wb") as file:
        file.write(_first_line(game))
        file.write(table.tobytes())


def read_endings(path: Path | str, game: str) -> bytes:
    """Return the table of a file as bytes.

    Raises
    ------
    UserError
        There is no file, or it holds no endings of the game.
    """
    content, first = read_bytes(path), _first_line(game)
    if not content.startswith(first):
        raise UserError(f"{path} is not a file of {game} endings; samuel models endings makes one")
    return content[len(first) :]


def damaged(path: Path | str) -> UserError:
    """Return the error for a file whose table is not whole."""
    return UserError(f"{path} is cut off or altered; make it again with samuel models endings")
