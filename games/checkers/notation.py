"""Notation of checkers: FEN as PDN has it, and moves by the numbers of squares.

A position is who is to move, then each side's squares, kings with a K: `B:W21,22,K3:B1,2`. Ranges
such as `21-32` are read. A step is `11-15`, a jump `22x15`, one of several `7x16x23x14`, or `7x14`
where it is the only one that goes from there to there. Described in M. Bergen and others, "Portable
Draughts Notation", version 3.0. Black, who moves first, has squares 1 to 12.
"""

from __future__ import annotations

import itertools
import re
import reprlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.board import EMPTY
from samuel.games.checkers.listing import (
    BOARD,
    JUMPS_AT,
    LAST,
    LAST_ROW,
    MOST_JUMPS,
    PLACES,
    STEPS,
    STEPS_AT,
    VALID,
)
from samuel.games.notation import Notation
from samuel.games.rules import Words

MOST_PIECES = 12
"""Most pieces of a side."""
_FEN = re.compile(r"([bw]):([bw])([^:]*):([bw])([^:]*)(?::(?!\s*[bw])[^:]*)*", re.IGNORECASE)
"""Fields behind the pieces, such as H0 and F1 (moves since a capture, number of the move), are
read over."""
_BLANKS = re.compile(r"(?<!\s)\s++(?=[:,-])|(?<=[:,-])\s++")
"""Those around the signs of a position."""
_PIECES = re.compile(r"(k?)(\d{1,2})(?:-(\d{1,2}))?", re.IGNORECASE)
_MOVE = re.compile(r"\d{1,2}(?:-\d{1,2}|(?:x\d{1,2})+)", re.IGNORECASE)
_LAST_ROW = int(LAST_ROW)
_FIRST_ROW = 0b1111


class CheckersNotation(Notation):
    """Positions of four words of pieces and one that says whose turn it is."""

    grid, second_sees, players = BOARD, "rotated", BOARD.pieces[0]
    passes, needs_position = False, True

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, K) have what the rules let a board have."""
        men, theirs, turn = positions[:, 0], positions[:, 1], positions[:, 4]
        uncrowned = (men & LAST_ROW | theirs & np.uint64(_FIRST_ROW)) == 0
        dark = ((positions[:, :4] & ~VALID) == 0).all(axis=1)
        counts = np.bitwise_count(positions[:, :4]).astype(int)
        few = (counts[:, :2] + counts[:, 2:] <= MOST_PIECES).all(axis=1)
        return BOARD.holds(positions) & uncrowned & dark & few & (turn <= 1)

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words, and the side to move (0 for Black)."""
        found = _FEN.fullmatch(_BLANKS.sub("", text.strip().rstrip(".")))
        if found is None:
            raise UserError(
                f"{reprlib.repr(text)} is not a position; write it like B:W21-32:B1-12, kings as K5"
            )
        mover, *both = found.groups()
        lists = {both[0].upper(): both[1], both[2].upper(): both[3]}
        if len(lists) != 2:
            raise UserError(f"{reprlib.repr(text)} lists the pieces of one side twice")
        side = "BW".index(mover.upper())
        men, kings = zip(*(_pieces(lists[one]) for one in "BW"), strict=True)
        _require_sound((*men, *kings))
        words = tuple(_turned(word) if side else word for word in (*men, *kings))
        if side:
            words = words[1], words[0], words[3], words[2]
        return (*words, side), side

    def write(self, words: Words, side: int) -> str:
        """Return the text that `read` takes back."""
        seen = [_turned(word) if side else word for word in words[:4]]
        lists = {}
        for one in (0, 1):
            men, kings = seen[one ^ side], seen[2 + (one ^ side)]
            places = [k for k in range(PLACES) if (men | kings) >> _square_at(k) & 1]
            is_king = [kings >> _square_at(k) & 1 for k in places]
            pairs = zip(places, is_king, strict=True)
            lists["BW"[one]] = ",".join(f"{'K' * king}{k + 1}" for k, king in pairs)
        return f"{'BW'[side]}:W{lists['W']}:B{lists['B']}"

    def board(self, words: Words, side: int) -> str:
        """Return the position as Black sees it, the numbers of the squares at the rows' ends."""
        signs = self.signs(words, side).replace(EMPTY, ".")
        lines = []
        for row in range(8):
            squares = (s if (row + k) % 2 else " " for k, s in enumerate(signs[8 * row :][:8]))
            lines.append(f"{4 * row + 1:2d} {' '.join(squares)} {4 * row + 4}")
        return "\n".join([*lines, f"{('Black', 'White')[side]} to move"])

    def read_move(self, text: str) -> int:
        """Return the move that `text` names, every square of it given."""
        numbers, jumps = _numbers_in(text), "x" in text.lower()
        squares = [_square_at(number - 1) for number in numbers]
        steps = [b - a for a, b in itertools.pairwise(squares)]
        if jumps:
            steps = [step // 2 if step % 2 == 0 else 0 for step in steps]
        if len(steps) > MOST_JUMPS or not set(steps) <= set(STEPS):
            raise UserError(
                f"{reprlib.repr(text)} is not a legal move; write moves like 11-15, 22x15 and "
                "7x16x23"
            )
        path = sum(STEPS.index(step) << 2 * k for k, step in enumerate(steps))
        return (numbers[0] - 1) | jumps << JUMPS_AT | (path | 1 << 2 * len(steps)) << STEPS_AT

    def write_move(self, move: int) -> str:
        """Return the move's text, with every square that the piece comes to."""
        return ("x" if move >> JUMPS_AT & 1 else "-").join(map(str, _squares_of(move)))

    def paths(self, move: int, side: int) -> list[list[str]]:
        """Return the squares that a piece comes to (games/scene.py)."""
        dark = [name for k, name in enumerate(BOARD.squares) if k not in BOARD.unused]
        return [[dark[number - 1] for number in _squares_of(move)]]

    def among(self, text: str, moves: Sequence[int], words: Words = ()) -> int:
        """Return which of the legal moves `text` means: where it is the only one, by its ends."""
        numbers = _numbers_in(text)
        ends = numbers[0], numbers[-1]
        alike = [move for move in moves if (_squares_of(move)[0], _squares_of(move)[-1]) == ends]
        if len(numbers) == 2 and len(alike) == 1:
            return alike[0]
        return self.read_move(text)


def _square_at(place: int) -> int:
    return place + place // 8


def _turned(squares: int) -> int:
    """Return a set of squares as the other side sees it."""
    return sum(1 << LAST - k for k in range(LAST + 1) if squares >> k & 1)


def _pieces(text: str) -> tuple[int, int]:
    """Return the men and the kings that a list names."""
    both = [0, 0]
    for part in filter(None, map(str.strip, text.split(","))):
        found = _PIECES.fullmatch(part)
        numbers = (
            range(int(found[2]), int(found[3] or found[2]) + 1) if found is not None else range(0)
        )
        if found is None or not numbers or numbers[0] < 1 or numbers[-1] > PLACES:
            raise UserError(
                f"{reprlib.repr(part)} is not a square from 1 to 32, nor a range of squares"
            )
        for number in numbers:
            square = 1 << _square_at(number - 1)
            if (both[0] | both[1]) & square:
                raise UserError(f"square {number} is given twice")
            both[bool(found[1])] |= square
    return both[0], both[1]


def _require_sound(words: tuple[int, ...]) -> None:
    """Raise UserError unless Black's men, White's, and their kings may stand so."""
    black, white, black_kings, white_kings = words
    if (black | black_kings) & (white | white_kings):
        raise UserError("a square has a piece of both sides")
    if black & _LAST_ROW or white & _FIRST_ROW:
        raise UserError("a man stands on its last row; write a king, such as K32")
    for name, pieces in (("Black", black | black_kings), ("White", white | white_kings)):
        if pieces.bit_count() > MOST_PIECES:
            raise UserError(f"{name} has {pieces.bit_count()} pieces; the most is {MOST_PIECES}")


def _numbers_in(text: str) -> list[int]:
    """Return the numbers of squares that a move names."""
    plain = text.strip()
    numbers = [int(n) for n in re.findall(r"\d+", plain)] if _MOVE.fullmatch(plain) else []
    if not numbers or not all(1 <= number <= PLACES for number in numbers):
        raise UserError(
            f"{reprlib.repr(text)} is not a move; write moves like 11-15, 22x15 and 7x16x23"
        )
    return numbers


def _squares_of(move: int) -> list[int]:
    """Return the numbers of the squares that a piece comes to, where it starts first."""
    return [square - square // 9 + 1 for square in _path(move)]


def _path(move: int) -> Iterator[int]:
    square, far = _square_at(move & PLACES - 1), 2 if move >> JUMPS_AT & 1 else 1
    yield square
    steps = move >> STEPS_AT
    while steps > 1:
        square += far * STEPS[steps & 3]
        yield square
        steps >>= 2
