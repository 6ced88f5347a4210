"""Games of Piskvork, read and written."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.games.gomoku.psq import FORMAT, read_psq, write_psq
from samuel.games.gomoku.rules import GAME
from samuel.games.records import GameRecord

TEXT = """Piskvorky 15x15, 11:11, 0
8,8,120
8,7,95
1,15,0
pbrain-one.exe
pbrain-two.exe
-1
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "game.psq"
    path.write_text(text)
    return path


def test_a_game_is_read(tmp_path: Path) -> None:
    (records,) = read_psq(written(tmp_path, TEXT.replace("\n", "\r\n")), GAME)
    names = [GAME.notation.write_move(int(move)) for move in records.moves]
    assert names == ["h8", "h9", "a1"] and math.isnan(records.results[0])
    assert FORMAT.is_one(TEXT.encode()) and not FORMAT.is_one(b"(;GM[Othello]")


def test_a_game_is_written_as_it_is_read(tmp_path: Path) -> None:
    position = Position.from_transcript("h8 h9 a1 o15 b2", GAME)
    moves = GAME.notation.read_moves("c3 d4")
    text = write_psq(GameRecord(position, 5, moves, ("one", "two"), math.nan))
    (records,) = read_psq(written(tmp_path, text), GAME)
    names = [GAME.notation.write_move(int(move)) for move in records.moves]
    assert sorted(names[:5:2]) == ["a1", "b2", "h8"] and sorted(names[1:5:2]) == ["h9", "o15"]
    assert names[5:] == ["c3", "d4"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (TEXT.replace("15x15", "20x20"), "wrong board size"),
        (TEXT.replace("8,7", "16,7"), "not readable"),
        (TEXT.replace("8,7", "0,7"), "not readable"),
    ],
)
def test_games_that_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    (records,) = read_psq(written(tmp_path, text), GAME)
    assert len(records) == 0 and records.refused == {reason: 1}


def test_what_is_no_such_file(tmp_path: Path) -> None:
    for text in ("", "f5d6", "Piskvorky"):
        with pytest.raises(
            UserError, match="psq is not a game of Piskvork: its first line must begin"
        ):
            list(read_psq(written(tmp_path, text), GAME))
    with pytest.raises(UserError, match="othello is not a game of this many stones in a row on an"):
        list(read_psq(written(tmp_path, TEXT), game_named("othello")))
