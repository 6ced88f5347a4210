"""Scores in comments of PGN: those of movers, and those of servers as python-chess reads them."""

from __future__ import annotations

import io
import math
from pathlib import Path

import numpy as np
import pytest

from samuel.games.catalog import known_game
from samuel.games.chess.pgn import own_score, read_pgn
from samuel.selfplay.data.importing import import_games

chess = pytest.importorskip("chess")
pytest.importorskip("chess.pgn")
GAME = known_game("chess")
SERVER = """[Event "a"]
[FEN "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"]
[Result "1-0"]

{[%eval 0.2]} 1... e5 {[%clk 1:00] [%eval -0.31,20]} 2. Nf3 {[%eval #-3]} (2. f4 {[%eval 9.9]})
Nc6 { [%eval #2] } 3. Bb5 {[%eval 99999]} a6 {[%eval #-12]} 4. O-O {good} Nf6 {[%eval 1.25]} 1-0
"""


@pytest.mark.parametrize(
    ("comment", "score"),
    [
        ("+0.31/12 0.5s", 0.31),
        ("-1.5/9 12", -1.5),
        ("0.00/14 0.5s, Draw by 3-fold repetition", 0.0),
        ("+M5/20 1.2s", 99.995),
        ("-M6/20 1.2s", -99.994),
        ("-M2/1 0.001s, White mates", -99.998),
        ("+321.00/10 1s", 100.0),
        ("0.00/0 0s", None),
        ("book", None),
        ("31/12/2020", None),
        ("12/2004 novelty", None),
        ("12.05/2004 novelty", None),
        ("2.5/3.0", None),
        ("1/2-1/2 agreed", None),
        ("M5/20", None),
        ("+5/20", 5.0),
        ("0.31/12", 0.31),
        ("good, +0.31/12", None),
        ("", None),
    ],
)
def test_scores_of_movers_are_read(comment: str, score: float | None) -> None:
    found = own_score(comment, 100)
    assert found == (score if score is None else pytest.approx(score))


def test_scores_of_servers_equal_those_of_python_chess(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text(SERVER)
    (records,) = read_pgn(path, GAME)
    expected = []
    node = chess.pgn.read_game(io.StringIO(SERVER))
    while node is not None and node.next() is not None:
        told, score = node.eval(), math.nan
        if told is not None:
            mate = told.relative.mate()
            if mate is None:
                score = max(-100, min(100, told.relative.score() / 100))
            else:
                score = 100 - (2 * mate - 1) / 1000 if mate > 0 else -100 - 2 * mate / 1000
        expected.append(score)
        node = node.next()
    np.testing.assert_allclose(records.scores, expected, rtol=1e-6)
    assert np.isfinite(records.scores).sum() == 6


def test_scores_become_labels_of_the_positions_before_the_moves(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    text = "1. e4 {+0.31/12 0.5s} e5 {-M6/9 1s} 2. Nf3 {book} Nc6 {[%eval 0.4]} 3. Bb5"
    path.write_text(f'[Event "a"]\n\n{text} {{+0.50/3 1s}} 1-0\n')
    frame = import_games([path], tmp_path / "data", game=GAME).frame()
    expected = [0.31, -99.994, math.nan, math.nan, 0.5]
    np.testing.assert_allclose(frame["score"], expected, rtol=1e-6)
    assert frame["side"].tolist() == [0, 1, 0, 1, 0]
