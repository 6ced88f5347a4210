"""Notation of xiangqi: FEN, and moves by coordinates.

    rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1

The first player's pieces are capitals: K general, A advisor, B elephant (E is read), N horse (H is
read), R chariot, C cannon, P soldier. The side to move is w (r is read) or b; what follows it, such
as counts of moves, is read over, as a position does not have it. Files are a to i, ranks 1 to 10
from the first player's side, as in the UCI of Fairy-Stockfish: `h3e3`, `e10d10`. UCCI counts ranks
from 0, so its `h2e2` is another move here: translate it where it comes in.
"""

from __future__ import annotations

import re
import reprlib

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.board import EMPTY
from samuel.games.fen import placement_of, signs_of
from samuel.games.notation import Notation
from samuel.games.rules import Words
from samuel.games.xiangqi.moves import are_checking
from samuel.games.xiangqi.squares import (
    ADVISOR_SQUARES,
    BOARD,
    COLUMNS,
    ELEPHANT_SQUARES,
    HALF,
    NAMES,
    PALACE,
    ROWS,
    SQUARES,
)

START_FEN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w"
_MOST = (1, 2, 2, 2, 2, 2, 5)
"""Most pieces of each kind."""
_EVERY = (1 << HALF) - 1
_SOLDIERS = sum(1 << 9 * row + k for row in (3, 4) for k in range(0, COLUMNS, 2))
_ALLOWED = (
    *((int(PALACE), 0), (ADVISOR_SQUARES, 0), (ELEPHANT_SQUARES, 0), (_EVERY, _EVERY)),
    *((_EVERY, _EVERY), (_EVERY, _EVERY), (_SOLDIERS, _EVERY)),
)
"""Squares where each may stand, below the river and beyond, as its side sees it."""
_MOVE = re.compile(r"([a-i])(10|[1-9])-?([a-i])(10|[1-9])", re.IGNORECASE)
_WORDS_A_KIND = 4
_READ = str.maketrans("HhEe", "NnBb")


def may_stand(kind: int, square: int) -> bool:
    """Return whether a kind of piece can come to a square, as its side sees it."""
    return bool(_ALLOWED[kind][square // HALF] >> square % HALF & 1)


class XiangqiNotation(Notation):
    """Positions of 28 words of pieces and one that says whose turn it is."""

    grid, second_sees, players, passes = BOARD, "rotated", "wb", False

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, K) a game may reach."""
        rows = np.require(positions, np.uint64, ["C", "W"])
        return self._stand(rows) & ~are_checking(rows)

    def _stand(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, K) have two generals, and pieces where they may be."""
        found = BOARD.holds(positions) & (positions[:, -1] <= 1)
        columns = np.ascontiguousarray(positions.T)
        counts = np.bitwise_count(columns)
        for kind, (most, allowed) in enumerate(zip(_MOST, _ALLOWED, strict=True)):
            for side in (0, 2):
                word = _WORDS_A_KIND * kind + side
                area = (_turned(allowed[1]), _turned(allowed[0])) if side else allowed
                for half in (0, 1):
                    found &= columns[word + half] & ~np.uint64(area[half]) == 0
                count = counts[word] + counts[word + 1]
                found &= (count == 1) if kind == 0 else (count <= most)
        return found

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words, and the side to move (0 for the first player)."""
        fields = text.split()
        if len(fields) < 2 or fields[1].lower() not in ("w", "r", "b"):
            raise UserError(
                f"{reprlib.repr(text)} is not a position; write it as FEN, like {START_FEN}"
            )
        side = int(fields[1].lower() == "b")
        signs = signs_of(fields[0].translate(_READ), ROWS, COLUMNS, "KABNRCP")
        found = (*self.words_of(signs, side), side)
        self._require_sound(found, signs)
        return found, side

    def _require_sound(self, words: Words, signs: str) -> None:
        for sign in "".join(self.grid.pieces):
            kind = "KABNRCP".index(sign.upper())
            name = f"{NAMES[kind]}{'s' * (_MOST[kind] > 1)} {sign}"
            if signs.count(sign) > _MOST[kind]:
                raise UserError(
                    f"a side has {signs.count(sign)} of the {name}; the most is {_MOST[kind]}"
                )
        for sign in "Kk":
            if sign not in signs:
                raise UserError(f"the general {sign} is missing")
        row = np.array([words], np.uint64)
        if not self._stand(row)[0]:
            raise UserError(
                "a piece stands where it cannot be: generals and advisors stay in the "
                "palace, elephants stay on their side, and soldiers never move back"
            )
        if are_checking(row)[0]:
            raise UserError(
                "the side that is not to move is in check, or the generals face each other: no "
                "game reaches such a position"
            )

    def write(self, words: Words, side: int) -> str:
        """Return the text that `read` takes back."""
        return f"{placement_of(self.signs(words, side), COLUMNS)} {self.players[side]}"

    def board(self, words: Words, side: int) -> str:
        """Return the board as the first player sees it, the river between, and who is to move."""
        signs = self.signs(words, side).replace(EMPTY, ".")
        lines = ["   " + " ".join(self.grid.column_names[:COLUMNS])]
        for row, name in enumerate(self.grid.row_names):
            lines.append(f"{name:>2} " + " ".join(signs[COLUMNS * row :][:COLUMNS]))
            if row == ROWS // 2 - 1:
                lines.append("   " + "~" * (2 * COLUMNS - 1))
        return "\n".join([*lines, f"{('w', 'b')[side]} to move"])

    def read_move(self, text: str) -> int:
        """Return the move that `text` names."""
        found = _MOVE.fullmatch(text.strip())
        if found is None:
            raise UserError(
                f"{reprlib.repr(text)} is not a move; write moves like h3e3 and e10d10, with "
                "ranks from 1 to 10"
            )
        column_of = self.grid.column_names.index
        start, end = (
            COLUMNS * (int(found[k + 1]) - 1) + column_of(found[k].lower()) for k in (1, 3)
        )
        return SQUARES * start + end

    def write_move(self, move: int) -> str:
        """Return the move's text."""
        return "".join(
            f"{self.grid.column_names[square % COLUMNS]}{square // COLUMNS + 1}"
            for square in divmod(move, SQUARES)
        )


def _turned(area: int) -> int:
    """Return half a board as the other side sees it, as its other half."""
    return int(f"{area:0{HALF}b}"[::-1], 2)


START: Words = XiangqiNotation().read(START_FEN)[0]
