"""Engines of UCI and UCCI as players: what they are told, how they are read, and a real one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from samuel.arena.engine_pool import open_engine
from samuel.arena.engines.process import (
    EngineCrash,
    EngineError,
    EngineIllegalMove,
    EngineProtocolError,
    EngineResigned,
    EngineTimeout,
)
from samuel.arena.match import match
from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.search.limits import Limits
from tests.arena.engines.helpers import choose, fairy_stockfish, fake_uci, ours, stockfish
from tests.processes import TIMEOUT
from tests.rarely import rarely

GAME = game_named("xiangqi")
FEN = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
needs_fairy = pytest.mark.skipif(fairy_stockfish() is None, reason="no Fairy-Stockfish")


def moves_of(names: str) -> list[int]:
    return GAME.notation.read_moves(names)


def test_a_game_is_told_in_uci(tmp_path: Path) -> None:
    log = tmp_path / "log"
    name = fake_uci(tmp_path, "plain", "e10e9", "h8e8", log=str(log))
    with open_engine(name.replace("uci:", "uci[skill level=-5]:", 1)) as engine:
        assert engine.name == "Fake 3"
        engine.begin(Position.start(GAME), moves_of("h3e3"))
        assert choose(engine, depth=3) == moves_of("e10e9")[0]
        assert engine.score == -0.35
        engine.see(*moves_of("a4a5"))
        choose(engine, seconds=0.5, clock=9, other=7, increment=0.1)
    assert log.read_text().splitlines() == [
        *("uci", "setoption name Skill Level value -5", "isready"),
        *("setoption name UCI_Variant value xiangqi", "ucinewgame", "isready"),
        *("position startpos moves h3e3", "go depth 3"),
        "position startpos moves h3e3 e10e9 a4a5",
        "go movetime 500 wtime 7000 btime 9000 winc 100 binc 100",
        "quit",
    ]


def test_a_game_is_told_in_ucci(tmp_path: Path) -> None:
    """Its ranks count from 0, and its options have no blanks."""
    log = tmp_path / "log"
    name = fake_uci(tmp_path, "plain", "h2e2", "h0g2", log=str(log), protocol="ucci")
    with open_engine(name.replace("ucci:", "ucci[Skill Level=3]:", 1)) as engine:
        engine.begin(Position.start(GAME))
        assert choose(engine, seconds=0.5) == moves_of("h3e3")[0]
        engine.see(*moves_of("h10g8"))
        assert choose(engine, clock=9, other=7, depth=2) == moves_of("h1g3")[0]
    told = log.read_text().splitlines()
    assert told[:3] == ["ucci", "setoption Skill_Level 3", "isready"]
    assert "setoption newgame" in told and "setoption usemillisec true" in told
    assert f"position fen {FEN}" in told and "go time 500 movestogo 1" in told
    assert f"position fen {FEN} moves h2e2 h9g7" in told
    assert "go depth 2 time 9000 increment 0 opptime 7000 oppincrement 0" in told


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("info depth 2 score cp 12 pv e2e4", 0.12),
        ("info depth 2 score cp 90 lowerbound pv e2e4", -0.35),
        ("info depth 2 score cp -90 upperbound pv e2e4", -0.35),
        ("info depth 2 multipv 1 score cp 7 pv e2e4", 0.07),
        ("info depth 2 multipv 2 score cp 90 pv d2d4", -0.35),
        ("info string score cp 90", -0.35),
        ("info depth 2 score mate 1 pv e2e4", 99.999),
        ("info depth 2 score mate 3 pv e2e4", 99.995),
        ("info depth 2 score mate -2 pv e2e4", -99.996),
        ("info depth 2 score cp +35 nodes 7", 0.35),
        ("info depth 2 score cp 35.0 nodes 7", 0.35),
        ("info depth 2 score mate +1", 99.999),
        ("\tinfo\tdepth\t2\tscore\tcp\t12\tpv\te2e4", 0.12),
        ("  info  depth 2  score  cp   12  ", 0.12),
        ("info score cp +0.2.1", -0.35),
        (f"info depth 2 nodes {'9' * 10_000} score cp {'9' * 10_000}", -0.35),
        (f"info depth {'9' * 10_000} nodes {'9' * 10_000} score cp 12", 0.12),
    ],
)
def test_scores_of_chess(tmp_path: Path, line: str, score: float) -> None:
    """Bounds and other lines of play are passed over; a mate in N is 2N - 1 plies away."""
    log = tmp_path / "log"
    with open_engine(fake_uci(tmp_path, line, "e2e4", log=str(log))) as engine:
        engine.begin(Position.start(game_named("chess")))
        choose(engine, depth=3, nodes=500)
        assert engine.score == pytest.approx(score, abs=1e-9)
    assert "go depth 3 nodes 500" in log.read_text()


ENDGAME = "8/5k2/8/8/8/8/4P3/4K2R b K - 7 1"
SHUFFLED = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
"""A position of Chess960, of the perft suites of that game."""


def test_a_position_is_told_as_fen(tmp_path: Path) -> None:
    """With its half-move clock; the initial one by its name."""
    log, chess = tmp_path / "log", game_named("chess")
    with open_engine(fake_uci(tmp_path, "plain", "e1g1", "e2e4", log=str(log))) as engine:
        engine.begin(Position.parse(ENDGAME, chess))
        engine.see(engine.position.number_of("f7e6"))
        move = choose(engine, depth=1)
        assert chess.notation.write_move(move) == "e1g1"
        engine.begin(Position.start(chess))
        choose(engine, depth=1)
    told = log.read_text()
    assert f"position fen {ENDGAME} moves f7e6\n" in told and "position startpos\n" in told


def test_chess960_is_told_by_its_option(tmp_path: Path) -> None:
    """The king takes its rook there; afterwards it castles as usual."""
    log, chess = tmp_path / "log", game_named("chess")
    start = Position.parse("4k3/8/8/8/8/8/8/1R2K2R w HB - 0 1", chess)
    usual = Position.parse("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", chess)
    with open_engine(fake_uci(tmp_path, "960", "e8e7", "e8e7", log=str(log))) as engine:
        for place in (start, usual):
            engine.begin(place, [place.number_of("e1g1")])
            choose(engine, depth=1)
    told = [line for line in log.read_text().splitlines() if "960" in line or "fen" in line]
    assert told == [
        "setoption name UCI_Chess960 value true",
        f"position fen {start.text} moves e1h1",
        "setoption name UCI_Chess960 value false",
        f"position fen {usual.text} moves e1g1",
    ]
    with open_engine(fake_uci(tmp_path)) as engine, pytest.raises(UserError, match="Chess960"):
        engine.begin(start)


@pytest.mark.slow
@pytest.mark.skipif(stockfish() is None, reason="no Stockfish")
@pytest.mark.parametrize("start", [ENDGAME, SHUFFLED])
def test_stockfish_plays_from_a_position(start: str) -> None:
    chess = game_named("chess")
    with open_engine(f"uci:{stockfish()}") as engine:
        engine.begin(Position.parse(start, chess))
        for _ in range(20):
            choose(engine, nodes=200)


@pytest.mark.parametrize(
    ("manner", "moves", "kind", "why"),
    [
        ("plain", ["(none)"], EngineResigned, "engine_0"),
        ("plain", ["resign"], EngineResigned, "engine_0"),
        ("plain", [], EngineResigned, "engine_0"),
        ("plain", ["hello"], EngineProtocolError, "chose 'hello', which is not a move"),
        ("plain", ["h3h9"], EngineIllegalMove, "not legal"),
        ("crash", [], EngineCrash, "Segmentation fault"),
        ("hang", [], EngineTimeout, "did not answer 'go .+' in time"),
    ],
)
def test_what_can_go_wrong(
    tmp_path: Path, manner: str, moves: list[str], kind: type[EngineError], why: str
) -> None:
    with open_engine(fake_uci(tmp_path, manner, *moves)) as engine:
        engine.begin(Position.start(GAME), moves_of("a4a5"))
        is_passed_over = manner == "hang" or moves == ["hello"]
        with pytest.raises(kind, match=why):
            choose(engine, depth=1, timeout=0.5 if is_passed_over else 20)


@pytest.mark.parametrize(
    ("manner", "setting", "said", "opening"),
    [
        ("no variant", "", "h2e2", ""),  # Pikafish
        ("no variant", "", "h2e2", "a4a5"),
        ("no variant", "", "h3e3", ""),
        ("no variant", "", "h3e3", "a4a5"),
        ("plain", "", "h3e3", ""),  # Fairy-Stockfish
        ("plain", "", "h3e3", "a4a5"),
        ("plain", "", "h2e2", ""),
        ("plain", "[ranks=0]", "h2e2", "a4a5"),
    ],
)
def test_an_engine_tells_how_it_counts_ranks(
    tmp_path: Path, manner: str, setting: str, said: str, opening: str
) -> None:
    """By its options, its first answer, or a setting; it may be asked for one before."""
    log, shift = tmp_path / "log", 0 if said == "h3e3" else -1
    is_asked = bool(opening) and manner == "no variant"
    answer = f"h{10 + shift}g{8 + shift}" if opening else said
    name = fake_uci(tmp_path, manner, *[said] * is_asked, answer, log=str(log))
    with open_engine(name.replace("uci:", f"uci{setting}:", 1)) as engine:
        engine.begin(Position.start(GAME), moves_of(opening))
        move = choose(engine, depth=3)
        assert GAME.notation.write_move(move) == ("h10g8" if opening else "h3e3")
        engine.see(int(GAME.moves_in(engine.position.row)[0]))
        with pytest.raises(EngineResigned):
            choose(engine, depth=3)
    told = [line for line in log.read_text().splitlines() if " moves " in line]
    first = opening.replace("4", str(4 + shift)).replace("5", str(5 + shift)) or said
    assert all(line.partition(" moves ")[2].startswith(first) for line in told) and told


@pytest.mark.parametrize(
    ("manner", "game", "why"),
    [
        ("no variant", "othello", "it has no option UCI_Variant, so it plays only chess"),
        ("plain", "othello", "does not play othello$"),
        ("no variant", "xiangqi", "its move in the initial position is 'e2e4'"),
    ],
)
def test_games_that_an_engine_does_not_play(
    tmp_path: Path, manner: str, game: str, why: str
) -> None:
    start = Position.start(game)
    opening = [int(start.game.moves_in(start.row)[0])]
    with (
        open_engine(fake_uci(tmp_path, manner, "e2e4")) as engine,
        pytest.raises(UserError, match=why),
    ):
        engine.begin(Position.start(start.game), opening)


def test_what_it_does_not_play(tmp_path: Path) -> None:
    chess = open_engine(fake_uci(tmp_path, "chess"))
    with chess, pytest.raises(UserError, match="does not play xiangqi"):
        chess.begin(Position.start(GAME))
    ucci = open_engine(fake_uci(tmp_path, protocol="ucci"))
    with ucci, pytest.raises(UserError, match="UCCI is for xiangqi, not for othello"):
        ucci.begin(Position.start(game_named("othello")))


@needs_fairy
@pytest.mark.parametrize("protocol", ["uci", rarely("ucci")])
def test_fairy_stockfish(protocol: str) -> None:
    with open_engine(f"{protocol}[Skill Level=-20]:{fairy_stockfish()}") as engine:
        assert engine.name.startswith("Fairy-Stockfish")
        engine.begin(Position.start(GAME), moves_of("h3e3 h10g8"))
        clock = {"clock": 5, "other": 5, "increment": 0.1}
        for limits in ({"depth": 3}, {"seconds": 0.1}, clock):
            choose(engine, **limits)
            engine.see(int(GAME.moves_in(engine.position.row)[0]))
        assert engine.score is not None


@needs_fairy
@pytest.mark.slow
def test_a_match_with_fairy_stockfish() -> None:
    engine = f"uci[Skill Level=-20]:{fairy_stockfish()}"
    result = match("classic", engine, game=GAME, pairs=2, limits=Limits(2))
    assert result.faults == ({}, {})


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["uci", "ucci"])
def test_our_own_engine_plays_a_match_as_the_evaluator_does(protocol: str) -> None:
    engine = ours("uci", "--game", "xiangqi", "--evaluator", "classic", "--depth", "2")
    engine = engine.replace("uci:", f"{protocol}:", 1)
    result = match("classic", engine, game=GAME, pairs=2, limits=Limits(2))
    same = match("classic", "classic", game=GAME, pairs=2, limits=Limits(2))
    assert result.results.size == 4
    assert (result.results == same.results).all()


def test_a_program_that_knows_no_limit_of_nodes_is_stopped(tmp_path: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    word = line.split()[0]\n"
        "    told = {'uci': 'id name Endless\\nuciok', 'isready': 'readyok',\n"
        "            'go': 'info depth 1 nodes 10\\ninfo depth 9 nodes 9000 score cp 7',\n"
        "            'stop': 'bestmove e2e4'}\n"
        "    if word == 'quit':\n"
        "        break\n"
        "    print(told.get(word, ''), flush=True)\n"
    )
    chess = game_named("chess")
    with open_engine(f"uci:{sys.executable} {script}") as engine:
        engine.begin(Position.start(chess))
        move = choose(engine, nodes=500, timeout=TIMEOUT)
        assert chess.notation.write_move(move) == "e2e4"
