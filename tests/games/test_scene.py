"""Pictures of positions for players, and the clicks of moves."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from samuel.games import Position, game_named, game_names
from samuel.games.catalog import is_of_the_package
from samuel.games.scene import paths_of, scene_of, side_names
from tests.rarely import rarely

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
    assert clicked or name == "einstein"


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
