"""Scripted sessions with the GTP server."""

import itertools
from types import SimpleNamespace

import pytest

import samuel.play.servers.gtp
from samuel.games.catalog import game_named
from samuel.games.position import Position
from samuel.play.engine import EnginePlayer
from samuel.play.servers.gtp import GtpClock, GtpServer
from tests.arena.engines.helpers import PASSING
from tests.toys import RETREAT


def serve(game="othello", evaluator="classic", **options) -> GtpServer:
    return GtpServer(EnginePlayer(evaluator, game_named(game), **({"depth": 1} | options)))


def say(server: GtpServer, *commands: str) -> list[str]:
    """Return what was answered, without the signs and the empty lines."""
    answers = []
    for command in commands:
        (answer,) = server.answer(command)
        assert answer.endswith("\n") and answer[0] in "=?" and "\n\n" not in answer
        answers.append(answer[1:].strip() if answer[0] == "=" else answer[:-1])
    return answers


def play(server: GtpServer, transcript: str) -> None:
    for k, move in enumerate(transcript.split()):
        assert say(server, f"play {'bw'[k % 2]} {move}") == [""]


def test_administration():
    server = serve()
    listed = say(server, "list_commands")[0].split()
    required = (
        "protocol_version name version known_command list_commands quit boardsize clear_board "
        "komi play genmove reg_genmove undo time_settings time_left showboard final_score"
    )
    assert set(required.split()) <= set(listed)
    assert say(server, "protocol_version", "name") == ["2", "samuel (classic)"]
    assert say(server, "known_command play", "known_command dance") == ["true", "false"]
    assert say(server, "dance", "play b", "level x") == [
        "? unknown command",
        "? syntax error",
        "? syntax error",
    ]
    assert server.answer("") == server.answer("  # only a remark\n") == []
    assert server.answer("12 name # remark") == ["=12 samuel (classic)\n"]
    assert server.answer("7 dance") == ["?7 unknown command\n"]
    assert say(server, "komi 6.5") == [""] and not server.is_over
    assert say(server, "quit") == [""] and server.is_over


def test_playing_and_taking_back():
    server = serve()
    assert say(server, "play black f5", "play W D6") == ["", ""]
    assert server.position == Position.from_transcript("f5d6")
    assert say(server, "play black a1", "play white c3", "play b z9", "play b pass") == [
        "? illegal move",
        "? illegal move: it is black's turn",
        "? illegal move",
        "? illegal move",
    ]
    assert say(server, "play red c3") == ["? syntax error"]
    thought = say(server, "reg_genmove b")[0]
    assert server.position == Position.from_transcript("f5d6")
    assert say(server, "genmove b") == [thought] and thought == thought.upper()
    assert say(server, "undo", "undo", "undo", "undo") == ["", "", "", "? cannot undo"]
    assert server.position == Position.start()
    assert "4 . . . O X" in say(server, "showboard")[0]


@pytest.mark.parametrize("manner", ["told", "asked for", "left out"])
def test_passes(manner):
    server = serve()
    play(server, PASSING)
    if manner == "told":
        assert say(server, "play black pass") == [""]
    elif manner == "asked for":
        assert say(server, "genmove black") == ["pass"]
    assert say(server, "play white a3") == [""]
    assert server.position == Position.from_transcript(PASSING + " pass a3")
    assert say(server, "undo", "genmove white")[0] == ""


def test_the_end_of_a_game():
    server = serve("othello_4x4", depth=2)
    assert say(server, "final_score")[0].startswith("? cannot score")
    moves = []
    while not server.position.is_terminal:
        moves += say(server, f"genmove {'bw'[server.position.side]}")
    assert all(move == "pass" or move == move.upper() for move in moves)
    margin = server.position.utility() * (1 - 2 * server.position.side)
    expected = f"{'B' if margin > 0 else 'W'}+{abs(margin):g}" if margin else "0"
    assert say(server, "final_score", "genmove b", "genmove w") == [expected, "pass", "pass"]


def test_board_sizes_and_games():
    server = serve()
    assert say(server, "boardsize 6", "boardsize 5") == ["", "? unacceptable size"]
    assert server.position.game.name == "othello_6x6"
    assert say(server, "genmove b", "boardsize 8")[1] == ""
    assert server.position == Position.start()
    assert "Othello" in say(server, "list_games")[0].splitlines()
    assert say(server, "set_game Othello", "set_game reversi", "set_game Go") == [
        *("", ""),
        "? unsupported game",
    ]
    assert say(server, "set_game Connect Four", "boardsize 7", "play b 4") == ["", "", ""]


def test_levels_and_depths():
    server = serve(depth=None)
    assert say(server, "level 0", "level 13", "depth 0") == [
        "? level must be an integer from 1 to 12 (got 0)",
        "? level must be an integer from 1 to 12 (got 13)",
        "? depth must be an integer from 1 to 119 (got 0)",
    ]
    moves = set()
    for command in ("level 1", "level 5", "depth 3", "set_depth 4", "move_time 0.02"):
        assert say(server, command) == [""]
        moves.add(say(server, "reg_genmove b")[0])
    assert moves <= {"D3", "C4", "F5", "E6"}


def test_clocks_are_kept(monkeypatch):
    """Each reading of the clock here is a quarter of a second after the one before."""
    readings = itertools.count(0, 0.25)
    clock = SimpleNamespace(perf_counter=lambda: next(readings))
    monkeypatch.setattr(samuel.play.servers.gtp, "time", clock)
    server = serve(depth=None)
    say(server, "time_settings 10 0 0", "genmove b", "genmove w", "reg_genmove b", "genmove b")
    assert [server._clock._left[side].seconds for side in (0, 1)] == [9.5, 9.75]
    assert say(server, "time_left b 0 0", "time_left w x 0") == ["", "? syntax error"]


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e300", "1" + "0" * 400])
def test_numbers_that_nobody_means_are_refused(number):
    server = serve(depth=None, seconds=0.01)
    for command in ("time_left b {} 0", "time_settings {} 0 0", "move_time {}", "depth {}"):
        assert say(server, command.format(number)) == ["? syntax error"]
    assert say(server, f"time_left b 5 {number}", "reg_genmove b")[0] == "? syntax error"


def test_clock_arithmetic():
    clock = GtpClock()
    assert clock.seconds_for(0, 60) is None
    clock.set(0, 10, 0)  # no limit, says the protocol
    assert clock.seconds_for(0, 60) is None
    clock.set(310, 0, 0)
    assert clock.seconds_for(0, 60) == pytest.approx(9.0)
    clock.spend(0, 200)
    assert clock.seconds_for(0, 20) == pytest.approx(9.0)
    assert clock.seconds_for(1, 18) == pytest.approx(27.9)
    clock.spend(0, 200)
    assert 0 < clock.seconds_for(0, 20) < 0.01
    clock.set(60, 20, 5)  # then 20 s for five moves each
    clock.spend(0, 61)
    assert clock.seconds_for(0, 30) == pytest.approx(3.6)
    for _ in range(4):
        clock.spend(0, 2)
    assert clock.seconds_for(0, 30) == pytest.approx(10.8)
    clock.spend(0, 2)
    assert clock.seconds_for(0, 30) == pytest.approx(3.6)
    clock.tell(1, 8, 2)
    assert clock.seconds_for(1, 30) == pytest.approx(3.6)


@pytest.mark.slow
def test_a_game_that_is_drawn_by_rule_is_over():
    server = GtpServer(EnginePlayer("zero", RETREAT, depth=2))
    for k in range(RETREAT.max_plies):
        if server.position.is_terminal:
            break
        say(server, f"genmove {'bw'[k % 2]}")
    assert server.position.is_drawn and say(server, "final_score") == ["0"]
    (move,) = say(server, f"genmove {'bw'[server.position.side]}")  # a board may go on
    assert move not in ("pass", "") and not server.position.is_terminal
    assert say(server, "undo") == [""] and server.position.is_drawn
