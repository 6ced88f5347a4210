"""Outside engines as players, over both protocols: real ones, and scripts that misbehave."""

import random

import pytest

from samuel.arena.engine_pool import open_engine
from samuel.arena.engines.address import PROTOCOLS
from samuel.arena.engines.gtp import GtpEngine
from samuel.arena.engines.process import EngineProtocolError, EngineResigned
from samuel.arena.match import match
from samuel.common.errors import UserError
from samuel.games.catalog import game_named
from samuel.games.position import Position
from samuel.games.rules import PASS
from samuel.play.engine import EnginePlayer
from samuel.play.levels import Level
from samuel.play.servers.nboard import NBoardServer
from samuel.search.limits import Limits
from tests.arena.engines.helpers import (
    PASSING,
    choose,
    fake_gtp,
    fake_nboard,
    grhino,
    is_running,
    moves_of,
    ours,
    script,
)
from tests.rarely import rarely, rarely_but

OTHELLO = game_named("othello")
needs_grhino = pytest.mark.skipif(grhino() is None, reason="GRhino (gtp-rhino) is not installed")


@pytest.fixture(scope="module", params=[rarely("gtp"), "nboard"])
def two(request):
    """Two fresh processes of our own server, which play at depth 2."""
    options = ("--evaluator", "classic", "--depth", "2")
    command = ours(request.param, *options)
    with open_engine(command) as a, open_engine(command) as b:
        yield a, b


def play_out(engines, game, opening, depth):
    """Let two engines play; return the moves. They must agree on every position."""
    for engine in engines:
        engine.begin(Position.start(game), opening)
    moves, mover = list(opening), len(opening) % 2
    while not engines[0].position.is_terminal:
        move = choose(engines[mover], depth=depth)
        engines[1 - mover].see(move)
        moves.append(move)
        mover = 1 - mover
        assert engines[0].position == engines[1].position
    return moves


def random_opening(seed: int, plies: int) -> list[int]:
    rng, position, moves = random.Random(seed), Position.start(), []
    for _ in range(plies):
        moves.append(OTHELLO.notation.read_move(rng.choice(position.legal_moves())))
        position = position.play(moves[-1])
    return moves


def test_ours_against_itself_in_fresh_processes(two):
    first = play_out(two, OTHELLO, moves_of("f5d6c3"), 2)
    assert len(first) > 50
    assert play_out(two, OTHELLO, moves_of("f5d6c3"), 2) == first
    names = {engine.name for engine in two}
    assert all("samuel" in name for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["othello_4x4", "othello_6x6"])
def test_smaller_boards(two, name):
    game = game_named(name)
    moves = play_out(two, game, [], 2)
    assert len(moves) > 8


def test_seconds_and_clocks_reach_ours(two):
    engine = two[0]
    engine.begin(Position.start(OTHELLO))
    for limits in ({}, {"depth": 40}):
        choose(engine, seconds=0.05, **limits)  # to depth 40 it would be days
    if isinstance(engine, GtpEngine):
        engine.begin(Position.start(OTHELLO))
        choose(engine, clock=1.0, other=1.0)
    choose(engine, depth=2)


def test_an_engine_is_asked_about_no_other_position_than_its_own(two):
    two[0].begin(Position.start(OTHELLO))
    with pytest.raises(ValueError, match="the engine's board has"):
        two[0].move(Position.from_transcript("f5"), Limits(1))


@pytest.mark.slow
def test_a_game_but_othello():
    connect_four = game_named("connect_four")
    with open_engine(ours("gtp", "--game", "connect_four", "--depth", "3")) as engine:
        engine.begin(Position.start(connect_four), moves_of("4141", "connect_four"))
        engine.see(moves_of("4", "connect_four")[0])
        assert choose(engine) == moves_of("4", "connect_four")[0]  # or it has lost


@needs_grhino
def test_grhino_agrees_on_whole_games():
    """A board mirrored or turned would show as illegal moves, or as another final score."""
    with open_engine(f"gtp:{grhino()} --level=1 --book=0") as rhino:
        assert rhino.name == "GTP GRhino" and rhino.version
        for seed in range(4):
            rhino.begin(Position.start(OTHELLO), random_opening(seed, 7 + seed))
            rng = random.Random(seed)
            mover = seed % 2
            while not rhino.position.is_terminal:
                if rhino.position.side == mover:
                    choose(rhino)
                else:
                    move = rng.choice(rhino.position.legal_moves())
                    rhino.see(OTHELLO.notation.read_move(move))
            assert isinstance(rhino, GtpEngine)
            board = [row.split() for row in str(rhino.position).splitlines()[1:9]]
            assert [row.split() for row in rhino._demand("showboard").splitlines()[2:10]] == board


TALKERS = {
    "numbers": """
        say(f"= eval\\n\\n? what\\n\\n={int(number) + 7} c4\\n")
        say(f"={number} {said} # talk\\nNodes: 3\\n")
    """,
    "none": 'say(f"eval=3\\n=3.5 pawns\\n= {said} # talk\\nNodes: 3\\n")',
}


@pytest.mark.parametrize("kind", TALKERS)
@pytest.mark.parametrize("end", ["F5", "Resign now"])
def test_talk_in_gtp_is_passed_over(kind, end, tmp_path):
    """A banner like an answer, talk between, other numbers, and text after the move."""
    text = f"""
import sys
def say(text): print(text, flush=True)
say("=== Engine 1.0 ===\\n? help : type help\\n")
for line in sys.stdin:
    words = line.split()
    number = words.pop(0) if words[0].isdigit() else ""
    said = {{"protocol_version": "2.0", "name": "Fake", "genmove": {end!r}}}.get(words[0], "")
    if number and {kind!r} == "none":
        say("? unknown command\\n")
    elif words[0] == "genmove":
        {TALKERS[kind].strip()}
    else:
        say(f"={{number}} {{said}}\\n")
"""
    with open_engine("gtp:" + script(tmp_path, text)) as engine:
        assert engine.name == "Fake"
        for _ in range(2):
            engine.begin(Position.start(OTHELLO))
            if end == "F5":
                assert choose(engine) == moves_of("f5")[0]
                continue
            with pytest.raises(EngineResigned):
                choose(engine)
        assert engine.is_alive


@pytest.mark.parametrize("manner", ["talks", "adds"])
def test_talk_in_an_answer_without_a_number_is_none(manner, tmp_path):
    with open_engine(fake_gtp(tmp_path, manner, "D3", "F6", "D3")) as engine:
        for moves in ("d3c5f6", "d3"):
            engine.begin(Position.start(OTHELLO))
            for ply, move in enumerate(moves_of(moves)):
                if ply % 2 == 0:
                    assert choose(engine) == move
                else:
                    engine.see(move)
        assert engine.name == "Fake"


@pytest.mark.parametrize(
    "said", ["D3:", "d3.", '"d3"', "d3, I think", "\x1b[1md3\x1b[0m", "\ufeffd3"]
)
def test_marks_around_a_move_are_none_of_it(said, tmp_path):
    with open_engine(fake_gtp(tmp_path, "plain", said)) as engine:
        engine.begin(Position.start(OTHELLO))
        assert choose(engine) == moves_of("d3")[0]


def test_a_refused_pass_does_not_matter_but_a_refused_move_does(tmp_path):
    with open_engine(fake_gtp(tmp_path, "no pass")) as engine:
        engine.begin(Position.start(OTHELLO), [*moves_of(PASSING), PASS])
        engine.begin(Position.start(OTHELLO), moves_of(PASSING))
        assert choose(engine) == PASS  # without asking
    refused = pytest.raises(EngineProtocolError, match=r"refused 'play black f5'.*do not like")
    with open_engine(fake_gtp(tmp_path, "fussy")) as engine, refused:
        engine.begin(Position.start(OTHELLO), moves_of("f5"))


def test_what_a_gtp_engine_is_told(tmp_path):
    log = tmp_path / "log.txt"
    with open_engine(fake_gtp(tmp_path, "log", str(log))) as engine:
        for _ in range(2):
            engine.begin(Position.start(OTHELLO))
            choose(engine, depth=5, seconds=1.2)
        engine.begin(Position.start(OTHELLO))
        choose(engine, clock=59.5, other=30)
    told = [line.removeprefix("got ") for line in log.read_text().splitlines()]
    game = ["boardsize 8", "clear_board"]
    assert told[5:] == [
        *(*game, "set_depth 5", "time_settings 0 2 1", "genmove black"),
        *(*game, "genmove black"),
        *(*game, "time_settings 60 0 0", "time_left black 59 0", "time_left white 30 0"),
        *("genmove black", "quit"),
    ]


def test_fractions_for_those_that_know_them(tmp_path):
    log = tmp_path / "log.txt"
    with open_engine(fake_gtp(tmp_path, "fractions", str(log))) as engine:
        assert engine.knows_fractions
        engine.begin(Position.start(OTHELLO))
        choose(engine, seconds=0.25, clock=0.75, other=-0.1)
    told = [line.removeprefix("got ") for line in log.read_text().splitlines()]
    assert told[7:] == [
        *("move_time 0.25", "time_settings 1 0 0", "time_left black 0.75 0", "time_left white 0 0"),
        *("genmove black", "quit"),
    ]
    with open_engine(fake_gtp(tmp_path, "plain")) as engine:
        assert not engine.knows_fractions


def test_what_an_nboard_engine_is_told_of_depth_and_time(tmp_path):
    """To be told a time ends the depth, which must be told again; our server goes by both."""
    log = tmp_path / "log.txt"
    with open_engine(fake_nboard(tmp_path, "log", str(log))) as engine:
        for seconds in (0.5, 0.5, 0.25):
            engine.begin(Position.start(OTHELLO))
            choose(engine, depth=8, seconds=seconds)
    told = [line for line in log.read_text().splitlines() if line.startswith(("set", "go"))]
    limits = [line for line in told if not line.startswith("set game")]
    assert limits == [
        *("set movetime 0.5", "set depth 8", "go", "go"),
        *("set movetime 0.25", "set depth 8", "go"),
    ]
    server = NBoardServer(EnginePlayer("classic", OTHELLO))
    for line in limits[:2]:
        list(server.answer(line))
    assert server._engine.seconds == 0.5 and server._engine.level == Level(8)


def test_what_an_nboard_engine_is_told(tmp_path):
    log = tmp_path / "log.txt"
    with open_engine(fake_nboard(tmp_path, "log", str(log))) as engine:
        assert engine.name == "Fake 9"
        engine.begin(Position.start(OTHELLO), [*moves_of(PASSING), PASS])
        engine.see(moves_of("a3")[0])
        engine.begin(Position.start(OTHELLO))
        assert choose(engine, depth=5) == moves_of("d3")[0]
        assert engine.score == 1.5
    told = log.read_text().splitlines()
    board = "8 ---------------------------O*------*O--------------------------- *"
    about = f"set game (;GM[Othello]PC[samuel]PB[samuel]PW[samuel]RE[?]TY[8]BO[{board}]"
    assert told == [
        *("nboard 2", "ping 1"),
        f"{about}B[D3]W[C3]B[E6]W[D2]B[D1]W[E1]B[B2]W[C1]B[PA];)",
        *("ping 2", "move A3", f"{about};)", "ping 3", "set depth 5", "go", "move D3", "quit"),
    ]


@pytest.mark.parametrize(
    "name",
    ["gtp-rhino", "gtp:", "nboard:  ", "gnubg:", "uci:engine", "gtp:no-such-program-anywhere"],
)
def test_names_of_no_engine(name):
    with pytest.raises(UserError) as error:
        open_engine(name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "text",
    ["", "import sys\nfor line in sys.stdin: print(line, end='', flush=True)", "print('= 1\\n')"],
    ids=["ends at once", "repeats", "another version"],
)
def test_programs_that_are_no_engines(protocol, text, tmp_path):
    with pytest.raises(UserError, match="does not speak") as error:
        open_engine(f"{protocol}:{script(tmp_path, text)}")
    assert "\n" not in str(error.value)


DEAF = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
print(os.getpid(), file=open(sys.argv[1], "a"), flush=True)
while True:
    time.sleep(1000)
"""


@pytest.mark.parametrize("protocol", rarely_but(PROTOCOLS, "gtp", "uci"))
def test_one_that_never_answers_is_given_up_and_killed(protocol, tmp_path, monkeypatch):
    monkeypatch.setattr("samuel.arena.engine_pool.ANSWER_SECONDS", 0.0)
    (pids := tmp_path / "pids").touch()
    deaf = f"{protocol}:{script(tmp_path, DEAF, str(pids))}"
    its_own = {"gnubg": "backgammon", "gomocup": "gomoku", "ucci": "xiangqi"}
    game = its_own.get(protocol, "othello")
    with pytest.raises(
        UserError,
        match=rf"did not answer '.+' in time.* write {protocol}\[start=300\]",
    ):
        match(deaf, "zero", game=game, pairs=1, depth=1, timeout=1.0)
    assert not any(is_running(int(pid)) for pid in pids.read_text().split())
