"""GNU Backgammon as a player: what it is told and how it is read, and the program itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samuel.arena.engine_pool import open_engine
from samuel.arena.engines.engine import Engine
from samuel.arena.engines.process import (
    EngineCrash,
    EngineIllegalMove,
    EngineProtocolError,
    EngineTimeout,
)
from samuel.arena.match import match
from samuel.arena.results import MatchResult
from samuel.games import Position, game_named
from samuel.games.backgammon.identifiers import position_id
from samuel.search.limits import Limits
from tests.arena.engines.helpers import choose, fake_gnubg, gnubg

GAME = game_named("backgammon")
REAL = f"gnubg:{gnubg()} -t -q -r"
needs_gnubg = pytest.mark.skipif(gnubg() is None, reason="GNU Backgammon is not installed")

# The plays are those of GNU Backgammon 1.07.001 at 0-ply.
HINTS = [
    ("4HPwATDgc/ABMA X 31", "8/5 6/5"),
    ("4HPwATDgc/ABMA X 65", "24/13"),
    ("4HPwATDgc/ABMA X 66", "24/18(2) 13/7(2)"),
    ("4HPwATDgc/ABYA X 43", "bar/22 bar/21"),
    ("4HPwASHgc/ABUA X 55", "bar/20 13/8 6/1*(2)"),
    ("HwAAwAIAAAAAAA X 61", "2/off 1/off"),
    ("HwAAAHgAAAAAAA O 66", "6/off(4)"),
    ("xGfhATDgc/ABMA O 21", "24/22*/21"),
    ("SlfwASTCT+IAOA X 54", "24/20* 8/3*"),
]


def at(engine: Engine, text: str) -> Position:
    """Show an engine a position; return it."""
    engine.begin(Position.start(GAME))
    engine.position = Position.parse(text, GAME)
    return engine.position


@pytest.mark.parametrize(("text", "play"), HINTS)
def test_plays_are_read(tmp_path: Path, text: str, play: str) -> None:
    with open_engine(fake_gnubg(tmp_path, "plain", play)) as engine:
        position = at(engine, text)
        move = choose(engine, depth=1)
        assert engine.position == position.play(move) == position.play(play)
        assert engine.score == -0.125 and engine.name == "GNU Backgammon 1.07.001 20230103"


def test_what_it_is_told(tmp_path: Path) -> None:
    """The board is seen by who is on roll, so that the turn comes before it."""
    log = tmp_path / "log.txt"
    with open_engine(fake_gnubg(tmp_path, "plain", *["8/5 6/5"] * 3, log=str(log))) as engine:
        for depth in (3, 3, None):
            engine.begin(Position.start(GAME), [GAME.notation.read_move("31")])
            choose(engine, depth=depth)
    told = [line for line in log.read_text().splitlines() if "player 0 name" not in line]
    asked = ("set turn 1", "set board 4HPwATDgc/ABMA", "set dice 3 1", "hint 1")
    plies = "set evaluation chequerplay evaluation plies 2"
    assert told[told.index("new session") :] == [
        *("new session", plies, *asked, "new session", *asked, "new session", *asked, "quit")
    ]
    assert "set evaluation chequerplay evaluation cubeful off" in told


@pytest.mark.parametrize(
    ("manner", "play", "kind", "message"),
    [
        ("crash", "", EngineCrash, "ended with status 1; .*Segmentation fault"),
        ("hang", "", EngineTimeout, "did not answer '.+' in time"),
        ("mute", "", EngineProtocolError, "gave no hint at 4HPwATDgc/ABMA X 31"),
        ("plain", "Double, take", EngineProtocolError, "gave no hint"),
        ("plain", "8/5 a/b", EngineProtocolError, "chose '8/5 a/b', which is not a move"),
        ("plain", "8/5 7/6", EngineIllegalMove, "not legal at 4HPwATDgc/ABMA X 31"),
    ],
)
def test_what_goes_wrong(
    tmp_path: Path, manner: str, play: str, kind: type[Exception], message: str
) -> None:
    with open_engine(fake_gnubg(tmp_path, manner, play)) as engine:
        at(engine, "4HPwATDgc/ABMA X 31")
        with pytest.raises(kind, match=message):
            choose(engine, depth=1, timeout=0.2 if manner == "hang" else 30.0)
        assert engine.is_alive == (kind is EngineIllegalMove)


def book_of(result: MatchResult) -> dict[str, str]:
    """Return the plays of a match, by position ID and dice."""
    book: dict[str, str] = {}
    for pair in result.pairs:
        for game in pair:
            position = Position.start(GAME)
            for move in game.line:
                if not position.is_chance:
                    dice = position.text.split()[2]
                    book[f"{position_id(position.words)} {dice}"] = GAME.notation.write_move(move)
                position = position.play(move)
    return book


def played(a: str, b: str, pairs: int = 2, **more: int) -> MatchResult:
    return match(a, b, game=GAME, pairs=pairs, limits=Limits(1), seed=3, **more)


@pytest.mark.slow
def test_an_engine_plays_the_games_of_the_kernel(tmp_path: Path) -> None:
    """The same dice, and so the same games where it plays as an evaluator does."""
    inside = played("pubeval", "pubeval")
    outside = played(fake_gnubg(tmp_path, book=book_of(inside)), "pubeval", jobs=2)
    assert outside.faults == ({}, {})
    assert outside.frame()["moves"].tolist() == inside.frame()["moves"].tolist()
    assert np.array_equal(outside.results, inside.results)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* forfeited a game")
def test_a_fault_costs_what_a_backgammon_does(tmp_path: Path) -> None:
    result = played("zero", fake_gnubg(tmp_path, "mute"), pairs=1)
    assert result.faults == ({}, {"protocol": 2}) and result.results.tolist() == [[3.0, 3.0]]


@needs_gnubg
def test_gnubg_finds_these_plays() -> None:
    with open_engine(REAL) as engine:
        for text, play in HINTS:
            position = at(engine, text)
            assert position.play(choose(engine, depth=1)) == position.play(play)


@needs_gnubg
@pytest.mark.slow
def test_gnubg_plays_the_same_games_however_many_workers() -> None:
    one, two = (played("pubeval", REAL, pairs=3, jobs=jobs) for jobs in (1, 2))
    assert one.faults == two.faults == ({}, {})
    assert one.frame()["moves"].tolist() == two.frame()["moves"].tolist()
    assert np.isin(abs(one.results), (1, 2, 3)).all()
