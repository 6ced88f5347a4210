"""Text files of a game a line: moves of UCI or SAN, with numbers or without."""

from __future__ import annotations

from pathlib import Path

from samuel.games.catalog import known_game
from samuel.selfplay.data.importing import import_games

MATE = "f2f3 e7e5 g2g4 d8h4"
LINES = f"""# a comment
{MATE}
f3 e5 g4 Qh4#
1. f3 e5 2. g4 Qh4#  # fool's mate
rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2: g4 Qh4
1. e4 e5 2. Ke3
hello
e4
"""


def test_moves_in_san_are_imported(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(LINES)
    found = import_games([tmp_path / "games.txt"], tmp_path / "data", game="chess")
    counts = found.manifest["counts"]
    assert counts["imported"] == 4 and counts["first_left_out"] == {
        "illegal move": "games.txt, line 6",
        "not a transcript": "games.txt, line 7",
        "not finished": "games.txt, line 8",
    }
    notation = known_game("chess").notation
    moves = found.frame().groupby("game_id")["move"].agg(list).tolist()
    assert moves == [notation.read_moves(MATE)] * 3 + [notation.read_moves("g2g4 d8h4")]
