"""PGN of chess: games equal python-chess's reading, go out and in again, and serve as openings."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.games.catalog import known_game
from samuel.games.chess.pgn import read_pgn, write_pgn
from samuel.games.position import Position
from samuel.games.records import GameRecord
from samuel.selfplay.data.importing import import_games

chess = pytest.importorskip("chess")
pytest.importorskip("chess.pgn")
GAME = known_game("chess")
PGN = """[Event "a"]
[Result "1-0"]

1. e4 {+0.31/12 0.5s} e5 2. Nf3 (2. f4 exf4) Nc6 3. Bb5 a6 4. O-O $1 Nf6 1-0

[Event "b"]
[FEN "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 10"]
[Result "1/2-1/2"]

10. O-O-O O-O 11. bxa8=N 1/2-1/2

[Event "c"]
[Result "0-1"]

1. e4 e5 2. Ke3 0-1
"""


def _file(path: Path, text: str = PGN) -> Path:
    path.write_text(text)
    return path


def test_games_equal_those_of_python_chess(tmp_path: Path) -> None:
    (records,) = read_pgn(_file(tmp_path / "a.pgn"), GAME)
    assert records.results.tolist() == [100, 0] and list(records.lines) == [1, 6]
    assert records.refused == {"illegal move": 1} and records.first_refused["illegal move"] == 12
    handle, begin = io.StringIO(PGN), 0
    for k, end in enumerate(records.ends.tolist()):
        game = chess.pgn.read_game(handle)
        board = game.board()
        side = int(records.sides[k])
        assert board.turn == (side == 0) and records.plies[k] == board.ply()
        position = Position(GAME, tuple(map(int, records.starts[k])), side)
        for move, played in zip(game.mainline_moves(), records.moves[begin:end], strict=True):
            board.push(move)
            position = position.play(int(played))
            assert position.text.split()[0] == board.board_fen()
        begin = end


def test_games_go_out_and_in_again(tmp_path: Path) -> None:
    (first,) = read_pgn(_file(tmp_path / "a.pgn"), GAME)
    texts = []
    for k, moves in enumerate(np.split(first.moves, first.ends[:-1])):
        start = Position(GAME, tuple(map(int, first.starts[k])), int(first.sides[k]))
        result = float(first.results[k])
        names = ('Ann "A"', "Bob")
        texts.append(
            write_pgn(GameRecord(start, int(first.plies[k]), moves.tolist(), names, result))
        )
    (again,) = read_pgn(_file(tmp_path / "b.pgn", "\n".join(texts)), GAME)
    for name in ("starts", "plies", "sides", "moves", "ends", "results"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert "*" in write_pgn(GameRecord(Position.start(GAME), 0, [], ("a", "b"), math.nan))


@pytest.mark.parametrize("seed", range(20))
def test_damaged_files_are_told_in_a_sentence(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    content = bytearray(PGN.encode()[: int(random.integers(1, len(PGN)))])
    for at in random.integers(0, len(content), 8):
        content[at] = random.integers(0, 256)
    path = tmp_path / "damaged.pgn"
    path.write_bytes(content)
    try:
        import_games([path], tmp_path / "data", game=GAME, format="pgn")
    except UserError as error:
        assert "\n" not in str(error)
