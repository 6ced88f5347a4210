"""Lines that can still be filled, counted by the kernels and in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from samuel.features import column_names, extract, feature_names, features_named, pattern_set
from samuel.games import Game, Position, game_named
from samuel.games.gomoku.rules import GAME, GAME_EXACT, layout_of, mnk
from samuel.games.playing import random_positions
from samuel.games.symmetry import images
from samuel.models import evaluate, load_evaluator
from samuel.testing import check_evaluator, check_feature
from tests.games.gomoku.plain import Board, board_of, length_of, open_windows
from tests.games.gomoku.test_rules import after
from tests.rarely import rarely

GAMES = [GAME, rarely(GAME_EXACT), rarely(mnk(7, 6, 4)), mnk(4, 5, 3)]


def lines_of(board: Board, sign: str, length: int, exact: bool) -> list[int]:
    """Return the numbers of one side."""
    windows = [open_windows(board, sign, length, n, exact) for n in range(1, length)]
    free = [
        sum(
            one[1:] == other[:-1] and board[one[0][0]][one[0][1]] == "-"
            for one in found
            for other in found
        )
        for found in windows[1:]
    ]
    return [*map(len, windows), *free]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_lines_are_counted(game: Game) -> None:
    features = features_named(["open_lines"], game.name)
    rows = random_positions(game, 12, seed=4, max_plies=len(game.squares) // 2)
    for row, values in zip(rows, extract(features, rows), strict=True):
        board = board_of(Position(game, tuple(int(word) for word in row)))
        sides = (lines_of(board, sign, length_of(game), game is GAME_EXACT) for sign in "XO")
        assert values.tolist() == [number for numbers in sides for number in numbers]


def test_fours_and_threes_have_their_names() -> None:
    names = column_names(features_named(["open_lines"], "gomoku"))
    assert len(names) == 14 and "open_lines_opponent_free_4" in names
    position = after(GAME, "d3 e3 f3 d10 e10 f10", "k3 l3 m3 n3 a14 c14")
    values = extract(features_named(["open_lines"], "gomoku"), position.row[None])[0]
    of = dict(zip(names, values.tolist(), strict=True))
    assert of["open_lines_opponent_4"] == 2 and of["open_lines_opponent_free_4"] == 1
    assert of["open_lines_player_3"] == 6 and of["open_lines_player_free_3"] == 4
    assert of["open_lines_player_4"] == 0


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_features_are_the_same_under_symmetries(game: Game) -> None:
    features = features_named(["open_lines"], game.name)
    for row in random_positions(game, 5, seed=1):
        values = extract(features, images(game, row))
        assert (values == values[0]).all()


def test_features_keep_to_the_contract() -> None:
    assert feature_names("mnk_5_4_4") == ["squares", "open_lines"]
    for feature in features_named(["squares", "open_lines"], "mnk_5_4_4"):
        check_feature(feature)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mnk_5_4_4", "gomoku"])
def test_the_evaluator_made_by_hand_keeps_to_the_contract(name: str) -> None:
    check_evaluator(load_evaluator("classic", name), game_named(name))


def test_classic_prefers_an_open_three_to_a_closed_one() -> None:
    open_three = after(GAME, "d3 e3 f3", "m14 n14 n12")
    closed = after(GAME, "d3 e3 f3", "c3 n14 n12")
    rows = np.array([position.row for position in (open_three, closed)])
    scores = evaluate(load_evaluator("classic", GAME), GAME, rows)
    assert scores[0] > scores[1] > 0


def test_patterns_are_lines_of_the_board() -> None:
    lines = pattern_set("tuples5", GAME)
    assert len(lines.instances) == 2 * 15 * 11 + 2 * 11 * 11
    assert pattern_set("tuples4", mnk(5, 4, 4)).instances


def test_the_layout_of_a_game_is_found_by_its_name() -> None:
    assert layout_of(mnk(5, 4, 4)).bits == mnk(5, 4, 4).board.bits
    assert layout_of(GAME_EXACT).exact and not layout_of(GAME).exact
