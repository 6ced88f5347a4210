"""Openings in files: transcripts, games such as PGN, and positions such as EPD."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError, nearest
from samuel.common.text_files import ending_of, read_text, start_of_file
from samuel.games.game import Game
from samuel.games.position import Position, reversible_plies_of
from samuel.games.records import RecordFormat
from samuel.games.rows import canonical_keys
from samuel.games.transcripts import (
    FORMAT,
    formats_of,
    is_comment,
    plain_transcript,
    without_comment,
)
from samuel.selfplay.openings.kernel import AFTER_END, FINISHED
from samuel.selfplay.openings.openings import Openings, Starts, follow_line


class _Read(NamedTuple):
    """Openings as a file has them: where each stands, and of transcripts the text."""

    moves: Sequence[Sequence[int]]
    starts: Starts
    lines: Sequence[int]
    place: str = "line"
    texts: Sequence[str] = ()


def read_book(path: Path, game: Game) -> Openings:
    """Read a book that comes with the package: a file of transcripts."""
    return _different(path, game, _transcripts(path, game))


def read_openings(path: Path | str, game: Game) -> Openings:
    """Read the openings of a file: transcripts, one a line, games, such as PGN, or positions."""
    from samuel.selfplay.data.positions.formats import holds_positions  # not for books

    path = Path(path)
    if not path.exists():
        hint = "".join(
            f"did you mean {one}? " for one in nearest(str(path), ("balanced", "random", "start"))
        )
        raise UserError(
            f"file {path} does not exist; {hint}openings must be balanced, random, start or a file"
        )
    start = start_of_file(path, 4096)
    own = [one for one in formats_of(game).values() if one.name != FORMAT.name]
    ending = ending_of(path)
    one = next((one for one in own if one.ending == ending or one.is_one(start)), None)
    if one is not None:
        return _different(path, game, _games(path, one, game))
    if holds_positions(path, game):
        found = list(_read_starts(path, game))
        starts = _joined([one for one, _ in found])
        lines = np.concatenate([numbers for _, numbers in found]).tolist()
        return _different(path, game, _Read([()] * len(lines), starts, lines))
    return _different(path, game, _transcripts(path, game))


def _read_starts(path: Path, game: Game) -> Iterator[tuple[Starts, NDArray[np.int64]]]:
    """Yield the positions of a file with one per line, whatever follows them there."""
    import pyarrow.compute as pc

    from samuel.selfplay.data.positions.columns import lines_of, that_count
    from samuel.selfplay.data.positions.formats import patterns_alone
    from samuel.selfplay.data.positions.reading import positions_in

    for lines in lines_of(path):
        texts, numbers = that_count(lines)
        if not len(numbers):
            continue
        parts = (pc.extract_regex(texts, one) for one in patterns_alone(game))
        found = pc.coalesce(*(pc.struct_field(one, "position") for one in parts))
        rows, sides, plies, faults, reasons = positions_in(found.fill_null(""), game)
        for k in np.flatnonzero(found.is_null().to_numpy(zero_copy_only=False))[:1]:
            raise UserError(f"{path}, line {numbers[k]}: not a position")
        for k in np.flatnonzero(faults)[:1]:
            what = _fault_of(found[k].as_py(), game) or reasons[faults[k]]
            raise UserError(f"{path}, line {numbers[k]}: {what}")
        past = [reversible_plies_of(text, game) for text in found.to_pylist()]
        yield Starts(rows, sides, plies, np.array(past, np.int16)), numbers


def _fault_of(text: str, game: Game) -> str:
    try:
        Position.parse(text, game)
    except UserError as error:
        return str(error)
    return ""


def _transcripts(path: Path, game: Game) -> _Read:
    numbered = enumerate(_text(path).split("\n"), 1)
    lines = [(k, line) for k, line in numbered if line.strip() and not is_comment(line)]
    if not lines:
        raise UserError(f"{path} contains no openings; write one transcript per line")
    texts: list[str] = []
    begins: list[Position] = []
    given: list[list[int]] = []
    for number, line in lines:
        try:
            before, text, moves = _parts_of(line, game)
            begins.append(Position.parse(before, game) if before else Position.start(game))
            given.append([move for move, _ in begins[-1].along(text)] if moves is None else moves)
            texts.append(text)
        except UserError as error:
            raise UserError(f"{path}, line {number}: {error}") from None
    sides = np.array([one.side for one in begins], np.int8)
    past = np.array([len(one.past) for one in begins], np.int16)
    starts = Starts.of(game.rows([one.words for one in begins]), sides)._replace(reversible=past)
    return _Read(given, starts, [number for number, _ in lines], texts=texts)


def _games(path: Path, one: RecordFormat, game: Game) -> _Read:
    given: list[list[int]] = []
    lines: list[int] = []
    begins: list[Starts] = []
    place = "line"
    for records in one.read(path, game):
        place = records.place
        for reason, at in records.first_refused.items():
            raise UserError(f"{path}, {place} {at}: {reason}; an opening must be legal moves")
        moves = [part.tolist() for part in np.split(records.moves, records.ends[:-1])]
        given += [[]] * len(moves) if records.are_positions else moves
        begins.append(Starts.of(records.starts, records.sides)._replace(plies=records.plies))
        lines += records.lines
    if not given:
        raise UserError(f"{path} contains no openings")
    return _Read(given, _joined(begins), lines, place)


def _joined(parts: Sequence[Starts]) -> Starts:
    return Starts(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _different(path: Path, game: Game, read: _Read) -> Openings:
    """Return the openings of a file, without those that equal others up to symmetry."""
    found = follow_line(game, read.moves, read.starts)
    for k in np.flatnonzero(found.faults)[:1]:
        wrong = _what_is_wrong(int(found.faults[k]), read, int(k), game)
        raise UserError(f"{path}, {read.place} {read.lines[k]}: {wrong}")
    at_start = read.starts.positions == game.row(game.start)
    is_initial = at_start.all() and not any(one.any() for one in read.starts[1:])
    starts = None if is_initial else read.starts
    every = Openings(game, path.name, tuple(found.lines), found.positions, starts)
    first = np.sort(np.unique(canonical_keys(game, found.positions), return_index=True)[1])
    if len(first) == len(every):
        return every
    warnings.warn(
        f"{path}: {len(every) - len(first)} of {len(every)} openings equal others up to "
        "symmetry and are left out",
        stacklevel=3,
    )
    return every.take(first)


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except UserError as error:
        if not str(error).endswith("is not a text file in UTF-8"):
            raise
        raise UserError(
            f"{error}; write one opening per line, as a transcript or a position"
        ) from None


def _parts_of(line: str, game: Game) -> tuple[str, str, list[int] | None]:
    """Return the position of a line, its moves as text, and those moves, legal or not."""
    position, _, moves = without_comment(line).rpartition(":")
    needs_position = game.notation.needs_position
    for before, text in (("", line), ("", plain_transcript(line)), (position.strip(), moves)):
        try:
            found = game.notation.read_moves(text)
        except UserError:
            continue
        return before, text, None if needs_position else found
    text = plain_transcript(moves)
    return position.strip(), text, None if needs_position else game.notation.read_moves(text)


def _what_is_wrong(fault: int, read: _Read, k: int, game: Game) -> str:
    """Return what is wrong with opening k, which cannot be played or ends the game."""
    text = read.texts[k].strip() if read.texts else ""
    if fault == FINISHED:
        after = f" after {text!r}" if text else " after its moves" * bool(read.moves[k])
        return f"the game is over{after}; an opening leaves something to play"
    if not text:
        over = "the game is over before the last of its moves"
        said = over if fault == AFTER_END else "illegal move"
        return f"{said}; an opening leaves something to play"
    words, side = read.starts.positions[k].tolist(), int(read.starts.sides[k])
    try:
        for _ in Position(game, tuple(words), side).along(text):
            pass
    except UserError as error:
        return str(error)
    return f"{text!r} is not legal"
