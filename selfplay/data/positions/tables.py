"""Tables of positions (CSV, Parquet, JSON): which column is what, and the numbers in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samuel.common.errors import UserError, unknown
from samuel.games.game import Game
from samuel.selfplay.data.positions.columns import (
    Columns,
    Numbers,
    at_least_0,
    numbers_in,
    results_in,
)

_LONGEST_NAME = 40
"""Characters of a column's name in a message."""
GUESSES = {
    "position": ("position", "fen", "epd", "board"),
    "score": ("score", "eval", "evaluation", "cp", "centipawns"),
    "mate": ("mate",),
    "depth": ("depth",),
    "result": ("result", "wdl", "outcome", "game_result"),
    "move": ("move", "best_move", "bestmove", "best"),
    "line": ("line", "pv", "best_line"),
    "ply": ("ply",),
    "game": ("game", "game_id", "game_number"),
}
"""Names of columns that are taken for each field, in lower case."""
_LABELS = ("score", "mate", "result")
"""Fields of which a table needs one."""


def columns_in(text: str) -> dict[str, str]:
    """Return the columns of a text such as position=fen,score=cp by field."""
    found = {}
    for part in filter(None, text.split(",")):
        name, equals, column = part.partition("=")
        if not equals:
            raise UserError(f"columns must be FIELD=COLUMN, joined by commas (got {part!r})")
        found[name.strip()] = column.strip()
    return found


def named_columns(header: Sequence[str], named: Mapping[str, str], path: Path) -> dict[str, str]:
    """Return for each field that a table has the name of its column, as named or guessed."""
    found = dict(named)
    for name, column in named.items():
        if name not in GUESSES:
            raise unknown("field", name, GUESSES)
        if column not in header:
            raise unknown("column", column, header, of=path.name)
    for name, guesses in GUESSES.items():
        guessed = [one for one in dict.fromkeys(header) if one.lower() in guesses]
        if name in found or not guessed:
            continue
        if len(guessed) > 1:
            raise UserError(
                f"{path.name} has {len(guessed)} columns that may be the {name}: "
                f"{', '.join(guessed)}; name one: --columns {name}={guessed[0]}"
            )
        found[name] = guessed[0]
    names = ", ".join(one[:_LONGEST_NAME] for one in header[:8])
    for field, what in (("position", "positions"), ("score", "scores or results")):
        if found.keys().isdisjoint({field} if field == "position" else _LABELS):
            said = f"{path.name} has no column of {what} among {names}; name it: "
            raise UserError(f"{said}--columns {field}=NAME" if header else f"{path} has no columns")
    for column in found.values():
        if header.count(column) > 1:
            raise UserError(f"{path.name} has {header.count(column)} columns called {column!r}")
    return found


def of_fields(
    by_field: Mapping[str, pa.Array],
    lines: NDArray[np.int64],
    path: Path,
    game: Game,
    *,
    is_own: bool = False,
    place: str = "line",
) -> Columns:
    """Return what columns by field tell, of rows (what a `place` is) with numbers `lines`."""

    def texts(field: str) -> pa.Array | None:
        try:
            return by_field[field].cast(pa.string()) if field in by_field else None
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
            raise UserError(
                f"{path.name}: the column of the {field} has the type {by_field[field].type}; "
                f"convert it to text or numbers, or name another column: --columns {field}=NAME"
            ) from None

    def numbers(field: str) -> Numbers | None:
        found = texts(field)
        return None if found is None else numbers_in(found)

    line, move, ply = texts("line"), texts("move"), numbers("ply")
    result = None if is_own else texts("result")
    if move is None and line is not None:
        move = pc.struct_field(pc.extract_regex(line, r"^\s*(?P<move>\S+)"), "move")
    return Columns(
        texts("position"),
        lines,
        numbers("score"),
        None if result is None else results_in(result, lines, path, game, place=place),
        numbers("outcome"),
        mate=numbers("mate"),
        depth=numbers("depth"),
        move=move,
        ply=None if ply is None else at_least_0(ply),
        game=texts("game"),
        is_own=is_own,
    )
