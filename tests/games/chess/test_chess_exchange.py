"""Exchanges of chess against a search of the captures on one square."""

from __future__ import annotations

from typing import Any

import pytest

from samuel.games import Position, game_named
from samuel.games.chess.exchange import WORTH, exchange
from samuel.games.playing import random_positions
from samuel.kernels.jit import jit

GAME = game_named("chess")
# Fen, move and gain; from the rules of the exchange alone.
KNOWN = [
    ("4k3/8/8/3p4/4P3/8/8/4K3 w - -", "e4d5", 1000),
    ("4k3/2p5/3p4/8/8/8/8/3RK3 w - -", "d1d6", 1000 - 5000),
    ("4k3/8/3p4/8/3R4/8/3R4/4K3 w - -", "d4d6", 1000),
    ("3rk3/8/3p4/8/3R4/8/3R4/3QK3 w - -", "d4d6", 1000),
    ("4k3/P7/8/8/8/8/8/4K3 w - -", "a7a8q", 8000),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - -", "a7b8q", 5000 + 8000),
    ("rr2k3/P7/8/8/8/8/8/4K3 w - -", "a7b8q", 5000 - 1000),
    ("4k3/8/8/2pP4/8/8/8/4K3 w - c6", "d5c6", 1000),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ -", "e1g1", 0),
]


@jit
def _exchange(position, move):  # type: ignore[no-untyped-def]
    return exchange(position, move)


def gain(position: Position, move: str) -> int:
    return int(_exchange(position.row, position.number_of(move)))


@pytest.mark.parametrize(("fen", "move", "gained"), KNOWN)
def test_known_exchanges(fen: str, move: str, gained: int) -> None:
    assert gain(Position.parse(fen, GAME), move) == gained


def test_a_move_to_a_safe_square_gains_nothing_and_captures_gain_what_is_free() -> None:
    chess = pytest.importorskip("chess")
    seen = 0
    for row in random_positions(GAME, 150, seed=5, max_plies=100):
        position = Position(GAME, tuple(map(int, row)), int(row[-1]))
        board = chess.Board(position.text)
        for move in board.legal_moves:
            if board.is_castling(move) or board.is_en_passant(move) or move.promotion:
                continue
            after = board.copy()
            after.remove_piece_at(move.from_square)
            if after.attackers(not board.turn, move.to_square):
                continue
            taken = board.piece_type_at(move.to_square)
            free = 0 if taken is None else int(WORTH[taken - 1])
            assert gain(position, board.uci(move)) == free
            seen += 1
    assert seen > 500


def test_exchanges_are_those_of_a_search_of_the_captures() -> None:
    chess = pytest.importorskip("chess")

    def worth(kind: int) -> int:
        return int(WORTH[kind - 1])

    def best(board: Any, square: int, side: bool) -> int:
        """Return what the side gains that may capture on the square, or not, with its least."""
        takers = sorted(board.attackers(side, square), key=board.piece_type_at)
        if not takers:
            return 0
        after = board.copy(stack=False)
        taker = after.remove_piece_at(takers[0])
        after.set_piece_at(square, taker)
        if taker.piece_type == chess.KING and after.attackers(not side, square):
            return 0
        return max(0, worth(board.piece_type_at(square)) - best(after, square, not side))

    seen = lost = 0
    for row in random_positions(GAME, 120, seed=11, max_plies=120):
        position = Position(GAME, tuple(map(int, row)), int(row[-1]))
        board = chess.Board(position.text)
        for move in board.legal_moves:
            if board.is_castling(move):
                continue
            taken = board.piece_type_at(move.to_square)
            first = worth(taken) if taken else 0
            after = board.copy(stack=False)
            if board.is_en_passant(move):
                first = worth(chess.PAWN)
                after.remove_piece_at(move.to_square + (-8 if board.turn else 8))
            mover = after.remove_piece_at(move.from_square)
            if move.promotion:
                first += worth(move.promotion) - worth(chess.PAWN)
                mover = chess.Piece(move.promotion, board.turn)
            after.set_piece_at(move.to_square, mover)
            expected = first - best(after, move.to_square, not board.turn)
            assert gain(position, board.uci(move)) == expected, (position.text, move)
            seen += 1
            lost += expected < 0
    assert seen > 2000
    assert lost > 200
