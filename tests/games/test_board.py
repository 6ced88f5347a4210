"""Boards of more kinds of pieces and more squares than Othello's: text, symmetries, digits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import Board, Game, Position
from samuel.games.board import MOVER, NOBODY, OPPONENT
from samuel.games.grid_notation import GridNotation
from samuel.games.playing import random_positions
from samuel.games.rows import canonical, canonical_keys, images
from samuel.testing import check_game
from tests.toys.gomoku import GAME as GOMOKU
from tests.toys.kings import GAME as KINGS
from tests.toys.notation import PlainNotation

TOYS = pytest.mark.parametrize("game", [KINGS, GOMOKU], ids=lambda game: game.name)


def positions_of(game: Game, n: int = 60) -> Any:
    return random_positions(game, n, seed=1, max_plies=min(game.most_left - 1, 80) // 2)


def plain_signs(game: Game, words: Any) -> str:
    """Return what the first player to move sees, square by square."""
    board, found = game.board, ""
    assert board is not None
    signs = "".join(board.pieces)
    for bit in board.bits:
        held = [
            sign
            for k, sign in enumerate(signs)
            if int(words[board.words_each * k + bit // 64]) >> bit % 64 & 1
        ]
        found += held[0] if held else "-"
    return found


def test_a_game_with_two_kinds_of_pieces_keeps_to_the_contract() -> None:
    check_game(KINGS)


def test_kinds_follow_each_other_in_words_and_digits_count_from_emptiness() -> None:
    board = Board(8, 8, pieces=("XO", "KQ", "#"))
    assert [(c.signs, c.whose, c.word) for c in board.kept] == [
        ("XO", MOVER, 0),
        ("OX", OPPONENT, 1),
        ("KQ", MOVER, 2),
        ("QK", OPPONENT, 3),
        ("##", NOBODY, 4),
    ]
    assert "".join(content.signs[0] for content in board.contents) == "QO-#XK"
    assert (board.empty, board.steps, board.words) == (2, (2, -1, 3, -2, 1), 5)
    large = Board(15, 15, pieces=("XO", "KQ"))
    assert (large.words_each, large.words) == (4, 16)
    assert [content.word for content in large.kept] == [0, 4, 8, 12]


@TOYS
def test_digits_are_what_words_hold(game: Game) -> None:
    assert game.board is not None
    positions = positions_of(game)
    signs = "".join(content.signs[0] for content in game.board.contents)
    for row, digits in zip(positions, game.board.digits(positions).T, strict=True):
        assert "".join(signs[digit] for digit in digits) == plain_signs(game, row)


@TOYS
@pytest.mark.parametrize("side", [0, 1])
def test_texts_read_back_and_say_what_stands_where(game: Game, side: int) -> None:
    for row in positions_of(game, 20):
        position = Position(game, tuple(map(int, row)), side)
        assert Position.parse(position.text, game) == position
        if side == 0:
            assert position.text == f"{plain_signs(game, row)} X"
            drawn = [line.split()[1:] for line in str(position).splitlines()[1:-1]]
            assert "".join("".join(row) for row in drawn) == plain_signs(game, row).replace(
                "-", "."
            )


@TOYS
def test_images_have_the_contents_of_their_squares(game: Game) -> None:
    for row in positions_of(game, 20):
        signs = np.array(list(plain_signs(game, row)))
        for symmetry, image in zip(game.symmetries, images(game, row), strict=True):
            assert (np.array(list(plain_signs(game, image)))[symmetry] == signs).all()


@TOYS
def test_the_canonical_image_is_the_smallest_of_all(game: Game) -> None:
    positions = positions_of(game)
    smallest = canonical(game, positions)
    expected = [min(map(tuple, images(game, row).tolist())) for row in positions]
    assert list(map(tuple, smallest.tolist())) == expected
    for row in positions[:20]:
        assert len(set(canonical_keys(game, images(game, row)).tolist())) == 1


def test_a_rectangle_has_four_symmetries_and_a_square_eight() -> None:
    assert len(Board(3, 3, symmetric="all").symmetries) == 8
    rectangle = Board(2, 3, symmetric="all").symmetries.tolist()
    assert rectangle == [
        [0, 1, 2, 3, 4, 5],
        [5, 4, 3, 2, 1, 0],
        [2, 1, 0, 5, 4, 3],
        [3, 4, 5, 0, 1, 2],
    ]
    assert Board(2, 3, symmetric="sideways").symmetries.tolist() == rectangle[::2]
    assert Board(2, 3).symmetries.tolist() == rectangle[:1]
    assert Board(1, 2, symmetric=[[0, 1], [1, 0]]).symmetries.tolist() == [[0, 1], [1, 0]]


@TOYS
def test_which_rows_the_board_can_hold(game: Game) -> None:
    assert isinstance(game.notation, GridNotation)
    positions = positions_of(game, 20)
    assert game.notation.holds(positions).all()
    each = positions.shape[1] // len(game.notation.grid.kept)
    beside, twice = positions.copy(), positions.copy()
    beside[:, each - 1] |= np.uint64(1 << 63)
    twice[:, 0] |= np.uint64(1)
    twice[:, -each] |= np.uint64(1)
    assert not game.notation.holds(beside).any()
    assert not game.notation.holds(twice).any()


def test_a_notation_that_does_not_say_what_it_holds_holds_everything() -> None:
    notation = PlainNotation(2, {}, KINGS.board)
    assert notation.holds(np.full((2, 2), 2**64 - 1, np.uint64)).all()


@pytest.mark.parametrize(
    ("board", "message"),
    [
        (lambda: Board(0, 3), "needs a name for each"),
        (lambda: Board(3, 27), "a board of 3 by 27 squares needs a name for each row and"),
        (
            lambda: Board(3, 3, row_names="12"),
            "a board of 3 by 3 squares needs a name for each row and",
        ),
        (lambda: Board(2, 2, range(3)), "each of the board's 4 squares"),
        (
            lambda: Board(2, 2, (0, 1, 1, 2)),
            "bits must give each of the board's 4 squares its own bit",
        ),
        (
            lambda: Board(2, 2, (0, 1, 2, -3)),
            "bits must give each of the board's 4 squares its own bit",
        ),
        (lambda: Board(2, 2, pieces=()), "at least one, and then single signs for what belongs to"),
        (
            lambda: Board(2, 2, pieces=("#", "XO")),
            "at least one, and then single signs for what belongs to",
        ),
        (lambda: Board(2, 2, pieces=("XO", "KQW")), "pairs of signs"),
        (
            lambda: Board(2, 2, pieces=("XO", "KX")),
            "each piece needs its own sign, not a blank and not '-'",
        ),
        (
            lambda: Board(2, 2, pieces=("X-",)),
            "each piece needs its own sign, not a blank and not '-'",
        ),
        (
            lambda: Board(2, 2, pieces=("X ",)),
            "each piece needs its own sign, not a blank and not '-'",
        ),
        (lambda: Board(2, 2, symmetric="left"), "symmetric must be no, sideways or all"),  # type: ignore[arg-type]
        (lambda: Board(2, 2, symmetric=[[0, 1, 2, 2]]), "a permutation of the squares 0 to 3"),
        (lambda: Board(2, 2, symmetric=[0, 1, 2]), "a permutation of the squares 0 to 3"),
        (
            lambda: replace(KINGS, start=(0, 0)),
            "the board of kings has 4 words, but its start has 2",
        ),
    ],
)
def test_what_is_no_board_is_refused(board: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        board()
