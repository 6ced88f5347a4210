"""OBF problem files: every form that stands in the wild, and clear words for the rest.

Every door that takes positions refuses arrays that cannot hold them, in one sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from samuel.common.errors import UserError
from samuel.features import Features, Patterns, Positions, extract, features_named
from samuel.games import Position, game_named
from samuel.games.obf import parse_problem, read_problems
from samuel.games.playing import random_positions
from samuel.games.rows import canonical, canonical_keys, left_of
from samuel.learning.probcut import fit_probcut
from samuel.models import PatternRegressor, evaluate, load_evaluator
from samuel.search import analyse, solve
from samuel.selfplay.data.shard import word_columns, words_in

BOARD = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--"
DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize(
    ("rest", "scores", "name"),
    [
        (" X", {}, "given"),
        (" X;", {}, "given"),
        (" O;", {}, "given"),
        (" X; G8:+18;", {"g8": 18}, "given"),
        (" X; G8:+18", {"g8": 18}, "given"),
        (" X;g8:18;h1:-12;", {"g8": 18, "h1": -12}, "given"),
        (" X; G8:+18; H1:+12; % FFO 1", {"g8": 18, "h1": 12}, "FFO 1"),
        (" X; g8:0.5; # with # twice", {"g8": 0.5}, "with # twice"),
        (" X % no moves known", {}, "no moves known"),
        (" X; pass:+2;", {"pass": 2}, "given"),
        (" X; ps : 1;", {"pass": 1}, "given"),
        (" X; g8:\u221218; h1 : \u20134", {"g8": -18, "h1": -4}, "given"),
        (" X; pq : 1;", None, "given"),
    ],
)
def test_forms_of_a_problem(rest: str, scores: dict[str, float] | None, name: str) -> None:
    if scores is None:
        with pytest.raises(UserError, match="'pq ' is not a move"):
            parse_problem(BOARD + rest, name="given")
        return
    problem = parse_problem(BOARD + rest, name="given")
    assert problem.position == Position.parse(f"{BOARD} {rest[1]}")
    assert problem.scores == scores
    assert problem.name == name


def test_the_best_moves_and_their_score() -> None:
    problem = parse_problem(f"{BOARD} X; b7:-4; g8:+2; a1:-8; h1:+2;")
    assert problem.best_score == 2
    assert problem.best_moves == ["g8", "h1"]
    unknown = parse_problem(f"{BOARD} X;")
    assert unknown.best_score is None
    assert unknown.best_moves == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (f"{BOARD[1:]} X; g8:+18;", "63 characters"),
        (f"{BOARD} X; g8+18;", "'g8\\+18' is not a move and its score"),
        (f"{BOARD} X; g8:;", "is not a move and its score"),
        (f"{BOARD} X; g8:much;", "is not a move and its score"),
        (f"{BOARD} X; j9:+18;", "'j9' is not a move"),
        (f"{BOARD}; g8:+18;", "a blank and the side to move"),
        (BOARD, "a blank and the side to move"),
    ],
)
def test_a_line_in_another_format_is_refused(line: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        parse_problem(line)


def test_a_file_with_comments_and_blank_lines(tmp_path: Path) -> None:
    file = tmp_path / "problems.obf"
    file.write_text(f"% a comment\n\n{BOARD} X; g8:+18; % one\r\n# another\n   \n{BOARD} O\n")
    problems = read_problems(file)
    assert [p.name for p in problems] == ["one", "6"]
    assert [p.position.side for p in problems] == [0, 1]


def test_a_line_that_cannot_be_read_is_left_out_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "problems.obf"
    file.write_text(f"{BOARD} X; h1\n{BOARD} X; g8:1\n{BOARD[1:]} X\n")
    with pytest.warns(
        UserWarning,
        match=r"obf: 2 of 3 lines cannot be read and are left out, the first: line 1: 'h1",
    ):
        problems = read_problems(file)
    assert [p.best_moves for p in problems] == [["g8"]]


UNDERMINE = "1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - -"
KING = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -"


@pytest.mark.parametrize(
    ("line", "name", "best", "avoided", "points"),
    [
        # the Strategic Test Suite's forms, older and newer, Bratko and Kopec, Win at Chess
        (
            f'{UNDERMINE} bm f5; id "STS; 1"; c0 "f5=10, Bf2=4, fxg5=2";',
            *("STS; 1", ("f4f5",), (), {"f4f5": 10, "d4f2": 4, "f4g5": 2}),
        ),
        (
            f'{UNDERMINE} bm f5; c7 "f5 Bf2"; c8 "100 46"; c9 "f4f5 d4f2"; Ae "x";',
            *("given", ("f4f5",), (), {"f4f5": 100, "d4f2": 46}),
        ),
        (
            f'{UNDERMINE} bm f5; c7 "f5 Bf2"; c8 "100 46"',
            *("given", ("f4f5",), (), {"f4f5": 100, "d4f2": 46}),
        ),
        (f"{KING} ; bm Qd1 + ; id BK.01 ", "BK.01", ("d6d1",), (), {}),
        (f"{KING} am Qd2, Qd1#; id x;", "x", (), ("d6d2", "d6d1"), {}),
        (f'{KING} c0 "a comment = 3"; acd 4; bm Qd1 Qd2', "given", ("d6d1", "d6d2"), (), {}),
        (f"{KING} id none", "none", (), (), {}),
        (f'{KING}\t3 41\tbm\tQd1+; id "a";;', "a", ("d6d1",), (), {}),
        (f'{KING} 0 1 ; c0 "Petrov=champion"; c8 "1 x"; c9 "d6d1 d6d2";', "given", (), (), {}),
        (f'{KING} c0 "depth=20, Qd1=3";', "given", (), (), {}),
    ],
)
def test_operations_of_epd(
    line: str,
    name: str,
    best: tuple[str, ...],
    avoided: tuple[str, ...],
    points: dict[str, float],
) -> None:
    problem = parse_problem(line, "chess", "given")
    assert problem.position.text == Position.parse(" ".join(line.split()[:4]), "chess").text
    assert (problem.name, problem.best, problem.avoided) == (name, best, avoided)
    assert problem.points == points


def test_a_move_solves_a_problem() -> None:
    wanted = parse_problem(f"{KING} bm Qd1 Qd2; am Qd2;", "chess")
    moves = ("d6d1", "d6d2", "d6c7", None)
    assert [wanted.is_solved_by(move) for move in moves] == [True, False, False, False]
    assert parse_problem(f"{KING} id x;", "chess").is_solved_by("d6d1") is None
    assert parse_problem(f"{KING} am Qd2;", "chess").is_solved_by("d6d1") is True
    scored = parse_problem(f"{BOARD} X; b7:-4; g8:+2;")
    assert (scored.is_solved_by("g8"), scored.is_solved_by("b7")) == (True, False)


def test_the_ffo_suite_reads(tmp_path: Path) -> None:
    problems = read_problems(DATA / "ffo_1_19.obf")
    assert [p.name for p in problems] == [f"FFO {n}" for n in range(1, 20)]
    for problem in problems:
        assert set(problem.best_moves) <= set(problem.position.legal_moves())


OTHELLO = game_named("othello")
POSITIONS = random_positions(OTHELLO, 40, seed=3)
DOORS: dict[str, Callable[[Any], Any]] = {
    "rows": OTHELLO.rows,
    "evaluate": lambda X: evaluate("classic", OTHELLO, X),
    "extract": lambda X: extract(features_named(["mobility"]), X),
    "Features.fit": lambda X: Features(["mobility"]).fit(X),
    "Features.transform": lambda X: Features(["mobility"]).fit(POSITIONS).transform(X),
    "Patterns": lambda X: Patterns().fit(POSITIONS).transform(X),
    "Positions": lambda X: Positions().fit(POSITIONS).transform(X),
    "PatternRegressor.fit": lambda X: PatternRegressor().fit(X, np.zeros(len(X))),
    "fit_probcut": lambda X: fit_probcut(load_evaluator("classic"), OTHELLO, X),
    "canonical": lambda X: canonical(OTHELLO, X),
    "canonical_keys": lambda X: canonical_keys(OTHELLO, X),
    "left_of": lambda X: left_of(OTHELLO, X),
    "words_in": lambda X: words_in(pd.DataFrame(X, columns=word_columns(OTHELLO)), OTHELLO),
    "moves_in": lambda X: OTHELLO.moves_in(X[0]),
    "search": lambda X: analyse(Position(OTHELLO, tuple(X[0])), "classic", depth=1),
    "solve": lambda X: solve(Position(OTHELLO, tuple(X[0])), "classic"),
}

OF_WORDS = ("words_in", "moves_in", "search", "solve", "fit_probcut")
"""Doors that take words of columns, one row, a Position already, or more positions than these."""


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (POSITIONS.astype(np.float32), "got float32"),
        (POSITIONS.astype(object) + 0.5, "got float"),
        (POSITIONS > 5, "got bool"),
        (np.array([[-1, 0]], np.int8), "words of positions must be from 0 to 2"),
        ([[1 << 64, 0]], "from 0 to 2"),
        ([["a", "b"]], "uint64 words"),
        (
            pd.DataFrame({"word_0": [1.0, np.nan], "word_1": [2, 3]}),
            "An outer merge in pandas turns words into float64 and",
        ),
        (POSITIONS[:, :1], r"array \(n, 2\)"),
        (POSITIONS[None], r"array \(n, 2\)"),
        ([[3, 1]], "row 0 is not a position of othello"),
        ([[1, 2], [6, 2]], "row 1 is not a position of othello"),
    ],
)
def test_what_else_is_no_position_is_refused(given: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        evaluate("classic", OTHELLO, given)


@pytest.mark.parametrize("door", [door for door in DOORS if door not in OF_WORDS])
def test_position_objects_are_taken_by_every_door(door: str) -> None:
    objects = [Position(OTHELLO, tuple(row)) for row in POSITIONS.tolist()]
    expected, found = DOORS[door](POSITIONS), DOORS[door](objects)
    if isinstance(expected, np.ndarray):
        assert np.array_equal(found, expected)
