"""Chess: perft beside Stockfish and python-chess, and nodes a second beside other programs.

All count the legal moves before the last ply and do not play them; python-chess lists the moves of
every position. Times are the processor's, so that what else the machine does strikes none; those of
other programs are less what it takes to start.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
from typing import Any

from benchmarks.common import record
from benchmarks.xiangqi import processor_seconds
from samuel.games import Position, game_named
from samuel.games.perft import perft
from samuel.models import load_evaluator
from samuel.search import new_memory, search

GAME = game_named("chess")
PATH = "/usr/games:/usr/local/bin:/usr/bin"
REPEATS = 3
CASES = (
    ("start", Position.start(GAME).text, 6, 4),
    ("many moves", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5, 3),
    ("few pieces", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7, 5),
    ("promotions", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5, 3),
)
PROGRAMS = (("stockfish", []), ("toga2", []), ("gnuchess", ["-u"]))
MILLISECONDS = 2000


def told(program: str, options: list[str], lines: list[str]) -> tuple[str, float]:
    """Return what a program says to some lines, and the processor time that it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    path = shutil.which(program, path=PATH)
    assert path is not None
    running = subprocess.Popen(
        [path, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdin is not None and running.stdout is not None
    said = ""
    for line in lines:
        running.stdin.write(f"{line}\n")
        running.stdin.flush()
        awaited = {"uci": "uciok", "isready": "readyok"}.get(line.split()[0])
        if line.startswith("go "):
            awaited = "Nodes searched" if "perft" in line else "bestmove"
        while awaited and (answer := running.stdout.readline()):
            said += answer
            if answer.startswith(awaited):
                break
    running.stdin.write("quit\n")
    running.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def perfts() -> None:
    """Count the leaves below some positions."""
    import chess

    def plain(board: Any, depth: int) -> int:
        if depth == 1:
            return board.legal_moves.count()
        leaves = 0
        for move in board.legal_moves:
            board.push(move)
            leaves += plain(board, depth - 1)
            board.pop()
        return leaves

    rows = []
    for name, fen, depth, shallow in CASES:
        position, board = Position.parse(fen, GAME), chess.Board(fen)
        leaves, fewer = perft(position, depth), perft(position, shallow)
        best = peer = starting = float("inf")
        for _ in range(REPEATS):
            best = min(best, processor_seconds(lambda p=position, d=depth: perft(p, d)))  # type: ignore[misc]
            for steps in (1, depth):
                said, took = told("stockfish", [], [f"position fen {fen}", f"go perft {steps}"])
                if steps == 1:
                    starting = min(starting, took)
                else:
                    peer = min(peer, took)
                    found = re.search(r"Nodes searched: (\d+)", said)
                    assert found and int(found[1]) == leaves
        slow = processor_seconds(lambda b=board, d=shallow: plain(b, d))  # type: ignore[misc]
        assert plain(board, shallow) == fewer
        ours, theirs, python = (
            leaves / best / 1e6,
            leaves / (peer - starting) / 1e6,
            fewer / slow / 1e6,
        )
        rows.append(
            {
                **{"position": name, "depth": depth, "leaves": leaves, "M leaves/s": ours},
                **{"stockfish's": theirs, "python-chess's": python},
                **{"times stockfish": ours / theirs, "times python-chess": ours / python},
            }
        )
    record("chess-perft", rows, f"one thread, processor time, best of {REPEATS}")


def searches() -> None:
    """Search the start for some time, each program by itself."""
    rows = []
    for name in ("material", "pesto", "classic"):
        evaluator, memory = load_evaluator(name, GAME), new_memory(GAME, 20)
        fen = CASES[1][1]
        search(Position.parse(fen, GAME), evaluator, depth=3, memory=memory)
        found = search(
            Position.parse(fen, GAME), evaluator, seconds=MILLISECONDS / 1000, memory=memory
        )
        rate = found.nodes / found.seconds / 1e6
        rows.append({"program": name, "depth": found.depth, "M nodes/s": rate})
    for program, options in PROGRAMS:
        if shutil.which(program, path=PATH) is None:
            continue
        go = [f"position fen {CASES[1][1]}", f"go movetime {MILLISECONDS}"]
        said, _ = told(program, options, ["uci", "isready", *go])
        nodes = [int(n) for n in re.findall(r" nodes (\d+)", said)]
        depths = [int(n) for n in re.findall(r"info depth (\d+)", said)]
        rate = max(nodes) / MILLISECONDS / 1e3
        rows.append({"program": program, "depth": max(depths), "M nodes/s": rate})
    record("chess-search", rows, f"one position, {MILLISECONDS} ms, one thread; best of one")


def main() -> None:
    """Run both; programs that are not there are left out (`make engines`)."""
    if shutil.which("stockfish", path=PATH) is None:
        print("no Stockfish here to count beside (make engines)", file=sys.stderr)
    else:
        perfts()
    searches()


if __name__ == "__main__":
    main()
