"""Positions for people: text, moves, transcripts, playing on.

Words that are no position of a game are refused at every door, before a kernel sees them. Pictures
of positions for players, and the clicks of moves.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.features import Features, Patterns, Positions
from samuel.games import PASS, Position, game_named, game_names
from samuel.games.board import Board
from samuel.games.catalog import is_of_the_package
from samuel.games.feature import feature_names
from samuel.games.notation import GridNotation
from samuel.games.playing import random_positions
from samuel.games.rows import are_possible
from samuel.games.scene import paths_of, scene_of, side_names
from samuel.models import PatternRegressor, evaluate
from samuel.testing import random_playout
from tests.rarely import rarely

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
        (START[:-1] + "Z", "the side to move must be X or O"),
        (START[:-1] + "-", "the side to move must be X or O"),
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
    with pytest.raises(UserError, match=r"'9' is not a move; moves are 1, 2, 3, 4, 5, 6, 7$"):
        Position.from_transcript("49", "connect_four")
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
    with pytest.raises(UserError, match="second_sees must be one of same, mirrored, rotated"):
        GridNotation(Board(2, 3), ("a1",), second_sees="upside down")  # type: ignore[arg-type]


OURS = [name for name in game_names() if is_of_the_package(name)]
"""Other modules of tests register more games."""


def _impossible(name: str) -> Any:
    """Return rows of ones and of chance, and of zeros where the game has no such position."""
    game = game_named(name)
    random = np.random.default_rng(1).integers(0, 2**64, (2, game.words), dtype=np.uint64)
    rows = np.vstack([np.full((1, game.words), 2**64 - 1, np.uint64), random])
    nothing = np.zeros((1, game.words), np.uint64)
    return rows if are_possible(game, nothing)[0] else np.vstack([rows, nothing])


@pytest.mark.parametrize("name", OURS)
def test_impossible_positions_are_refused_at_every_door(name: str) -> None:
    game = game_named(name)
    sound = random_positions(game, 20, seed=1)
    features = Features(feature_names(name), game=name)
    doors = [
        lambda X: Position(game, tuple(X[0].tolist())),
        lambda X: evaluate("zero", game, X),
        features.fit,
        features.transform,
        Positions(name).fit,
        Positions(name).fit(sound).transform,
    ]
    features.fit(sound)
    if game.board is not None:
        fitted = PatternRegressor(game=name)
        doors += [lambda X: fitted.fit(X, np.zeros(len(X))), Patterns(game=name).fit]
    for row in _impossible(name):
        for number, door in enumerate(doors):
            with pytest.raises(
                UserError, match="board, or numbers out of range; give words as in Position"
            ):
                door(row[None])
                pytest.fail(f"door {number} took {row}")


@pytest.mark.parametrize("name", OURS)
def test_what_no_game_reaches_but_may_be_held_ends_no_process(name: str) -> None:
    """An empty board is held by the notation of many games."""
    game = game_named(name)
    nothing = np.zeros((1, game.words), np.uint64)
    if are_possible(game, nothing)[0]:
        assert len(Features(feature_names(name), game=name).fit_transform(nothing)) == 1


@pytest.mark.parametrize("name", ["othello", "checkers"])
def test_negative_words_are_refused_but_in_an_array_of_int64(name: str) -> None:
    game = game_named(name)
    words = [-1, *[0] * (game.words - 1)]
    for given in ([words], [tuple(words)], np.array([words], object), [np.array(words)]):
        with pytest.raises(ValueError, match="from 0 to"):
            game.rows(given)
    with pytest.raises(ValueError, match="from 0 to"):
        Position(game, tuple(words))
    assert game.rows(np.array([words]))[0, 0] == 2**64 - 1


def test_masked_words_and_differences_of_times_are_refused() -> None:
    game = game_named("othello")
    rows = np.array([game.start], np.uint64)
    with pytest.raises(ValueError, match="masked"):
        game.rows(np.ma.array(rows, mask=[[False, True]]))
    assert np.array_equal(game.rows(np.ma.array(rows)), rows)
    with pytest.raises(ValueError, match="got timedelta64"):
        game.rows(rows.astype("m8[ns]"))


def test_a_move_checks_no_position_again(monkeypatch: pytest.MonkeyPatch) -> None:
    place = Position.start("othello")
    monkeypatch.setattr("samuel.games.position.possible_rows", None)
    assert place.play("d3").side == 1


PACKAGE = filter(is_of_the_package, game_names())
DRAWN = [name for name in PACKAGE if not name.startswith(("pig", "nim"))]


def positions_of(name, n=25, seed=2):
    chooser, position = random.Random(seed), Position.start(name)
    for _ in range(n):
        yield position
        if position.is_terminal:
            return
        moves = [name for name, _ in position.outcomes()] or position.legal_moves()
        position = position.play(chooser.choice(moves))


@pytest.mark.parametrize("name", [rarely(n) if n == "gomoku_exact" else n for n in DRAWN])
def test_every_move_is_clicked_by_a_way_of_its_own(name):
    clicked = False
    for position in positions_of(name):
        scene = scene_of(position)
        places = {place.name for place in scene.places}
        assert len(places) == len(scene.places) and {p.place for p in scene.pieces} <= places
        assert json.loads(json.dumps(scene.as_dict()))["width"] == scene.width
        ways = Counter()
        for move in position.legal_moves():
            paths = paths_of(position, position.number_of(move))
            assert all(set(path) <= places for path in paths)
            ways.update({tuple(path) for path in paths})
            clicked |= bool(paths)
        assert all(count == 1 for count in ways.values())
    assert clicked


def test_boards_look_the_same_from_both_sides():
    before = Position.start("checkers")
    after = before.play("11-15")
    moved = set(scene_of(before).pieces) ^ set(scene_of(after).pieces)
    assert {piece.colour for piece in moved} == {"first"} and len(moved) == 2
    assert {piece.place for piece in moved} == set(paths_of(before, before.number_of("11-15"))[0])


def test_backgammon_has_all_its_checkers():
    for position in positions_of("backgammon", 60):
        pieces = scene_of(position).pieces
        for colour in ("first", "second"):
            assert sum(piece.number for piece in pieces if piece.colour == colour) == 15


def test_both_sides_of_backgammon_click_the_points_that_are_drawn():
    position = Position.start("backgammon").play("31").play("8/5 6/5").play("31")
    (way, other) = paths_of(position, position.number_of("8/5 6/5"))
    assert way == ["17", "20", "19", "20"] and other == ["19", "20", "17", "20"]


def test_what_has_no_board_has_no_scene():
    assert scene_of(Position.start("nim")) is None
    assert paths_of(Position.start("nim"), 1) == []


def test_columns_are_clicked_anywhere():
    position = Position.start("connect_four")
    assert len(paths_of(position, position.number_of("4"))) == 6
    assert game_named("connect_four").board is not None


def test_sides_have_the_names_of_their_game():
    assert side_names(game_named("othello")) == ("Black", "White")
    assert side_names(game_named("xiangqi")) == ("Red", "Black")
    for name in filter(is_of_the_package, game_names()):
        assert len(set(side_names(game_named(name)))) == 2


def test_pieces_show_the_letters_that_name_their_sides():
    position = Position.start("tic_tac_toe").play("a1")
    (piece,) = scene_of(position).pieces
    assert (piece.letter,) == side_names(position.game)[:1] == ("X",)
    assert {piece.letter for piece in scene_of(Position.start("othello")).pieces} == {""}
