"""Text files with one game a line, in the notation of its game.

A line is a transcript, such as `f5d6c3d3c4` with or without blanks, from the initial position;
or the text of a position, a colon and the transcript from there. Forced passes may be missing.
Numbers of moves (`1. f5 d6`), commas between moves, and text after `#` do not count.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from samuel.common.errors import UserError
from samuel.common.text_files import read_text
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import (
    GAMES_AT_ONCE,
    GameRecord,
    ReadGame,
    RecordFormat,
    Records,
    RefusedError,
    read_games,
    start_of,
)
from samuel.games.rules import PASS

_NONE = "not a transcript"
_COMMENT = re.compile(r"(?:^|\s)#.*")
_NUMBER = re.compile(r"(?<![^\s,])\d+\.+")


def read_transcripts(path: Path, game: Game) -> Iterator[Records]:
    """Yield the games of a text file with one transcript a line; empty lines do not count."""
    numbered = ((n, line) for n, line in enumerate(read_text(path).split("\n"), 1) if line.strip())
    found = read_games(game, numbered, lambda line: _read_line(line, game))
    for number, records in enumerate(found):
        if number == 0 and records.refused.get(_NONE, 0) == GAMES_AT_ONCE:
            raise UserError(
                f"{path} is no file of transcripts of {game.name}: none of its first "
                f"{GAMES_AT_ONCE:,} lines is one (others: --format NAME, --game NAME)"
            )
        yield records


def _read_line(line: str, game: Game) -> ReadGame | None:
    """Return what a line tells of a game; None for a comment."""
    position, colon, transcript = without_comment(line).rpartition(":")
    reason = _NONE
    for text in (line, position + colon + plain_transcript(transcript)):
        try:
            return _read_plain(text, game)
        except (UserError, RefusedError) as error:
            if is_comment(line):
                return None
            reason = str(error) if isinstance(error, RefusedError) else _NONE
    raise RefusedError(reason)


def _read_plain(line: str, game: Game) -> ReadGame:
    position, colon, transcript = line.rpartition(":")
    first = Position.parse(position, game) if colon else Position.start(game)
    start = start_of(first) if colon else None
    try:
        return ReadGame(game.notation.read_moves(transcript), start)
    except UserError:
        if not game.notation.needs_position:
            raise
    moves: list[int] = []  # by names that only the position tells, such as Nf3
    try:
        moves.extend(move for move, _ in first.along(transcript))
    except UserError:
        if moves:
            raise RefusedError("illegal move") from None
        raise
    return ReadGame(moves, start)


def is_comment(line: str) -> bool:
    """Return whether a line of transcripts holds a comment alone."""
    return line.lstrip().startswith("#")


def without_comment(line: str) -> str:
    """Return a line without a comment."""
    return _COMMENT.sub("", line)


def plain_transcript(text: str) -> str:
    """Return a transcript without a comment, numbers of moves and commas."""
    return _NUMBER.sub(" ", without_comment(text)).replace(",", " ").strip()


def write_transcript(played: GameRecord) -> str:
    """Return the line of a game: its moves, names and result are not told."""
    start, game = played.start, played.start.game
    moves = [move for move in played.moves if move != PASS]
    names = [game.notation.write_move(move) for move in moves]
    text = "".join(names)
    if not _reads_as(text, moves, game):
        text = " ".join(names)
    return text if played.ply == 0 and start.words == game.start else f"{start.text}: {text}"


def transcript(start: Position, moves: Sequence[int]) -> str:
    """Return moves from a position as text; forced passes are left out."""
    return write_transcript(GameRecord(start, 0, moves, ("", ""), math.nan))


def _reads_as(text: str, moves: list[int], game: Game) -> bool:
    try:
        return game.notation.read_moves(text) == moves
    except UserError:
        return False


FORMAT = RecordFormat("transcripts", "txt", lambda start: True, read_transcripts, write_transcript)


def formats_of(game: Game) -> dict[str, RecordFormat]:
    """Return the formats that games of a game are written in, by name: its own come first."""
    own = (
        one for name in game.defaults.formats_in for one in importlib.import_module(name).FORMATS
    )
    return {one.name: one for one in (*own, FORMAT)}
