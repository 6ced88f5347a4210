"""Scripted sessions with the engine of UCI and UCCI."""

from __future__ import annotations

import functools
import io
import queue
import random
import re
import sys
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from samuel.arena import players
from samuel.games import Position, game_named
from samuel.play import engine
from samuel.play.engine import EnginePlayer
from samuel.play.servers.conversation import converse
from samuel.play.servers.uci import UciServer
from samuel.search import analyse
from tests.processes import TIMEOUT


def serve(game: str = "xiangqi", depth: int | None = 2) -> UciServer:
    return UciServer(EnginePlayer("classic", game_named(game), depth=depth))


def say(server: UciServer, *lines: str) -> list[str]:
    return [answer for line in lines for answer in server.answer(line)]


def test_a_session_of_uci() -> None:
    server = serve()
    *told, last = say(server, "uci")
    assert told[0].endswith("(classic)") and last == "uciok"
    assert "option name UCI_Variant type combo default xiangqi var xiangqi" in told
    setting = "setoption name UCI_Variant value xiangqi"
    assert say(server, setting, "debug on", "isready", "ucinewgame") == ["readyok"]
    info, best = say(server, "position startpos moves h3e3 h10g8", "go depth 1")
    assert re.match(r"info depth 1 score cp -?\d+ nodes \d+ nps \d+ time \d+ pv \w+", info)
    assert best == f"bestmove {info.split()[-1]}"
    assert say(server, "go wtime 60000 btime 10")[0].startswith("info depth 2 ")  # as before
    assert say(server, "quit") == [] and server.is_over


def test_chances_are_reported_where_they_are_asked_for() -> None:
    server = UciServer(EnginePlayer("learned", game_named("chess"), depth=2))
    assert "option name UCI_ShowWDL type check default false" in say(server, "uci")
    assert " wdl " not in say(server, "position startpos", "go")[0]
    setting = "setoption name UCI_ShowWDL value true"
    info = say(server, setting, "position startpos", "go")[0]
    score, *chances = map(int, re.findall(r"score cp (-?\d+) wdl (\d+) (\d+) (\d+) nodes", info)[0])
    assert sum(chances) == 1000 and (chances[0] > chances[2]) == (score > 0)
    mate, mated = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w", "8/8/8/8/8/1k6/7r/K7 w"
    assert "score mate 1 wdl 1000 0 0 " in say(server, f"position fen {mate} - - 0 1", "go")[0]
    assert "score mate -1 wdl 0 0 1000 " in say(server, f"position fen {mated} - - 0 1", "go")[0]
    setting = "setoption name MultiPV value 2"
    for info in say(server, setting, "position startpos", "go depth 1")[:-1]:
        assert re.search(r"multipv \d score cp -?\d+ wdl \d+ \d+ \d+ nodes", info)
    assert "UCI_ShowWDL" not in " ".join(say(serve(), "uci"))  # it has no parameters


def test_mate_in_one_by_both() -> None:
    """The two say the same move."""
    fen = "3k5/9/9/9/9/9/9/9/R8/R3K4 w"
    server = serve()
    (found,) = (x for x in say(server, f"position fen {fen} - - 0 1", "go") if "best" in x)
    assert say(server, "ucci")[-1] == "ucciok"
    (same,) = (x for x in say(server, f"position fen {fen} - - 0 1", "go") if "best" in x)
    ranks = [int(rank) for rank in re.findall(r"\d+", found)]
    assert [int(rank) + 1 for rank in re.findall(r"\d+", same)] == ranks
    assert say(server, f"position fen {fen} moves a1a8", "go") == [
        "nobestmove"
    ]  # the general is barred
    assert say(server, "quit") == ["bye"]


_SHUFFLE = "g1f3 g8f6 f3g1 f6g8"
_TWICE = " ".join(2 * ["i1i2 i10i9 i2i1 i9i10"])


@pytest.mark.parametrize(
    ("game", "position"),
    [
        ("chess", f"startpos moves {_SHUFFLE} {_SHUFFLE}"),
        ("chess", f"startpos moves {_SHUFFLE} {_SHUFFLE} e2e4"),
        ("chess", "fen 8/8/4k3/8/8/3QK3/8/8 w - - 99 120 moves d3d4"),
        ("chess", "fen 8/8/4k3/8/8/3QK3/8/8 w - - 100 120 moves d3d4 e6e7 d4d5"),
        ("chess", "fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1"),
        ("chess", "fen 8/8/4k3/8/3q4/4K3/8/8 w - - 0 1 moves e3d4 e6d6"),
        ("xiangqi", f"startpos moves {_TWICE}"),
        ("xiangqi", "fen 3k5/9/9/9/9/9/9/4R4/9/5K3 w moves"
         + 3 * " e3d3 d10e10 d3e3 e10d10"),  # perpetual check
    ],
)  # fmt: skip
@pytest.mark.parametrize("lines", [1, 2])
def test_a_move_comes_where_a_draw_can_only_be_claimed(
    game: str, position: str, lines: int
) -> None:
    server = serve(game, 1)
    told = say(server, f"setoption name MultiPV value {lines}", f"position {position}", "go")
    legal = server._position.legal_moves() if server._position else []
    assert told[-1].split()[1] in legal and told[-1].startswith("bestmove ")
    assert " score " in told[-2]
    (among,) = (x for x in say(server, f"go searchmoves {legal[-1]}") if "best" in x)
    assert among == f"bestmove {legal[-1]}"


@pytest.mark.parametrize("method", ["alphabeta", "uct:playouts=20"])
def test_words_of_uci_are_read_as_guis_write_them(method: str) -> None:
    server = UciServer(EnginePlayer("classic", game_named("chess"), method=method))
    assert say(server, "setoption  name\tUCI_Variant  value Standard", "\tposition\tstartpos") == []
    chosen = "go\tsearchmoves  a2a3 H2H4 nodes 50 "
    (best,) = (line for line in say(server, chosen) if line.startswith("bestmove"))
    assert best in ("bestmove a2a3", "bestmove h2h4")
    told = say(server, "go searchmoves zz a2a3 e1e5 nodes 50")
    assert told[-1] == "bestmove a2a3" and "zz" in told[0] and "e1e5" in told[1]
    assert say(server, "position  startpos\tmoves E2E4  e7e5") == []
    assert server._position == Position.from_transcript("e2e4 e7e5", "chess")
    ucci = serve()
    say(ucci, "ucci", "position startpos moves H2E2 h9g7")
    assert ucci._position == Position.from_transcript("h3e3 h10g8", "xiangqi")


def test_clocks_and_levels() -> None:
    server = serve(depth=None)
    say(server, "uci", "setoption name Level value 3")
    assert server._engine.level is not None and server._engine.level.depth == 1
    say(server, "setoption name Level value 0")
    assert server._engine.level is None
    start = Position.start("chess")
    seconds = functools.partial(server._seconds, position=start)
    assert seconds({"movetime": "500"}) == pytest.approx(0.45)
    assert seconds({"wtime": "41000", "winc": "0", "btime": "1"}) == pytest.approx(0.9)
    assert seconds({"wtime": "6000", "movestogo": "2"}) == pytest.approx(2.7)
    assert seconds({"wtime": "6000", "movestogo": "1"}) == pytest.approx(5.4)
    assert seconds({"wtime": "41000", "movestogo": "0"}) == pytest.approx(0.9)
    for time in ("1", "0", "-100"):
        assert seconds({"wtime": time}) == pytest.approx(0.001)
    assert seconds({}) is None
    say(server, "ucci", "setoption usemillisec false")
    assert seconds({"time": "82", "increment": "1"}) == pytest.approx(2.7)


def test_an_endless_search_ends_by_stop_or_with_the_lines() -> None:
    server = serve()
    for lines in (
        "position startpos\ngo infinite\nstop\nisready\n",
        "position startpos\ngo ponder\n",
    ):
        answers = io.StringIO()
        talk = threading.Thread(target=converse, args=(server, io.StringIO(lines), answers))
        talk.start()
        talk.join(TIMEOUT)
        assert not talk.is_alive()
        assert sum(line.startswith("bestmove") for line in answers.getvalue().splitlines()) == 1


@pytest.mark.parametrize(
    "line", ["position startpos moves h3h9", "position fen x", "position", "position here"]
)
def test_where_a_position_is_refused_the_one_before_is_not_played(line: str) -> None:
    server = serve()
    first = say(server, "position startpos", line, "go")
    assert first[-1] == "bestmove 0000" and "refused" in first[-2]
    assert say(server, "ucci", line, "go")[-1] == "nobestmove"
    assert say(server, "position startpos", "go")[-1].startswith("bestmove ")


def test_what_is_set_is_ready_before_it_is_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weak levels misjudge by an evaluator of their own."""
    searched: list[str] = []

    def watched(position: Any, evaluator: Any, **limits: Any) -> Any:
        searched.append(evaluator.name)
        return analyse(position, evaluator, **limits)

    for module in (engine, players):
        monkeypatch.setattr(module, "analyse", watched)
    server = serve(depth=None)
    assert say(server, "isready") == ["readyok"]
    first = len(searched)
    assert say(server, "isready") == ["readyok"] and len(searched) == first > 0
    say(server, "setoption name Level value 3", "isready")
    ready = searched[first:]
    say(server, "position startpos", "go")
    assert searched[first + len(ready) :] and searched[-1] in ready and searched[-1] != "classic"


def test_isready_is_answered_while_a_search_goes_on() -> None:
    """The line after it comes only when it was answered; the search ends by `stop` alone."""
    told: queue.Queue[str] = queue.Queue()
    asked: queue.Queue[str] = queue.Queue()

    class Lines(io.StringIO):
        def readline(self, _size: int = -1) -> str:
            return asked.get(timeout=TIMEOUT)

    class Answers(io.StringIO):
        def write(self, text: str) -> int:
            told.put(text)
            return len(text)

    talk = threading.Thread(target=converse, args=(serve(), Lines(), Answers()))
    talk.start()
    for line in ("position startpos\n", "go infinite\n", "isready\n"):
        asked.put(line)
    assert "readyok" in iter(lambda: told.get(timeout=TIMEOUT), "")  # what it searched may be first
    asked.put("stop\n")
    asked.put("quit\n")
    talk.join(TIMEOUT)
    assert not talk.is_alive()
    assert any(text.startswith("bestmove") for text in told.queue)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("position startpos moves h3h9", "h3h9"),
        ("position here", "info string a position must be startpos or fen"),
        ("position fen x", "info string 'x' is not a position; write it as FEN, like"),
        ("go depth deep", "'deep' must be a finite number"),
        ("setoption name Level value 20", "level"),
        ("setoption name UCI_Variant value chess", "plays xiangqi, not chess"),
    ],
)
def test_what_is_wrong_is_said(line: str, why: str) -> None:
    said, *rest = serve().answer(line)
    assert said.startswith("info string ") and why in said
    assert [one.split()[0] for one in rest] == ["bestmove"] * line.startswith("go")


class _Slow:
    """A server whose command `slow` lasts until the last line was read, and `go` until the end."""

    STOPPING = ("quit",)
    THINKING = ("go",)
    AT_ONCE: ClassVar[dict[str, str]] = {"isready": "readyok"}
    is_over = is_endless = False

    def __init__(self, lasting: dict[str, threading.Event]) -> None:
        self._lasting = lasting

    def stop(self) -> None:
        """Its searches end by themselves."""

    def answer(self, line: str) -> Iterator[str]:
        """Yield the command as its answer."""
        word = line.strip()
        assert word not in self._lasting or self._lasting[word].wait(TIMEOUT)
        yield {"isready": "readyok"}.get(word, f"did {word}")


@pytest.mark.parametrize(
    ("said", "answered"),
    [
        (["go", "isready"], ["readyok", "did go"]),
        (["slow", "isready", "go"], ["did slow", "readyok", "did go"]),
        (["slow", "go", "isready"], ["did slow", "readyok", "did go"]),
        (["go", "slow", "isready"], ["did go", "did slow", "readyok"]),
        (["go", "go", "isready"], ["did go", "did go", "readyok"]),
    ],
)
def test_readyok_overtakes_a_search_and_nothing_else(said: list[str], answered: list[str]) -> None:
    """Commands before `isready` that still wait are done when it is answered."""
    lasting = {"slow": threading.Event(), "go": threading.Event()}

    class Lines(io.StringIO):
        def readline(self, size: int | None = -1) -> str:
            line = super().readline(-1)
            if self.tell() == len(self.getvalue()):
                lasting["go" if not line else "slow"].set()
            return line

    answers = io.StringIO()
    converse(_Slow(lasting), Lines("".join(f"{word}\n" for word in said)), answers)
    assert answers.getvalue().split("\n")[:-1] == answered


def test_chess_is_played_with_nodes_mates_and_castling() -> None:
    server = serve("chess", None)
    list(server.answer("position fen r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 1 0"))
    info, best = server.answer("go depth 6")
    assert " score mate 3 " in info
    assert best == "bestmove f6a6"
    list(server.answer("position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1"))
    info, best = server.answer("go nodes 5000")
    nodes = int(re.search(r"nodes (\d+)", info)[1])  # type: ignore[index]
    assert nodes < 10_000
    assert say(server, "go depth 2 nodes 100000")[0].startswith("info depth 2 ")
    assert say(server, "go depth 30 nodes 2000")[0].split()[2] != "30"
    assert re.search(r"score cp -?\d+ ", info)
    assert list(server.answer("ucci")) == [
        "info string UCCI is for Chinese chess; this engine plays chess by UCI"
    ]


def test_options_of_memory_and_threads() -> None:
    server = serve("chess", 3)
    told = say(server, "uci")
    assert "option name Hash type spin default 16 min 1 max 4096" in told
    assert "option name Threads type spin default 1 min 1 max 256" in told
    assert "option name UCI_Chess960 type check default false" in told
    assert "option name UCI_Chess960 type check default false" not in say(serve(), "uci")
    for megabytes, entries in ((1, 1 << 16), (64, 1 << 22), (100, 1 << 22)):
        assert say(server, f"setoption name Hash value {megabytes}") == []
        assert len(server._engine._memory.table) == entries
    assert say(server, "setoption name Threads value 2", "position startpos") == []
    assert say(server, "go depth 3")[-1].startswith("bestmove ")
    for line, why in (("Hash value 5000", "megabytes"), ("Threads value 0", "threads")):
        (said,) = say(server, f"setoption name {line}")
        assert said.startswith("info string") and why in said
    sampling = UciServer(EnginePlayer("classic", game_named("chess"), method="uct"))
    (said,) = say(sampling, "setoption name Threads value 2")
    assert said == "info string a method that samples uses one thread; leave threads out (got 2)"


def test_castling_of_chess960_is_told_as_it_is_asked_for() -> None:
    server = serve("chess", 1)
    castled = Position.parse("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "chess")
    assert server._line(castled, ["e1g1", "e8e7"]) == "e1g1 e8e7"
    say(server, "setoption name UCI_Chess960 value true")
    assert server._line(castled, ["e1g1", "e8e7"]) == "e1h1 e8e7"
    assert say(server, "position fen 4k3/8/8/8/8/8/8/R3K2R w HA - 0 1 moves e1h1") == []
    assert say(server, "go depth 1")[-1].startswith("bestmove e8")


def test_an_endless_search_tells_each_depth() -> None:
    """Until its end, after which it waits for `stop`; the moves to play are those of the last."""
    server = serve("chess", None)
    say(server, "position fen 7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    told: list[str] = []

    def listen() -> None:
        for line in server.answer("go infinite"):
            told.append(line)
            if " mate 1 " in line:
                server.stop()

    talk = threading.Thread(target=listen)
    talk.start()
    talk.join(TIMEOUT)
    assert told[0].startswith("info depth 1 ") and told[-1] == "bestmove a1a8"
    assert server._engine.level is None


@pytest.mark.slow
def test_python_chess_plays_and_analyses_with_it() -> None:
    chess = pytest.importorskip("chess")
    engine = pytest.importorskip("chess.engine")
    command = [sys.executable, "-m", "samuel", "serve", "uci", "--game", "chess"]
    with engine.SimpleEngine.popen_uci(command, timeout=TIMEOUT) as player:
        player.configure({"Hash": 8, "Threads": 2})
        board = chess.Board()
        clock = engine.Limit(white_clock=2, black_clock=2, white_inc=0.1, black_inc=0.1)
        limits = (engine.Limit(depth=3), engine.Limit(nodes=500), engine.Limit(time=0.1), clock)
        for limit in limits:
            played = player.play(board, limit, info=engine.INFO_ALL)
            assert played.move in board.legal_moves and played.info["depth"] > 0
            board.push(played.move)
            analysed = player.analyse(board, limit)
            assert analysed["score"].relative.score(mate_score=10_000) is not None
            assert analysed["pv"][0] in board.legal_moves
        with player.analysis(board) as analysis:
            for line in analysis:
                if line.get("depth", 0) >= 3:
                    break
        assert analysis.info["depth"] >= 3
        board = chess.Board.from_chess960_pos(7)
        for _ in range(6):
            board.push(player.play(board, engine.Limit(depth=2)).move)
        ponders = player.play(board, engine.Limit(time=0.1), ponder=True)
        board.push(ponders.move)
        if ponders.ponder is not None:
            board.push(ponders.ponder)
        assert player.play(board, engine.Limit(time=0.1)).move in board.legal_moves


@pytest.mark.slow
def test_python_chess_gets_a_move_in_every_position_of_random_games() -> None:
    """Games end by mate, stalemate or after 300 plies; nobody claims a draw."""
    chess = pytest.importorskip("chess")
    engine = pytest.importorskip("chess.engine")
    command = [sys.executable, "-m", "samuel", "serve", "uci", "--game", "chess"]
    claimable = 0
    with engine.SimpleEngine.popen_uci(
        [*command, "--evaluator", "material"], timeout=TIMEOUT
    ) as player:
        for seed in range(5):
            chooser, board = random.Random(seed), chess.Board()
            while board.ply() < 300 and any(board.legal_moves):
                claimable += board.can_claim_draw() or board.is_insufficient_material()
                found = player.play(board, engine.Limit(nodes=20), info=engine.INFO_SCORE)
                assert found.move in board.legal_moves and "score" in found.info
                board.push(found.move)
                replies = list(board.legal_moves)
                if replies:
                    board.push(chooser.choice(replies))
    assert claimable


def test_several_lines() -> None:
    server = UciServer(EnginePlayer("classic", game_named("chess"), depth=3))
    assert "option name MultiPV type spin default 1 min 1 max 218" in say(server, "uci")
    told = say(server, "setoption name MultiPV value 2", "position startpos", "go")
    assert [line.split()[2:5] for line in told[:-1]] == [
        [depth, "multipv", number] for depth in "123" for number in "12"
    ]
    assert told[-1] == f"bestmove {told[-3].split(' pv ')[1].split()[0]}"
    assert len(say(server, "go depth 1")) == 3
    over = "position fen k7/8/8/8/8/8/8/R3K2R b - - 0 1"
    assert say(server, over, "go depth 1")[0].startswith("info depth 1 multipv 1 score ")
    refused = say(server, "setoption name MultiPV value 0")
    assert refused == ["info string MultiPV must be an integer from 1 to 218 (got 0)"]
    one = say(server, "setoption name MultiPV value 1", "position startpos", "go")
    assert len(one) == 2 and "multipv" not in one[0]


class Failing(io.StringIO):
    """Lines whose reading fails, as that of a terminal that is gone."""

    def readline(self, size: int = -1) -> str:
        raise OSError("Input/output error")


def test_lines_that_cannot_be_read_end_a_conversation() -> None:
    with pytest.raises(OSError, match="Input/output"):
        converse(serve("chess"), Failing(), io.StringIO())
