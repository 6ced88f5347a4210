"""Chinese chess: perft beside Fairy-Stockfish, and positions that a search visits a second.

Both count the legal moves before the last ply and do not play them. We count a game that is over as
a leaf at once, Fairy-Stockfish not at all, so leaves differ a little where mates are near. Times
are the processor's, so that what else the machine does strikes neither; Fairy-Stockfish's are less
what it takes to start and count one ply.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable

from benchmarks.common import record
from samuel.games import Position, game_named
from samuel.games.perft import perft
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search import new_memory, search

GAME = game_named("xiangqi")
PEER = shutil.which("fairy-stockfish", path="/usr/games:/usr/local/bin:/usr/bin")
REPEATS = 5
CASES = (
    ("start", Position.start(GAME).text, 4),
    ("many moves", "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w", 4),
    ("many checks", "CnN1k1b2/c3a4/4ba3/9/2nr5/9/9/4C4/4A4/4KA3 w", 5),
    ("few pieces", "5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w", 5),
)
SEARCHED, DEPTH = 20, 10


def processor_seconds(function: Callable[[], object]) -> float:
    """Return the processor time of one call."""
    began = time.process_time()
    function()
    return time.process_time() - began


def peer_leaves(text: str, depth: int) -> tuple[int, float]:
    """Return the leaves that Fairy-Stockfish counts, and its processor time from its start on."""
    commands = (
        "setoption name UCI_Variant value xiangqi",
        f"position fen {text} - - 0 1",
        f"go perft {depth}",
        "quit",
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert PEER is not None
    said = subprocess.run(
        [PEER], input="\n".join(commands) + "\n", capture_output=True, text=True, check=True
    ).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"Nodes searched: (\d+)", said)
    assert found, said
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return int(found[1]), took


def perfts() -> None:
    """Count the leaves below some positions, both in turns."""
    rows = []
    for name, text, depth in CASES:
        position = Position.parse(text, GAME)
        leaves = perft(position, depth)  # compiles, or loads, what is timed next
        best = peer_best = starting = float("inf")
        for _ in range(REPEATS):
            best = min(best, processor_seconds(lambda p=position, d=depth: perft(p, d)))  # type: ignore[misc]
            starting = min(starting, peer_leaves(text, 1)[1])
            theirs, took = peer_leaves(text, depth)
            peer_best = min(peer_best, took)
        rate, peer_rate = leaves / best / 1e6, theirs / (peer_best - starting) / 1e6
        rows.append(
            {
                "position": name,
                "depth": depth,
                "leaves": leaves,
                "fairy-stockfish's": theirs,
                "M leaves/s": rate,
                "fairy-stockfish's M/s": peer_rate,
                "times faster": rate / peer_rate,
            }
        )
    record("xiangqi", rows, f"one thread, processor time, best of {REPEATS}")


def searches() -> None:
    """Search random positions to one depth."""
    rows = []
    drawn = random_positions(GAME, SEARCHED, 5, 10, 40)
    positions = [Position(GAME, tuple(map(int, row)), int(row[-1])) for row in drawn]
    for name in ("material", "classic"):
        evaluator, memory = load_evaluator(name, GAME), new_memory(GAME, 20)
        search(positions[0], evaluator, depth=3, memory=memory)
        best = float("inf")
        for _ in range(REPEATS):
            nodes, took = 0, 0.0
            for position in positions:
                memory.table[:] = 0
                began = time.process_time()
                nodes += search(position, evaluator, depth=DEPTH, memory=memory).nodes
                took += time.process_time() - began
            best = min(best, took)
        rows.append({"evaluator": name, "nodes": nodes, "M nodes/s": nodes / best / 1e6})
    note = f"{SEARCHED} random positions to depth {DEPTH}, one thread, best of {REPEATS}"
    record("xiangqi-search", rows, f"{note}; beyond the depth captures, and answers to checks")


def main() -> None:
    """Time both; perft where Debian's Fairy-Stockfish is installed (`make engines`)."""
    if PEER is None:
        print("no Fairy-Stockfish here to count beside (make engines)", file=sys.stderr)
    else:
        perfts()
    searches()


if __name__ == "__main__":
    main()
