"""Brains of Gomocup as players: what they are told, how they are read; and this project's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from samuel.arena.engine_pool import open_engine
from samuel.arena.engines.process import (
    EngineCrash,
    EngineError,
    EngineIllegalMove,
    EngineProtocolError,
    EngineTimeout,
)
from samuel.arena.match import match
from samuel.games import game_named
from samuel.games.position import Position
from samuel.search.limits import Limits
from tests.arena.engines.helpers import choose, fake_gomocup, ours
from tests.processes import TIMEOUT

GAME = game_named("gomoku")


def moves_of(names: str) -> list[int]:
    return GAME.notation.read_moves(names)


def test_a_game_is_told_move_by_move(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with open_engine(fake_gomocup(tmp_path, "plain", "7,7", "8, 7", log=str(log))) as engine:
        assert engine.name == "Fake"
        engine.begin(Position.start(GAME))
        assert GAME.notation.write_move(choose(engine, depth=3)) == "h8"
        engine.see(*moves_of("a1"))
        assert GAME.notation.write_move(choose(engine, seconds=0.5)) == "i8"
        assert engine.position.text.count("X") == 2 and engine.position.side == 1
    told = log.read_text().splitlines()
    assert told == [
        *("ABOUT", "START 15", "INFO rule 0", "INFO depth 3", "BEGIN"),
        *("INFO timeout_turn 500", "TURN 0,14", "END"),
    ]


@pytest.mark.slow
def test_a_position_is_told_as_a_whole(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with open_engine(fake_gomocup(tmp_path, "plain", "0,0", log=str(log))) as engine:
        engine.begin(Position.start(game_named("gomoku_exact")), moves_of("h8 h9 o1"))
        choose(engine, clock=12.5)
    told = log.read_text().splitlines()
    assert told[1:] == [
        *("START 15", "INFO rule 1", "INFO time_left 12500"),
        *("BOARD", "7,7,2", "7,6,1", "14,14,2", "DONE", "END"),
    ]


@pytest.mark.parametrize(
    ("manner", "move", "kind", "why"),
    [
        ("plain", "7,8,9", EngineProtocolError, "which is not a move"),
        ("plain", "15,0", EngineProtocolError, "which is not a move"),
        ("plain", "7,7", EngineIllegalMove, "not legal"),
        ("dull", "", EngineProtocolError, "refused a command: UNKNOWN command"),
        ("crash", "", EngineCrash, "Segmentation fault"),
        ("hang", "", EngineTimeout, "did not answer '.+' in time"),
    ],
)
def test_what_can_go_wrong(
    tmp_path: Path, manner: str, move: str, kind: type[EngineError], why: str
) -> None:
    with open_engine(fake_gomocup(tmp_path, manner, move)) as engine:
        engine.begin(Position.start(GAME), moves_of("h8"))
        is_passed_over = manner in ("dull", "hang") or why == "which is not a move"
        with pytest.raises(kind, match=why):
            choose(engine, depth=1, timeout=0.5 if is_passed_over else 20)


def test_an_error_in_answer_to_info_is_no_fault(tmp_path: Path) -> None:
    """Nor is one told the same again in a game."""
    log = tmp_path / "log"
    name = fake_gomocup(tmp_path, "curt", "7,7", "8,7", "7,7", log=str(log))
    with open_engine(name) as engine:
        for moves in (2, 1):
            engine.begin(Position.start(GAME))
            for move in ("a1", "a2")[:moves]:
                choose(engine, seconds=0.1, timeout=TIMEOUT)
                engine.see(*moves_of(move))
    told = log.read_text().splitlines()
    assert told.count("INFO timeout_turn 100") == 2


@pytest.mark.slow
def test_our_own_brain_plays_a_match_as_the_evaluator_does() -> None:
    engine = ours("gomocup", "--game", "gomoku", "--evaluator", "classic", "--depth", "2")
    result = match("classic", engine, game=GAME, pairs=2, limits=Limits(2))
    same = match("classic", "classic", game=GAME, pairs=2, limits=Limits(2))
    assert result.results.size == 4
    assert (result.results == same.results).all()
