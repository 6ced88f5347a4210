"""Positions in CSV files, whose columns the first line names."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.csv

from samuel.common.errors import UserError, one_line, unknown
from samuel.common.text_files import open_text
from samuel.games.game import Game
from samuel.selfplay.data.positions.columns import Columns, counts_in, numbers_in, results_in

_LONGEST_HEADER, _LONGEST_NAME = 1 << 14, 40
"""Bytes of the first line of a CSV file, and characters of a column's name in a message."""
GUESSES = {
    "position": ("position", "fen", "epd", "board"),
    "score": ("score", "eval", "evaluation", "cp", "centipawns"),
    "result": ("result", "wdl", "outcome", "game_result"),
    "move": ("move", "best_move", "bestmove", "best"),
    "ply": ("ply",),
    "game": ("game", "game_id", "game_number"),
}
"""Names of columns of a CSV file that are taken for each field, in lower case."""
_OWN = {"position", "side", "score", "outcome", "game_id", "ply", "move"}
"""Columns of the CSV files that datasets are exported to."""


def csv_columns(header: Sequence[str], named: Mapping[str, str], path: Path) -> dict[str, str]:
    """Return for each field that a CSV file has the name of its column, as named or guessed."""
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
    if "position" not in found:
        names = ", ".join(one[:_LONGEST_NAME] for one in header[:8])
        raise UserError(
            f"{path.name} has no column of positions among {names}; name it: "
            "--columns position=NAME"
        )
    for column in found.values():
        if header.count(column) > 1:
            raise UserError(f"{path.name} has {header.count(column)} columns called {column!r}")
    return found


def _read_header(stream: IO[bytes], path: Path) -> list[str]:
    line = stream.readline(_LONGEST_HEADER)
    if len(line) == _LONGEST_HEADER:
        raise UserError(
            f"{path} is not a CSV file (its first line has more than {_LONGEST_HEADER:,} bytes)"
        )
    try:
        return [name.strip() for name in next(csv.reader([line.decode().strip()]), [])]
    except (csv.Error, UnicodeDecodeError):  # a character is cut off
        raise UserError(
            f"{path} is not a CSV file (its first line does not name columns)"
        ) from None


def read_csv(path: Path, game: Game, named: Mapping[str, str]) -> Iterator[Columns]:
    """Yield what the rows of a CSV file tell; `named` has names of columns by field."""
    with open_text(path) as stream:
        header = _read_header(stream, path)
        columns = csv_columns(header, named, path)
        if stream.peek(1):  # type: ignore[attr-defined]
            yield from _csv_rows(stream, header, columns, named, path, game)


def _csv_rows(
    stream: IO[bytes],
    header: list[str],
    columns: Mapping[str, str],
    named: Mapping[str, str],
    path: Path,
    game: Game,
) -> Iterator[Columns]:
    """Yield what the rows behind the header of a CSV file tell."""
    is_own = not named and set(header) >= _OWN
    places = {name: str(header.index(column)) for name, column in columns.items()}
    if is_own:
        places["outcome"] = str(header.index("outcome"))
    texts = {place: pa.string() for place in places.values()}
    convert = pa.csv.ConvertOptions(include_columns=list(texts), column_types=texts)
    skipped: list[int] = []

    def skip(row: pa.csv.InvalidRow) -> str:
        skipped.append(1 + (row.number or 0))
        return "skip"

    parse = pa.csv.ParseOptions(invalid_row_handler=skip)
    names = [str(k) for k in range(len(header))]
    reading = pa.csv.ReadOptions(block_size=1 << 24, column_names=names, use_threads=False)
    number = 2
    try:
        for batch in pa.csv.open_csv(stream, reading, parse, convert):
            by_field = {name: batch.column(place) for name, place in places.items()}
            lines = np.arange(number, number + len(batch) + len(skipped))
            lines = np.setdiff1d(lines, skipped)[: len(batch)]
            score, result, ply = (by_field.get(name) for name in ("score", "result", "ply"))
            yield Columns(
                by_field["position"],
                lines,
                None if score is None else numbers_in(score),
                None if result is None or is_own else results_in(result, lines, path, game),
                numbers_in(by_field["outcome"]) if is_own else None,
                move=by_field.get("move"),
                ply=None if ply is None else counts_in(ply),
                game=by_field.get("game"),
                is_own=is_own,
            )
            number = int(lines[-1]) + 1 if len(lines) else number
        if skipped:
            nothing = pa.nulls(len(skipped), pa.string())
            yield Columns(nothing, np.array(skipped, np.int64))
    except pa.ArrowException as error:
        raise UserError(f"{path} is not a CSV file ({one_line(error)[:80]})") from None
