"""Lines that can still be filled, counted by the kernels and in plain Python.

What is worth a search, and what first, against plain Python; and what that does to a search.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from samuel.features import extract, features_named
from samuel.games import Game, Position, game_named
from samuel.games.gomoku.rules import GAME, GAME_EXACT, mnk
from samuel.games.playing import random_positions
from samuel.games.rows import images
from samuel.models import load_evaluator
from samuel.search import SearchOptions, analyse
from samuel.search.trees.method import UCT
from samuel.testing import check_evaluator
from tests.games.gomoku.test_rules import (
    STEPS,
    Board,
    Window,
    after,
    board_of,
    length_of,
    open_windows,
)
from tests.minimax import minimax
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


def threats_of(board: Board, sign: str, length: int, exact: bool) -> list[int]:
    """Return the numbers of squares of one side, square by square."""
    fours, open_fours, threes = ({step: set[tuple[int, int]]() for step in STEPS} for _ in range(3))

    def step_of(window: Window) -> tuple[int, int]:
        return window[1][0] - window[0][0], window[1][1] - window[0][1]

    for window in open_windows(board, sign, length, length - 2, exact):
        fours[step_of(window)] |= set(window)
    for stones, squares in ((length - 2, open_fours), (length - 3, threes)):
        windows = open_windows(board, sign, length, stones, exact)
        for one, other in itertools.product(windows, windows):
            if one[1:] == other[:-1] and board[one[0][0]][one[0][1]] == "-":
                squares[step_of(one)] |= set(one[1:])
    found = [0] * 6
    for square in np.ndindex(len(board), len(board[0])):
        if board[square[0]][square[1]] == "-":
            of_fours, of_threes = (
                [step for step in STEPS if square in kind[step]] for kind in (fours, threes)
            )
            both = [one for one in of_fours for other in of_threes if one != other]
            is_open = any(square in squares for squares in open_fours.values())
            numbers = of_fours, of_fours[1:], is_open, of_threes, of_threes[1:], both
            found = [n + bool(number) for n, number in zip(found, numbers, strict=True)]
    return found


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_threats_are_counted_beside_the_lines(game: Game) -> None:
    features, exact = features_named(["threats"], game.name), game is GAME_EXACT
    rows = random_positions(game, 12, seed=4, max_plies=len(game.squares) // 2)
    for row, values in zip(rows, extract(features, rows), strict=True):
        board = board_of(Position(game, tuple(int(word) for word in row)))
        expected = [
            number
            for sign in "XO"
            for counted in (lines_of, threats_of)
            for number in counted(board, sign, length_of(game), exact)
        ]
        assert values.tolist() == expected


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_features_are_the_same_under_symmetries(game: Game) -> None:
    features = features_named(["threats"], game.name)
    for row in random_positions(game, 5, seed=1):
        values = extract(features, images(game, row))
        assert (values == values[0]).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mnk_5_4_4", "gomoku"])
def test_the_evaluator_made_by_hand_keeps_to_the_contract(name: str) -> None:
    check_evaluator(load_evaluator("classic", name), game_named(name))


CHOSEN_IN = [GAME, GAME_EXACT, rarely(mnk(7, 6, 4)), mnk(5, 5, 3)]


def candidates_of(position: Position) -> set[str]:
    names = position.game.notation.write_move
    return {names(int(move)) for move in position.game.candidates_in(position.row)}


def expected_candidates(position: Position) -> set[str]:
    """Return the candidates as games/gomoku/choosing.py says in words."""
    game, board, length = position.game, board_of(position), length_of(position.game)
    columns = len(board[0])
    empty = {
        square for square in np.ndindex(len(board), columns) if board[square[0]][square[1]] == "-"
    }
    mine, theirs = "XO"[position.side], "OX"[position.side]

    def in_windows(sign: str, stones: int) -> set[tuple[int, int]]:
        found = open_windows(board, sign, length, stones, game is GAME_EXACT)
        return {square for window in found for square in window} & empty

    threes = open_windows(board, theirs, length, length - 2, game is GAME_EXACT)
    danger = any(one[1:] == other[:-1] and one[0] in empty for one in threes for other in threes)
    near = {
        (row, column)
        for row, column in empty
        if any(
            board[r][c] != "-"
            for r, c in np.ndindex(len(board), columns)
            if max(abs(r - row), abs(c - column)) <= 2
        )
    }
    chosen = in_windows(mine, length - 1) or in_windows(theirs, length - 1)
    if not chosen and danger:
        chosen = in_windows(mine, length - 2) | in_windows(theirs, length - 2)
    return {game.squares[row * columns + column] for row, column in chosen or near or empty}


@pytest.mark.parametrize("game", CHOSEN_IN, ids=repr)
def test_candidates_are_what_they_are_said_to_be(game: Game) -> None:
    kinds = set()
    for row in random_positions(game, 40, seed=3, min_plies=1):
        position = Position(
            game, tuple(int(word) for word in row), game.plies_left_in(row) + len(game.squares) & 1
        )
        expected = expected_candidates(position)
        assert candidates_of(position) == expected, str(position)
        kinds.add(len(expected))
    assert len(kinds) > 5


def test_threats_leave_few_moves() -> None:
    four = after(GAME, "c3 d3 e3 f3", "c5 d5 e5 n14")
    assert candidates_of(four) == {"b3", "g3"}
    assert candidates_of(four.play("n1")) == {"b3", "g3"}
    three = after(GAME, "d3 e3 f3", "n14 n12")
    assert candidates_of(three) == {"b3", "c3", "g3", "h3"}
    closed = after(GAME, "d3 e3 f3", "c3 n12")
    assert len(candidates_of(closed)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("game", [mnk(7, 6, 4), mnk(4, 4, 3)], ids=repr)
def test_alpha_beta_is_minimax_over_the_candidates(game: Game) -> None:
    evaluator, whole = (
        load_evaluator("zero", game),
        replace(game, search=replace(game.search, candidates=None)),
    )
    fewer = 0
    for row in random_positions(game, 25, seed=5, max_plies=len(game.squares) - 6):
        position = Position(game, tuple(int(word) for word in row))
        found = analyse(position, evaluator, depth=3, exact_from=0)
        assert found.score == minimax(position, evaluator, 3)
        every = analyse(
            position, evaluator, depth=3, exact_from=0, options=SearchOptions(candidates=False)
        )
        assert every.score == minimax(replace(position, game=whole), evaluator, 3)
        fewer += found.nodes < every.nodes
    assert fewer > 15


@pytest.mark.slow
def test_what_is_solved_is_solved_over_all_moves() -> None:
    game = mnk(4, 4, 4)
    for row in random_positions(game, 20, seed=6, min_plies=6, max_plies=10):
        position = Position(game, tuple(int(word) for word in row))
        whole = replace(position, game=replace(game, search=replace(game.search, candidates=None)))
        expected = minimax(whole, load_evaluator("zero", game), 20)
        assert analyse(position, "zero", depth=1, exact_from=16).score == expected


@pytest.mark.slow
def test_a_win_by_fours_is_found_within_a_second() -> None:
    position = after(GAME, "g8 h8 i8 h10 i11 g9", "f8 j9 k12 d4 d5 l12")
    found = analyse(position, "zero", depth=7)
    assert found.score > 0.9


@pytest.mark.slow
def test_a_tree_proves_the_same_with_candidates_and_without() -> None:
    game, proven = mnk(4, 3, 3), 0
    zero, whole = load_evaluator("zero", game), UCT(playouts=4000, candidates=False)
    for row in random_positions(game, 40, seed=8, min_plies=3, max_plies=6):
        position = Position(game, tuple(int(word) for word in row))
        expected = analyse(position, zero, method=whole)
        found = analyse(position, zero, method=UCT(playouts=4000))
        assert not found.exact
        if expected.exact:
            proven += 1
            assert found.score == expected.score and found.nodes <= expected.nodes
    assert proven > 20
