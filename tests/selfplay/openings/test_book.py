"""Self-play from a book: every opening about equally often, then random moves, then rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from samuel.arena.openings.choice import openings_for
from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.generate import generate
from samuel.selfplay.openings.reading import read_openings
from samuel.selfplay.plan import SelfplayPlan

chess = pytest.importorskip("chess")
pgn = pytest.importorskip("chess.pgn")

EPD = """\
r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3
rnbqkb1r/pppppp1p/5np1/8/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2
8/5k2/8/8/8/3K4/4R3/8 b - - 95 80
"""
PGN = "\n".join(
    f'[Event "{k}"]\n\n{moves} *\n'
    for k, moves in enumerate(("1. e4 e5 2. Nf3", "1. d4 d5", "1. c4", "1. Nf3 Nf6 2. Ng1 Ng8"))
)
LINES = {"book.epd": EPD, "book.pgn": PGN}


def book(folder: Path, name: str = "book.epd", text: str = "") -> Path:
    (path := folder / name).write_text(text or LINES[name])
    return path


def first_rows(dataset: Dataset) -> pd.DataFrame:
    return dataset.frame().groupby("game_id").first()


def boards(path: Path) -> list[chess.Board]:
    """Return what python-chess reads of a book."""
    if path.suffix == ".epd":
        return [chess.Board(line) for line in path.read_text().splitlines()]
    with path.open() as file:
        games = list(iter(lambda: pgn.read_game(file), None))
    return [game.end().board() for game in games]


def after(board: chess.Board, plies: int) -> set[str]:
    """Return the positions that so many legal moves lead to, without clocks."""
    if plies == 0:
        return {" ".join(board.fen(en_passant="legal").split()[:4])}
    found: set[str] = set()
    for move in board.legal_moves:
        board.push(move)
        found |= after(board, plies - 1)
        board.pop()
    return found


@pytest.mark.parametrize("plies", [0, 2])
@pytest.mark.parametrize("name", LINES)
def test_games_begin_after_an_opening_and_random_moves(
    tmp_path: Path, name: str, plies: int
) -> None:
    """python-chess knows where a game may begin, and at which ply."""
    path = book(tmp_path, name)
    plan = SelfplayPlan("chess", depth=1, openings=path, opening_plies=plies, epsilon=0.1, seed=5)
    games, read = 12, boards(path)
    dataset = generate(plan, games, tmp_path / "data")
    places = {
        (board.ply() + plies, fen): k for k, board in enumerate(read) for fen in after(board, plies)
    }
    used: Counter[int] = Counter()
    for row in first_rows(dataset).itertuples():
        words = tuple(int(getattr(row, f"word_{k}")) for k in range(dataset.game.words))
        text = Position(dataset.game, words, int(row.side)).text
        used[places[int(row.ply), " ".join(text.split()[:4])]] += 1
    assert sum(used.values()) == games
    if plies == 0:
        assert max(used.values()) - min(used.values()) <= 1 and len(used) == len(read)


def test_the_clock_of_a_position_counts(tmp_path: Path) -> None:
    """A rook's ending with 95 plies without progress is drawn five plies later."""
    path = book(tmp_path, text=EPD.splitlines()[-1])
    with pytest.warns(UserWarning, match=r"games repeat after 1 opening; add"):
        dataset = generate(SelfplayPlan("chess", depth=1, openings=path), 2, tmp_path / "data")
    frame = dataset.frame()
    assert frame.groupby("game_id")["ply"].apply(list).tolist() == [[*range(159, 164)]] * 2
    assert not frame["outcome"].any()


def test_repetitions_count_from_the_opening_on(tmp_path: Path) -> None:
    """After two rounds the initial position has come three times: nothing is left to play."""
    once = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1"
    path = book(tmp_path, "book.pgn", f'[Event "1"]\n\n{once} *\n')
    assert len(read_openings(path, game_named("chess"))) == 1
    path.write_text(f'[Event "1"]\n\n{once} Ng8 *\n')
    with pytest.raises(UserError, match=r"book.pgn, line 1: the game is over after its moves"):
        generate(SelfplayPlan("chess", openings=path), 2, tmp_path / "data")


def test_workers_interruptions_and_seeds(tmp_path: Path) -> None:
    openings = openings_for("tic_tac_toe", "random", 14, 3)
    plan = SelfplayPlan("tic_tac_toe", depth=1, openings=openings, epsilon=0.3, seed=8)
    whole = generate(plan, 1200, tmp_path / "whole", jobs=2).frame()

    def stop(games: int, rows: int) -> None:
        if games > 600:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(plan, 1200, tmp_path / "data", progress=stop)
    assert 0 < Dataset.open(tmp_path / "data").games < 1200
    again = generate(plan, 1200, tmp_path / "data")
    pd.testing.assert_frame_equal(again.frame(), whole)
    uses = first_rows(again)[["word_0", "word_1"]].value_counts()
    assert len(uses) == 14 and set(uses) == {85, 86}
    other = generate(plan.but({"seed": 9}), 1200, tmp_path / "other").frame()
    assert not np.array_equal(other["word_0"].to_numpy()[:60], whole["word_0"].to_numpy()[:60])


def test_passes_of_a_line_are_plies(tmp_path: Path) -> None:
    openings = openings_for(game_named("othello_4x4"), "random", 300, 8, seed=1)
    path = tmp_path / "lines.txt"
    path.write_text("\n".join(openings.transcripts()))  # passes are left out inside of lines
    openings = read_openings(path, openings.game)
    plan = SelfplayPlan("othello_4x4", "classic", depth=1, openings=path, opening_plies=0)
    first = first_rows(generate(plan, len(openings), tmp_path / "data"))
    assert set(first["ply"]) == set(map(len, openings.moves)) == {8}
    found = first[["word_0", "word_1"]].to_numpy(np.uint64)
    assert {*map(tuple, found.tolist())} == {*map(tuple, openings.positions.tolist())}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "book.epd contains no openings; write one transcript per line"),
        ("f5d6c3\n", "book.epd, line 1: "),
        (EPD.replace("/8/8/3K4/", "/8/8/3KK3/"), "book.epd, line 5: "),
        ("e2e4\ne2e5\n", "book.epd, line 2: move 1 of 'e2e5', e2e5, is not legal"),
    ],
)
def test_refused_books(tmp_path: Path, content: str, message: str) -> None:
    (path := tmp_path / "book.epd").write_text(content)
    with pytest.raises(UserError, match=message):
        generate(SelfplayPlan("chess", openings=path), 2, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_a_changed_book_is_another_run(tmp_path: Path) -> None:
    path = book(tmp_path)
    plan = SelfplayPlan("chess", depth=1, openings=path, opening_plies=1)
    generate(plan, 2, tmp_path / "data")
    path.write_text(EPD.replace("2 3", "3 3"))
    with pytest.raises(UserError, match=r"another run \(openings book.epd: 5 openings, digest"):
        generate(plan, 4, tmp_path / "data")


def test_names_of_books(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="chess has no book of balanced openings; use"):
        generate(SelfplayPlan("chess", openings="balanced"), 2, tmp_path / "data")
    with pytest.raises(UserError, match="these openings are for tic_tac_toe, not for chess"):
        generate(
            SelfplayPlan("chess", openings=openings_for("tic_tac_toe", "random", 2, 2)),
            *(2, tmp_path / "data"),
        )
    given = SelfplayPlan("othello", openings="random").checked()
    assert given == SelfplayPlan("othello").checked() and "openings" not in given.settings
    assert SelfplayPlan("othello", openings="balanced").checked().opening_plies == 0
