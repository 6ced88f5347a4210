"""Binary files of chess positions equal python-chess; what is damaged gets one sentence."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samuel.common.errors import UserError
from samuel.games.catalog import known_game
from samuel.games.rows import are_legal, are_possible
from samuel.games.rules import NO_MOVE
from samuel.games.transcripts import formats_of
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.data.replay import replay

chess = pytest.importorskip("chess")
files = pytest.importorskip("tests.games.chess.packed_files")

GAME = known_game("chess")
NAMES = ("binpack", "bin", "viriformat", "bulletformat")


def _data(path: Path, content: bytes) -> Dataset:
    path.write_bytes(content)
    return import_games([path], path.parent / f"{path.name}-out", game="chess")


@pytest.mark.parametrize("name", NAMES)
def test_rows_equal_those_of_python_chess(name: str, tmp_path: Path) -> None:
    games = files.playouts(10_000, 7)
    data = _data(tmp_path / "a.dat", files.content(name, games))
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


GIVEN = {
    # the example of viriformat's README: 1. e4 e5 2. Qh5 Ke7 3. Qxe5#, White's scores
    "viriformat": bytes.fromhex(
        "ffff00000000ffff 164225610000000088888888 9ecaade9 40 00 0100 0000 02 00"
        "0c070a00 34091400 c309e2ff 3c0dff7f 2709ff7f 00000000".replace(" ", "")
    ),
    # a position of binpack-rust's tests, with Kg8-h8 as its move, score -1, ply 41, Black lost
    "binpack": bytes.fromhex(
        "42494e5022000000 6279c015184cf164 646a00040830021111911375f7000000"
        "3efc 0001 4029 0000 0000".replace(" ", "")
    ),
}


def test_published_examples(tmp_path: Path) -> None:
    frame = _data(tmp_path / "a.dat", GIVEN["viriformat"]).frame()
    names = [GAME.notation.write_move(move) for move in frame["move"]]
    assert names == ["e2e4", "e7e5", "d1h5", "e8e7", "h5e5"]
    assert frame["score"].tolist() == pytest.approx([0.1, -0.2, -0.3, -100, 100])
    assert frame["outcome"].tolist() == [100, -100, 100, -100, 100]
    data = _data(tmp_path / "b.dat", GIVEN["binpack"])
    text = GAME.notation.write(tuple(data.positions[0].tolist()), 1)
    assert text.startswith("1r3rk1/p2qnpb1/6pp/P1p1p3/3nN3/2QP2P1/R3PPBP/2B2RK1 b - -")
    row = data.frame().iloc[0]
    assert (row["score"], row["ply"], row["outcome"]) == (pytest.approx(-0.01), 41, -100)


def test_an_extension_is_read_over_and_scores_have_a_unit(tmp_path: Path) -> None:
    path = tmp_path / "a.viriformat"
    path.write_bytes(bytes(8) + b"\1\0\3\0abc" + bytes(4) + GIVEN["viriformat"])
    data = import_games([path], tmp_path / "a", game="chess", score_unit=20.0)
    assert data.frame()["score"].tolist() == pytest.approx([0.5, -1, -1.5, -100, 100])


def test_a_capture_en_passant_that_only_stockfish_counts(tmp_path: Path) -> None:
    board = chess.Board("6k1/2p5/8/KP5r/8/8/8/8 b - - 0 1")
    game = []
    for uci in ("c7c5", "b5b6", "h5h4"):
        move = chess.Move.from_uci(uci)
        game.append(files.Row(board.copy(), move, 7, 0))
        board.push(move)
    frame = _data(tmp_path / "a.binpack", files.binpack([game])).frame()
    assert [GAME.notation.write_move(move) for move in frame["move"]] == ["c7c5", "b5b6", "h5h4"]


SMALL = {name: files.content(name, files.playouts(60, 3)) for name in NAMES}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(NAMES), st.data())
def test_damaged_files_end_in_a_sentence_or_in_sound_rows(name: str, data: st.DataObject) -> None:
    content = bytearray(SMALL[name])
    how = data.draw(st.sampled_from(("random", "cut", "flipped")))
    if how == "random":
        content = bytearray(data.draw(st.binary(max_size=300)))
    elif how == "cut":
        del content[data.draw(st.integers(0, len(content))) :]
    for _ in range(data.draw(st.integers(1, 4)) if how == "flipped" else 0):
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.dat"
        path.write_bytes(content)
        try:
            for records in formats_of(GAME)[name].read(path, GAME):
                buffer, rows, reasons = replay(GAME, records)
                words, moves = buffer.words[:rows], buffer.move[:rows]
                assert are_possible(GAME, words).all()
                known = moves != NO_MOVE
                assert are_legal(GAME, words[known], moves[known]).all()
                assert rows == sum(np.diff(records.ends, prepend=0)[reasons == 0])
        except UserError as error:
            assert str(path) in str(error) and "\n" not in str(error)


def test_faults_say_where(tmp_path: Path) -> None:
    bin_file = SMALL["bin"]
    with pytest.raises(UserError, match=r"is cut off: what begins at byte 40 is not whole"):
        _data(tmp_path / "a.bin", bin_file[:79])
    chunks = SMALL["binpack"]
    with pytest.raises(UserError, match=r"no chunk of chains begins at byte \d+"):
        _data(tmp_path / "a.binpack", chunks + b"BIMP" + bytes(4))
    with pytest.raises(UserError, match=r"chain at byte 8: each side must have one king"):
        _data(tmp_path / "b.binpack", b"BINP\x22\0\0\0" + bytes(34))
    with pytest.raises(UserError, match=r"cut off, or of another --format: what begins at byte 0"):
        _data(tmp_path / "c.binpack", chunks[:-1])
    damaged = bytearray(SMALL["bulletformat"])
    damaged[32 + 27] ^= 1
    counts = _data(tmp_path / "a.bulletformat", bytes(damaged)).manifest["counts"]
    (reason,) = counts["left_out"]
    assert "kings" in reason and counts["first_left_out"][reason].endswith("byte 32")
