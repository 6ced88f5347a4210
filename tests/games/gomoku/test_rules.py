"""Five in a row and the (m, n, k) games: counts, values, another program's rules, a plain form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import Game, Position, game_named
from samuel.games.gomoku.rules import GAME, GAME_EXACT, mnk
from samuel.games.perft import perft
from samuel.games.tic_tac_toe.rules import GAME as TIC_TAC_TOE
from samuel.search import AlphaBeta, SearchOptions, analyse, solve
from samuel.testing import check_game

Board = list[list[str]]
Window = tuple[tuple[int, int], ...]
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


def length_of(game: Game) -> int:
    """Return how many stones in a row win."""
    return int(game.name.split("_")[3]) if game.name.startswith("mnk") else 5


def board_of(position: Position) -> Board:
    """Return the signs of a position, row by row."""
    _, columns = position.game.shape or (0, 0)
    signs = position.text.split()[0]
    return [list(signs[k : k + columns]) for k in range(0, len(signs), columns)]


def open_windows(board: Board, sign: str, length: int, stones: int, exact: bool) -> list[Window]:
    """Return the windows with so many stones of a sign and none of the other."""
    rows, columns, found = len(board), len(board[0]), []

    def sign_at(row: int, column: int) -> str:
        return board[row][column] if 0 <= row < rows and 0 <= column < columns else ""

    for row, column in np.ndindex(rows, columns):
        for down, right in STEPS:
            window = tuple((row + k * down, column + k * right) for k in range(length))
            signs = [sign_at(*square) for square in window]
            ends = {sign_at(row + k * down, column + k * right) for k in (-1, length)}
            is_longer = exact and sign in ends
            if set(signs) <= {sign, "-"} and signs.count(sign) == stones and not is_longer:
                found.append(window)
    return found


# Values for the first player, by an alpha-beta of its own (no forced win: a draw, for a strategy
# can be stolen).
VALUES = {(4, 3, 3): 1}
SLOW_VALUES = {
    **{(4, 4, 4): 0, (3, 3, 3): 0, (4, 4, 3): 1, (5, 4, 4): 0},
}


def after(game: Game | str, first: str, second: str = "") -> Position:
    """Return the position with these stones; X is to move where O has as many, else O."""
    game = game_named(game) if isinstance(game, str) else game
    own, others = first.split(), second.split()
    signs = {**dict.fromkeys(own, "X"), **dict.fromkeys(others, "O")}
    text = "".join(signs.get(square, "-") for square in game.squares)
    return Position.parse(f"{text} {'X' if len(own) == len(others) else 'O'}", game)


@pytest.mark.parametrize("game", [GAME, GAME_EXACT], ids=repr)
def test_perft(game: Game) -> None:
    # 225 squares; nobody wins before the ninth stone (open_spiel's mnk counts the same)
    assert [perft(Position.start(game), depth) for depth in range(3)] == [1, 225, 50400]
    assert perft(Position.start(game), 3) == 11_239_200


def test_three_in_a_row_is_tic_tac_toe() -> None:
    small = game_named("mnk_3_3_3")
    for depth in range(10):
        assert perft(Position.start(small), depth) == perft(Position.start(TIC_TAC_TOE), depth)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "value"),
    [
        *VALUES.items(),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in SLOW_VALUES.items()),
    ],
)
def test_small_boards_have_the_values_that_are_known(
    size: tuple[int, int, int], value: int
) -> None:
    assert round(solve(Position.start(mnk(*size)), "zero").score) == value


@pytest.mark.slow
def test_four_in_a_row_on_six_by_five_squares_is_won_by_the_eleventh_stone() -> None:
    start, plain = Position.start(mnk(6, 5, 4)), AlphaBeta(SearchOptions(candidates=False))
    quiet = replace(plain, quiescence="none")
    assert analyse(start, "zero", depth=9, exact_from=0, method=quiet).score == 0
    found = analyse(start, "zero", depth=9, exact_from=0, method=plain)
    assert found.score == pytest.approx(1 - 0.011)  # the last two plies are fours


@pytest.mark.parametrize(
    "name",
    [
        "mnk_3_3_3",
        *(pytest.param(x, marks=pytest.mark.slow) for x in ("gomoku_exact", "mnk_3_19_19")),
    ],
)
def test_contract(name: str) -> None:
    check_game(game_named(name))


def has_won(board: list[list[str]], sign: str, length: int, exact: bool) -> bool:
    """Return whether a run of a sign is long enough, found square by square."""
    rows, columns = len(board), len(board[0])

    def run(row: int, column: int, down: int, right: int) -> int:
        inside = 0 <= row < rows and 0 <= column < columns
        if not inside or board[row][column] != sign:
            return 0
        return 1 + run(row + down, column + right, down, right)

    for row, column in np.ndindex(rows, columns):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            if run(row - down, column - right, down, right) == 0:
                found = run(row, column, down, right)
                if found == length or (found > length and not exact):
                    return True
    return False


@pytest.mark.parametrize(
    "game",
    [
        GAME,
        GAME_EXACT,
        *(pytest.param(mnk(*of), marks=pytest.mark.slow) for of in ((6, 9, 4), (19, 19, 3))),
    ],
    ids=repr,
)
def test_lines_are_found_wherever_they_stand(game: Game) -> None:
    random, length = np.random.default_rng(1), length_of(game)
    over = 0
    for _ in range(100):
        share = random.uniform(0.1, 0.6)
        signs = random.choice(list("XO-"), len(game.squares), p=[share / 2, share / 2, 1 - share])
        words = [0] * game.words
        assert game.board is not None
        for square, sign in enumerate(signs):
            if sign != "-":
                bit = game.board.bits[square] + 64 * game.board.words_each * (sign == "O")
                words[bit // 64] |= 1 << bit % 64
        position = Position(game, tuple(words))
        lost = has_won(board_of(position), "O", length, game is GAME_EXACT)
        assert game.is_over(position.row) == lost
        assert len(game.moves_in(position.row)) == (0 if lost else list(signs).count("-"))
        over += lost
    assert 0 < over < 100


def test_six_in_a_row_win_where_they_are_not_excluded() -> None:
    stones = "a1 b1 c1 e1 f1", "a3 c3 e3 g3 i3"
    for game, over in ((GAME, True), (GAME_EXACT, False)):
        position = after(game, *stones).play("d1")
        assert position.is_terminal == over
    assert after(GAME_EXACT, "a1 b1 c1 e1", "a3 c3 e3 g3").play("d1").utility() == -1


def test_a_row_does_not_go_on_at_the_other_end_of_the_board() -> None:
    for row in ("m8 n8 o8 a7 b7", "m9 n8 o7 a6 b5", "c9 b10 a11 o12 n13"):
        assert not after(GAME, row, "a1 c1 e1 g1").is_terminal
    assert after(GAME, "k1 l1 m1 n1 o1", "a15 c15 e15 g15").is_terminal
    assert after(GAME, "k11 l12 m13 n14 o15", "a1 c1 e1 g1").is_terminal


def test_impossible_positions_are_refused() -> None:
    with pytest.raises(UserError, match="X has 2 stones and O 0"):
        Position.parse(f"{'XX'.ljust(225, '-')} X", GAME)
    with pytest.raises(UserError, match="X has 5 in a row and cannot be to move"):
        Position.parse(f"{'XXXXX'.ljust(15, '-')}{'O-O-O-O-O'.ljust(210, '-')} X", GAME)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("mnk_2_5_3", "columns of mnk_M_N_K must be an integer from 3 to 20"),
        ("mnk_5_21_3", "of rows of mnk_M_N_K must be an integer from 3 to 20"),
        ("mnk_5_4_6", "must be an integer from 3 to 5"),
        ("mnk_544", "no game called"),
        ("mnk_5_4", "no game called"),
        ("mnk_5_4_4_1", "no game called"),
        ("gomoku_5", "no game called"),
        ("pig_5_5", "no game called"),
        ("pig_" + "9" * 90 + "_", "no game called"),
    ],
)
def test_other_boards_are_refused(name: str, why: str) -> None:
    with pytest.raises(UserError, match=why):
        game_named(name)


OPEN_SPIEL = {
    "gomoku": "mnk(m=15,n=15,k=5)",
    "mnk_9_7_4": "mnk(m=9,n=7,k=4)",
    "mnk_13_13_5": "gomoku(size=13,connect=5)",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OPEN_SPIEL)
def test_open_spiel_has_the_same_rules(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs = game_named(name), pyspiel.load_game(OPEN_SPIEL[name])
    random, positions = np.random.default_rng(1), 0
    assert game.board is not None
    square_of = {bit: square for square, bit in enumerate(game.board.bits)}
    while positions < 7000:
        row, state = game.row(game.start), theirs.new_initial_state()
        while not state.is_terminal():
            moves = game.moves_in(row)
            assert not game.is_over(row)
            assert sorted(square_of[int(move)] for move in moves) == state.legal_actions()
            move = int(random.choice(moves))
            state.apply_action(square_of[move])
            row = game.child_of(row, move)
            positions += 1
        assert game.is_over(row)
        mover = state.move_number() % 2
        assert game.utility_of(row) == state.returns()[mover]
