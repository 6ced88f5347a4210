"""Openings from a user's file of transcripts."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from samuel.arena.openings.book import follow_line
from samuel.arena.openings.kernel import FINISHED, ILLEGAL
from samuel.arena.openings.openings import Openings
from samuel.errors import UserError, nearest
from samuel.games.interface import Game
from samuel.games.position import Position
from samuel.games.symmetry import canonical_keys
from samuel.games.transcripts import is_comment, plain_transcript
from samuel.text_files import read_text


def read_openings(path: Path | str, game: Game) -> Openings:
    """Read transcripts from the initial position, one a line; forced passes may be missing.

    Raises
    ------
    UserError
        The file is missing or no text; a line is no transcript, plays an illegal move or finishes
        the game.

    Warns
    -----
    UserWarning
        Openings are alike up to symmetry: all but the first are left out.
    """
    path = Path(path)
    if not path.is_file():
        hint = "".join(
            f"did you mean {one}? " for one in nearest(str(path), ("balanced", "random", "start"))
        )
        raise UserError(
            f"there is no file {path}; {hint}openings are balanced, random, start or a file"
        )
    numbered = enumerate(_text(path).split("\n"), 1)
    lines = [(k, line) for k, line in numbered if line.strip() and not is_comment(line)]
    if not lines:
        raise UserError(f"{path} holds no openings; write one transcript a line")
    lines = [(k, _plain(line, game)) for k, line in lines]
    given = [_moves_in(line, game, f"{path}, line {number}") for number, line in lines]
    moves, positions, _, faults = follow_line(game, given)
    for place in np.flatnonzero(faults)[:1]:
        number, line = lines[place]
        raise UserError(f"{path}, line {number}: {_what_is_wrong(faults[place], line, game)}")
    first = np.sort(np.unique(canonical_keys(game, positions), return_index=True)[1])
    if len(first) < len(lines):
        warnings.warn(
            f"{path}: {len(lines) - len(first)} of {len(lines)} openings are like others "
            "up to symmetry and are left out",
            stacklevel=2,
        )
    return Openings(game, path.name, tuple(moves[k] for k in first), positions[first])


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except UserError:
        raise UserError(f"{path} is no text; openings are transcripts, one a line") from None


def _plain(line: str, game: Game) -> str:
    """Return a line, without its numbers and commas where it is not read as it stands."""
    try:
        game.notation.read_moves(line)
    except UserError:
        return plain_transcript(line)
    return line


def _moves_in(line: str, game: Game, where: str) -> list[int]:
    if ":" in line:
        raise UserError(f"{where}: an opening starts from the initial position; give its moves")
    try:
        return game.notation.read_moves(line)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None


def _what_is_wrong(fault: int, line: str, game: Game) -> str:
    if fault == FINISHED:
        return f"the game is over after {line.strip()!r}; an opening leaves something to play"
    assert fault == ILLEGAL
    try:
        Position.from_transcript(line, game)
    except UserError as error:
        return str(error)
    return f"{line.strip()!r} is not legal"
