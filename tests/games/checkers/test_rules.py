"""Checkers against published counts, a plain generator of its own, and another program's.

Where A. Samuel's programs of 1959 looked on before they asked, and that every form does.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.perft import perft
from samuel.games.playing import random_positions
from samuel.games.rules import NO_MOVE
from samuel.models import load_evaluator
from samuel.search import AlphaBeta, SearchOptions, analyse
from samuel.search.methods import method_named
from samuel.search.reference.node import PositionNode
from samuel.search.reference.reference import alphabeta_with_memory, negamax
from samuel.search.score import SCORE_UNIT
from samuel.testing import check_game
from tests.minimax import minimax
from tests.search.test_alphabeta import at as position_at
from tests.search.test_alphabeta import noise

GAME = game_named("checkers")
# A. Bik, TalkChess, 2009; by several programs.
LEAVES = [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680, 18391564, 85242128]
CIRCLE = "B:W10,11,18,19:BK7"
MIXED = "B:W18,26,27,25,11,19:B1,2,K15"
MIXED_LEAVES = [5, 26, 164, 978, 5536, 34934, 173523]
TAKING = "W:W6,13,21,K32:B12,20,K29,27"
TAKING_LEAVES = [1, 3, 24, 92, 616, 2531, 16617]
# Counted by an independent generator, captures by path: kings of both, and one against nine men.
KINGS = "W:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29"
KINGS_LEAVES = [8, 27, 202, 911, 6707, 30195, 207681]
ALONE = "W:WK31:B26,18,17,25,9,10,27,19,11"
ALONE_LEAVES = [14, 114, 266, 2026, 5399, 42264]
ORACLE_POSITIONS = 20_000


def at(text: str) -> Position:
    return Position.parse(text, GAME)


def moves_at(text: str) -> list[str]:
    return sorted(map(GAME.notation.write_move, GAME.moves_in(at(text).row).tolist()))


def test_the_rules_agree_with_what_the_game_says_of_itself() -> None:
    check_game(GAME)


@pytest.mark.parametrize(
    ("depth", "leaves"),
    [
        pytest.param(depth, leaves, marks=[pytest.mark.slow] * (depth > 9))
        for depth, leaves in enumerate(LEAVES, 1)
    ],
)
def test_perft(depth: int, leaves: int) -> None:
    assert perft(Position.start(GAME), depth) == leaves


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (MIXED, MIXED_LEAVES),
        (TAKING, TAKING_LEAVES),
        (KINGS, KINGS_LEAVES),
        (ALONE, ALONE_LEAVES),
    ],
)
def test_perft_of_captures(text: str, counts: list[int]) -> None:
    assert [perft(at(text), depth) for depth in range(1, len(counts) + 1)] == counts


def test_a_king_may_come_back_to_where_it_started() -> None:
    assert moves_at(CIRCLE) == ["7x14x23x16x7", "7x16x23x14x7"]
    after = at(CIRCLE).play(GAME.notation.read_move("7x14x23x16x7"))
    assert after.text == "W:W:BK7"
    assert after.is_terminal
    assert after.utility() == -1


def test_a_man_that_is_crowned_ends_its_move() -> None:
    assert moves_at("B:W26,27,19:B22") == ["22x31"], "on, as a king, it could take two more"
    assert at("B:W26,27,19:B22").play(GAME.notation.read_move("22x31")).text == "W:W19,27:BK31"


def plain_moves(text: str) -> list[str]:
    """Return the legal moves of a position by rules written as people say them."""
    mover, white, black = text.split(":")
    men, own = {}, {}
    for side, pieces in (("W", white[1:]), ("B", black[1:])):
        for piece in filter(None, pieces.split(",")):
            square = int(piece.lstrip("K"))
            men[square] = (side, piece.startswith("K"))
    own = {square: king for square, (side, king) in men.items() if side == mover}

    def place(square: int) -> tuple[int, int]:
        row, k = divmod(square - 1, 4)
        return row, 2 * k + (row + 1) % 2

    numbers = {place(square): square for square in range(1, 33)}

    def ways(king: bool) -> list[tuple[int, int]]:
        forward = 1 if mover == "B" else -1
        rows = (forward, -forward) if king else (forward,)
        return [(row, column) for row in rows for column in (-1, 1)]

    def jumps(square: int, king: bool, start: int, taken: frozenset[int]) -> list[list[int]]:
        paths = []
        row, column = place(square)
        for down, right in ways(king):
            over = numbers.get((row + down, column + right))
            end = numbers.get((row + 2 * down, column + 2 * right))
            if over is None or end is None or over in taken or over not in men:
                continue
            if men[over][0] == mover or (end in men and end != start):
                continue
            crowned = not king and place(end)[0] in (0, 7)
            more = [] if crowned else jumps(end, king, start, taken | {over})
            paths += [[end, *rest] for rest in more] or [[end]]
        return paths

    found = [[s, *p] for s, king in own.items() for p in jumps(s, king, s, frozenset())]
    if found:
        return sorted("x".join(map(str, path)) for path in found)
    steps = []
    for square, king in own.items():
        row, column = place(square)
        ends = (numbers.get((row + down, column + right)) for down, right in ways(king))
        steps += [f"{square}-{end}" for end in ends if end is not None and end not in men]
    return sorted(steps)


def some_positions(number: int, seed: int = 5) -> list[Position]:
    """Return positions of random games, both sides to move."""
    found, generator = [], np.random.default_rng(seed)
    while len(found) < number:
        position = Position.start(GAME)
        while not position.is_terminal and len(found) < number:
            found.append(position)
            moves = GAME.moves_in(position.row)
            position = position.play(int(generator.choice(moves)))
    return found


def test_moves_are_those_of_a_plain_generator() -> None:
    for position in some_positions(1500):
        assert moves_at(position.text) == plain_moves(position.text), position.text


@pytest.mark.slow
def test_moves_are_those_of_pydraughts() -> None:
    draughts = pytest.importorskip(
        "draughts", reason="pip install pydraughts, apart from py-draughts"
    )
    for position in some_positions(ORACLE_POSITIONS, seed=9):
        board = draughts.Board(variant="english", fen=position.text)
        theirs = sorted(move.pdn_move for move in board.legal_moves())
        ours = [GAME.notation.write_move(int(m)) for m in GAME.moves_in(position.row)]
        # it writes the squares between where the ends alone would mean several
        ends = ["x".join((m.split("x")[0], m.split("x")[-1])) for m in ours]
        told = [m if m in theirs else short for m, short in zip(ours, ends, strict=True)]
        assert sorted(told) == theirs, position.text


def test_positions_and_moves_read_back() -> None:
    for position in some_positions(300):
        again = at(position.text)
        assert (again.words, again.side) == (position.words, position.side)
        for move in GAME.moves_in(position.row).tolist():
            assert GAME.notation.read_move(GAME.notation.write_move(move)) == move


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B:W21-32", "'B:W21-32' is not a position; write it like"),
        ("B:B1:B2", "one side twice"),
        ("B:W33:B1", "3' is not a square from 1 to 32, nor a range of squares"),
        ("B:W9-3:B1", "3' is not a square from 1 to 32, nor a range of squares"),
        ("B:W5,5:B1", "square 5 is given twice"),
        ("B:W5:B5", "a square has a piece of both sides"),
        ("B:W5:B30", "a man stands on its last row; write a king, such as K32"),
        ("B:W5-17:B1", "has 13 pieces"),
    ],
)
def test_what_is_no_position(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        at(text)


def test_kings_that_walk_about_draw() -> None:
    position, count = at("B:WK32:BK1"), 0
    for move in itertools.cycle(("1-6", "32-27", "6-1", "27-32")):
        if position.is_terminal:
            break
        position, count = position.play(GAME.notation.read_move(move)), count + 1
    assert count == 8, "the position stands for the third time"
    assert position.utility() == 0


@pytest.mark.parametrize(
    "number", [40, pytest.param(300, marks=pytest.mark.slow)], ids=["some", "300"]
)
def test_the_search_is_minimax(number: int) -> None:
    evaluator = load_evaluator("classic", GAME)
    for k, row in enumerate(random_positions(GAME, number, seed=2, max_plies=120)):
        position, depth = Position(GAME, tuple(row.tolist()), int(row[4])), 1 + k % 5
        expected = minimax(position, evaluator, depth)
        for options in (SearchOptions(), SearchOptions.none()):
            assert analyse(position, evaluator, depth=depth, options=options).score == expected


SAMUELS = GAME.with_quiescence("samuel")
START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
JUMP, STEP = (GAME.notation.read_move(text) for text in ("22x15", "11-15"))


@pytest.mark.parametrize(
    ("text", "move", "goes_on_at"),
    [
        (START, NO_MOVE, []),
        (START, STEP, []),
        pytest.param(START, JUMP, [0], id="the last move was a jump"),
        pytest.param("B:W22:B14,11", STEP, [0, 1], id="14-18 offers an exchange"),
        pytest.param("B:W22:B14", STEP, [], id="14-18 loses the man"),
        pytest.param("B:W18:B14", STEP, range(17), id="a jump"),
        pytest.param(
            "B:W18:B14,K1,K2,5", STEP, range(8), id="a jump, ahead by more than two kings"
        ),
        pytest.param("B:W18,29:B14,K1,K2", STEP, range(17), id="a jump, ahead by two kings"),
    ],
)
def test_the_conditions_of_1959(text: str, move: int, goes_on_at: list[int]) -> None:
    position = Position.parse(text, GAME)
    legal = GAME.moves_in(position.row).tolist()
    for beyond in range(20):
        listed, must = SAMUELS.noisy_in(position.row, move, beyond)
        expected = legal if beyond in goes_on_at else []
        assert listed.tolist() == expected
        assert must == bool(expected)


def test_every_form_goes_by_the_conditions() -> None:
    evaluator, differ = noise(GAME), 0
    for number, row in enumerate(random_positions(GAME, 24, seed=7)):
        depth = 1 + number % 3
        position = position_at(SAMUELS, row)
        expected = minimax(position, evaluator, depth)
        assert expected is not None
        root = PositionNode.root(position, evaluator)
        for algorithm in (negamax, alphabeta_with_memory):
            assert depth > 2 or algorithm(root, depth) == expected * SCORE_UNIT
        here = position_at(GAME, row)
        for options in (SearchOptions(), SearchOptions.none()):
            method = AlphaBeta(options=options, quiescence="samuel")
            assert analyse(here, evaluator, depth=depth, method=method).score == expected
        scores = analyse(here, evaluator, depth=depth, method=method, all_moves=True).moves
        assert not scores or max(scores.values()) == expected
        differ += minimax(here, evaluator, depth) != expected
    assert differ > 5, "the conditions change nothing here"


def test_the_rule_is_named_on_the_command_line() -> None:
    assert method_named("alphabeta:quiescence=samuel") == AlphaBeta(quiescence="samuel")
    with pytest.raises(UserError, match="quiescence of alphabeta must be a name"):
        method_named("alphabeta:quiescence=3")
    for name in ("samuels", "x"):
        with pytest.raises(UserError, match="no rule of quiescence search called"):
            analyse(Position.start(GAME), noise(GAME), method=AlphaBeta(quiescence=name))
    othello = Position.start(game_named("othello"))
    with pytest.raises(UserError, match="othello"):
        analyse(othello, "zero", method=AlphaBeta(quiescence="samuel"))
