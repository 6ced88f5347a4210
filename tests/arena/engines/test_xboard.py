"""Engines that speak XBoard's protocol: what they are told, how they are read, and real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from samuel.arena import match
from samuel.arena.engines import (
    Address,
    Clock,
    EngineCrash,
    EngineError,
    EngineIllegalMove,
    EngineProtocolError,
    EngineResigned,
    EngineTimeout,
    open_engine,
)
from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.search.limits import Limits
from tests.arena.engines.helpers import fake_xboard, installed
from tests.processes import TIMEOUT

CHESS = game_named("chess")
ENDGAME = "8/5k2/8/8/8/8/4P3/4K2R b K - 7 1"
GREETING = ["xboard", "protover 2", "ping 1", "ping 2"]


def moves_of(names: str) -> list[int]:
    return CHESS.notation.read_moves(names)


def told(log: Path) -> list[str]:
    """Return what an engine was told, without repeated pings."""
    lines = log.read_text().splitlines()
    return [line for line in lines if not line.startswith("ping")]


def test_a_game_is_told(tmp_path: Path) -> None:
    log = tmp_path / "log"
    name = fake_xboard(tmp_path, "plain", "e7e5", "Nc6", log=str(log))
    name = name.replace("xboard:", "xboard[n=3,clear hash=1,memory=64]:", 1)
    with open_engine(name) as engine:
        assert engine.name == "Fake 4"
        engine.new_game(CHESS, moves_of("e2e4"))
        assert engine.choose(Clock(depth=3)) == moves_of("e7e5")[0]
        assert engine.score == -0.35
        engine.play(*moves_of("g1f3"))
        assert engine.choose(Clock(depth=3, seconds=0.5)) == moves_of("b8c6")[0]
        assert not engine.knows_fractions
    assert told(log) == [
        *("xboard", "protover 2", "option N=3", "option Clear Hash", "memory 64"),
        *("new", "force", "post", "easy", "usermove e2e4"),
        *("sd 3", "go", "force", "usermove g1f3", "st 1", "go", "force", "quit"),
    ]


def test_a_clock_is_told(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with open_engine(fake_xboard(tmp_path, "plain", "e2e4", "d2d4", log=str(log))) as engine:
        engine.new_game(CHESS, [])
        engine.choose(Clock(own=59.2, other=61, increment=0.5))
        engine.play(*moves_of("e7e5"))
        engine.choose(Clock(own=3.25, other=0.001, increment=0.5))
    limits = [line for line in told(log) if line.split()[0] in ("level", "time", "otim", "st")]
    assert limits == ["level 0 1 0.5", "time 5920", "otim 6100", "time 325", "otim 1"]


def test_engines_that_know_san(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with open_engine(fake_xboard(tmp_path, "san", "e4", log=str(log))) as engine:
        engine.new_game(CHESS, [])
        engine.choose(Clock(own=1))
        engine.play(*moves_of("b8c6"))
    assert "usermove Nc6" in told(log) and "time 100" not in told(log)


@pytest.mark.parametrize("said", ["move e7e5 (0.5s)", " \tmove\te7e5\t", "My move is: e5 !"])
def test_text_behind_a_move_is_passed_over(tmp_path: Path, said: str) -> None:
    with open_engine(fake_xboard(tmp_path, "plain", said)) as engine:
        engine.new_game(CHESS, moves_of("e2e4"))
        assert engine.choose(Clock(depth=1, deadline=TIMEOUT)) == moves_of("e7e5")[0]


@pytest.mark.parametrize("manner", ["first", "no ping"])
def test_engines_without_ping(tmp_path: Path, manner: str) -> None:
    """Those of version 1 know no command before a move and no position."""
    log = tmp_path / "log"
    said = "My move is : e5" if manner == "first" else "e5"
    with open_engine(fake_xboard(tmp_path, manner, said, log=str(log))) as engine:
        engine.new_game(CHESS, moves_of("e2e4"))
        assert engine.choose(Clock(depth=1)) == moves_of("e7e5")[0]
        if manner == "first":
            assert "e2e4" in told(log)
            with pytest.raises(UserError, match="does not know the command setboard"):
                engine.new_game(CHESS, [], Position.parse(ENDGAME, CHESS))
    assert log.read_text().count("ping") <= 2


def test_one_that_says_nothing_of_the_protocol_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samuel.arena.engines.engine.NONSENSE_SECONDS", 0.7)
    with pytest.raises(UserError, match=r"Fake, a chess program.*write xboard\[start=300\]"):
        open_engine(fake_xboard(tmp_path, "silent"))


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("2 12 10 90 e5", 0.12),
        (" 2. +12 10 90 e5", 0.12),
        ("0 12 10 90 (book)", -0.35),
        ("2 100001 10 90 e5", 99.999),
        ("2 100003 10 90 e5", 99.995),
        ("2 -100002 10 90 e5", -99.996),
        ("2 -32000 10 90 e5", -100.0),
        ("2 moves of book", -0.35),
    ],
)
def test_scores(tmp_path: Path, line: str, score: float) -> None:
    with open_engine(fake_xboard(tmp_path, line, "e2e4")) as engine:
        engine.new_game(CHESS, [])
        engine.choose(Clock(depth=3))
        assert engine.score == pytest.approx(score, abs=1e-9)


def test_a_position_is_told(tmp_path: Path) -> None:
    """One with `reuse=0` has a process of its own for each game."""
    log = tmp_path / "log"
    with open_engine(fake_xboard(tmp_path, "plain", "e1g1", log=str(log))) as engine:
        engine.new_game(CHESS, moves_of("f7e6"), Position.parse(ENDGAME, CHESS))
        move = engine.choose(Clock(depth=1))
        assert CHESS.notation.write_move(move) == "e1g1"
        place = Position.parse(ENDGAME, CHESS).play("f7e6")
        assert engine.assess(place, Clock(depth=4)) == (-0.35, 1)
    lines = told(log)
    assert f"setboard {ENDGAME}" in lines and lines.count("xboard") == 2
    engine = open_engine(fake_xboard(tmp_path, "fussy"))
    with engine, pytest.raises(UserError, match="does not play from this position: tellusererror"):
        engine.new_game(CHESS, [], Position.parse(ENDGAME, CHESS))


def test_chess960(tmp_path: Path) -> None:
    log = tmp_path / "log"
    start = Position.parse("4k3/8/8/8/8/8/8/1R2K2R w HB - 0 1", CHESS)
    with open_engine(fake_xboard(tmp_path, "960", "e8e7", log=str(log))) as engine:
        engine.new_game(CHESS, [start.number_of("e1g1")], start)
        engine.choose(Clock(depth=1))
    lines = told(log)
    assert lines.index("variant fischerandom") < lines.index(f"setboard {start.text}")
    assert "usermove O-O" in lines
    with open_engine(fake_xboard(tmp_path)) as engine, pytest.raises(UserError, match="Chess960"):
        engine.new_game(CHESS, [], start)


@pytest.mark.parametrize("clock", [Clock(nodes=500), Clock(depth=3), Clock()])
def test_one_that_goes_beyond_its_limit_is_told_to_move(tmp_path: Path, clock: Clock) -> None:
    clock = Clock(clock.depth, nodes=clock.nodes, deadline=TIMEOUT)
    with open_engine(fake_xboard(tmp_path, "endless", "e2e4")) as engine:
        engine.new_game(CHESS, [])
        assert engine.choose(clock) == moves_of("e2e4")[0]


@pytest.mark.parametrize(
    ("manner", "moves", "kind", "why"),
    [
        ("plain", ["resign"], EngineResigned, "resigned"),
        ("plain", ["1-0 {Black resigns}"], EngineResigned, "resigned"),
        ("plain", ["0-1 {I win}"], EngineTimeout, "did not answer '.+' in time"),
        ("plain", ["hello"], EngineProtocolError, "chose 'hello', which is not a move"),
        ("plain", ["e7e4"], EngineIllegalMove, "not legal"),
        ("refuses", [], EngineProtocolError, "refused the move e2e4, which is legal"),
        ("crash", [], EngineCrash, "Segmentation fault"),
        ("hang", [], EngineTimeout, "did not answer '.+' in time"),
    ],
)
def test_what_can_go_wrong(
    tmp_path: Path, manner: str, moves: list[str], kind: type[EngineError], why: str
) -> None:
    waits = manner == "hang" or moves in (["hello"], ["0-1 {I win}"])
    with (
        open_engine(fake_xboard(tmp_path, manner, *moves)) as engine,
        pytest.raises(kind, match=why),
    ):
        engine.new_game(CHESS, moves_of("e2e4"))
        engine.choose(Clock(depth=1, deadline=2 if waits else TIMEOUT))


def test_what_it_does_not_play(tmp_path: Path) -> None:
    with (
        open_engine(fake_xboard(tmp_path)) as engine,
        pytest.raises(UserError, match="for chess here, not for othello"),
    ):
        engine.new_game(game_named("othello"), [])


def test_who_is_no_engine(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="speak xboard: engine 'cat' only repeats"):
        open_engine("xboard:cat")
    name = fake_xboard(tmp_path).replace("xboard:", "xboard[Styl=a]:", 1)
    with pytest.raises(UserError, match=r"no option of Fake 4 called 'Styl'.*Style"):
        open_engine(name)
    assert Address.parse("xboard[memory=9]:x").settings == (("memory", "9"),)


REAL = ["phalanx", "sjeng", "hoichess", "gnuchess -x"]


@pytest.mark.slow
@pytest.mark.parametrize("command", REAL)
def test_real_engines(command: str, tmp_path: Path) -> None:
    """They play by each limit, from positions as well, and take another game afterwards."""
    program, *options = command.split()
    path = installed(program)
    if path is None:
        pytest.skip(f"no {program}")
    with open_engine(f"xboard[folder={tmp_path}]:{' '.join([path, *options])}") as engine:
        for clock in (Clock(depth=3), Clock(seconds=1), Clock(own=5, other=5), Clock(nodes=1000)):
            engine.new_game(CHESS, moves_of("e2e4 e7e5"))
            engine.choose(clock)
            engine.play(int(CHESS.moves_in(engine.position.row)[0]))
            engine.choose(clock)
        engine.new_game(CHESS, moves_of("f7e6"), Position.parse(ENDGAME, CHESS))
        engine.choose(Clock(depth=3))
        assert engine.score is not None and engine.score > 3


@pytest.mark.slow
def test_a_match_with_a_real_engine() -> None:
    path = installed("phalanx")
    if path is None:
        pytest.skip("no phalanx")
    result = match("classic", f"xboard:{path}", game=CHESS, pairs=1, limits=Limits(3))
    assert result.faults == ({}, {})
