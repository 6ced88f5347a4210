"""Files of labelled positions, as authors of other programs exchange them.

    epd         FEN or EPD, and a result as an operand: ... c9 "1/2-1/2";
    fen         FEN and a result: FEN; [0.5], FEN [0.5], FEN 0.5
    bullet      FEN | score | result
    plain       lines fen, move, score, ply, result, e (Stockfish's)
    egaroucid   64 characters, a blank and the final difference of discs, both for the side to move
    obf         a position; then moves with their scores, best first
    csv         columns named in the first line

A reader gives columns of text and numbers; positions are read by the game's notation, in one go
where it can (`read_many`), and checked. Results of `epd`, `fen` and `bullet` are White's, the first
player's; so are scores there and in `csv`, and the others' are those of the side to move.
"""

from __future__ import annotations

import contextlib
import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from samuel.errors import UserError, one_line, unknown
from samuel.games.interface import NO_MOVE, Game
from samuel.games.obf import parse_problem
from samuel.games.position import Position
from samuel.games.rows import are_legal, are_possible, count_moves
from samuel.selfplay.data.lines import Lines, lines_of
from samuel.text_files import start_of_text, text_streams, valid_utf_8

FIRST, MOVER = "first", "mover"
"""Side for which scores and results are told: the first player, or the side to move."""
_RESULTS = {
    **dict.fromkeys(("1-0", "1.0", "1", "w", "win"), 1.0),
    **dict.fromkeys(("0-1", "0.0", "0", "b", "loss"), 0.0),
    **dict.fromkeys(("1/2-1/2", "1/2", "0.5", ".5", "d", "draw"), 0.5),
}
_RESULT = r"1-0|0-1|1/2-1/2|1/2|[01](?:\.\d+)?|\.\d+"
_FEN = r"(?P<position>\S+ +[wb]\b(?: +[-KQkqA-Ha-h]+)?(?: +(?:-|[a-h][1-8]))?(?: +\d+ +\d+)?)"
_OPERANDS = r"\b?.*?\b"
"""Operands of EPD before the one that is looked for."""
_MARK, _MARKED = r"\s*;?\s*[\[( ]\s*", r"\s*[;\[(]\s*[\[(]?\s*"
"""Signs between a FEN and its result; behind another text, which may be a game, one is needed."""
_TEXT = r"(?P<position>[^;|]+?)"
NOT_READ, FINISHED, NO_LABEL = "not in the format", "finished games", "neither score nor result"
_FAR = 1e9
_SHORTEST_BOARD = 9
"""Characters of a board, so that moves are taken for none."""
_LONGEST_HEADER, _LONGEST_NAME = 1 << 14, 40
"""Bytes of the first line of a CSV file, and characters of a column's name in a message."""


@dataclass(frozen=True)
class Columns:
    """Columns of n positions as the lines of a file tell them; None where they tell nothing.

    Attributes
    ----------
    position
        texts (n,), null where a line is not in the format; lines that do not count are left out.
    lines
        int64 (n,), their numbers.
    score, result
        float64 (n,), NaN where unknown: scores as the file has them, results from 0 (lost) to 1.
    outcome
        float64 (n,), results in the game's unit.
    move
        texts (n,).
    ply
        int64 (n,).
    is_own
        whether scores and outcomes are those of a dataset: for the mover, in the game's unit.
    """

    position: pa.Array
    lines: NDArray[np.int64]
    score: NDArray[np.float64] | None = None
    result: NDArray[np.float64] | None = None
    outcome: NDArray[np.float64] | None = None
    move: pa.Array | None = None
    ply: NDArray[np.int64] | None = None
    is_own: bool = False


@dataclass(frozen=True)
class PositionFormat:
    """Format of files of positions.

    Attributes
    ----------
    name
        Name for `--format`.
    is_one
        Whether a file of a game that begins with these bytes is one.
    read
        Yields what the lines of a file tell.
    result_for, score_for
        Side for which results and scores are told, FIRST or MOVER.
    """

    name: str
    is_one: Callable[[str, Game], bool]
    read: Callable[[Path, Game, Mapping[str, str]], Iterator[Columns]]
    result_for: str = FIRST
    score_for: str = FIRST


@dataclass
class Block:
    """Checked positions of a file, and what was left out.

    Attributes
    ----------
    rows, sides, plies, moves
        words (n, K), int8, int16 and int32 (n,); NO_MOVE where no move is told.
    scores, outcomes
        float32 (n,), in the game's unit, for the side to move; NaN where unknown.
    refused, first
        numbers of positions left out by reason, and the line of the first of each.
    """

    rows: NDArray[np.uint64]
    sides: NDArray[np.int8]
    plies: NDArray[np.int16]
    moves: NDArray[np.int32]
    scores: NDArray[np.float32]
    outcomes: NDArray[np.float32]
    refused: Counter[str] = field(default_factory=Counter)
    first: dict[str, int] = field(default_factory=dict)


def _numbers(texts: pa.Array) -> NDArray[np.float64]:
    """Return the numbers in texts; NaN where there is none, or one beyond any score."""
    plain = pc.if_else(pc.match_substring_regex(texts, r"^[-+]?\d{1,9}(\.\d*)?$"), texts, None)
    plain = pc.utf8_ltrim(plain, "+")
    numbers = pc.cast(plain, pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
    return np.where(np.abs(numbers) < _FAR, numbers, np.nan)


def _results(texts: pa.Array) -> NDArray[np.float64]:
    """Return results from 0 to 1 as texts tell them; NaN where they tell none."""
    coded = pc.utf8_lower(texts).dictionary_encode()
    known = [_result_of(text) for text in coded.dictionary.to_pylist()]
    codes = coded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    return np.array([*known, np.nan])[codes]


def _result_of(text: str) -> float:
    if text in _RESULTS:
        return _RESULTS[text]
    try:
        number = float(text[:20])
    except ValueError:
        return np.nan
    return number if 0 <= number <= 1 else np.nan


def _for_game(pattern: str, game: Game) -> str:
    """Return a pattern whose position is FEN, or any text where a game's positions are no FEN."""
    start = game.notation.write(game.start, 0)
    if re.match(_FEN, start):
        return pattern
    text = pattern.replace(_FEN + _OPERANDS, _TEXT + r"\s+").replace(_FEN + _MARK, _TEXT + _MARKED)
    return text.replace(_FEN, _TEXT)


def _matched(pattern: str) -> Callable[[Path, Game, Mapping[str, str]], Iterator[Columns]]:
    """Return a reader of lines that each tell a position, by a pattern with named groups."""

    def read(path: Path, game: Game, _columns: Mapping[str, str]) -> Iterator[Columns]:
        for lines in lines_of(path):
            texts, numbers = _that_count(lines)
            found = pc.extract_regex(texts, _for_game(pattern, game))
            names = {f.name for f in found.type}
            parts = {name: pc.struct_field(found, name) for name in names}
            yield Columns(
                parts["position"],
                numbers,
                _numbers(parts["score"]) if "score" in names else None,
                _results(parts["result"]) if "result" in names else None,
                _numbers(parts["outcome"]) if "outcome" in names else None,
            )

    return read


def _that_count(lines: Lines) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return the lines that are neither empty nor comments, and their numbers."""
    counts = pc.invert(pc.match_substring_regex(lines.texts, "^(#|$)"))
    places = np.flatnonzero(counts.to_numpy(zero_copy_only=False))
    return lines.texts.filter(counts), places + lines.first


_PLAIN = ("fen", "move", "score", "ply", "result")


def _read_plain(path: Path, game: Game, _columns: Mapping[str, str]) -> Iterator[Columns]:
    """Yield positions of Stockfish's plain format: a line for each field, and `e` after each."""
    rest = Lines(1, pa.array([], pa.string()))
    for lines in lines_of(path):
        texts = pa.concat_arrays([rest.texts, lines.texts])
        ends = np.flatnonzero(pc.equal(texts, "e").to_numpy(zero_copy_only=False))
        cut = int(ends[-1]) + 1 if len(ends) else len(texts)  # a file without ends stays bounded
        yield _plain_columns(Lines(rest.first, texts[:cut]))
        rest = Lines(rest.first + cut, texts[cut:])
    yield _plain_columns(rest)


def _plain_columns(lines: Lines) -> Columns:
    texts, numbers = _that_count(lines)
    found = pc.extract_regex(texts, r"^(?P<name>\S+)\s*(?P<value>.*)$")
    names = pc.struct_field(found, "name").to_numpy(zero_copy_only=False).astype(object)
    values = pc.struct_field(found, "value")
    begins = names == "fen"
    if len(names) and not begins[0]:  # lines before any position are one that cannot be read
        begins[0] = True
        names[0] = ""
    record = np.cumsum(begins) - 1
    of_name = {}
    for name in _PLAIN:
        places = np.flatnonzero(names == name)
        taken = np.full(int(begins.sum()), -1, np.int64)
        taken[record[places]] = places
        of_name[name] = values.take(pa.array(taken, mask=taken < 0))
    told = _numbers(of_name["result"])
    return Columns(
        of_name["fen"],
        numbers[begins],
        _numbers(of_name["score"]),
        np.where(np.abs(told) <= 1, (told + 1) / 2, np.nan),
        move=of_name["move"],
        ply=np.nan_to_num(_numbers(of_name["ply"])).astype(np.int64),
    )


def _read_obf(path: Path, game: Game, _columns: Mapping[str, str]) -> Iterator[Columns]:
    """Yield positions of OBF: the best move, and its score in the game's unit for its side."""
    for lines in lines_of(path):
        texts, numbers = _that_count(lines)
        positions: list[str | None] = []
        moves: list[str | None] = []
        scores = np.full(len(numbers), np.nan)
        for k, text in enumerate(texts.to_pylist()):
            try:
                problem = parse_problem(text, game)
            except UserError:
                positions.append(None)
                moves.append(None)
                continue
            best = problem.best_score
            positions.append(problem.position.text)
            moves.append(problem.best_moves[0] if problem.scores else None)
            scores[k] = np.nan if best is None else best
        move = pa.array(moves, pa.string())
        yield Columns(pa.array(positions, pa.string()), numbers, outcome=scores, move=move)


GUESSES = {
    "position": ("position", "fen", "epd", "board"),
    "score": ("score", "eval", "evaluation", "cp", "centipawns"),
    "result": ("result", "wdl", "outcome", "game_result"),
    "move": ("move", "best_move", "bestmove", "best"),
    "ply": ("ply",),
}
"""Names of columns of a CSV file that are taken for each field, in lower case."""
_OWN = {"position", "side", "score", "outcome", "game_id", "ply", "move"}
"""Columns of the CSV files that datasets are exported to."""


def csv_columns(header: Sequence[str], named: Mapping[str, str], path: Path) -> dict[str, str]:
    """Return for each field that a CSV file has the name of its column, as named or guessed.

    Raises
    ------
    UserError
        No column holds positions, or a column that is named is not there, or is there twice.
    """
    found = dict(named)
    for name, column in named.items():
        if name not in GUESSES:
            raise unknown("field", name, GUESSES)
        if column not in header:
            raise unknown("column", column, header, of=path.name)
    for name, guesses in GUESSES.items():
        guessed = next((one for one in header if one.lower() in guesses), None)
        if name not in found and guessed is not None:
            found[name] = guessed
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


def _read_header(stream: IO[bytes], path: Path) -> tuple[list[str], int]:
    """Return the names in the first line of a CSV file that counts, and how many lines were read.

    There are no names where there is no such line.
    """
    number, text = 0, "#"
    while not text or text.startswith("#"):
        number += 1
        line = stream.readline(_LONGEST_HEADER)
        if len(line) == _LONGEST_HEADER:
            raise UserError(
                f"{path} is not a CSV file (its first line has more than {_LONGEST_HEADER:,} bytes)"
            )
        text = line.decode("utf-8", "replace").strip()
        if not line:
            break
    try:
        return [name.strip() for name in next(csv.reader([text]), [])], number
    except csv.Error:
        raise UserError(
            f"{path} is not a CSV file (its first line does not name columns)"
        ) from None


def _read_csv(path: Path, game: Game, named: Mapping[str, str]) -> Iterator[Columns]:
    with text_streams(path) as found:  # before any row is read
        for stream in found:
            if header := _read_header(stream, path)[0]:
                csv_columns(header, named, path)
    number = 0
    with text_streams(path) as found:
        for stream in found:
            header, read = _read_header(stream, path)
            if header and stream.peek(1):  # type: ignore[attr-defined]
                for told in _csv_rows(stream, header, named, path, number + read + 1):
                    read += len(told.lines)
                    yield told
            number += read


def _csv_rows(
    stream: IO[bytes], header: list[str], named: Mapping[str, str], path: Path, first: int
) -> Iterator[Columns]:
    """Yield what the rows behind the header of a CSV file tell, the first of which has a number."""
    columns = csv_columns(header, named, path)
    is_own = not named and set(header) >= _OWN
    places = {name: str(header.index(column)) for name, column in columns.items()}
    if is_own:
        places["outcome"] = str(header.index("outcome"))
    texts = {place: pa.string() for place in places.values()}
    convert = pa.csv.ConvertOptions(include_columns=list(texts), column_types=texts)
    skipped: list[int] = []

    def skip(row: pa.csv.InvalidRow) -> str:
        skipped.append(first - 1 + (row.number or 0))
        return "skip"

    parse = pa.csv.ParseOptions(invalid_row_handler=skip)
    names = [str(k) for k in range(len(header))]
    reading = pa.csv.ReadOptions(block_size=1 << 24, column_names=names, use_threads=False)
    number = first
    try:
        # bytes that are no text would end the reader in the middle of a file
        for batch in pa.csv.open_csv(valid_utf_8(stream), reading, parse, convert):
            by_field = {name: batch.column(place) for name, place in places.items()}
            lines = np.arange(number, number + len(batch) + len(skipped))
            lines = np.setdiff1d(lines, skipped)[: len(batch)]
            score, result, ply = (by_field.get(name) for name in ("score", "result", "ply"))
            yield Columns(
                by_field["position"],
                lines,
                None if score is None else _numbers(score),
                None if result is None or is_own else _results(result),
                _numbers(by_field["outcome"]) if is_own else None,
                move=by_field.get("move"),
                ply=None if ply is None else np.nan_to_num(_numbers(ply)).astype(np.int64),
                is_own=is_own,
            )
            number = int(lines[-1]) + 1 if len(lines) else number
        if skipped:
            nothing = pa.nulls(len(skipped), pa.string())
            yield Columns(nothing, np.array(skipped, np.int64))
    except pa.ArrowException as error:
        raise UserError(f"{path} is not a CSV file ({one_line(error)[:80]})") from None


def _begins(pattern: str) -> Callable[[str, Game], bool]:
    """Return what says whether the first line that counts matches a pattern, of a game of FEN."""

    def is_one(start: str, game: Game) -> bool:
        lines = (line.strip() for line in start.split("\n"))
        first = next((line for line in lines if line and not line.startswith("#")), "")
        return bool(pc.match_substring_regex(pa.scalar(first), _for_game(pattern, game)).as_py())

    return is_one


_BULLET = rf"^{_FEN}\s*\|\s*(?P<score>[-+]?\d+(?:\.\d+)?)\s*\|\s*(?P<result>{_RESULT})\s*$"
_FEN_RESULT = rf"^{_FEN}{_MARK}(?P<result>{_RESULT})\s*[\])]?;?$"
_EPD = rf'^{_FEN}{_OPERANDS}c\d+\s+"(?P<result>{_RESULT})"'
_EGAROUCID = r"^(?P<position>[-.XO0xo*]{64})\s+(?P<outcome>[-+]?\d+)$"
FORMATS = {
    one.name: one
    for one in (
        PositionFormat("plain", _begins("^fen "), _read_plain, MOVER, MOVER),
        PositionFormat("bullet", _begins(_BULLET), _matched(_BULLET)),
        PositionFormat("epd", _begins(_EPD), _matched(_EPD)),
        PositionFormat("fen", _begins(_FEN_RESULT), _matched(_FEN_RESULT)),
        PositionFormat("egaroucid", _begins(_EGAROUCID), _matched(_EGAROUCID), MOVER),
        PositionFormat("obf", _begins(r"^[^;]+;\s*\w+:[-+]?\d"), _read_obf, MOVER, MOVER),
        PositionFormat(
            "csv", _begins(r"(?i)^[^\w\[]*(\w+\W*,)*\W*(position|fen|epd|board)\W*(,|$)"), _read_csv
        ),
    )
}


def format_of(path: Path, game: Game) -> PositionFormat | None:
    """Return the format that a file begins in, of those of positions; None for another one."""
    start = start_of_text(path)
    return next((one for one in FORMATS.values() if one.is_one(start, game)), None)


_FOUR = r"(?P<position>\S+ +[wb] +[-KQkqA-Ha-h]+ +(?:-|[a-h][1-8])(?: +\d+ +\d+)?)"
_FEWER = r"(?P<position>\S+ +[wb](?: +[-KQkqA-Ha-h]+)?)"
_REST = r"\s*(?:[;|].*)?$"
_ALONE = (rf"^{_FOUR}(?:\s*[;|].*|\s+[A-Za-z]\w*\b.*)?$", f"^{_FEWER}{_REST}")
_TEXT_ALONE = (f"^{_TEXT}{_REST}",)


def _alone(game: Game) -> tuple[str, ...]:
    """Return patterns of a line that holds a position, whatever stands behind it, the first first.

    The operations of EPD stand behind four fields of a FEN.
    """
    return _ALONE if re.match(_FEN, game.notation.write(game.start, 0)) else _TEXT_ALONE


def holds_positions(path: Path, game: Game) -> bool:
    """Return whether the first line of a file that counts is a position, and no moves.

    One that no game may reach is a position, too.
    """
    start = start_of_text(path)
    lines = (line.strip() for line in start.split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    found = next(filter(None, (re.match(one, first) for one in _alone(game))), None)
    if found is None:
        return False
    with contextlib.suppress(UserError):
        game.notation.read_moves(first)
        return False
    with contextlib.suppress(UserError):
        game.notation.read(found["position"])
        return True
    return _looks_like(found["position"], game.notation.write(game.start, 0))


def _looks_like(text: str, position: str) -> bool:
    """Return whether a text has as many words as a position, and a board of about its length."""
    words, known = text.split(), position.split()
    if re.match(_FEN, position):
        return "/" in words[0]
    long = len(known[0]) // 2
    return len(words) == len(known) and len(words[0]) >= max(long, _SHORTEST_BOARD)


class Started(NamedTuple):
    """Positions of a file: words (n, K), sides (n,), and the numbers of their lines (n,)."""

    rows: NDArray[np.uint64]
    sides: NDArray[np.int8]
    lines: NDArray[np.int64]


def read_starts(path: Path, game: Game) -> Iterator[Started]:
    """Yield the positions of a file with one a line, whatever stands behind them.

    Raises
    ------
    UserError
        A line is no position; the file cannot be read.
    """
    for lines in lines_of(path):
        texts, numbers = _that_count(lines)
        if not len(numbers):
            continue
        parts = (pc.extract_regex(texts, one) for one in _alone(game))
        found = pc.coalesce(*(pc.struct_field(one, "position") for one in parts))
        rows, sides, _, faults, reasons = _positions(found.fill_null(""), game)
        for k in np.flatnonzero(found.is_null().to_numpy(zero_copy_only=False))[:1]:
            raise UserError(f"{path}, line {numbers[k]}: not a position")
        for k in np.flatnonzero(faults)[:1]:
            what = _fault_of(found[k].as_py(), game) or reasons[faults[k]]
            raise UserError(f"{path}, line {numbers[k]}: {what}")
        yield Started(rows, sides, numbers)


def _fault_of(text: str, game: Game) -> str:
    """Return what is wrong with the text of a position."""
    try:
        Position.parse(text, game)
    except UserError as error:
        return str(error)
    return ""


def read_positions(
    path: Path,
    game: Game,
    one: PositionFormat,
    *,
    scores_for: str | None = None,
    score_unit: float = 1.0,
    columns: Mapping[str, str] = {},
) -> Iterator[Block]:
    """Yield the checked positions of a file.

    Parameters
    ----------
    path, game, one
        the file, its game and its format.
    scores_for
        the side for which scores are told, FIRST or MOVER; by default as the format has it.
    score_unit
        how many of the file's units are one of the game's.
    columns
        names of the columns of a CSV file by field.

    Raises
    ------
    UserError
        The file cannot be read, or is none of the format.
    """
    for told in one.read(path, game, columns):
        if len(told.lines):
            yield _checked(told, game, one, scores_for or one.score_for, score_unit)


def _checked(
    told: Columns, game: Game, one: PositionFormat, scores_for: str, score_unit: float
) -> Block:
    n = len(told.lines)
    unread = told.position.is_null().to_numpy(zero_copy_only=False)
    rows, sides, plies, faults, reasons = _positions(told.position.fill_null(""), game)
    refused: Counter[str] = Counter()
    first: dict[str, int] = {}
    fine = np.ones(n, bool)

    def refuse(those: NDArray[np.bool_], reason: str) -> None:
        those = those & fine
        if those.any():
            refused[reason] += int(those.sum())
            first[reason] = int(told.lines[int(np.argmax(those))])
            fine[those] = False

    refuse(unread, NOT_READ)
    for number in np.unique(faults[fine]).tolist():
        if number:
            refuse(faults == number, reasons[number])
    over = np.zeros(n, bool)
    over[fine] = count_moves(game, rows[fine]) == 0
    refuse(over, FINISHED)
    white = np.where(sides == 0, 1.0, -1.0)
    result_for = MOVER if told.is_own else one.result_for
    if told.is_own:
        scores_for, score_unit = MOVER, 1.0
    nothing = np.full(n, np.nan)
    scores = nothing if told.score is None else told.score / score_unit
    scores = scores * (white if scores_for == FIRST else 1)
    most = game.max_utility
    outcomes = nothing if told.result is None else (2 * told.result - 1) * most
    outcomes = outcomes if told.outcome is None else told.outcome
    outcomes = outcomes * (white if result_for == FIRST else 1)
    outcomes = np.where(np.abs(outcomes) <= most, outcomes, np.nan)
    scores = np.clip(scores, -most, most)
    if one.name == "obf":
        scores, outcomes = outcomes, nothing
    refuse(np.isnan(scores) & np.isnan(outcomes), NO_LABEL)
    if told.ply is not None:
        plies = np.clip(told.ply, 0, np.iinfo(np.int16).max).astype(np.int16)
    kept = np.flatnonzero(fine)
    moves = np.full(len(kept), NO_MOVE, np.int32)
    if told.move is not None:
        moves = _read_moves(told.move, game, rows, kept)
    return Block(
        *(rows[kept], sides[kept], plies[kept], moves),
        *(scores[kept].astype(np.float32), outcomes[kept].astype(np.float32)),
        *(refused, first),
    )


def _read_moves(
    texts: pa.Array, game: Game, rows: NDArray[np.uint64], kept: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return the moves (k,) that texts name in the kept rows; NO_MOVE where none is legal."""
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    coded = texts.take(pa.array(kept)).fill_null("").dictionary_encode()
    names, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy()
    positions, moves = rows[kept], np.full(len(kept), NO_MOVE, np.int32)
    notation: Any = game.notation
    meanings = [_meanings_of(name, game) for name in names]
    for k in range(max((len(one or ()) for one in meanings), default=0)):
        known = np.array([one[k] if one and k < len(one) else NO_MOVE for one in meanings])
        left = np.flatnonzero((moves == NO_MOVE) & (known[codes] != NO_MOVE))
        found = known[codes[left]]
        legal = are_legal(game, positions[left], found)
        moves[left[legal]] = found[legal]
    by_position = np.array([one is None for one in meanings], bool)
    for k in np.flatnonzero((moves == NO_MOVE) & by_position[codes]).tolist():
        with contextlib.suppress(UserError):
            listed = game.moves_in(positions[k]).tolist()
            meant = notation.among(names[codes[k]], listed, tuple(positions[k].tolist()))
            moves[k] = meant if meant in listed else NO_MOVE
    return moves


def _meanings_of(text: str, game: Game) -> list[int] | None:
    """Return the moves that a text may mean; None where only the position tells."""
    notation: Any = game.notation
    if not text:
        return []
    if hasattr(notation, "meanings"):
        return notation.meanings(text)
    try:
        if not hasattr(notation, "among"):
            return [notation.read_move(text)]
        notation.among(text, [], game.start)
    except UserError:
        return []  # no move in any position
    return None


def _positions(
    texts: pa.Array, game: Game
) -> tuple[
    NDArray[np.uint64], NDArray[np.int8], NDArray[np.int16], NDArray[np.int8], tuple[str, ...]
]:
    """Return words, sides, plies and faults of texts, and the reasons by number of a fault."""
    notation: Any = game.notation
    if hasattr(notation, "read_many"):
        texts = pa.concat_arrays([texts]) if texts.offset else texts
        if isinstance(texts, pa.ChunkedArray):
            texts = texts.combine_chunks()
        offsets = np.frombuffer(texts.buffers()[1], np.int32)[: len(texts) + 1].astype(np.int64)
        data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
        rows, faults, plies = notation.read_many(np.require(data, np.uint8, ["C", "W"]), offsets)
        sides = (rows[:, game.side_word] if game.side_word is not None else plies % 2).astype(
            np.int8
        )
        return rows, sides, plies, faults, notation.faults
    return _one_by_one(texts, game)


def _one_by_one(
    texts: pa.Array, game: Game
) -> tuple[
    NDArray[np.uint64], NDArray[np.int8], NDArray[np.int16], NDArray[np.int8], tuple[str, ...]
]:
    n = len(texts)
    rows, sides = np.zeros((n, game.words), np.uint64), np.zeros(n, np.int8)
    faults = np.zeros(n, np.int8)
    first = getattr(game.notation, "players", "X")[0]
    for k, text in enumerate(texts.to_pylist()):
        for written in (text, f"{text} {first}"):  # Egaroucid's boards have no side
            try:
                words, sides[k] = game.notation.read(written)
            except UserError:
                faults[k] = 1
                continue
            rows[k], faults[k] = np.array(words, np.uint64), 0
            break
    faults[(faults == 0) & ~are_possible(game, rows)] = 2
    rows[faults != 0] = np.array(game.start, np.uint64)
    reasons = ("", "not positions of the game", "impossible positions")
    return rows, sides, np.zeros(n, np.int16), faults, reasons
