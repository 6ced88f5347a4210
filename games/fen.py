"""The first field of a FEN: the pieces of a board, row by row from the top."""

from __future__ import annotations

import re
import reprlib

from samuel.common.errors import UserError
from samuel.games.board import EMPTY


def signs_of(placement: str, rows: int, columns: int, pieces: str) -> str:
    """Return the sign of each square; `pieces` are the letters of the first player."""
    found = placement.split("/")
    if len(found) != rows:
        raise UserError(f"a position must have {rows} rows with / between them (got {len(found)})")
    known = set(pieces + pieces.lower() + "123456789")
    signs = [re.sub("[1-9]", lambda digit: EMPTY * int(digit[0]), row) for row in found]
    for row, read in zip(found, signs, strict=True):
        if len(read) != columns or not set(row) <= known:
            raise UserError(
                f"{reprlib.repr(row)} is not a row of {columns} squares: pieces are "
                f"{' '.join(pieces)}, or small letters for the other side, and a digit is a number "
                "of empty squares"
            )
    return "".join(signs)


def placement_of(signs: str, columns: int) -> str:
    """Return the field, runs of empty squares as their number."""
    rows = (signs[k : k + columns] for k in range(0, len(signs), columns))
    return "/".join(re.sub(f"{EMPTY}+", lambda run: str(len(run[0])), row) for row in rows)
