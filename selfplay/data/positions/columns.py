"""Columns of positions as the lines of a file tell them, and the numbers in texts.

Tables of positions (CSV, Parquet, JSON): which column is what, and the numbers in it.

Lines of text files as Arrow arrays, block by block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from samuel.common.errors import UserError, unknown
from samuel.common.text_files import open_text
from samuel.games.game import Game
from samuel.games.records import DASH

_BLOCK = 1 << 24
"""Bytes that are read at once."""
_LONGEST = 1 << 20
"""Bytes of the longest line; a file of a longer one is no text of positions."""


class Lines(NamedTuple):
    """Lines of a file, the first of which has a number, from 1; without their ends."""

    first: int
    texts: pa.Array


def lines_of(path: Path) -> Iterator[Lines]:
    """Yield the lines of a file in blocks."""
    number, rest = 1, b""
    with open_text(path) as stream:
        while block := stream.read(_BLOCK):
            whole, end, rest = (rest + block).rpartition(b"\n")
            if len(rest) > _LONGEST:
                raise UserError(f"{path} has a line of more than {_LONGEST:,} bytes")
            if end:
                texts = _split(whole + end)
                yield Lines(number, texts)
                number += len(texts)
    if rest:
        yield Lines(number, _split(rest + b"\n"))


def _split(block: bytes) -> pa.Array:
    """Return the lines of a block, which ends in a line feed, without blanks at their ends."""
    block = block.replace(b"\t", b" ")
    data = np.frombuffer(block, np.uint8)
    offsets = np.append(0, np.flatnonzero(data == ord("\n")) + 1).astype(np.int32)
    texts = pa.StringArray.from_buffers(
        len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(block)
    )
    return pc.ascii_trim_whitespace(texts)


_NONE = ("", "*", "-", "?", "nan", "na", "n/a", "none", "(none)", "null", "unknown")
_RESULTS = {
    **dict.fromkeys(("1-0", "w", "win", "white"), 1.0),
    **dict.fromkeys(("0-1", "b", "loss", "black"), 0.0),
    **dict.fromkeys(("1/2-1/2", "1/2", "d", "draw"), 0.5),
    **dict.fromkeys(_NONE, np.nan),
}
_NUMBER = r"^[-+]?(?:\d{1,9}(?:\.\d{0,40})?|\.\d{1,40})(?:e[-+]?\d{1,2})?$"
_FAR = 1e9


class Numbers(NamedTuple):
    """Numbers in texts."""

    values: NDArray[np.float64]  # float64 (n,), NaN where a text has none
    # bool (n,), whether a text is neither a number below 1e9 in size nor a word for none
    unclear: NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """Columns of n positions as the lines of a file tell them; None where they tell nothing."""

    # texts (n,), null where a line is not in the format; lines that do not count are left out
    position: pa.Array
    lines: NDArray[np.int64]  # int64 (n,), their numbers
    score: Numbers | None = None  # numbers (n,) as the file has them
    result: NDArray[np.float64] | None = None  # float64 (n,), from 0 (lost) to 1; NaN where unknown
    outcome: Numbers | None = None  # numbers (n,), results in the game's unit
    mate: Numbers | None = None  # numbers (n,), moves to mate instead of a score, of the same side
    depth: Numbers | None = None  # numbers (n,), plies of the search behind the score
    move: pa.Array | None = None  # texts (n,)
    ply: Numbers | None = None  # numbers (n,)
    game: pa.Array | None = None  # texts (n,), name of the position's game; null where it has none
    # whether scores and outcomes are those of a dataset: for the mover, in the game's unit
    is_own: bool = False


def numbers_in(texts: pa.Array) -> Numbers:
    """Return the numbers in texts."""
    told = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    told = pc.replace_substring_regex(told, f"^[{DASH}]", "-")
    is_number = pc.match_substring_regex(told, _NUMBER)
    plain = pc.utf8_ltrim(pc.if_else(is_number, told, None), "+")
    values = pc.cast(plain, pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
    values = np.where(np.abs(values) < _FAR, values, np.nan)
    is_none = pc.is_in(told, pa.array([*_NONE, None])).to_numpy(zero_copy_only=False)
    return Numbers(values, np.isnan(values) & ~is_none)


def at_least_0(numbers: Numbers) -> Numbers:
    """Return numbers that count something; 0 where there is none, or one below."""
    return numbers._replace(values=np.maximum(np.nan_to_num(numbers.values), 0))


def results_in(
    texts: pa.Array,
    lines: NDArray[np.int64],
    path: Path,
    game: Game,
    *,
    signed: bool = False,
    place: str = "line",
) -> NDArray[np.float64]:
    """Return results from 0 to 1 of texts; NaN where there is none."""
    coded = pc.utf8_lower(pc.utf8_trim_whitespace(texts)).dictionary_encode()
    graded = not game.scores.scale and not signed
    known = [result_of(text, signed, graded) for text in coded.dictionary.to_pylist()]
    codes = coded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    for code in (k for k, value in enumerate(known) if value is None):
        line, text = lines[int(np.argmax(codes == code))], coded.dictionary[code].as_py()
        raise UserError(f"{path}, {place} {line}: {no_result(text, signed)}")
    return np.array([*known, np.nan], np.float64)[codes]


def result_of(text: str, signed: bool = False, graded: bool = False) -> float | None:
    """Return the result of a text in lower case, NaN for an unknown one; None for another text."""
    if text in _RESULTS:
        return _RESULTS[text]
    try:
        number = float(text[:20])
    except ValueError:
        return None
    share = (number + 1) / 2 if signed else number
    return share if share in (0, 0.5, 1) or (graded and 0 <= share <= 1) else None


def no_result(text: str, signed: bool = False) -> str:
    """Return a sentence on a text that is no result, and how to convert it."""
    if signed:
        known, how = "1, 0, -1 for the side to move", "results from 0 to 1 by 2 * result - 1"
    else:
        known, how = "1, 0.5, 0 or 1-0, 1/2-1/2, 0-1", "results from -1 to 1 by (result + 1) / 2"
        if not text.startswith("-"):
            how = "others to numbers from 0 (loss) to 1 (win)"
    return f"{text[:40]!r} is no result ({known}); convert {how}"


def that_count(lines: Lines) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return the lines that are neither empty nor comments, and their numbers."""
    counts = pc.invert(pc.match_substring_regex(lines.texts, "^(#|$)"))
    places = np.flatnonzero(counts.to_numpy(zero_copy_only=False))
    return lines.texts.filter(counts), places + lines.first


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
