"""Files of problems: a position a line, and what is known of its moves.

OBF:

    --XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12;

A position as the game writes it (for Othello 64 characters, a blank, the side to move), then,
between semicolons, moves with their scores for the side to move, best first; or none. Text after
`%` or `#` is a comment, and names the problem where there is one; blank lines do not count. The
blank before the side may be missing, and a minus be any dash. EPD (PGN standard, S. Edwards, 1994):

    1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id "STS 1"; c0 "f5=10, Be5=2";

Four fields of a position, or six with its counts of moves, then operations: `bm` are the best
moves, `am` moves to avoid, `id` is the name. Points of moves are in `c0`, or in `c8` with their
moves in `c9` or `c7`, as the Strategic Test Suite has them; other text there is a remark.
"""

from __future__ import annotations

import re
import reprlib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from samuel.common.errors import UserError
from samuel.common.text_files import read_text
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import DASHES

_COMMENT = re.compile(r"[%#]")
_EPD = re.compile(
    r"\s*+([^\s;]++\s++[wb]\s++[^\s;]++\s++[^\s;]++(?:\s++\d++\s++\d++(?=[\s;]))?+)"
    r"(?:\s*+;)?+\s*+(?=[A-Za-z])(.*)",
    re.DOTALL,
)
_OPERATION = re.compile(r'[\s;]*+([A-Za-z]\w*+)((?:"[^"]*+"|[^;"]++)*+)(?:;|\Z)[\s;]*+')
_POINTS = re.compile(r"\d{1,6}(\.\d{1,3})?")
_SIGNS = frozenset("+#!?")


@dataclass(frozen=True)
class Problem:
    """A position and what is known of it."""

    name: str
    position: Position
    scores: dict[str, float] = field(default_factory=dict)
    best: tuple[str, ...] = ()
    avoided: tuple[str, ...] = ()
    points: dict[str, float] = field(default_factory=dict)

    def is_solved_by(self, move: str | None) -> bool | None:
        """Return whether a move is what the problem asks for; None where it asks for none."""
        best = self.best or self.best_moves
        if not best and not self.avoided:
            return None
        return move is not None and (not best or move in best) and move not in self.avoided

    @property
    def best_score(self) -> float | None:
        """The best known score."""
        return max(self.scores.values(), default=None)

    @property
    def best_moves(self) -> list[str]:
        """The moves that reach it."""
        return [move for move, score in self.scores.items() if score == self.best_score]


def parse_problem(line: str, game: Game | str = "othello", name: str = "") -> Problem:
    """Return the problem that a line of OBF or EPD holds."""
    epd = _EPD.fullmatch(line.rstrip())
    if epd is not None:
        return _parse_epd(epd[1], epd[2], game, name)
    text, comment = ([*_COMMENT.split(line, maxsplit=1), ""])[:2]
    fields = [field.strip() for field in text.split(";")]
    position = _position(fields[0], game)
    notation = position.game.notation
    scores = {}
    for operation in filter(None, fields[1:]):
        move, separator, score = operation.partition(":")
        try:
            known = float(score.translate(DASHES))
        except ValueError:
            separator = ""
        if not separator or not abs(known) <= position.game.scores.max_utility:  # of nan, too
            example = next(iter(position.legal_moves()), "d3")
            raise UserError(
                f"{reprlib.repr(operation)} is not a move and its score; write it like {example}:+4"
            )
        scores[notation.write_move(notation.read_move(move))] = known
    return Problem(comment.strip() or name, position, scores)


def _parse_epd(text: str, operations: str, game: Game | str, name: str) -> Problem:
    position = Position.parse(text, game)
    plain = {opcode: operand.replace('"', " ") for opcode, operand in _operations(operations)}

    def moves_of(opcode: str) -> tuple[str, ...]:
        words = (word for word in plain.get(opcode, "").split() if not set(word) <= _SIGNS)
        return tuple(_written(position, word.strip(",")) for word in words)

    return Problem(
        plain.get("id", "").strip() or name,
        position,
        best=moves_of("bm"),
        avoided=moves_of("am"),
        points=_points(position, plain),
    )


def _written(position: Position, move: str) -> str:
    """Return a legal move as the game writes it."""
    return position.game.notation.write_move(position.number_of(move))


def _operations(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        found = _OPERATION.match(text, at)
        if found is None:
            raise UserError(
                f"{reprlib.repr(text[at:])} is not an operation of EPD; write it like bm Nf3;"
            )
        yield found[1], found[2]
        at = found.end()


def _points(position: Position, plain: Mapping[str, str]) -> dict[str, float]:
    """Return the points of moves; none where the operands are other text, such as remarks."""
    words = plain.get("c0", "").replace(",", " ").split()
    told = [(move, number) for move, _, number in (word.partition("=") for word in words)]
    if "c8" in plain and (moves := plain.get("c9", plain.get("c7", "")).split()):
        told = list(zip(moves, plain["c8"].split(), strict=False))
    if not all(_POINTS.fullmatch(number) for _, number in told):
        return {}
    try:
        return {_written(position, move): float(number) for move, number in told}
    except UserError:
        return {}


def _position(text: str, game: Game | str) -> Position:
    try:
        return Position.parse(text, game)
    except UserError as error:
        try:
            return Position.parse(f"{text[:-1]} {text[-1:]}", game)
        except UserError:
            raise error from None


def read_problems(path: Path | str, game: Game | str = "othello") -> list[Problem]:
    """Return the problems of a file."""
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
        raise UserError(f"{path}, {faults[0]}" if faults else f"{path} contains no positions")
    if faults:
        warnings.warn(
            f"{path}: {len(faults)} of {len(problems) + len(faults)} lines cannot be read and "
            f"are left out, the first: {faults[0]}",
            stacklevel=2,
        )
    return problems
