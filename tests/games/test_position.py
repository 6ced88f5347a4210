"""Positions for people: text, moves, transcripts, playing on."""

from typing import Any

import numpy as np
import pytest

from samuel.errors import UserError
from samuel.games import PASS, Position, game_named
from samuel.games.board import Board
from samuel.games.notation import GridNotation
from samuel.testing import random_playout

START = "---------------------------OX------XO--------------------------- X"
PASSED = "e6f6d3e7e8d8g7f8"  # after these moves X must pass; a random game found it


def test_the_start_of_othello() -> None:
    start = Position.start()
    assert start.text == START
    assert start == Position.parse(START) == Position.start("othello")
    assert start.legal_moves() == ["d3", "c4", "f5", "e6"]
    assert not start.is_terminal
    assert str(start) == (
        "  a b c d e f g h\n"
        "1 . . . . . . . .\n"
        "2 . . . . . . . .\n"
        "3 . . . . . . . .\n"
        "4 . . . O X . . .\n"
        "5 . . . X O . . .\n"
        "6 . . . . . . . .\n"
        "7 . . . . . . . .\n"
        "8 . . . . . . . .\n"
        "X to move (X 2, O 2)"
    )


def test_playing_gives_a_new_position_and_keeps_the_old() -> None:
    start = Position.start()
    after = start.play("f5")
    assert start.text == START
    assert after.text == "---------------------------OX------XXX-------------------------- O"
    assert after == start.play(37) == start.play("F5")
    assert after.side == 1


@pytest.mark.parametrize("sign", ["x", "*"])
def test_other_signs_for_the_stones_are_understood(sign: str) -> None:
    text = START.replace("X", sign).replace("O", "o").replace("-", ".")
    assert Position.parse(text).text == START


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (START[1:], "63 characters"),
        ("-" + START, "65 characters"),
        (START[:-2], "a blank and the side to move"),
        (START + " O", "a blank and the side to move"),
        ("", "a blank and the side to move"),
        (START[:-1] + "Z", "side to move is X or O, not 'Z'"),
        (START[:-1] + "-", "side to move is X or O, not '-'"),
        (START.replace("-", "?", 1), r"'\?' \(character 1\)"),
        ("--é" + START[3:], r"'é' \(character 3\)"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        Position.parse(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("-" * 28 + "X------" + "-O-----" + " X", "empty cell below"),
        ("-" * 35 + "XX----- X", "as many as"),
        ("-" * 42 + " O", "one more than"),
        ("-" * 35 + "XXXXOOO X", "as many as"),
        ("-" * 28 + "OOO----XXXX--- O", None),
        ("-" * 28 + "OOO----XXXXO-- X", "X has four in a row"),
    ],
)
def test_impossible_positions_of_connect_four_are_refused(text: str, complaint: str | None) -> None:
    if complaint is None:
        assert Position.parse(text, "connect_four").is_terminal
    else:
        with pytest.raises(UserError, match=complaint):
            Position.parse(text, "connect_four")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("XO------- O", "one more than"),
        ("XX------- X", "as many as"),
        ("XXXOO-O-- X", "X has three in a row"),
        ("XXXOOO--- X", "X has three in a row"),
        ("XXXO-O--- O", None),
        ("OOOXX-X-- X", None),
    ],
)
def test_impossible_positions_of_tic_tac_toe_are_refused(text: str, complaint: str | None) -> None:
    if complaint is None:
        position = Position.parse(text, "tic_tac_toe")
        assert position.is_terminal and position.utility() == -1
    else:
        with pytest.raises(UserError, match=complaint):
            Position.parse(text, "tic_tac_toe")


@pytest.mark.parametrize("name", ["i1", "a9", "a0", "", "a", "a10", "44", "e4 ", "nonsense"])
def test_a_text_that_is_no_move_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=r"is not (a move|legal)"):
        Position.start().play(name)


@pytest.mark.parametrize("name", ["pass", "PASS", " pa ", "--"])
def test_a_pass_has_several_names(name: str) -> None:
    notation = game_named("othello").notation
    assert notation.read_move(name) == PASS
    assert notation.write_move(PASS) == "pass"


@pytest.mark.parametrize("game", ["connect_four", "tic_tac_toe"])
def test_where_there_is_no_passing_pass_is_no_move(game: str) -> None:
    with pytest.raises(UserError, match="'pass' is not a move"):
        Position.start(game).play("pass")


def test_an_illegal_move_is_refused_with_the_legal_ones() -> None:
    with pytest.raises(UserError, match="a1 is not legal here; legal moves: d3, c4, f5, e6"):
        Position.start().play("a1")
    with pytest.raises(UserError, match="none, the game is over"):
        Position.parse("X" * 64 + " O").play("a1")
    with pytest.raises(UserError, match="-1 is not legal"):
        Position.start().play(PASS)
    with pytest.raises(UserError, match="70 is not legal"):
        Position.start().play(70)


@pytest.mark.parametrize(
    "transcript", ["f5d6c3d3c4", "F5D6C3D3C4", "f5 d6 c3 d3 c4", " f5d6 c3d3c4 "]
)
def test_transcripts_with_and_without_blanks(transcript: str) -> None:
    position = Position.start()
    for move in ("f5", "d6", "c3", "d3", "c4"):
        position = position.play(move)
    assert Position.from_transcript(transcript) == position


@pytest.mark.parametrize("passing", ["", "pass", " pass ", "--", "pa"])
def test_a_forced_pass_may_be_left_out_of_a_transcript(passing: str) -> None:
    position = Position.from_transcript(PASSED)
    assert position.legal_moves() == ["pass"]
    assert position.side == 0
    assert Position.from_transcript(f"{PASSED}{passing}e3") == position.play("pass").play("e3")


@pytest.mark.parametrize(
    ("transcript", "complaint"),
    [
        ("f5d6a1", "move 3 of 'f5d6a1', a1, is not legal"),
        ("f5pass", "move 2 .* pass, is not legal"),
        ("f5d6c", "'c' is not a move"),
        ("1. f5", "'1.' is not a move"),
        ("zz", "'zz' is not a move"),
    ],
)
def test_a_wrong_transcript_is_refused(transcript: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        Position.from_transcript(transcript)


def test_a_transcript_of_connect_four() -> None:
    position = Position.from_transcript("4455667", "connect_four")
    assert position.is_terminal
    assert position.utility() == -1
    with pytest.raises(UserError, match="move 8"):
        Position.from_transcript("44556677", "connect_four")
    with pytest.raises(UserError, match=r"move 7 .* 4, is not legal"):
        Position.from_transcript("444444" + "4", "connect_four")


def test_the_shortest_game_of_othello() -> None:
    # nine moves, found by brute force and given by several sources
    end = Position.from_transcript("e6f4e3f6g5d6e7f5c5")
    assert end.is_terminal
    assert end.utility() == -64
    assert end.side == 1


@pytest.mark.parametrize(
    ("text", "utility"),
    [
        ("X" * 64 + " X", 64),
        ("X" * 64 + " O", -64),
        ("X" * 32 + "O" * 32 + " X", 0),
        ("X" * 40 + "O" * 24 + " O", -16),
        ("X" * 3 + "-" * 61 + " X", 64),  # the winner gets the empty squares
        ("X" + "-" * 62 + "O X", 0),
        ("-" * 64 + " X", 0),
    ],
)
def test_the_utility_of_othello(text: str, utility: float) -> None:
    assert Position.parse(text).utility() == utility


def test_the_utility_of_an_unfinished_game_is_refused() -> None:
    with pytest.raises(ValueError, match="finished games"):
        Position.start().utility()


def test_positions_compare_by_what_they_show() -> None:
    assert Position.start() == Position.start()
    assert hash(Position.start()) == hash(Position.start())
    assert Position.start() != Position.start().play("f5")
    assert Position.start("tic_tac_toe") != Position.start("connect_four")


def test_the_longest_line_of_passes_reads_back() -> None:
    random = np.random.default_rng(7)
    for _ in range(200):
        playout = random_playout(game_named("othello"), random)
        if playout.moves.count(PASS) >= 4:
            break
    names = [playout.positions[0].game.notation.write_move(m) for m in playout.moves if m != PASS]
    assert Position.from_transcript("".join(names)) == playout.positions[-1]


@pytest.mark.parametrize(
    ("sees", "stone", "drawn"),
    [
        ("same", 1, ["  a b c", "1 . O .", "2 . . X", "O to move (X 1, O 1)"]),
        ("mirrored", 4, ["  a b c", "2 . O .", "1 . . X", "O to move (X 1, O 1)"]),
        ("rotated", 4, ["  c b a", "2 . O .", "1 . . X", "O to move (X 1, O 1)"]),
    ],
)
def test_the_second_side_may_see_the_board_turned(sees: Any, stone: int, drawn: list[str]) -> None:
    notation = GridNotation(Board(2, 3), ("a1",), second_sees=sees)
    other = {"same": 5, "mirrored": 2, "rotated": 0}[sees]
    words = (1 << stone, 1 << other)
    assert notation.write(words, 1) == "-O---X O"
    assert notation.read("-O---X O") == (words, 1)
    assert notation.read("-O---X X") == ((1 << 5, 1 << 1), 0)
    assert notation.board(words, 1).splitlines() == drawn
    with pytest.raises(UserError, match="second_sees is one of same, mirrored, rotated"):
        GridNotation(Board(2, 3), ("a1",), second_sees="upside down")  # type: ignore[arg-type]
