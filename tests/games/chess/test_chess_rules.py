"""Chess against published counts and against python-chess.

The folder is no package, since python-chess has its name.
"""

from __future__ import annotations

import random

import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.perft import divide, perft
from samuel.testing import check_game

GAME = game_named("chess")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
# Chess Programming Wiki, "Perft Results".
LEAVES = {
    START: [20, 400, 8902, 197281, 4865609, 119060324],
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -": [
        *(48, 2039, 97862, 4085603, 193690690),
    ],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -": [14, 191, 2812, 43238, 674624, 11030083],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -": [
        *(6, 264, 9467, 422333, 15833292),
    ],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -": [44, 1486, 62379, 2103487, 89941194],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - -": [
        *(46, 2079, 89890, 3894594, 164075551),
    ],
    # both sides lose what could mate, and perft counts on
    "8/8/7k/7p/7P/7K/8/8 w - -": [3, 9, 57, 360, 1969, 10724],
    # two bishops check from both ends of a diagonal, which no game has
    "B6b/8/8/8/2K5/5k2/8/b6B b - -": [6, 106, 1829, 31151, 530585, 9250746],
}
IMPOSSIBLE = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w - -": "each side must have one king",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBKR w - -": "each side must have one king",
    "rnbqkbnP/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQq -": "pawns cannot stand on the first",
    "rnbqkbnr/pppppppp/8/P7/8/8/PPPPPPPP/RNBQKBN1 w Qkq -": "more than 8 pawns or 16 pieces",
    "1Q1Q2rk/Q4Qpp/2Q4Q/4Q3/2Q3Q1/Q6Q/3Q1Q1K/1Q5Q w - -": "more promoted ones",  # 236 moves
    "4k3/8/8/8/8/8/8/4RK2 w - -": "the side that is not to move is in check",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq -": "king and rook .*KQkq.*; write KQkq,",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6": "can just have .*e6.*; write - for",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e4": "impossible: no pawn can just have",
    "8/8/8/3k4/1N3N2/8/3R4/4K3 b - -": "no move gives check by these pieces",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq -": "is not a position",
    "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -": "not a row of 8 squares",
    "rnbqkbnr/pppppppp/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -": "must have 8 rows",
}
_QUICK = 500_000


def at(fen: str) -> Position:
    return Position.parse(fen, GAME)


@pytest.mark.parametrize("fen", LEAVES)
def test_perft_equals_the_published_counts(fen: str) -> None:
    position = at(fen)
    for depth, leaves in enumerate(LEAVES[fen], 1):
        if leaves < _QUICK:
            assert perft(position, depth) == leaves
    assert sum(divide(position, 3).values()) == LEAVES[fen][2]


@pytest.mark.slow
@pytest.mark.parametrize("fen", LEAVES)
def test_deep_perft_equals_the_published_counts(fen: str) -> None:
    assert perft(at(fen), len(LEAVES[fen])) == LEAVES[fen][-1]


def test_chess_keeps_the_contract_of_a_game() -> None:
    check_game(GAME)


@pytest.mark.parametrize("fen", IMPOSSIBLE)
def test_an_impossible_position_is_refused(fen: str) -> None:
    with pytest.raises(UserError, match=IMPOSSIBLE[fen]):
        at(fen)


def _played(seed: int, number: int | None) -> None:
    """Play a random game here and by python-chess, and compare all that they say of it."""
    chess = pytest.importorskip("chess")
    draw = random.Random(seed)
    board = chess.Board() if number is None else chess.Board.from_chess960_pos(number)
    position = at(board.fen())
    for _ in range(300):
        shown = board.fen(en_passant="legal").split()[:4]
        assert position.text.split()[:4] == shown
        moves = {board.uci(move, chess960=board.chess960): move for move in board.legal_moves}
        over = board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material()
        drawn = board.is_repetition(3) or board.halfmove_clock >= 100
        assert position.is_terminal == (over or drawn)
        if over or drawn:
            assert position.utility() == (-100 if board.is_checkmate() else 0)
            return
        if number is None:
            assert sorted(position.legal_moves()) == sorted(moves)
        assert len(position.legal_moves()) == len(moves)
        captures = [name for name, move in moves.items() if board.is_capture(move)]
        names = captures if captures and draw.random() < 0.3 else sorted(moves)
        name = draw.choice(names)
        board.push(moves[name])
        position = position.play(name)


@pytest.mark.parametrize("seed", range(8))
def test_random_games_are_those_of_python_chess(seed: int) -> None:
    _played(seed, None)


@pytest.mark.parametrize("number", [0, 111, 356, 700, 959])
def test_random_games_of_chess960_are_those_of_python_chess(number: int) -> None:
    _played(number, number)


def test_the_third_time_that_a_position_stands_is_a_draw() -> None:
    position = Position.start(GAME)
    for name in ["g1f3", "g8f6", "f3g1", "f6g8"] * 2:
        assert not position.is_terminal
        position = position.play(name)
    assert position.is_drawn


def test_castling_from_the_usual_squares_is_read_either_way() -> None:
    position = at("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -")
    assert {"e1g1", "e1c1"} <= set(position.legal_moves())
    assert position.play("e1g1") == position.play("e1h1") != position.play("e1f1")
    assert position.play("e1c1").text.startswith("r3k2r/8/8/8/8/8/8/2KR3R b kq -")
