"""Othello on 8 by 8, 6 by 6 and 4 by 4 squares.

Two words: the discs of the player and of the opponent. Bit 0 is a1 of the 8 by 8 squares, bit 1
is b1. The smaller boards lie in the middle of them, the squares around always empty: there every
run of discs ends, so one set of rules serves all sizes, its moves kept to the board. People name
squares by the board's own rows and columns.

The unit is the final difference in discs, empty squares going to the winner. A side that has no
move while the other has one must pass, and a pass is a ply.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
from numba import float32, int32
from numpy.typing import NDArray

from samuel.games.board import Board
from samuel.games.game import Game
from samuel.games.grid_notation import GridNotation
from samuel.games.groups import (
    Defaults,
    Handmade,
    OutsideEngine,
    PerftRules,
    Scores,
    SearchRules,
    Solver,
)
from samuel.games.othello.bits import FASTEST, MOST_MOVES, Bits, final_difference
from samuel.games.othello.endgame import solve_on
from samuel.games.rules import PASS, Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, trailing_zeros
from samuel.kernels.jit import jit

# The square weights that Othello learners are commonly tested against: T. Yoshioka, S. Ishii,
# M. Ito, "Strategy acquisition for the game Othello based on reinforcement learning", 1999. One
# weight a class of squares. Not in discs: only comparisons mean anything.
WPC = Handmade(
    "the standard square weights of the literature (Yoshioka et al. 1999)",
    ("square_classes",),
    {
        "square_classes_a1": (1.0,),
        "square_classes_b1": (-0.25,),
        "square_classes_c1": (0.1,),
        "square_classes_d1": (0.05,),
        "square_classes_b2": (-0.25,),
        "square_classes_c2": (0.01,),
        "square_classes_d2": (0.01,),
        "square_classes_c3": (0.05,),
        "square_classes_d3": (0.02,),
        "square_classes_d4": (0.01,),
    },
)

# By hand, in discs, at the end of the game, half-way and at its start. Early on discs are a burden
# and mobility is nearly all; corners, and what gives them away, count throughout; late, stable
# discs take over. Smaller boards have fewer classes of squares, with the same weights.
CLASSIC = Handmade(
    "squares, mobility and stability, weighted by hand by stage",
    ("square_classes", "mobility", "stability"),
    {
        "square_classes_a1": (4.0, 7.0, 8.0),
        "square_classes_b1": (0.5, -1.0, -1.5),
        "square_classes_c1": (0.5, 0.5, 0.3),
        "square_classes_d1": (0.5, 0.3, 0.2),
        "square_classes_b2": (0.0, -2.5, -3.5),
        "square_classes_c2": (0.3, -0.3, -0.4),
        "square_classes_d2": (0.3, -0.2, -0.3),
        "square_classes_c3": (0.3, 0.1, 0.0),
        "square_classes_d3": (0.3, 0.0, 0.0),
        "square_classes_d4": (0.3, 0.0, 0.0),
        "mobility_player": (0.3, 0.9, 0.8),
        "mobility_opponent": (-0.3, -0.9, -0.8),
        "stability_player": (0.7, 1.0, 1.0),
        "stability_opponent": (-0.7, -1.0, -1.0),
    },
)


def evaluators(size: int) -> dict[str, Handmade]:
    """Return those for a board of so many squares a side."""
    return {"classic": CLASSIC, "wpc": WPC} if size == 8 else {"classic": CLASSIC}


_WIDER = (
    "wing: a5 a4 a3 a2 a1 b2 b1 c1 d1 e1",
    "block: a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
    "triangle: a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
    "kite: a1 b1 a2 b2 c2 d2 e2 b3 b4 b5",
    "corners: a1 b2 c3 d4 e5 f6 g7 h8 a8 h1",
)


def shapes(size: int) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return those for a board of so many squares a side, by name, with a line about each."""
    own = logistello(size)
    found = {"logistello": ("rows, diagonals, edges and corners, as in M. Buro's Logistello", own)}
    if size == 8:
        # the 46 instances that Edax's file of weights has (R. Delorme, https://github.com/abulmo)
        alike = tuple(line for line in own if not line.startswith("corner 2x5"))
        found["edax"] = (
            "those of R. Delorme's Edax: logistello's, two in the place of one",
            alike + _WIDER[:2],
        )
        found["large"] = ("those of logistello and five wider ones", own + _WIDER)
    return found


def logistello(size: int) -> tuple[str, ...]:
    """Return the shapes of Logistello on a board of `size` squares a side.

    M. Buro, "From simple features to sophisticated evaluation functions", 1998: rows and columns
    from the second to the middle, diagonals of four squares or more, the edge with its two X
    squares, corners of 3 by 3 and of 2 by 5.
    """
    files = "abcdefgh"[:size]
    found = {f"row {row}": [f"{file}{row}" for file in files] for row in range(2, size // 2 + 1)}
    for length in range(4, size + 1):
        squares = [f"{files[k]}{1 + size - length + k}" for k in range(length)]
        found[f"diagonal {length}"] = squares
    found["edge 2X"] = [*(f"{file}1" for file in files), f"{files[1]}2", f"{files[-2]}2"]
    found["corner 3x3"] = [f"{f}{r}" for r in (1, 2, 3) for f in files[:3]]
    if size > 4:
        found["corner 2x5"] = [f"{f}{r}" for r in (1, 2) for f in files[:5]]
    return tuple(f"{name}: {' '.join(squares)}" for name, squares in found.items())


SQUARES = tuple(f"{column}{row}" for row in range(1, 9) for column in "abcdefgh")

# Which squares tend to be good moves, for ordering only: corners first, then the inner ring,
# squares next to a corner last. One eighth of the board; the rest by symmetry. In sixteenths of
# a disc; a reply of the opponent's counts three quarters of one.
_OCTANT = {"a1": 18, "b1": 2, "c1": 12, "d1": 10, "b2": 0, "c2": 6, "d2": 6, "c3": 8, "d3": 7}
_SQUARE_ORDER = 60
_MOBILITY_ORDER = 720


ENGINES = (
    OutsideEngine(
        "GRhino",
        "gtp[depth={level}]:gtp-rhino --mid={level} --end=10 --book=0",
        "apt-get install grhino",
        {f"depth {depth}": str(depth) for depth in (2, 4, 6)},
    ),
)

DEFAULTS = Defaults(
    title="Othello",
    sides=("Black", "White"),
    features_in="samuel.games.othello.features",
    # No disc difference and no corners: they are sums of square classes, and among numbers that say
    # the same a linear model spreads its weights at will, so that none of them means anything.
    features=(
        "square_classes",
        "mobility",
        "potential_mobility",
        "frontier",
        "stability",
        "x_squares",
        "c_squares",
        "parity",
    ),
    tables=(
        ("mobility_player", "mobility_opponent"),
        ("potential_mobility_player", "potential_mobility_opponent"),
        ("odd_quadrants",),  # and with them, whether all empty squares are odd
    ),
    recipe="logistello-tables",
    generations=6,
    formats_in=("samuel.games.othello.wthor", "samuel.games.othello.ggf"),
)


@functools.cache
def squares_of(size: int) -> dict[int, str]:
    """Return the bits of a board's squares, row by row, each with the square's own name."""
    margin = (8 - size) // 2
    return {
        8 * (row + margin) + column + margin: SQUARES[8 * row + column]
        for row in range(size)
        for column in range(size)
    }


def _square_order(size: int) -> NDArray[np.int32]:
    values = np.zeros(64, np.int32)
    for square, own_name in squares_of(size).items():
        place = divmod(SQUARES.index(own_name), 8)
        row, column = (min(k, size - 1 - k) for k in place)
        name = SQUARES[8 * min(row, column) + max(row, column)]
        values[square] = _SQUARE_ORDER * _OCTANT.get(name, 0)
    return values


def _rules(size: int, bits: Bits) -> dict[str, Any]:
    """Return the rules on a board of that size, as groups of games.game.Game take them."""
    board = _board(size)
    moves_of, flips_of = bits.moves_of, bits.flips_of

    @jit
    def empty_squares(position: Row) -> Word:
        return board & ~(position[0] | position[1])

    @jit
    def legal_moves(position: Row, moves: Any) -> int:
        """List the moves by square; a forced pass alone."""
        squares = moves_of(position[0], position[1]) & board
        n = 0
        while squares:
            moves[n] = int32(trailing_zeros(squares))
            squares &= squares - ONE
            n += 1
        if n == 0 and moves_of(position[1], position[0]) & board != ZERO:
            moves[0] = PASS
            n = 1
        return n

    @jit
    def play(position: Row, move: int, child: Row) -> None:
        """Write the position after `move`, from the other side."""
        player, opponent = position[0], position[1]
        if move == PASS:
            child[0], child[1] = opponent, player
        else:
            flips = flips_of(player, opponent, move)
            child[0], child[1] = opponent ^ flips, player ^ flips ^ bit(move)

    @jit
    def is_terminal(position: Row) -> bool:
        """Return whether neither side can move."""
        player, opponent = position[0], position[1]
        if moves_of(player, opponent) & board != ZERO:
            return False
        return moves_of(opponent, player) & board == ZERO

    @jit
    def utility(position: Row) -> float:
        """Return the final disc difference."""
        empty = empty_squares(position)
        return float32(final_difference(position[0], position[1], empty))

    @jit
    def plies_left(position: Row) -> int:
        """Return the number of empty squares."""
        return popcount(empty_squares(position))

    @jit
    def solve(*arguments: Any) -> int:
        """Return the exact final disc difference."""
        return solve_on(board, *arguments)

    return {
        "legal_moves": legal_moves,
        "play": play,
        "is_terminal": is_terminal,
        "utility": utility,
        "plies_left": plies_left,
        "search": SearchRules(order=_order(size, bits), regions=_regions(size)),
        "solver": Solver(10, solve),
        "perft": PerftRules(_count_replies(board, bits), counts_ended=True),
    }


def _board(size: int) -> Word:
    """Return the squares of a board."""
    return np.uint64(sum(1 << square for square in squares_of(size)))


def _order(size: int, bits: Bits) -> Any:
    """Return the rule `order` on a board of that size."""
    board, square_order = _board(size), _square_order(size)
    moves_of, flips_of = bits.moves_of, bits.flips_of

    @jit
    def order(position: Row, moves: Any, n: int, hints: Any) -> None:
        """Prefer moves that leave the opponent few replies, then good squares."""
        player, opponent = position[0], position[1]
        for i in range(n):
            move = moves[i]
            if move == PASS:
                hints[i] = 0
                continue
            flips = flips_of(player, opponent, move)
            replies = moves_of(opponent ^ flips, player ^ flips ^ bit(move)) & board
            hints[i] = square_order[move] - _MOBILITY_ORDER * popcount(replies)

    return order


def _count_replies(board: Word, bits: Bits) -> Any:
    """Return the rule `count_replies` on a board of these squares."""
    moves_of, _, replies_to, at_once = bits

    @jit
    def count_replies(position: Row) -> int:
        """Count the positions two plies on, several moves at once where there is vector code."""
        player, opponent, empty = position[0], position[1], board & ~(position[0] | position[1])
        moves = moves_of(player, opponent) & empty
        if moves == ZERO:
            return max(1, popcount(moves_of(opponent, player) & empty))
        replies = 0
        while moves:
            replies += replies_to(player, opponent, empty, moves)
            for _ in range(at_once):
                moves &= moves - ONE
        return replies

    return count_replies


def _regions(size: int) -> NDArray[np.uint64]:
    """Return the four edges, each with the squares diagonally next to its corners."""
    places = np.array(list(squares_of(size))).reshape(size, size)
    masks = []
    for turned in (np.rot90(places, k) for k in range(4)):
        squares = {*turned[0], turned[1, 1], turned[1, size - 2]}
        masks.append(sum(1 << int(square) for square in squares))
    return np.array([[mask, mask] for mask in masks], np.uint64)


def othello(size: int = 8, bits: Bits = FASTEST) -> Game:
    """Return Othello on a board of 8, 6 or 4 squares a side."""
    squares = squares_of(size)
    names = [squares.get(square, "") for square in range(64)]
    return Game(
        name="othello" if size == 8 else f"othello_{size}x{size}",
        start=(0x0000000810000000, 0x0000001008000000),
        notation=GridNotation(
            Board(size, size, tuple(squares), symmetric="all"), names, passes=True
        ),
        max_moves=MOST_MOVES,
        max_plies=2 * len(squares),
        scores=Scores("discs", float(len(squares)), sooner_is_better=False),
        defaults=replace(
            DEFAULTS,
            opening_plies=size,
            evaluators=evaluators(size),
            engines=ENGINES if size == 8 else (),
            first="wpc" if size == 8 else "zero",
            shapes=shapes(size),
            # quick games and more generations: docs/results/othello.md, "Time to strength"
            learn={"depth": 2, "exact_from": 12} if size == 8 else {},
        ),
        **_rules(size, bits),
    )


GAME, GAME_6X6, GAME_4X4 = othello(8), othello(6), othello(4)
