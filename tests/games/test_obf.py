"""OBF problem files: every form that stands in the wild, and clear words for the rest."""

from pathlib import Path

import pytest

from samuel.errors import UserError
from samuel.games import Position
from samuel.games.obf import parse_problem, read_problems

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
    with pytest.warns(UserWarning, match=r"obf: 2 of 3 lines are left out, the first: line 1: 'h1"):
        problems = read_problems(file)
    assert [p.best_moves for p in problems] == [["g8"]]


@pytest.mark.parametrize("content", [b"", b"% nothing\n\n"])
def test_a_file_without_positions_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "empty.obf").write_bytes(content)
    with pytest.raises(UserError, match="holds no positions"):
        read_problems(tmp_path / "empty.obf")


def test_what_is_no_text_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.obf").write_bytes(b"\xff\xfe\x00\x80\x01")
    with pytest.raises(UserError, match="is no text"):
        read_problems(tmp_path / "binary.obf")
    with pytest.raises(UserError, match="cannot be read"):
        read_problems(tmp_path / "missing.obf")
    with pytest.raises(UserError, match="cannot be read"):
        read_problems(tmp_path)


def test_other_games_have_problems_too() -> None:
    problem = parse_problem("XO------- X; a2:0; b2:+1;", "tic_tac_toe")
    assert problem.position == Position.from_transcript("a1b1", "tic_tac_toe")
    assert problem.best_moves == ["b2"]


def test_the_ffo_suite_reads(tmp_path: Path) -> None:
    problems = read_problems(DATA / "ffo_1_19.obf")
    assert [p.name for p in problems] == [f"FFO {n}" for n in range(1, 20)]
    for problem in problems:
        assert set(problem.best_moves) <= set(problem.position.legal_moves())
