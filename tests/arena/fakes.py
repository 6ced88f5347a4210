"""Outside engines that play whole games of tic-tac-toe, well or badly behaved."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

from samuel.arena.records import GameRow

GAME = "tic_tac_toe"

# Takes the first free square. Every so many games in which it moves, counted over its lives in the
# log, it shows its manner when it is asked for its second move, or in each game for its first.
_ENGINE = """
import os, sys, time
manner, every, log = sys.argv[1], int(sys.argv[2]), sys.argv[3]
def write(word):
    with open(log, "a") as file:
        file.write(f"{word} {os.getpid()}\\n")
write("start")
free, asked, game, stones = [], 0, 0, {}
def is_over():
    lines = [{c + r for c in "abc"} for r in "123"] + [{c + r for r in "123"} for c in "abc"]
    lines += [{"a1", "b2", "c3"}, {"a3", "b2", "c1"}]
    return game and (not free or any(x <= own for own in stones.values() for x in lines))
for line in sys.stdin:
    number, word, *rest = line.split() if line[0].isdigit() else ("", *line.split())
    sign, said = "=", {"protocol_version": "2", "name": "Fake", "version": "7"}.get(word, "")
    if word == "clear_board":
        free, asked = [column + row for row in "123" for column in "abc"], 0
        stones = {"black": set(), "white": set()}
    if (manner, word) in (("small", "boardsize"), ("other", "play")):
        sign, said = "?", "unacceptable size" if manner == "small" else "illegal move"
    elif manner == "gone" and word == "play":
        sys.exit("no such square")
    elif word == "play":
        free.remove(rest[1])
        stones[rest[0]].add(rest[1])
    if word == "genmove":
        asked += 1
        if asked == 1:
            write("game")
            game = sum(line.startswith("game") for line in open(log))
        if manner in ("slow", "deaf"):
            time.sleep(0.1)
        while manner == "held" and not os.path.exists(log + ".go"):
            time.sleep(0.01)
        said = free.pop(0)
        stones[rest[0]].add(said)
        if asked == (2 if every > 1 else 1) and game % every == 0:
            if manner == "crash":
                sys.exit("Segmentation fault, more or less")
            if manner == "hang":
                time.sleep(1000)
            if manner == "illegal":
                said = next(c + r for r in "123" for c in "abc" if c + r not in [said, *free])
            if manner == "nonsense":
                said = "the corner"
            if manner == "resign":
                said = "resign"
            if manner == "refuse":
                sign, said = "?", "no idea"
    print(f"{sign}{number} {said}\\n", flush=True)
    if manner == "leave" and is_over():
        break
    if word == "quit" and manner != "deaf":
        break
while manner == "deaf":
    time.sleep(1)
"""


def game_row(result: float = 0.0, number: int = 0, **more: Any) -> GameRow:
    """Return a game of an event."""
    usual = {"pairing": 0, "opening": (), "first": 0, "moves": (), "ending": "played", "decided": 0}
    return GameRow(**usual | {"result": result, "number": number} | more)


def engine(folder: Path, manner: str = "fine", every: int = 1) -> str:
    """Return the name of an engine with a manner; its log is FOLDER/engine.log."""
    path = folder / f"{manner}.py"
    path.write_text(_ENGINE)
    words = [sys.executable, str(path), manner, str(every), str(folder / "engine.log")]
    return "gtp:" + shlex.join(words)


def lives(folder: Path) -> list[int]:
    """Return the process ids of all engines that were started, in their order."""
    log = (folder / "engine.log").read_text().splitlines()
    return [int(line.split()[1]) for line in log if line.startswith("start")]
