"""OBF problem files: a position a line, and what is known of its moves.

    --XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12;

A position as the game writes it (for Othello 64 characters, a blank, the side to move), then,
between semicolons, moves with their scores for the side to move, best first; or none. Text after
`%` or `#` is a comment, and names the problem where there is one; blank lines do not count. The
blank before the side may be missing, and a minus be any dash.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path

from samuel.errors import UserError
from samuel.games.interface import Game
from samuel.games.position import Position
from samuel.games.records import DASHES
from samuel.text_files import read_text

_COMMENT = re.compile(r"[%#]")


@dataclass(frozen=True)
class Problem:
    """A position and what is known of it.

    Attributes
    ----------
    name
        its comment, or the number of its line.
    scores
        the known score of each move, as text, for the side to move.
    """

    name: str
    position: Position
    scores: dict[str, float]

    @property
    def best_score(self) -> float | None:
        """The best known score."""
        return max(self.scores.values(), default=None)

    @property
    def best_moves(self) -> list[str]:
        """The moves that reach it."""
        return [move for move, score in self.scores.items() if score == self.best_score]


def parse_problem(line: str, game: Game | str = "othello", name: str = "") -> Problem:
    """Return the problem that a line holds.

    Raises
    ------
    UserError
        The line is not in the format.
    """
    text, comment = ([*_COMMENT.split(line, maxsplit=1), ""])[:2]
    fields = [field.strip() for field in text.split(";")]
    position = _position(fields[0], game)
    notation = position.game.notation
    scores = {}
    for field in filter(None, fields[1:]):
        move, separator, score = field.partition(":")
        try:
            known = float(score.translate(DASHES))
        except ValueError:
            separator = ""
        if not separator or not abs(known) <= position.game.max_utility:  # of nan, too
            raise UserError(f"{field!r} is not a move and its score; write it like d3:+4")
        scores[notation.write_move(notation.read_move(move))] = known
    return Problem(comment.strip() or name, position, scores)


def _position(text: str, game: Game | str) -> Position:
    try:
        return Position.parse(text, game)
    except UserError as error:
        try:
            return Position.parse(f"{text[:-1]} {text[-1:]}", game)
        except UserError:
            raise error from None


def read_problems(path: Path | str, game: Game | str = "othello") -> list[Problem]:
    """Return the problems of a file.

    Raises
    ------
    UserError
        The file is missing, or no line of it is in the format; the message names the first.

    Warns
    -----
    UserWarning
        Some lines are not in the format: they are left out.
    """
    lines = read_text(path).split("\n")
    problems, faults = [], []
    for number, line in enumerate(lines, 1):
        if not _COMMENT.split(line, maxsplit=1)[0].strip():
            continue
        try:
            problems.append(parse_problem(line, game, str(number)))
        except UserError as error:
            faults.append(f"line {number}: {error}")
    if not problems:
        raise UserError(f"{path}, {faults[0]}" if faults else f"{path} holds no positions")
    if faults:
        warnings.warn(
            f"{path}: {len(faults)} of {len(problems) + len(faults)} lines cannot be read and "
            f"are left out, the first: {faults[0]}",
            stacklevel=2,
        )
    return problems
