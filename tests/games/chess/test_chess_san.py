"""Moves of chess in standard algebraic notation, beside python-chess's."""

from __future__ import annotations

import random

import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named

GAME = game_named("chess")
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"


def at(fen: str) -> Position:
    return Position.parse(fen, GAME)


@pytest.mark.parametrize(
    ("fen", "move", "name"),
    [
        (START, "g1f3", "Nf3"),
        (START, "e2e4", "e4"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ -", "e1g1", "O-O"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ -", "e1c1", "O-O-O"),
        ("3k4/8/8/8/8/8/8/R3K3 w Q -", "e1c1", "O-O-O+"),
        ("4k3/P7/8/8/8/8/8/4K3 w - -", "a7a8q", "a8=Q+"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - -", "a7b8n", "axb8=N"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", "exd6"),
        ("4k3/8/8/8/8/5N2/8/1N2K3 w - -", "b1d2", "Nbd2"),
        ("R3k3/8/8/8/8/8/8/R3K3 b - -", "e8d7", "Kd7"),
        ("7k/8/8/R7/8/8/8/R6K w - -", "a1a3", "R1a3"),
        ("8/8/k7/8/4Q2Q/8/8/K6Q w - -", "h4e1", "Qh4e1"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - -", "a1a8", "Ra8#"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 b - -", "h7h6", "h6"),
    ],
)
def test_a_move_has_the_name_that_people_write(fen: str, move: str, name: str) -> None:
    position = at(fen)
    assert position.names_of([move]) == [name]
    assert position.play(name) == position.play(move)


@pytest.mark.parametrize(
    "text",
    ["0-0", "o-o", "OO", "O-O!?", "O-O+", "e1g1", "e1h1", "Rg1", "Ke2 ", "Rh1-h4", "Rhxh4?!"],
)
def test_moves_are_read_as_people_type_them(text: str) -> None:
    position = at("4k3/8/8/8/7p/8/8/R3K2R w KQ -")
    position.play(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Nd2", "may be b1d2, f3d2; name the square"),
        ("Nd5", "is not legal here"),
        ("O-O", "is not legal here"),
        ("Xd5", "is not a move; write moves like e2e4"),
    ],
)
def test_a_text_that_means_no_move_is_told(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        at("4k3/8/8/8/8/5N2/8/1N2K3 w - -").play(text)


@pytest.mark.parametrize("seed", range(4))
def test_names_are_those_of_python_chess(seed: int) -> None:
    chess = pytest.importorskip("chess")
    draw = random.Random(seed)
    board = chess.Board() if seed % 2 else chess.Board.from_chess960_pos(draw.randrange(960))
    position = at(board.fen())
    for _ in range(80):
        if position.is_terminal:
            break
        moves = list(board.legal_moves)
        for move in moves:
            text, name = board.uci(move, chess960=board.chess960), board.san(move)
            assert position.names_of([text]) == [name]
            assert position.play(name) == position.play(text)
        move = draw.choice(moves)
        position = position.play(board.san(move))
        board.push(move)
