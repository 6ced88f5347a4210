"""Matches in PGN: read by python-chess and by the import, and whole after interruptions."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel.arena.match import match
from samuel.arena.pgn_file import Matched, comment_of
from samuel.arena.records import GameRow
from samuel.arena.results import MatchResult
from samuel.common.errors import UserError
from samuel.games import game_named
from samuel.games.chess.pgn import read_pgn
from samuel.search.limits import Limits
from tests.arena.fakes import game_row

chess = pytest.importorskip("chess")
pytest.importorskip("chess.pgn")
GAME = game_named("chess")
OPTIONS: dict[str, Any] = {"game": GAME, "depth": 2, "pairs": 3, "seed": 4, "resign": (4, 2)}


def play(path: Path, **more: Any) -> MatchResult:
    return match("classic", "material", **OPTIONS | more, pgn=path)


def games_in(text: str) -> list[Any]:
    handle, found = io.StringIO(text), []
    while (game := chess.pgn.read_game(handle)) is not None:
        found.append(game)
    return found


def test_games_are_read_again_with_their_scores(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    result = play(path)
    read = games_in(path.read_text())
    assert len(read) == 6 and not any(game.errors for game in read)
    assert path.read_text().count("{book}") == sum(
        2 * len(pair[0].opening) for pair in result.pairs
    )
    frame: Any = result.frame().itertuples()
    for game, row in zip(read, frame, strict=True):
        assert game.headers["White"] == row.first and game.headers["Black"] == row.second
        assert game.headers["Event"] == "classic against material"
        assert game.headers["Round"] == f"{row.pair + 1}.{row.game + 1}"
        assert game.headers["TimeControl"] == "-" and len(game.headers["Date"]) == 10
        ended = "adjudication" if row.ending == "agreed" else "normal"
        assert game.headers["Termination"] == ended
        told = {"1-0": 100, "0-1": -100, "1/2-1/2": 0}[game.headers["Result"]]
        assert told == row.result
    (records,) = read_pgn(path, GAME)
    one_by_one = np.split(records.scores, records.ends[:-1])
    played = [one for pair in result.pairs for one in pair]
    for scores, one in zip(one_by_one, played, strict=True):
        expected = [math.nan] * len(one.opening)
        expected += [math.nan if score is None else score for score in one.scores]
        np.testing.assert_allclose(scores, expected, atol=0.0051)
        assert np.isfinite(scores).any()


def test_other_files_and_games_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[Event "mine"]\n\n1. e4 *\n')
    for more in ({}, {"out": tmp_path / "event"}):
        with pytest.raises(UserError, match="contains other games"):
            play(path, **more)
    assert path.read_text().startswith('[Event "mine"]') and not list(tmp_path.glob("event/*.json"))
    with pytest.raises(UserError, match="is a folder; give the name of a file"):
        play(tmp_path, out=tmp_path / "none")
    assert not (tmp_path / "none").exists()
    with pytest.raises(UserError, match="--pgn is for chess; tic_tac_toe"):
        match("classic", "zero", game="tic_tac_toe", depth=1, pairs=2, pgn=tmp_path / "b.pgn")


@pytest.mark.parametrize(
    ("thought", "comment"),
    [
        ((0.314, 12, 0.5), "+0.31/12 0.500s"),
        ((-1.0, 0, 0.0), "-1.00/0 0.000s"),
        ((0.0, 3, 1.0), "0.00/3 1.000s"),
        ((99.995, 9, 0.1), "+M5/9 0.100s"),
        ((-99.994, 9, 0.1), "-M6/9 0.100s"),
        ((None, 0, 0.25), "0.250s"),
        ((None, 0, 0.0), ""),
    ],
)
def test_comments_are_those_of_other_programs(thought: Any, comment: str) -> None:
    assert comment_of(*thought, GAME) == comment


def test_faults_and_clocks_are_tagged() -> None:
    def lost(ending: str, first: int) -> GameRow:
        return game_row(-100.0, 4, opening=GAME_OPENING, first=first, ending=ending, fault=0)

    limits = (Limits(None, clock=10, increment=0.1), Limits(None, seconds=0.2))
    pair = lost("time", 0), lost("illegal move", 1)
    first, second = games_in(Matched(GAME, ('A "1"', "B"), limits).text(pair))
    assert first.headers["Termination"] == "time forfeit" and first.headers["Result"] == "0-1"
    assert second.headers["Termination"] == "rules infraction"
    assert second.headers["Result"] == "1-0" and second.headers["White"] == "B"
    assert first.headers["White"] == 'A \\"1\\"'
    assert first.headers["WhiteTimeControl"] == "10+0.1"
    assert first.headers["BlackTimeControl"] == "0.2/move"
    assert first.headers["Date"] == "????.??.??"


GAME_OPENING = tuple(GAME.notation.read_moves("e2e4 e7e5"))
