"""Openings in files: transcripts, games such as PGN, and positions such as EPD."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from samuel.arena.openings.kernel import AFTER_END, FINISHED
from samuel.arena.openings.lines import Followed, Starts, follow_line
from samuel.arena.openings.openings import Openings
from samuel.common.errors import UserError, nearest
from samuel.common.text_files import ending_of, read_text, start_of_file
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import RecordFormat
from samuel.games.symmetry import canonical_keys
from samuel.games.transcripts import (
    FORMAT,
    formats_of,
    is_comment,
    plain_transcript,
    without_comment,
)
from samuel.selfplay.data.positions.formats import holds_positions
from samuel.selfplay.data.positions.reading import read_starts

_FAULTS = {
    FINISHED: "the game is over after its moves",
    AFTER_END: "the game is over before the last of its moves",
}


def read_openings(path: Path | str, game: Game) -> Openings:
    """Read the openings of a file: transcripts, one a line, games, such as PGN, or positions."""
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
        return _openings_of_games(path, one, game)
    if holds_positions(path, game):
        return _openings_at_positions(path, game)
    numbered = enumerate(_text(path).split("\n"), 1)
    lines = [(k, line) for k, line in numbered if line.strip() and not is_comment(line)]
    if not lines:
        raise UserError(f"{path} holds no openings; write one transcript a line")
    parts: list[tuple[str, str]] = []
    begins: list[Position] = []
    given: list[list[int]] = []
    initial = Position.start(game)
    for number, line in lines:
        try:
            before, text, moves = _parts_of(line, game)
            begins.append(Position.parse(before, game) if before else initial)
            given.append([move for move, _ in begins[-1].along(text)] if moves is None else moves)
            parts.append((before, text))
        except UserError as error:
            raise UserError(f"{path}, line {number}: {error}") from None
    starts = None
    if any(before for before, _ in parts):
        words, sides = [one.words for one in begins], [one.side for one in begins]
        starts = Starts(game.rows(words), np.array(sides, np.int8))
    followed = follow_line(game, given, starts)
    for place in np.flatnonzero(followed.faults)[:1]:
        what = _what_is_wrong(followed.faults[place], parts[place][1], begins[place])
        raise UserError(f"{path}, line {lines[place][0]}: {what}")
    return _different(path, game, followed, starts)


def _openings_at_positions(path: Path, game: Game) -> Openings:
    """Return the positions of a file as openings without moves."""
    found = list(read_starts(path, game))
    positions = np.concatenate([one.rows for one in found])
    starts = Starts(positions, np.concatenate([one.sides for one in found]))
    followed = follow_line(game, [()] * len(positions), starts)
    for place in np.flatnonzero(followed.faults)[:1]:
        line = np.concatenate([one.lines for one in found])[place]
        raise UserError(
            f"{path}, line {line}: the game is over; an opening leaves something to play"
        )
    return _different(path, game, followed, starts)


def _different(path: Path, game: Game, found: Followed, starts: Starts | None) -> Openings:
    """Return the openings of a file, without those that equal others up to symmetry."""
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


def _openings_of_games(path: Path, one: RecordFormat, game: Game) -> Openings:
    """Return the games of a file as openings, from the initial position."""
    given: list[list[int]] = []
    lines: list[int] = []
    begins: list[Starts] = []
    place = "line"
    for records in one.read(path, game):
        place = records.place
        for reason, at in records.first_refused.items():
            raise UserError(f"{path}, {place} {at}: {reason}; an opening must be legal moves")
        given += [part.tolist() for part in np.split(records.moves, records.ends[:-1])]
        begins.append(Starts(records.starts, records.sides))
        lines += records.lines
    if not given:
        raise UserError(f"{path} holds no openings")
    positions = np.concatenate([one.positions for one in begins])
    starts = None
    if (positions != game.row(game.start)).any():
        starts = Starts(positions, np.concatenate([one.sides for one in begins]))
    followed = follow_line(game, given, starts)
    for k in np.flatnonzero(followed.faults)[:1]:
        what = _FAULTS.get(int(followed.faults[k]), "illegal move")
        raise UserError(f"{path}, {place} {lines[k]}: {what}; an opening leaves something to play")
    return _different(path, game, followed, starts)


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


def _what_is_wrong(fault: int, moves: str, start: Position) -> str:
    if fault == FINISHED:
        return f"the game is over after {moves.strip()!r}; an opening leaves something to play"
    try:
        for _ in start.along(moves):
            pass
    except UserError as error:
        return str(error)
    return f"{moves.strip()!r} is not legal"
