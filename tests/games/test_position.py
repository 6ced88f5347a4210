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
from samuel.games.drawing import paths_of, scene_of
from samuel.games.feature import feature_names
from samuel.games.grid_notation import GridNotation
from samuel.games.playing import random_positions
from samuel.games.rows import are_possible
from samuel.models import PatternRegressor, evaluate
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


def test_an_illegal_move_is_refused_with_the_legal_ones() -> None:
    with pytest.raises(UserError, match="a1 is not legal here; legal moves: d3, c4, f5, e6"):
        Position.start().play("a1")
    with pytest.raises(UserError, match="none, the game is over"):
        Position.parse("X" * 64 + " O").play("a1")
    with pytest.raises(UserError, match="-1 is not legal"):
        Position.start().play(PASS)
    with pytest.raises(UserError, match="70 is not legal"):
        Position.start().play(70)


@pytest.mark.parametrize("passing", ["", "pass", " pass ", "--", "pa"])
def test_a_forced_pass_may_be_left_out_of_a_transcript(passing: str) -> None:
    position = Position.from_transcript(PASSED)
    assert position.legal_moves() == ["pass"]
    assert position.side == 0
    assert Position.from_transcript(f"{PASSED}{passing}e3") == position.play("pass").play("e3")


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
        fitted = PatternRegressor(game=name, stages=1)
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
