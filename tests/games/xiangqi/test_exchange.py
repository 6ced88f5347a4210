"""Exchanges of xiangqi against a plain search of the captures on one square."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest

from samuel.games import Position, game_named
from samuel.games.playing import random_positions
from samuel.games.xiangqi.exchange import exchange
from samuel.kernels.jit import jit

GAME = game_named("xiangqi")
WORTH = {"K": 0, "A": 2000, "B": 2000, "N": 4000, "R": 9000, "C": 4500, "P": 1000}
LEAST_FIRST = "PABNCRK"
Board: TypeAlias = dict[tuple[int, int], str]
"""Pieces by file and rank, both from 0, those of the first player as capitals."""
# Position, move and gain; from the rules of the exchange alone.
KNOWN = [
    ("3k5/9/9/4p4/4P4/9/9/9/9/5K3 w", "e6e7", 1000),
    ("3k5/9/9/9/9/4p4/4P4/9/9/5K3 w", "e4e5", 2000),  # beyond the river it is worth two
    ("3k5/9/3n5/9/4p4/9/4R4/9/9/5K3 w", "e4e6", 1000 - 9000),
    ("3k5/9/3n5/3P5/4p4/9/4R4/9/9/5K3 w", "e4e6", 1000),  # the horse's leg is blocked
    ("3k5/4r4/9/4p4/9/9/4R4/4R4/9/5K3 w", "e4e7", 1000),
    ("3k5/4c4/4n4/4p4/9/9/4R4/9/9/5K3 w", "e4e7", 1000 - 9000),  # over the horse
    ("3k5/4c4/9/4p4/9/9/4R4/9/9/5K3 w", "e4e7", 1000),
    ("3k5/4r4/9/4p4/9/9/4R4/4C4/9/5K3 w", "e4e7", 1000 - 9000),  # the cannon's screen has gone
    ("3k5/4r4/9/R3p4/9/4P4/9/4C4/9/5K3 w", "a7e7", 1000),
    ("4k4/R3a4/9/9/9/9/9/9/9/3K5 w", "a9e9", 2000 - 9000),
    ("4k4/R3a4/9/9/9/9/9/9/9/4K4 w", "a9e9", 2000),  # the general would face the other
    ("3k1a3/R8/9/9/9/9/9/9/9/5K3 w", "a9e9", -9000),
]


@jit
def _exchange(position, move):  # type: ignore[no-untyped-def]
    return exchange(position, move)


def gain(position: Position, move: str) -> int:
    return int(_exchange(position.row, position.number_of(move)))


@pytest.mark.parametrize(("fen", "move", "gained"), KNOWN)
def test_known_exchanges(fen: str, move: str, gained: int) -> None:
    assert gain(Position.parse(fen, GAME), move) == gained


def board_of(position: Position) -> Board:
    rows: Board = {}
    for line, text in enumerate(position.text.split()[0].split("/")):
        file = 0
        for sign in text:
            if sign.isdigit():
                file += int(sign)
            else:
                rows[file, 9 - line] = sign
                file += 1
    return rows


def attacks(board: Board, start: tuple[int, int], end: tuple[int, int]) -> bool:
    """Return whether a piece may capture on a square, checks and pins left out."""
    sign, (file, rank) = board[start], start
    right, up = end[0] - file, end[1] - rank
    first, kind = sign.isupper(), sign.upper()
    own_half = (end[1] < 5) == first
    in_palace = 3 <= end[0] <= 5 and (end[1] <= 2 if first else end[1] >= 7)
    steps = abs(right), abs(up)
    if kind == "K":
        return in_palace and sum(steps) == 1
    if kind == "A":
        return in_palace and steps == (1, 1)
    if kind == "B":
        return steps == (2, 2) and own_half and (file + right // 2, rank + up // 2) not in board
    if kind == "N":
        if sorted(steps) != [1, 2]:
            return False
        leg = (file + int(right / 2), rank + int(up / 2))
        return leg not in board
    if kind == "P":
        crossed = (rank >= 5) == first
        return (right, up) == (0, 1 if first else -1) or (crossed and (steps == (1, 0)))
    if right and up:
        return False
    far = max(steps)
    between = sum((file + right * k // far, rank + up * k // far) in board for k in range(1, far))
    return between == (1 if kind == "C" else 0)


def worth(sign: str, square: tuple[int, int]) -> int:
    crossed = sign in "Pp" and (square[1] >= 5) == sign.isupper()
    return WORTH[sign.upper()] + 1000 * crossed


def takers(board: Board, square: tuple[int, int], first: bool) -> list[tuple[int, int]]:
    """Return the pieces of a side that may capture on a square."""
    return [
        at
        for at, sign in board.items()
        if at != square and sign.isupper() == first and attacks(board, at, square)
    ]


def best(board: Board, square: tuple[int, int], first: bool, mover: bool) -> int:
    """Return what a side gains that may capture on the square, or not, with its least piece.

    Of several such pieces it is the first as the side sees it that moved first.
    """

    def rank_of(at: tuple[int, int]) -> tuple[int, int]:
        number = 9 * at[1] + at[0]
        return LEAST_FIRST.index(board[at].upper()), number if mover else -number

    able = sorted(takers(board, square, first), key=rank_of)
    if not able:
        return 0
    after = dict(board)
    taker = after.pop(able[0])
    taken, after[square] = after[square], taker
    if taker in "Kk":
        lines = str.maketrans("kK", "rR")  # generals may not face each other
        if takers({at: sign.translate(lines) for at, sign in after.items()}, square, not first):
            return 0
    return max(0, worth(taken, square) - best(after, square, not first, mover))


def test_exchanges_are_those_of_a_search_of_the_captures() -> None:
    seen = lost = screens = 0
    for row in random_positions(GAME, 1500, seed=11, max_plies=160):
        position = Position(GAME, tuple(map(int, row)), int(row[-1]))
        board, first = board_of(position), position.side == 0
        for k, number in enumerate(GAME.moves_in(row).tolist()):
            move: str = GAME.notation.write_move(number)
            start, end = square_of(move, 0), square_of(move, 1)
            if end not in board and k % 16:
                continue
            after = dict(board)
            taken, mover = after.get(end), after.pop(start)
            after[end] = mover
            won = worth(taken, end) if taken else 0
            expected = won - best(after, end, not first, first)
            assert gain(position, move) == expected, (position.text, move)
            seen += 1
            lost += expected < 0
            screens += mover in "Cc" and taken is not None
    assert seen > 5000
    assert lost > 500
    assert screens > 500


def square_of(move: str, which: int) -> tuple[int, int]:
    """Return file and rank, from 0, of where a move starts (0) or ends."""
    start = next(k for k, sign in enumerate(move) if k and sign.isalpha())
    text = move[start:] if which else move[:start]
    return "abcdefghi".index(text[0]), int(text[1:]) - 1


def sides_of(row: Any) -> Any:
    """Return the pieces as the other side sees them, and that it is to move."""
    words = row[:-1].reshape(7, 2, 2)
    turned = [
        [[int(f"{int(w):045b}"[::-1], 2) for w in half[::-1]] for half in k[::-1]] for k in words
    ]
    return np.array([*np.ravel(turned).tolist(), 1 - int(row[-1])], np.uint64)


def test_a_pass_turns_the_board_and_is_not_made_in_check_or_with_few_pieces() -> None:
    child = np.zeros(len(GAME.start), np.uint64)
    passed = checked = few = 0
    assert GAME.search.null_move is not None and GAME.search.in_check is not None
    for row in random_positions(GAME, 3000, seed=2, max_plies=400):
        letters = Position(GAME, tuple(map(int, row)), int(row[-1])).text.split()[0]
        own = letters if row[-1] == 0 else letters.swapcase()
        is_checked, strong = GAME.search.in_check(row), set(own) & set("RNC")
        assert GAME.search.null_move(row, child) == (not is_checked and bool(strong))
        checked += is_checked
        few += not strong
        if not is_checked and strong:
            passed += 1
            assert (child == sides_of(row)).all()
            assert not GAME.search.in_check(child)
    assert passed > 1000 and checked > 20 and few > 5
