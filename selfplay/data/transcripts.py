"""Text files with one game a line, in the notation of its game.

A line is a transcript, such as `f5d6c3d3c4` with or without blanks, from the initial position;
or the text of a position, a colon and the transcript from there. Forced passes may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from samuel.errors import UserError
from samuel.files import read_bytes
from samuel.games.interface import PASS, Game
from samuel.games.position import Position
from samuel.selfplay.data.replay import (
    GAMES_AT_ONCE,
    Records,
    Start,
    first_of,
    records_of,
    start_of,
)


def read_text(path: Path) -> str:
    """Return the content of a text file; what is not UTF-8, in names of players, does not matter.

    Raises
    ------
    UserError
        It is no text.
    """
    content = read_bytes(path)
    if b"\0" in content:
        raise UserError(f"{path} is no text and no WTHOR file; give .wtb files, transcripts or GGF")
    return content.decode("utf-8-sig", errors="replace")


def read_transcripts(path: Path, game: Game) -> Iterator[Records]:
    """Yield the games of a text file with one transcript a line; empty lines do not count."""
    lines = [line for line in read_text(path).splitlines() if line.strip()]
    for first in range(0, len(lines), GAMES_AT_ONCE):
        games, starts, bad = [], [], 0
        for line in lines[first : first + GAMES_AT_ONCE]:
            try:
                start, moves = _read_line(line, game)
            except UserError:
                bad += 1
            else:
                starts.append(start)
                games.append(moves)
        yield records_of(game, games, starts, refused={"not a transcript": bad} if bad else {})


def _read_line(line: str, game: Game) -> tuple[Start, list[int]]:
    """Return (where the game starts, its moves)."""
    position, colon, transcript = line.rpartition(":")
    start = start_of(Position.parse(position, game)) if colon else first_of(game)
    return start, game.notation.read_moves(transcript)


def write_transcript(start: Position, ply: int, moves: Sequence[int]) -> str:
    """Return the line of a game that starts at `start`, `ply` plies from the initial position."""
    game = start.game
    played = [move for move in moves if move != PASS]
    names = [game.notation.write_move(move) for move in played]
    text = "".join(names)
    if not _reads_as(text, played, game):
        text = " ".join(names)
    return text if ply == 0 and start.words == game.start else f"{start.text}: {text}"


def _reads_as(text: str, moves: list[int], game: Game) -> bool:
    try:
        return game.notation.read_moves(text) == moves
    except UserError:
        return False
