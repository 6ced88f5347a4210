"""OBF problem files: every form that stands in the wild, and clear words for the rest.

Every door that takes positions refuses arrays that cannot hold them, in one sentence.
"""

from __future__ import annotations

import contextlib
import time
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
from samuel.games.rows import ImpossibleError, left_of
from samuel.games.symmetry import canonical, canonical_keys
from samuel.learning.probcut import fit_probcut
from samuel.models import PatternRegressor, evaluate, load_evaluator
from samuel.search import search, solve
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


def test_the_blank_before_the_side_may_be_missing() -> None:
    assert parse_problem(f"{BOARD}O; g8:+18").position == Position.parse(f"{BOARD} O")


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


def test_the_error_names_the_file_and_the_line(tmp_path: Path) -> None:
    file = tmp_path / "problems.obf"
    file.write_text(f"% none\n\n{BOARD[1:]} X\n{BOARD} X; g8\n")
    with pytest.raises(UserError, match=r"problems\.obf, line 3: .*63 characters"):
        read_problems(file)


def test_a_line_that_cannot_be_read_is_left_out_with_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "problems.obf"
    file.write_text(f"{BOARD} X; h1\n{BOARD} X; g8:1\n{BOARD[1:]} X\n")
    with pytest.warns(
        UserWarning,
        match=r"obf: 2 of 3 lines cannot be read and are left out, the first: line 1: 'h1",
    ):
        problems = read_problems(file)
    assert [p.best_moves for p in problems] == [["g8"]]


@pytest.mark.parametrize("content", [b"", b"% nothing\n\n"])
def test_a_file_without_positions_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "empty.obf").write_bytes(content)
    with pytest.raises(UserError, match="holds no positions"):
        read_problems(tmp_path / "empty.obf")


def test_what_is_no_text_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.obf").write_bytes(b"\xff\xfe\x00\x80\x01")
    with pytest.raises(UserError, match="is not a text file"):
        read_problems(tmp_path / "binary.obf")
    with pytest.raises(UserError, match="cannot be read"):
        read_problems(tmp_path / "missing.obf")
    with pytest.raises(UserError, match="cannot be read"):
        read_problems(tmp_path)


def test_other_games_have_problems_too() -> None:
    problem = parse_problem("XO------- X; a2:0; b2:+1;", "tic_tac_toe")
    assert problem.position == Position.from_transcript("a1b1", "tic_tac_toe")
    assert problem.best_moves == ["b2"]


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


@pytest.mark.parametrize(
    ("operations", "complaint"),
    [
        ("bm Qd9;", "'Qd9' is not a move"),
        ("bm Nf3;", "'Nf3' is not legal here"),
        ('bm Qd1; c0 "no end;', "is not an operation of EPD"),
        ("bm Qd1; 3 Qd2;", "is not an operation of EPD"),
    ],
)
def test_operations_that_mean_nothing_are_told(operations: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        parse_problem(f"{KING} {operations}", "chess")


@pytest.mark.parametrize("text", ["", "bm Qd1; c1 aaa", 'id "a";', "bm Qd1", "0 1"])
@pytest.mark.parametrize("piece", [" ", '"', 'a"', ";", "a ", "=", "a=1 ", "\t;", '""'])
def test_a_long_line_of_anything_is_read_in_no_time(text: str, piece: str) -> None:
    """It takes some milliseconds; by the square of its length it would be minutes."""
    began = time.process_time()
    with contextlib.suppress(UserError):
        parse_problem(f"{KING} {text}{piece * 100_000}!", "chess")
    assert time.process_time() - began < 5


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
    "search": lambda X: search(Position(OTHELLO, tuple(X[0])), "classic", depth=1),
    "solve": lambda X: solve(Position(OTHELLO, tuple(X[0])), "classic"),
}

OF_COLUMNS = ("words_in", "moves_in")
"""Doors whose words are looked at elsewhere: by who opens a dataset, and by `Position`."""
OF_WORDS = ("words_in", "moves_in", "search", "solve", "fit_probcut")
"""Doors that take words of columns, one row, a Position already, or more positions than these."""


@pytest.mark.parametrize("door", DOORS)
def test_floats_are_refused_by_every_door(door: str) -> None:
    with pytest.raises(ValueError, match="An outer merge in pandas turns words into float64 and"):
        DOORS[door](POSITIONS.astype(np.float64))


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


@pytest.mark.parametrize("door", [door for door in DOORS if door not in {"rows", *OF_COLUMNS}])
def test_what_no_board_can_hold_is_refused_by_every_door(door: str) -> None:
    with pytest.raises(ImpossibleError, match="row 0 is not a position of othello"):
        DOORS[door](np.array([[3, 1], *POSITIONS], np.uint64))


@pytest.mark.parametrize("door", [door for door in DOORS if door not in OF_WORDS])
def test_position_objects_are_taken_by_every_door(door: str) -> None:
    objects = [Position(OTHELLO, tuple(row)) for row in POSITIONS.tolist()]
    expected, found = DOORS[door](POSITIONS), DOORS[door](objects)
    if isinstance(expected, np.ndarray):
        assert np.array_equal(found, expected)


def test_one_position_and_arrays_of_some_are_taken_and_other_games_refused() -> None:
    start, other = Position.start(), Position.start("connect_four")
    assert evaluate("classic", "othello", start) == evaluate("classic", OTHELLO, [start.words])[0]
    pair = [start, start.play("f5")]
    words = [position.words for position in pair]
    for given in (pair, tuple(pair), pd.Series(pair), np.array(pair, object), [pair[0], words[1]]):
        assert np.array_equal(OTHELLO.rows(given), words)
        assert np.array_equal(
            evaluate("classic", OTHELLO, given), evaluate("classic", OTHELLO, words)
        )
    with pytest.raises(ValueError, match="is a position of connect_four, not of othello"):
        evaluate("classic", OTHELLO, [start, other])


@pytest.mark.parametrize(
    "same",
    [
        POSITIONS.astype(np.int64),
        POSITIONS.tolist(),
        POSITIONS.astype(object),
        pd.DataFrame(POSITIONS),
        np.asfortranarray(POSITIONS),
        POSITIONS.astype(">u8"),
    ],
)
def test_whole_words_are_taken_however_they_come(same: Any) -> None:
    assert np.array_equal(OTHELLO.rows(same), POSITIONS)


def test_small_and_large_words_in_one_list_are_exact() -> None:
    """Numpy makes floats of them."""
    words = [[1, (1 << 63) + 1]]
    assert np.array(words).dtype == np.float64
    assert OTHELLO.rows(words).tolist() == words


def test_a_position_has_as_many_words_as_its_game() -> None:
    with pytest.raises(ValueError, match=r"array \(n, 2\)"):
        search(Position(OTHELLO, (1,)), "classic", depth=1)
