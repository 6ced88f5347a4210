"""Binary files of chess positions equal python-chess; what is damaged gets one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samuel.games.catalog import known_game
from samuel.selfplay.data.importing import import_games

pytest.importorskip("chess")
from tests.games.chess import packed_files as files

GAME = known_game("chess")
NAMES = ("binpack", "bin", "viriformat", "bulletformat")


def _frame(path: Path, content: bytes, **given: object):  # type: ignore[no-untyped-def]
    path.write_bytes(content)
    return import_games([path], path.parent / f"{path.name}-out", game="chess", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_rows_equal_those_of_python_chess(name: str, tmp_path: Path) -> None:
    games = files.playouts(10_000, 7)
    data = _frame(tmp_path / "a.dat", files.content(name, games))
    rows, frame = [row for game in games for row in game], data.frame()
    assert len(frame) == len(rows) and not data.manifest["counts"]["left_out"]
    boards = [row.board for row in rows]
    mirrored = [b if b.turn or name != "bulletformat" else b.mirror() for b in boards]
    if name == "bulletformat":
        fens = [f"{board.board_fen()} w - -" for board in mirrored]
    else:
        fens = [" ".join(board.fen(en_passant="legal").split()[:4]) for board in mirrored]
        assert [board.uci(row.move) for board, row in zip(boards, rows, strict=True)] == [
            GAME.notation.write_move(move) for move in frame["move"]
        ]
        assert frame["ply"].tolist() == [board.ply() for board in boards]
        assert frame["side"].tolist() == [int(not board.turn) for board in boards]
    texts = [
        GAME.notation.write(tuple(words), side).removesuffix(" 0 1")
        for words, side in zip(data.positions.tolist(), frame["side"], strict=True)
    ]
    assert texts == fens
    assert frame["outcome"].tolist() == [
        100 * (row.result if row.board.turn else -row.result) for row in rows
    ]
    scores = np.array([row.score / 100 for row in rows])
    scores = np.where(np.abs(scores) == 320.02, np.nan, np.clip(scores, -100, 100))
    np.testing.assert_allclose(frame["score"], scores, rtol=1e-6)
