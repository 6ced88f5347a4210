"""Fours beyond the depth of a search: against plain Python, and the wins that they show."""

from __future__ import annotations

import pytest

from samuel.games import Game, Position
from samuel.games.gomoku.rules import GAME, GAME_EXACT, mnk
from samuel.games.playing import random_positions
from samuel.games.rows import are_quiet
from samuel.models import load_evaluator
from samuel.search import AlphaBeta, analyse
from tests.games.gomoku.test_rules import Window, after, board_of, length_of, open_windows
from tests.minimax import minimax
from tests.rarely import rarely

FIRST_QUIET = 8
"""Plies beyond the depth from which no side makes a four."""


Line = tuple[int, int]


def direction_of(window: Window) -> Line:
    """Return the step from a square of a window to the next."""
    (row, column), (below, right) = window[:2]
    return below - row, right - column


def noisy_moves(position: Position, beyond: int) -> tuple[set[str], bool]:
    moves, must = position.game.noisy_in(position.row, beyond=beyond)
    return {position.game.notation.write_move(int(move)) for move in moves}, must


def expected_moves(position: Position, beyond: int) -> tuple[set[str], bool]:
    """Return the noisy moves as games/gomoku/choosing.py says in words."""
    game, board, length = position.game, board_of(position), length_of(position.game)
    mine, theirs = "XO"[position.side], "OX"[position.side]

    def in_windows(sign: str, stones: int) -> set[str]:
        found = open_windows(board, sign, length, stones, game is GAME_EXACT)
        squares = {square for window in found for square in window}
        return {
            game.squares[row * len(board[0]) + column]
            for row, column in squares
            if board[row][column] == "-"
        }

    def lines_through(square: str, stones: int) -> list[Line]:
        found = open_windows(board, mine, length, stones, game is GAME_EXACT)
        place = divmod(game.squares.index(square), len(board[0]))
        return [direction_of(window) for window in found if place in window]

    urgent = in_windows(mine, length - 1) or in_windows(theirs, length - 1)
    if urgent:
        return urgent, True
    fours = set()
    for square in in_windows(mine, length - 2) if beyond < FIRST_QUIET else ():
        threes, twos = (lines_through(square, length - missing) for missing in (2, 3))
        if len(set(threes)) < len(threes) or len({*threes, *twos}) > 1:
            fours.add(square)
    return fours, False


@pytest.mark.parametrize("game", [GAME, GAME_EXACT, rarely(mnk(7, 6, 4)), mnk(5, 5, 3)], ids=repr)
def test_noisy_moves_are_what_they_are_said_to_be(game: Game) -> None:
    kinds = set()
    rows = random_positions(game, 40, seed=3, min_plies=1)
    for row, is_quiet in zip(rows, are_quiet(game, rows), strict=True):
        words = tuple(int(word) for word in row)
        position = Position(game, words, game.plies_left_in(row) + len(game.squares) & 1)
        for beyond in (0, FIRST_QUIET - 1, FIRST_QUIET):
            expected = expected_moves(position, beyond)
            assert noisy_moves(position, beyond) == expected, str(position)
            assert is_quiet == (not expected[1]), str(position)
            kinds.add((bool(expected[0]), expected[1]))
    assert len(kinds) == 3


@pytest.mark.parametrize("game", [mnk(5, 5, 4), rarely(mnk(6, 6, 5))], ids=repr)
def test_alpha_beta_is_minimax_with_fours_beyond_its_depth(game: Game) -> None:
    evaluator, longer = load_evaluator("classic", game), 0
    for row in random_positions(game, 60, seed=5, min_plies=4, max_plies=14):
        position = Position(game, tuple(int(word) for word in row))
        found = analyse(position, evaluator, depth=1, exact_from=0)
        assert found.score == pytest.approx(minimax(position, evaluator, 1), abs=1e-6)
        short = analyse(
            position, evaluator, depth=1, exact_from=0, method=AlphaBeta(quiescence="none")
        )
        longer += found.score != short.score
    assert longer > 3


# Stones of X and of O, and the plies of the win of X, who is to move where both have as many.
WINS = {
    "two fours at once": ("e5 f5 g5 h6 h7 h8", "d5 b2 n3 k12 c13 h10", 3),
    "an open three": ("f5 g5 h5", "b2 n3 k12", 3),
    "four, four and line": ("e5 f5 g5 h6 h7 i9 j10 k11", "d5 b2 n3 k12 c13 l12 e14 h3", 5),
}


@pytest.mark.parametrize("name", WINS)
def test_a_win_by_fours_is_found_one_ply_deep(name: str) -> None:
    first, second, plies = WINS[name]
    position = after(GAME, first, second)
    found = analyse(position, "zero", depth=1)
    assert found.score == pytest.approx(1 - plies / 1000)
    assert analyse(position, "zero", depth=1, method=AlphaBeta(quiescence="none")).score == 0
