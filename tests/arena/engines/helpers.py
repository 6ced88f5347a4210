"""Engines for the tests: scripts that misbehave, this project's servers, real ones if installed."""

import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

from samuel.arena.engines.engine import Engine
from samuel.games.position import Position
from samuel.search.limits import Limits

ROOT = Path(__file__).resolve().parents[3]
PASSING = "d3 c3 e6 d2 d1 e1 b2 c1"
"""Moves after which Black must pass."""

_SERVE = "import sys; from samuel.cli.main import main; main(['serve', '{0}', *sys.argv[1:]])"

# Answers every command; `moves` of genmove from the command line, `manner` as the tests need it.
_GTP = """
import sys, time, subprocess
manner, moves = sys.argv[1], sys.argv[2:]
print("a banner", flush=True)
print("talk " * 3, file=sys.stderr, flush=True)
for line in sys.stdin:
    word = line.split()[0]
    said = {"protocol_version": "2", "name": "Fake", "version": "7"}.get(word, "")
    sign = "="
    if word == "list_commands":
        own = {"log": "set_depth", "fractions": "move_time"}.get(manner, "")
        said = "\\n".join(["name", "version", "genmove", own]).strip()
    if manner in ("log", "fractions"):
        print("got", line.strip(), file=open(moves[0], "a"))
    if manner == "noisy":
        print("x" * 200_000, file=sys.stderr, flush=True)
    if manner == "no pass" and line.split()[-1] == "pass":
        sign, said = "?", "syntax error"
    if manner == "fussy" and word == "play":
        sign, said = "?", "I do not like it"
    if word == "genmove":
        if manner == "crash":
            print("Segmentation fault, more or less", file=sys.stderr, flush=True)
            sys.exit(3)
        if manner == "hang":
            time.sleep(1000)
        said = "D3" if manner in ("log", "fractions") else moves.pop(0)
    if manner == "talks":
        print("? so", word, "it is\\n= hm\\n== well")
    print(f"{sign} {said}", "? that is it\\n" if manner == "adds" and word == "genmove" else "",
          sep="\\n", flush=True)
    if word == "quit":
        break
"""

_NBOARD = """
import sys, time
manner, moves = sys.argv[1], sys.argv[2:]
for line in sys.stdin:
    word, *rest = line.split()
    if manner == "log":
        print(line.strip(), file=open(moves[0], "a"))
    if word == "ping":
        print("set myname Fake 9")
        print("pong", *rest, flush=True)
    if word == "go":
        if manner == "crash":
            sys.exit("out of memory")
        if manner == "hang":
            time.sleep(1000)
        print("status thinking\\nsearch F5 1.0 0 3\\nnodestats 1 2.0")
        print("===", "D3/+1.50/0.1" if manner == "log" else moves.pop(0), flush=True)
"""

# Answers as GNU Backgammon 1.07 does, on standard error where it refuses; its hints are those of a
# book (position ID, dice, play), or else the plays of the command line in turn.
_GNUBG = """
import json, sys, time
manner, book, log, *plays = sys.argv[1:]
hints = json.load(open(book)) if book else {}
print("GNU Backgammon 1.07.001 20230103\\n\\nCopyright", flush=True)
for line in sys.stdin:
    words = line.split()
    if log:
        print(line.strip(), file=open(log, "a"))
    said = ""
    if words[:4] == ["set", "player", "0", "name"]:
        said = f"Player 0 is now known as `{words[4]}'."
    elif words[:2] == ["set", "board"]:
        board = words[2]
    elif words[:2] == ["set", "dice"]:
        dice = "".join(words[2:])
        said = "The dice have been set to {} and {}.".format(*dice)
    elif words == ["new", "session"]:
        said = "A new session has been started.\\ngnubg rolls 2, root rolls 6."
    elif words[0] == "hint":
        if manner == "crash":
            sys.exit("Segmentation fault, more or less")
        if manner == "hang":
            time.sleep(1000)
        if manner == "mute":
            print("You must set up a board first.", file=sys.stderr, flush=True)
            continue
        play = hints[f"{board} {dice}"] if book else plays.pop(0)
        said = f"    1. Cubeless 0-ply   {play:<28} Eq.: -0.125\\n       0.551 0.174 - 0.449"
        said += "\\n    2. Cubeless 0-ply   24/22 6/5   Eq.: -0.500 (-0.375)"
    print(said, flush=True)
    if words[0] == "quit":
        break
"""

# Answers as a brain of Gomocup, by the moves of the command line in turn.
_GOMOCUP = """
import sys, time
manner, log, *moves = sys.argv[1:]
for line in sys.stdin:
    line = line.strip()
    if log:
        print(line, file=open(log, "a"))
    word = line.split()[0]
    if word == "ABOUT":
        print("MESSAGE hello")
        print("OK" if manner == "nameless" else 'name="Fake", version="1.0"', flush=True)
    if word == "INFO" and manner == "curt":
        print("ERROR unknown parameter", flush=True)
    if word in ("START", "RECTSTART"):
        print("ERROR size" if manner == "small" else "OK", flush=True)
    if word in ("BEGIN", "TURN", "DONE"):
        if manner == "crash":
            sys.exit("Segmentation fault, more or less")
        if manner == "hang":
            time.sleep(1000)
        print("DEBUG thinking")
        print("UNKNOWN command" if manner == "dull" else moves.pop(0), flush=True)
    if word == "END":
        break
"""

# Answers as an engine of UCI or UCCI, by the moves of the command line in turn.
_UCI = """
import sys, time
manner, log, *moves = sys.argv[1:]
for line in sys.stdin:
    line = line.strip()
    if log:
        print(line, file=open(log, "a"))
    word = line.split()[0]
    if word in ("uci", "ucci"):
        name = "name " * (word == "uci")
        print("id name Fake 3")
        if manner != "no variant":
            print("option " + name + "UCI_Variant type combo default chess var "
                + ("standard" if manner == "standard" else "chess")
                + " var mini" * (manner == "chess") + " var xiangqi" * (manner != "chess"))
        print("option " + name + "Clear type button")
        skill = "Skill Level" if name else "Skill_Level"
        print("option " + name + skill + " type spin default 20")
        if manner == "960":
            print("option name UCI_Chess960 type check default false")
        if not name:
            print("option usemillisec type check default false\\noption newgame type button")
        print(word + "ok", flush=True)
    if word == "isready":
        print("readyok", flush=True)
    if word == "go":
        if manner == "crash":
            sys.exit("Segmentation fault, more or less")
        if manner == "hang":
            time.sleep(1000)
        print("info depth 1 score cp -35 nodes 9 pv h3e3")
        if "info" in manner:
            print(manner)
        best = "bestmove " + moves.pop(0) + " ponder a1a2" if moves else "nobestmove"
        print(best, flush=True)
    if word == "quit":
        break
"""


def script(folder: Path, text: str, *arguments: str) -> str:
    """Return the command of a Python script with this text."""
    path = folder / f"engine_{len(list(folder.iterdir()))}.py"
    path.write_text(text)
    return shlex.join([sys.executable, str(path), *arguments])


def fake_gtp(folder: Path, manner: str, *moves: str) -> str:
    return "gtp:" + script(folder, _GTP, manner, *moves)


def fake_nboard(folder: Path, manner: str, *moves: str) -> str:
    return "nboard:" + script(folder, _NBOARD, manner, *moves)


def ours(protocol: str, *options: str) -> str:
    """Return this project's own server as an engine in a process of its own."""
    code = _SERVE.format(protocol)
    return f"{protocol}:" + shlex.join([sys.executable, "-c", code, *options])


def fake_gnubg(
    folder: Path,
    manner: str = "plain",
    *plays: str,
    book: dict[str, str] | None = None,
    log: str = "",
) -> str:
    """Return the name of one that plays by a book, or these plays one after the other."""
    name = ""
    if book is not None:
        (path := folder / "book.json").write_text(json.dumps(book))
        name = str(path)
    return "gnubg:" + script(folder, _GNUBG, manner, name, log, *plays)


def fake_gomocup(folder: Path, manner: str = "plain", *moves: str, log: str = "") -> str:
    return "gomocup:" + script(folder, _GOMOCUP, manner, log, *moves)


def fake_uci(
    folder: Path, manner: str = "plain", *moves: str, log: str = "", protocol: str = "uci"
) -> str:
    return f"{protocol}:" + script(folder, _UCI, manner, log, *moves)


def fairy_stockfish() -> str | None:
    return installed("fairy-stockfish")


def stockfish() -> str | None:
    return installed("stockfish")


def grhino() -> str | None:
    return installed("gtp-rhino")


def gnubg() -> str | None:
    return installed("gnubg")


def checkers_program() -> str | None:
    """Return the command of the checkers program `samuel` behind GTP, or None."""
    python = ROOT / "build" / "engines" / "bin" / "python"
    script = ROOT / "benchmarks" / "checkers_program.py"
    if not (python.parent / "samuel").exists():
        return None
    return shlex.join([str(python), "-I", str(script), "--no-book"])


def installed(program: str) -> str | None:
    """Return the path of a program, where Debian puts games too."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"])
    return shutil.which(program, path=path)


def choose(
    engine: Engine, other: float | None = None, timeout: float | None = None, **limits: Any
) -> int:
    """Return an engine's move at its own position."""
    return engine.move(engine.position, Limits(**limits), other, timeout).move


def moves_of(transcript: str, game: str = "othello") -> list[int]:
    return Position.start(game).game.notation.read_moves(transcript)


def is_running(pid: int) -> bool:
    """Return whether there is such a process, be it a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
