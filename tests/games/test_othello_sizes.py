"""Othello on smaller boards against what is known of them."""

import pytest

from samuel.common.errors import UserError
from samuel.games import Position
from samuel.games.othello.rules import GAME_4X4, GAME_6X6
from samuel.models import load_evaluator
from samuel.search import solve

# J. Feinstein 1993 (maths.nottingham.ac.uk/plp/pmzjff/Othello/6x6sol.html): the second player wins
# 6 by 6 by four discs, with this line among the best.
PERFECT = "c2b4c5d2e4e3d1c1b1d5d6f4b3b2f3f2e2b6a4c6a6a2b5a5e6e5a3a1f5f6e1f1"
# Worth -4 for X, recomputed by brute force; after that many moves of the line.
SUFFIXES = {
    14: "-XXX---OXX---OOXO--OXOOO--XX-----X--",
    16: "-XXX---OXX-O-OOXOO-OXOXO--XX-----X--",
    18: "-XXX---OXXXO-OOXXO-OXOXO--OX---O-X--",
    20: "-XXX---OXXXO-XOXXOXXXOOO--OO---OOX--",
    22: "-XXX--OOXXXO-OOXXOXXOOOO--OO--XXXX--",
    24: "-XXX--OOXXXO-OOXXOXOXOOOOOOO--XXXX--",
    26: "-XXX--OOXXXO-OOXXOXOXOOOOOOOO-XXXXX-",
}


def test_the_start_of_othello_6x6() -> None:
    start = Position.start("othello_6x6")
    assert start.text == "-" * 14 + "OX" + "----" + "XO" + "-" * 14 + " X"
    assert start.legal_moves() == ["c2", "b3", "e4", "d5"]
    assert str(start).splitlines()[:3] == ["  a b c d e f", "1 . . . . . .", "2 . . . . . ."]
    assert GAME_6X6.most_left == 32


def test_the_perfect_line_of_othello_6x6() -> None:
    end = Position.from_transcript(PERFECT, "othello_6x6")
    assert end.is_terminal
    board = end.text.split()[0]
    assert (board.count("X"), board.count("O")) == (16, 20)
    assert end.utility() == (-4 if end.side == 0 else 4)


@pytest.mark.parametrize("moves", [22, 18, 14])
def test_the_perfect_line_is_worth_4_to_the_second_player(moves: int) -> None:
    after = Position.from_transcript(PERFECT[: 2 * moves], "othello_6x6")
    position = Position.parse(SUFFIXES[moves] + " X", "othello_6x6")
    assert after == position
    assert solve(position, load_evaluator("zero", GAME_6X6)).score == -4


def test_othello_4x4_is_worth_8_discs_and_2_empty_squares_to_the_second_player() -> None:
    # by brute force, 3 to 11 discs
    assert solve(Position.start(GAME_4X4), load_evaluator("zero", GAME_4X4)).score == -10


def test_squares_around_the_board_are_no_moves() -> None:
    for name in ("g1", "a7", "h8", "", " "):
        with pytest.raises(UserError, match="is not a move; moves are written like f6"):
            GAME_6X6.notation.read_move(name)
    assert len(GAME_6X6.squares) == 36
    assert (GAME_6X6.squares[0], GAME_6X6.board.bits[0]) == ("a1", 9)
    with pytest.raises(UserError, match="but this is 64 characters"):
        Position.parse("-" * 64 + " X", "othello_6x6")
