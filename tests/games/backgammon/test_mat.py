"""Matches of Jellyfish and GNU Backgammon, and identifiers of positions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from samuel.common.errors import UserError
from samuel.games.backgammon.mat import FORMATS, read_mat
from samuel.games.backgammon.rules import GAME
from samuel.games.records import Records
from samuel.selfplay.data.importing import import_games
from tests.arena.engines.helpers import gnubg

DROPPED = """; [EventDate "2026.11.27"]

 3 point match

 Game 1
 one : 0                        two 31: x : 0
  1)                             31: 8/5 6/5
  2) 52: 13/8 24/22              55: 8/3(2) 6/1*(2)
  3) 11:                          Doubles => 2
  4)  Takes                      21: 24/22 6/5
  5)  Doubles => 4                Drops
      Wins 2 points
"""
ID, MATCH = "4HPwATDgc/ABMA", "cAkAAAAAAAAA"
_DECISIONS = ("chequer", "cube")
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def read(folder: Path, text: str) -> Records:
    path = folder / "games.mat"
    path.write_text(text)
    (records,) = read_mat(path, GAME)
    return records


def test_a_game_that_is_dropped(tmp_path: Path) -> None:
    records = read(tmp_path, DROPPED.replace("\n", "\r\n"))
    names = [GAME.notation.write_move(int(move)) for move in records.moves]
    assert names[:4] == ["31", "8/5 6/5", "52", "24/22 13/8"]
    assert names[4:] == ["55", "8/3*(2) 6/1*(2)", "11", "pass", "21", "24/22 6/5"]
    # the second column threw first and dropped a cube of 2: it lost one point
    assert records.results.tolist() == [-1.0] and records.may_stop and not records.refused
    assert FORMATS[0].is_one(DROPPED.encode()) and not FORMATS[0].is_one(b"31 8/5 6/5")


def test_a_dataset_of_a_match(tmp_path: Path) -> None:
    (tmp_path / "games.mat").write_text(DROPPED)
    dataset = import_games([tmp_path / "games.mat"], tmp_path / "data", game=GAME)
    assert set(abs(dataset.frame()["outcome"])) == {1.0}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("52: 13/8 24/22", "52: 13/8 24/21", "illegal move"),
        ("52: 13/8 24/22", "52: ????", "illegal move"),
        ("52: 13/8 24/22", "52: 13/99", "illegal move"),
        ("Doubles => 2", "Doubles => 8", "not readable"),
        ("Wins 2", "Wins 3", "not readable"),
        ("Wins 2", "Wins 8", "not readable"),
        ("Wins 2 points", "Wins 2 points\n 6) 31: 8/5 6/5", "moves after the end"),
    ],
)
def test_damaged_games_are_left_out(tmp_path: Path, old: str, new: str, reason: str) -> None:
    records = read(tmp_path, DROPPED.replace(old, new) + DROPPED[DROPPED.index(" Game") :])
    assert records.refused == {reason: 1} and len(records) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [("hello", "7 point match"), ('; [Variation "Nackgammon"]\n 3 point match\n', "variant")],
)
def test_files_that_are_no_match(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        read(tmp_path, text)


@pytest.mark.slow
def test_a_match_of_gnu_backgammon(tmp_path: Path) -> None:
    program = gnubg()
    if program is None:
        pytest.skip("GNU Backgammon is not installed")
    file = tmp_path / "games.mat"
    players = [f"set player {k} gnubg" for k in range(2)]
    plies = [f"set player {k} {what} evaluation plies 0" for k in "01" for what in _DECISIONS]
    said = [*players, *plies, "set automatic game on", "set seed 7", "new match 9"]
    said += [f'export match mat "{file}"', "quit", "y"]
    subprocess.run(
        [program, "-t", "-q", "-r"],
        input="\n".join(said),
        text=True,
        capture_output=True,
        check=True,
    )
    (records,) = read_mat(file, GAME)
    assert len(records) == file.read_text().count(" Game ") and not records.refused
    counts = import_games([file], tmp_path / "data", game=GAME).manifest["counts"]
    assert counts["imported"] == counts["games"]
