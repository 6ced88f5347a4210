"""The rules of chess, Chess960 as well.

A side that cannot move is checkmated, or the game is a draw. So it is where neither side has what
it takes to mate, the third time that a position stands, and after 100 plies without a capture or a
pawn's move. A position is the board as the side to move sees it, and the rights that it has
(squares.py); moves are named as everybody names the squares (moves.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64
from numpy.typing import NDArray

from samuel.games.chess.evaluators import EVALUATORS, FITTED
from samuel.games.chess.exchange import UNIT, WORTH, exchange, kind_at
from samuel.games.chess.moves import (
    CASTLING,
    KIND_OF_MOVE,
    castled_to,
    in_check,
    is_dead,
    is_taken_en_passant,
    list_legal,
    pieces_of,
    takers_en_passant,
)
from samuel.games.chess.notation import START, ChessNotation
from samuel.games.chess.squares import (
    BISHOP,
    BLACK_TO_MOVE,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    RANK_1,
    RANK_6,
    RANK_8,
    ROOK,
    SQUARES,
    STATE,
    THEIRS,
    UP,
)
from samuel.games.game import Game
from samuel.games.groups import (
    Defaults,
    DrawRules,
    OutsideEngine,
    PerftRules,
    Progress,
    Scores,
    SearchRules,
    Turns,
)
from samuel.games.rules import OTHER, REVERSIBLE, Row
from samuel.kernels.bits import ONE, ZERO, Word, bit, popcount, swapped_bytes
from samuel.kernels.jit import jit

MATE = 100.0
"""A win, in pawns."""
PHASES = 24
"""Phase of the start: 1 for each knight and bishop, 2 for a rook, 4 for a queen."""
MOST_MOVES = 218
"""Largest known number of moves of a position (N. Petrovic, 1964)."""

ENGINES = (
    OutsideEngine(
        "Stockfish",
        "uci[UCI_LimitStrength=true,UCI_Elo={level}]:stockfish",
        "apt-get install stockfish",
        {f"UCI_Elo {elo}": str(elo) for elo in (1350, 1700, 2050, 2400)},
    ),
    OutsideEngine("GNU Chess", "uci[OwnBook=false]:gnuchess -u", "apt-get install gnuchess"),
    OutsideEngine("Toga II", "uci[OwnBook=false]:toga2", "apt-get install toga2"),
)

_FORMATS = "pgn", "binpack", "packed_sfen", "packed"
DEFAULTS = Defaults(
    title="Chess",
    sides=("White", "Black"),
    features_in="samuel.games.chess.features",
    features=FITTED,
    evaluators=EVALUATORS,
    engines=ENGINES,
    formats_in=tuple(f"samuel.games.chess.{name}" for name in _FORMATS),
    recipe="texel",
    # shallow games end in draws that were won, so scores teach more than results
    target="score",
    first="classic",
    pieces="material",
    opening_plies=8,
    depth=4,
    learn={
        **{"games": 3_000, "depth": 5, "epsilon": 0.02, "last": 3, "gate_pairs": 500},
        **{"td_lambda": 0.3, "quiet_only": True},
    },
)


@jit
def legal_moves(position: Row, moves: Any) -> int:
    """List the moves that do not leave one's own king attacked; none where neither can mate."""
    return int64(0) if is_dead(position) else list_legal(position, False, moves)


@jit
def perft_moves(position: Row, moves: Any) -> int:
    """List the moves, also where neither side can mate: perft counts on."""
    return list_legal(position, False, moves)


@jit
def is_terminal(position: Row) -> bool:
    """Return whether the side to move cannot, or neither side can mate."""
    return is_dead(position) or list_legal(position, False, None) == 0


@jit
def utility(position: Row) -> float:
    """Return the result of a finished game: checkmate or a draw."""
    return -MATE if in_check(position) and not is_dead(position) else 0.0


@jit
def _turn_board(position: Row, rights: Word, child: Row) -> None:
    """Write the same pieces as the other side sees them, with the rights that are left."""
    for k in range(6):
        child[2 * k] = swapped_bytes(position[2 * k + THEIRS])
        child[2 * k + THEIRS] = swapped_bytes(position[2 * k])
    child[STATE] = swapped_bytes(rights)
    child[BLACK_TO_MOVE] = ONE ^ position[BLACK_TO_MOVE]


@jit
def play(position: Row, move: int, child: Row) -> int:
    """Make a move, and turn the board."""
    flip = int64(position[BLACK_TO_MOVE]) * int64(56)
    kind, squares = move // KIND_OF_MOVE, move % KIND_OF_MOVE
    start, end = (squares // SQUARES) ^ flip, (squares % SQUARES) ^ flip
    here, there = bit(start), bit(end)
    pawns = position[2 * PAWN]
    is_pawn = pawns & here != ZERO
    rights = position[STATE] & (RANK_1 | RANK_8) & ~(here | there)
    if position[2 * KING] & here:
        rights &= ~RANK_1
    if kind == CASTLING:
        king_to, rook_to = castled_to(start, end)
        _turn_board(position, rights, child)
        rooks = (position[2 * ROOK] ^ there) | bit(rook_to)
        child[2 * ROOK + THEIRS] = swapped_bytes(rooks)
        child[2 * KING + THEIRS] = swapped_bytes(bit(king_to))
        return OTHER | REVERSIBLE
    gone = there
    if is_pawn and position[STATE] & RANK_6 & there:
        gone = there >> UP
    taken, both = ZERO, here | there
    for k in range(6):
        mine, theirs = position[2 * k], position[2 * k + THEIRS]
        taken |= theirs & gone
        if mine & here:
            mine ^= both
        child[2 * k] = swapped_bytes(theirs & ~gone)
        child[2 * k + THEIRS] = swapped_bytes(mine)
    child[STATE] = swapped_bytes(rights)
    child[BLACK_TO_MOVE] = ONE ^ position[BLACK_TO_MOVE]
    if not is_pawn:
        return OTHER if taken else OTHER | REVERSIBLE
    if kind != 0:
        child[2 * PAWN + THEIRS] ^= swapped_bytes(there)
        child[2 * kind + THEIRS] |= swapped_bytes(there)
    elif end - start == 16:
        _keep_en_passant(child, swapped_bytes(here << UP))
    return OTHER


@jit
def _keep_en_passant(position: Row, target: Word) -> None:
    """Note the square behind a pawn that went two squares, where it can be captured there."""
    if takers_en_passant(position, target) != ZERO:
        occupied = pieces_of(position, 0) | pieces_of(position, THEIRS)
        if is_taken_en_passant(position, occupied, target):
            position[STATE] |= target


@jit
def noisy(position: Row, move: int, beyond: int, moves: Any) -> int:
    """List captures and promotions to a queen; in check all moves, of which one must be played."""
    if is_dead(position):
        return int64(0)
    if in_check(position):
        return -list_legal(position, False, moves)
    return list_legal(position, True, moves)


@jit
def null_move(position: Row, child: Row) -> int:
    """Pass, where a side is not in check and has more than pawns; else return 0."""
    pieces = position[2 * KNIGHT] | position[2 * BISHOP]
    pieces |= position[2 * ROOK] | position[2 * QUEEN]
    if pieces == ZERO or in_check(position):
        return int64(0)
    _turn_board(position, position[STATE] & (RANK_1 | RANK_8), child)
    return int64(1)


@jit
def progress(position: Row) -> int:
    """Return how much of the 24 of the start is gone, as the phase of the game."""
    left = int64(0)
    for kind, weight in ((KNIGHT, 1), (BISHOP, 1), (ROOK, 2), (QUEEN, 4)):
        left += weight * popcount(position[2 * kind] | position[2 * kind + THEIRS])
    return PHASES - min(left, int64(PHASES))


@jit
def order(position: Row, moves: Any, n: int, hints: Any) -> None:
    """Rate captures by what is taken, and less by what takes it; promotions by what they make."""
    flip = int64(position[BLACK_TO_MOVE]) * int64(56)
    theirs = pieces_of(position, THEIRS)
    for i in range(n):
        kind, squares = moves[i] // KIND_OF_MOVE, moves[i] % KIND_OF_MOVE
        hint = int64(0)
        if 0 < kind < CASTLING:
            hint = WORTH[kind] - UNIT
        there = bit((squares % SQUARES) ^ flip)
        if there & theirs and kind != CASTLING:
            taken = kind_at(position, THEIRS, there)
            taker = kind_at(position, 0, bit((squares // SQUARES) ^ flip))
            hint += UNIT + 2 * WORTH[taken] - WORTH[taker] // 128
        hints[i] = hint


def _regions() -> NDArray[np.uint64]:
    """Return what evaluations are corrected by: the pawns, and each side's pieces."""
    found = np.zeros((3, len(START)), np.uint64)
    every = np.uint64(np.iinfo(np.uint64).max)
    found[0, :2] = found[1, 2:12:2] = found[2, 3:12:2] = every
    return found


GAME = Game(
    name="chess",
    start=START,
    legal_moves=legal_moves,
    play=play,
    is_terminal=is_terminal,
    utility=utility,
    plies_left=None,
    notation=ChessNotation(),
    max_moves=MOST_MOVES,
    max_plies=1000,
    scores=Scores("pawns", MATE, scale=1.7),
    turns=Turns(side_word=BLACK_TO_MOVE),
    progress=Progress(progress, PHASES),
    draws=DrawRules(repetitions=3, reversible_plies=100),
    search=SearchRules(
        order=order,
        noisy=noisy,
        in_check=in_check,
        null_move=null_move,
        exchange=exchange,
        margin=1.0,
        regions=_regions(),
    ),
    perft=PerftRules(moves=perft_moves),
    defaults=DEFAULTS,
)
