"""Openings: legal, unfinished, no two alike; the same for the same seed; from anywhere."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samuel.arena.openings.choice import openings_for
from samuel.common.errors import UserError
from samuel.games import PASS, Position, game_named
from samuel.games.game import Game
from samuel.games.rows import canonical_keys
from samuel.models import load_evaluator, usual_evaluator
from samuel.search import analyse
from samuel.selfplay.openings.books import shipped_book
from samuel.selfplay.openings.openings import Openings
from samuel.selfplay.openings.reading import read_openings
from tests.processes import run

OTHELLO = game_named("othello")
NAMES = ("othello", "othello_6x6", "othello_4x4", "connect_four", "tic_tac_toe")
XOT = Path(__file__).parents[4] / "shared/data/xot_small.txt"


def play(game: Game, moves: tuple[int, ...]) -> Position:
    """Play moves by the rules; an illegal one raises."""
    position = Position.start(game)
    for move in moves:
        position = position.play(move)
    return position


def require_sound(openings: Openings) -> None:
    """Play every opening move by move, and look for two that are alike."""
    assert len(openings) == len(openings.moves) == len(openings.positions)
    for moves, row in zip(openings.moves, openings.positions, strict=True):
        position = play(openings.game, moves)
        assert np.array_equal(position.row, row)
        assert not position.is_terminal
    keys = canonical_keys(openings.game, openings.positions)
    assert len(np.unique(keys)) == len(openings)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(NAMES), st.integers(0, 6), st.integers(0, 2**100))
def test_random_openings_are_sound(name: str, plies: int, seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are not so many
        openings = openings_for(game_named(name), "random", 40, plies, seed=seed)
    require_sound(openings)
    assert set(map(len, openings.moves)) == {plies}


def test_a_pass_is_a_move_of_an_opening() -> None:
    openings = openings_for(game_named("othello_4x4"), "random", 300, 8, seed=1)
    require_sound(openings)
    assert any(PASS in moves for moves in openings.moves)
    assert any(moves[-1] == PASS for moves in openings.moves)


@pytest.mark.slow
def test_moves_are_drawn_uniformly() -> None:
    """Four first moves have three replies each; the first opening of a seed is one draw."""
    replies = [openings_for(OTHELLO, "random", 1, 2, seed=seed).moves[0] for seed in range(1200)]
    openings, counts = np.unique(replies, axis=0, return_counts=True)
    assert len(openings) == 12
    assert counts.min() > 60 and counts.max() < 140  # four deviations of 9.6 around 100


@pytest.mark.slow
def test_another_process_draws_the_same() -> None:
    program = (
        "from samuel.arena.openings.choice import openings_for\n"
        "from samuel.games import game_named\n"
        "for name in ('random', 'balanced'):\n"
        "    print(openings_for(game_named('othello'), name, 100, None, None, 5).transcripts())"
    )
    names = ("random", "balanced")
    here = [openings_for(OTHELLO, name, 100, None, None, 5).transcripts() for name in names]
    assert run("-c", program).splitlines() == list(map(str, here))


def test_a_game_may_be_named_and_plain_python_takes_no_book(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert openings_for("othello", pairs=2).name == openings_for(OTHELLO, pairs=2).name
    monkeypatch.setattr("samuel.arena.openings.choice.DISABLED", True)
    assert openings_for(OTHELLO, pairs=2).name.startswith("random")
    assert not openings_for(OTHELLO, "balanced", 2).name.startswith("random")


@pytest.mark.slow
def test_plain_python_draws_the_same() -> None:
    program = (
        "from samuel.arena.openings.choice import openings_for\n"
        "from samuel.games import game_named\n"
        "print(openings_for(game_named('tic_tac_toe'), 'random', 10, 3, seed=1).transcripts())"
    )
    env = {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    here = openings_for(game_named("tic_tac_toe"), "random", 10, 3, seed=1).transcripts()
    assert run("-c", program, env=env).strip() == str(here)


@pytest.mark.parametrize(("plies", "known"), [(0, 1), (1, 1), (2, 3), (3, 14), (4, 60), (5, 322)])
def test_as_many_as_there_are(plies: int, known: int) -> None:
    """Against the counts of Egaroucid's technology page (Nyanyan/Egaroucid)."""
    assert len(openings_for(OTHELLO, "random", known, plies)) == known
    with pytest.warns(UserWarning, match=rf"only {known} different openings? \(random, {plies}"):
        assert len(openings_for(OTHELLO, "random", 10_000, plies)) == known


def test_a_part_of_the_openings() -> None:
    openings = openings_for(OTHELLO, "random", 20, 6)
    part = openings[5:8]
    assert part.moves == openings.moves[5:8]
    assert np.array_equal(part.positions, openings.positions[5:8])
    assert openings.take([7, 5]).moves == (openings.moves[7], openings.moves[5])
    assert len(openings.take([])) == 0


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(NAMES[:4]), st.integers(3, 9), st.integers(0, 2**32))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, name: str, plies: int, seed: int
) -> None:
    game = game_named(name)
    if name == "othello_4x4" and plies == 9:
        return  # few games last so long
    openings = openings_for(game, "random", 10, plies, seed=seed)
    path = tmp_path_factory.mktemp("openings") / "mine.txt"
    path.write_text("\n".join(openings.transcripts()))
    again = read_openings(path, game)
    assert again.moves == openings.moves
    assert np.array_equal(again.positions, openings.positions)
    assert again.name == "mine.txt"


def test_forced_passes_are_filled_in(tmp_path: Path) -> None:
    game = game_named("othello_4x4")
    whole = next(
        line
        for line in openings_for(game, "random", 300, 8, seed=1).moves
        if PASS in line and line[-1] != PASS
    )
    path = tmp_path / "mine.txt"
    names = [game.notation.write_move(move) for move in whole]
    path.write_text(f"{''.join(name for name in names if name != 'pass')}\n")
    assert read_openings(path, game).moves == (whole,)
    path.write_text(" ".join(names))
    assert read_openings(path, game).moves == (whole,)


def test_openings_alike_are_left_out_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("f5d6\nd3c5\nc4e3\nf5f4\nf5d6c3\n")  # the first three are images
    with pytest.warns(UserWarning, match=r"mine.txt: 2 of 5 openings equal others"):
        openings = read_openings(path, OTHELLO)
    assert openings.transcripts() == ["f5d6", "f5f4", "f5d6c3"]


@pytest.mark.parametrize(
    ("game", "content", "message"),
    [
        ("othello", "f5d6\n\nf5a1\n", r"mine.txt, line 3: move 2 of 'f5a1', a1, is not legal"),
        ("othello", "f5d6\nf5z9\n", r"mine.txt, line 2: 'z9' is not a move"),
        ("othello", "f5pass\n", r"line 1: move 2 of 'f5pass', pass, is not legal"),
        (
            "othello",
            "f5d6\nf5d6c3d3c4:f4\n",
            "txt, line 2: a position must be 64 characters",
        ),
        ("othello", "e6f4e3f6g5d6e7f5c5\n", r"line 1: the game is over after"),  # nine moves
        ("othello", "e6f4e3f6g5d6e7f5c5c4\n", r"line 1: the game is over before move 10"),
        ("tic_tac_toe", "a1 b1\na1 b1 a2 b2 a3\n", r"line 2: the game is over"),
        ("othello", "\n \n", "contains no openings"),
        ("othello", "", "contains no openings"),
        (
            "othello",
            "f5\udcffd6",
            "txt is not a text file in UTF-8; write one opening per line, as a",
        ),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, game: str, content: str, message: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(content, errors="surrogateescape")
    with pytest.raises(UserError, match=message):
        read_openings(path, game_named(game))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for path, said in (
        (tmp_path / "nowhere.txt", "exist; openings must be balanced, random, start or a file"),
        (tmp_path, r"cannot be read \(Is a directory\)"),
    ):
        with pytest.raises(UserError, match=said):
            read_openings(path, OTHELLO)


def test_balanced_openings_of_xot() -> None:
    if not XOT.exists():
        pytest.skip("the openings lie beside the project, in ../shared/data, and are not there")
    openings = read_openings(XOT, OTHELLO)
    assert len(openings) == len(XOT.read_text().split()) == 3623
    require_sound(openings[:200])
    book = shipped_book(OTHELLO)
    assert book is not None
    keys = canonical_keys(OTHELLO, book.positions)
    # which other programs found nearly equal
    assert np.isin(canonical_keys(OTHELLO, openings.positions), keys).mean() > 0.95


@pytest.mark.parametrize(
    ("name", "plies", "known"),
    [("othello", 8, 16_868), ("othello_6x6", 7, 2282), ("connect_four", 6, 2218)],
)
def test_shipped_books(name: str, plies: int, known: int) -> None:
    book = shipped_book(game_named(name))
    assert book is not None and book.starts is None
    assert len(book) == known and set(map(len, book.moves)) == {plies}
    require_sound(book[:: known // 100])


def test_the_book_is_the_default_where_there_is_one() -> None:
    book = shipped_book(OTHELLO)
    assert book is not None
    found = openings_for(OTHELLO, seed=3)
    assert found.name.startswith("balanced book, 8 plies")
    assert found.moves == openings_for(OTHELLO, "balanced", plies=8, seed=3).moves
    assert set(map(len, found.moves)) == {8}
    assert openings_for(OTHELLO, plies=6, pairs=5).name == "random, 6 plies"
    assert openings_for(OTHELLO, "random", 5).name == "random, 8 plies"
    three = game_named("tic_tac_toe")
    assert len(openings_for(three)) == 12


@pytest.mark.parametrize(("name", "balance"), [("othello", 2.0), ("connect_four", 0.03)])
def test_random_openings_within_a_balance(name: str, balance: float) -> None:
    game = game_named(name)
    few = openings_for(game, balance=balance, pairs=4, plies=5, seed=2)
    more = openings_for(game, "random", balance=balance, pairs=7, plies=5, seed=2)
    assert few.moves == more.moves[:4] and 4 < len(more) <= 7
    assert "5 plies, scores up to" in more.name
    require_sound(more)
    evaluator = load_evaluator(usual_evaluator(game), game)
    every = openings_for(game, "random", pairs=200, plies=5, seed=2)
    for moves in every.moves[: every.moves.index(more.moves[-1]) + 1]:
        found = analyse(play(game, moves), evaluator, depth=6, exact_from=0)
        assert (abs(found.score) <= balance) == (moves in more.moves)


def test_no_random_opening_is_balanced() -> None:
    with pytest.raises(UserError, match="is that balanced; give a larger --balance"):
        openings_for(game_named("nim"), balance=0.0, plies=0)


@pytest.mark.parametrize(
    ("game", "settings", "message"),
    [
        ("othello", {"balance": -1.0}, r"must be .*\(got -1\)"),
        ("othello", {"balance": float("nan")}, r"must be .*\(got nan\)"),
        ("othello", {"source": "balanced", "plies": 6}, "only a book of 8 plies"),
        ("othello", {"source": "balanced", "balance": 2.0}, "leave it out"),
        (
            "othello",
            {"source": "nowhere.txt"},
            "txt does not exist; openings must be balanced, random",
        ),
        (
            "othello",
            {"source": "mine.txt", "plies": 4},
            "cannot be chosen for openings from a file; leave them out",
        ),
        ("othello", {"source": "mine.txt", "balance": 4}, "leave it out"),
        ("tic_tac_toe", {"source": "balanced"}, "tic_tac_toe has no book"),
    ],
)
def test_what_cannot_be_had_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, settings: dict, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.txt").write_text("f5d6\nf5f6\n")
    with pytest.raises(UserError, match=message):
        openings_for(game_named(game), **settings)
