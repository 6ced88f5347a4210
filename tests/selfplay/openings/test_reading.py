"""Positions of files as openings, and the matches that begin there."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from samuel.arena.event_games import _positions
from samuel.arena.match import match
from samuel.arena.openings.choice import openings_for
from samuel.arena.results import MatchResult
from samuel.arena.standings import read_match
from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.search.limits import Limits
from samuel.selfplay.openings.reading import read_openings
from tests.arena.engines.helpers import fake_gtp, fake_uci, ours, stockfish

CHESS = game_named("chess")
BLACK = "r1bqkbnr/pp1ppppp/2n5/8/3NP3/8/PPP2PPP/RNBQKB1R b KQkq -"
WHITE = "rnbqk2r/ppp1ppbp/3p1np1/8/2PPP3/2N5/PP3PPP/R1BQKBNR w KQkq -"
ENDGAME = "8/5k2/8/8/8/8/4P3/4K2R w K - 3 40"
EPD = f'# a comment\n{BLACK}  \n{WHITE} bm f3; id "1";\n\n{ENDGAME}; D1 5\n'
STARTS = [f"{BLACK} 0 1", f"{WHITE} 0 1", "8/5k2/8/8/8/8/4P3/4K2R w K - 0 1"]


def epd(folder: Path, text: str = EPD) -> Path:
    (path := folder / "mine.epd").write_text(text)
    return path


def test_positions_of_a_file(tmp_path: Path) -> None:
    packed, zipped = tmp_path / "mine.fen.gz", tmp_path / "mine.epd.zip"
    packed.write_bytes(gzip.compress(EPD.encode()))
    with zipfile.ZipFile(zipped, "w") as file:
        file.writestr("mine.epd", EPD)
    found = [read_openings(path, CHESS) for path in (epd(tmp_path), packed, zipped)]
    for openings in found:
        assert [openings.start(k) for k in range(len(openings))] == STARTS
        assert openings.moves == ((), (), ())
        assert (openings.positions == found[0].positions).all()


def test_moves_from_a_position(tmp_path: Path) -> None:
    """Transcripts that are written are read again; castling is told by the position alone."""
    path = tmp_path / "mine.txt"
    path.write_text(f"{ENDGAME}: e1g1 f7e6\n{BLACK}: 1... Nf6 2. Nc3 # sharp\ne2e4 e7e5 Nf3\n")
    openings = read_openings(path, CHESS)
    assert [openings.start(k) for k in range(3)] == [STARTS[2], STARTS[0], ""]
    assert [len(line) for line in openings.moves] == [2, 2, 3]
    path.write_text("\n".join(openings.transcripts()))
    again = read_openings(path, CHESS)
    assert (again.moves, again.transcripts()) == (openings.moves, openings.transcripts())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{WHITE}\nhello\n", "epd, line 2: not a position"),
        (f"{WHITE}\n\n8/8/8/8/8/8/8/K7 w - -\n", "epd, line 3: "),
        (f"{WHITE}\n7k/5QQ1/8/8/8/8/8/K7 b - -\n", "epd, line 2: the game is over; an opening"),
        (f"{WHITE}: e2e5\n", "epd, line 1: move 1 of .* is not legal"),
    ],
)
def test_bad_positions_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_openings(epd(tmp_path, text), CHESS)


@pytest.mark.parametrize(
    "name", ["othello", "connect_four", "tic_tac_toe", "checkers", "gomoku", "xiangqi", "nim"]
)
def test_other_games(tmp_path: Path, name: str) -> None:
    """Their positions are read, and no moves are taken for one."""
    game = game_named(name)
    drawn = openings_for(game, "random", 3, 2, seed=1)
    (path := tmp_path / "mine.txt").write_text("\n".join(drawn.transcripts()))
    assert read_openings(path, game).moves == drawn.moves
    texts = [Position.from_transcript(text, game).text for text in drawn.transcripts()]
    path.write_text("\n".join(texts))
    found = read_openings(path, game)
    assert [found.start(k) for k in range(3)] == texts
    np.testing.assert_array_equal(found.positions, drawn.positions)


def played(path: Path, folder: Path | None = None, pairs: int = 3, b: str = "zero") -> MatchResult:
    return match(
        "material",
        b,
        game="chess",
        pairs=pairs,
        openings=path,
        limits=Limits(1),
        out=folder,
        seed=1,
    )


def test_a_match_from_positions(tmp_path: Path) -> None:
    path = epd(tmp_path)
    played(path, tmp_path / "m", pairs=2)
    whole = played(path, tmp_path / "m")
    again, apart = read_match(tmp_path / "m"), played(path)
    assert (whole.results == again.results).all() and (whole.results == apart.results).all()
    assert sorted(pair[0].start for pair in whole.pairs) == sorted(STARTS)
    frame = whole.frame()
    games = (one for pair in whole.pairs for one in pair)
    for one, row in zip(games, frame.to_dict("records"), strict=True):
        is_black = one.start == STARTS[0]
        assert (row["first"] == "material") == ((row["game"] == 0) != is_black)
        positions = _positions(CHESS, row["moves"])
        assert positions[0].text == one.start
        last = positions[-1]
        result = last.utility() * (1 - 2 * last.side) if last.is_terminal else 0
        assert row["result"] == result
    assert (tmp_path / "m/games.pgn").read_text().count("[FEN ") == 6
    other = epd(tmp_path, "\n".join(reversed(STARTS[:2])))
    with pytest.raises(UserError, match="other openings"):
        played(other, tmp_path / "m", pairs=2)


def test_a_journal_with_an_impossible_start_is_damaged(tmp_path: Path) -> None:
    played(epd(tmp_path), tmp_path / "m")
    journal = tmp_path / "m/journal.jsonl"
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    for start in ("8/8/8/8/8/8/8/8 w - - 0 1", "hello", "x" * 2000, STARTS[2]):
        damaged = [[one | {"start": start} for one in lines[0]], *lines[1:]]
        journal.write_text("".join(json.dumps(line) + "\n" for line in damaged))
        if start != lines[0][0]["start"]:
            with pytest.raises(UserError, match=r"line 1 of .* is damaged"):
                read_match(tmp_path / "m")


def test_engines_are_told_the_position(tmp_path: Path) -> None:
    log = tmp_path / "log"
    path = epd(tmp_path, f"{ENDGAME}\n")
    played(path, pairs=1, b=fake_uci(tmp_path, "plain", log=str(log)))
    assert f"position fen {STARTS[2]}" in log.read_text()
    with pytest.raises(UserError, match="can only play from the initial position"):
        played(path, pairs=1, b=fake_gtp(tmp_path, "plain"))


@pytest.mark.slow
def test_our_own_engine_plays_from_positions_as_the_evaluator_does(tmp_path: Path) -> None:
    engine = ours("uci", "--game", "chess", "--evaluator", "zero", "--depth", "1")
    same, found = played(epd(tmp_path)), played(epd(tmp_path), b=engine)
    assert (found.results == same.results).all() and found.faults == ({}, {})


@pytest.mark.slow
@pytest.mark.skipif(stockfish() is None, reason="no Stockfish")
def test_stockfish_from_positions(tmp_path: Path) -> None:
    found = match(
        "classic",
        f"uci:{stockfish()}",
        game="chess",
        pairs=3,
        openings=epd(tmp_path),
        limits=Limits(nodes=200),
    )
    assert found.faults == ({}, {})


@pytest.mark.parametrize(
    ("name", "text"), [("a.pgn", "1. {} *"), ("a.txt", "{}"), ("a.txt", f"{STARTS[1]}: {{}}")]
)
def test_moves_past_a_repetition_are_not_called_illegal(
    tmp_path: Path, name: str, text: str
) -> None:
    again = "Nf3 Nh5 Ng1 Nf6 " if STARTS[1] in text else "Nf3 Nf6 Ng1 Ng8 "
    (path := tmp_path / name).write_text(text.format(3 * again + "h4"))
    with pytest.raises(UserError, match="the game is over before"):
        read_openings(path, CHESS)
