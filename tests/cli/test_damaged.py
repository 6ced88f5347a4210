"""Damaged files of positions and games: one clear sentence, or a dataset of what can be read.

Every format that `samuel dataset import` reads is damaged in every way that files are: in its
bytes, in its packing, and in what its fields say.
"""

from __future__ import annotations

import functools
import gzip
import io
import json
import os
import random
import struct
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from samuel.arena.openings import read_openings
from samuel.common.errors import UserError
from samuel.games import game_named
from samuel.selfplay import import_games
from tests.cli.conftest import Run
from tests.rarely import rarely, rarely_but

FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
FOUR = FEN.removesuffix(" 0 1")
BOARD = "---------------------------OX------XO---------------------------"
SHORTEST = "e6f4e3f6g5d6e7f5c5"
XIANGQI = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w"
MAT = """ 3 point match

 Game 1
 one : 0                        two : 0
  1)                             31: 8/5 6/5
  2) 52: 13/8 24/22              55: 8/3(2) 6/1*(2)
  3) 11:                          Doubles => 2
  4)  Drops
                                  Wins 1 point

"""
MOVES = "".join(f"{'BW'[k % 2]}[{SHORTEST[2 * k : 2 * k + 2]}]" for k in range(9))
WTHOR = b"".join(
    [
        struct.pack("<4BIHH4B", 20, 14, 1, 2, 3, 0, 2014, 8, 0, 0, 0),
        *[
            struct.pack("<3H2B", 1, 2, 3, 64, 64)
            + bytes(10 * int(SHORTEST[k + 1]) + ord(SHORTEST[k]) - 96 for k in range(0, 18, 2))
            + bytes(51)
        ]
        * 3,
    ]
)


class Source(NamedTuple):
    """Sound file of a format, and what somebody may have written in its fields instead."""

    game: str
    format: str
    content: bytes
    wrong: tuple[tuple[str, str], ...] = ()


_RESULTS = tuple(("0.5", bad) for bad in ("nan", "inf", "1e999", "7", "-1", "", "0.5.5"))
_SCORES = tuple(("| 12 |", f"| {bad} |") for bad in ("nan", "inf", "1e999", "-", "9" * 400, ""))
_BOARDS = (
    ("PPPPPPPP", "PPPPPPPPP"),
    ("/8/8", "/8/9"),
    ("RNBQKBNR", "RNBQQBNR"),
    ("RNBQKBNR", "RNBKKBNR"),
    ("PPPPPPPP/RNBQ", "QQQQQQQQ/PNBQ"),
    ("rnbq", "xnbq"),
    (" w ", " x "),
    ("KQkq", "ZZZZ"),
    ("KQkq -", "KQkq e3"),
)
SOURCES = {
    "epd": Source(
        "chess",
        "epd",
        f'{FOUR} c9 "1-0";\n'.encode() * 5,
        (*_BOARDS, ("1-0", "2-0"), ('"1-0"', "")),
    ),
    "fen": Source("chess", "fen", f"{FEN}; [0.5]\n".encode() * 5, (*_BOARDS[:3], *_RESULTS)),
    "bullet": Source("chess", "bullet", f"{FEN} | 12 | 0.5\n".encode() * 5, (*_SCORES, *_RESULTS)),
    "plain": Source(
        "chess",
        "plain",
        f"fen {FEN}\nmove e2e4\nscore 3\nply 0\nresult 1\ne\n".encode() * 5,
        (
            *_BOARDS[:4],
            *[("score 3", f"score {bad}") for bad in ("nan", "inf", "1e999", "")],
            *[("result 1", f"result {bad}") for bad in ("nan", "inf", "7", "")],
            *[("move e2e4", f"move {bad}") for bad in ("0000", "a1a1", "z9z9", "", "O-O-O-O")],
            *[("ply 0", f"ply {bad}") for bad in ("-1", "1e999", "nan", "99999999999")],
            ("e\n", "\n"),
            ("fen ", "nef "),
        ),
    ),
    "csv": Source(
        "chess",
        "csv",
        f"fen,score,result,move,ply\n{FEN},5,0.5,e2e4,0\n{FEN},7,0.5,d2d4,0\n".encode(),
        (
            *_BOARDS[:3],
            *[(",5,", f",{bad},") for bad in ("nan", "inf", "1e999", '"', "5,5")],
            *[(",0\n", f",{bad}\n") for bad in ("nan", "1e999", "-7", "9" * 30)],
            ("fen,", "fen,fen,"),
            ("fen,", ","),
            ("fen,score", '"fen,score"'),
            ("score,result", "score,score"),
            (FEN, f'"{FEN}'),
            (f"\n{FEN}", f"\n{FEN}".encode("utf-16").decode("latin-1")),
        ),
    ),
    "pgn": Source(
        "chess",
        "pgn",
        b'[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n' * 3,
        (
            ('[Result "1-0"]', '[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]'),
            ('[Result "1-0"]', '[Result "1-0'),
            ('[Result "1-0"]', '[Variant "Atomic"]'),
            ('[Result "1-0"]', '[Variant "no such"]'),
            ("1. e4", "1. e5"),
            ("1. e4", "1. (((((({{{{ e4"),
            ("e5", "e5 {[%eval nan]}"),
            ("e5", "e5 {[%eval 1e999]}"),
            ("1-0", "7-0"),
        ),
    ),
    "egaroucid": Source(
        "othello",
        "egaroucid",
        f"{BOARD} +4\n{BOARD} -6\n".encode(),
        (
            ("+4", "nan"),
            ("+4", "inf"),
            ("+4", "1e999"),
            ("+4", "+65"),
            (BOARD, BOARD[:-1]),
            (BOARD, BOARD.replace("-", "X")),
            (BOARD, "-" * 64),
            (BOARD, BOARD.replace("X", "?")),
        ),
    ),
    "obf": Source(
        "othello",
        "obf",
        f"{BOARD} X; d3:+2; c4:+1;\n{BOARD} X; f5:-3;\n".encode(),
        (
            ("+2", "nan"),
            ("+2", "inf"),
            ("+2", "1e999"),
            ("+2", ""),
            ("d3", "z9"),
            ("X;", "?;"),
            ("X;", ""),
            (BOARD, BOARD[:-1]),
            (BOARD, BOARD.replace("-", "X")),
        ),
    ),
    "transcripts": Source(
        "othello",
        "transcripts",
        f"{SHORTEST}\n".encode() * 4,
        (("e6", "a1"), ("e6", "z9"), ("e6f4", "e6f"), ("e6", "e6e6"), (SHORTEST, "e6f4")),
    ),
    "ggf": Source(
        "othello",
        "ggf",
        f"(;GM[Othello]PB[a]PW[b]RE[+64]TY[8]BO[8 {BOARD.replace('X', '*')} *]{MOVES};)\n".encode()
        * 3,
        (
            *[("RE[+64]", f"RE[{bad}]") for bad in ("nan", "inf", "1e999", "-64", "")],
            ("BO[8 ", "BO[10 "),
            ("BO[8 ", "BO["),
            ("GM[Othello]", "GM[Chess]"),
            ("W[f4]", "W[a1]"),
            ("W[f4]", "W[zz]"),
            ("*]", "?]"),
            (";)", ""),
        ),
    ),
    "wthor": Source("othello", "wthor", WTHOR),
    "pdn": Source(
        "checkers",
        "pdn",
        b'[Event "x"]\n[Result "1-0"]\n\n1. 11-15 22-18 2. 15x22 25x18 1-0\n\n' * 3,
        (
            ("11-15", "11-99"),
            ("11-15", "1-2"),
            ("15x22", "15x21"),
            ("1-0", "7-7"),
            ('[Event "x"]', '[FEN "W:W1:B32"]'),
            ('[Event "x"]', '[FEN "W:W99:B1,1,1"]'),
            ('[Event "x"]', '[FEN "?"]'),
            ('[Event "x"]', '[GameType "20"]'),
            ("1. 11", "((((({{{1. 11"),
        ),
    ),
    "mat": Source(
        "backgammon",
        "mat",
        MAT.encode(),
        (
            ("3 point match", "x point match"),
            ("31:", "77:"),
            ("13/8", "13/99"),
            ("=> 2", "=> 999999"),
            ("Wins 1", "Wins 99"),
            ("Wins 1 point", "Wins nan point"),
            (" Game 1\n", ""),
        ),
    ),
    "xiangqi": Source(
        "xiangqi",
        "epd",
        f'{XIANGQI} c9 "1-0";\n'.encode() * 3,
        (
            ("RNBAKABNR", "RNBAAABNR"),
            ("/9/9/", "/9/"),
            ("P1P1P", "PPPPP"),
            ("rnba", "xnba"),
            (" w", " x"),
            ("1-0", "nan"),
        ),
    ),
}
_NOISE = random.Random(5).randbytes(700)


def _zip(*members: tuple[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _encrypted(data: bytes) -> bytes:
    """Return a zip whose headers say that its members are encrypted."""
    changed = bytearray(data)
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[changed.index(sign) + place] |= 1
    return bytes(changed)


def _flipped(data: bytes, seed: int, times: int = 1) -> bytes:
    changed, luck = bytearray(data), random.Random(seed)
    for _ in range(times):
        changed[luck.randrange(len(changed))] ^= 1 << luck.randrange(8)
    return bytes(changed)


def _tar(data: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        member = tarfile.TarInfo("games.txt")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return stream.getvalue()


@functools.cache
def _bomb() -> tuple[bytes, bytes]:
    zeros = bytes(1 << 27)
    return gzip.compress(zeros, 1, mtime=0), _zip(("zeros.txt", zeros))


def _shorter(data: bytes) -> bytes:
    """Return lines without their last word."""
    return b"\n".join(line.rpartition(b" ")[0] for line in data.split(b"\n"))


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "blank": lambda data: b" \n\t\r\n" * 20,
    **{f"cut {n}/8": lambda data, n=n: data[: len(data) * n // 8] for n in (1, 3, 5, 7)},  # type: ignore[misc]
    "last byte": lambda data: data[:-1],
    **{f"flip {k}": lambda data, k=k: _flipped(data, k) for k in range(3)},  # type: ignore[misc]
    "flips": lambda data: _flipped(data, 9, 40),
    "noise": lambda data: _NOISE,
    "noise in it": lambda data: data[:60] + _NOISE + data[60:],
    "noise behind": lambda data: data + _NOISE,
    "zeros": lambda data: bytes(5000),
    "zeros in it": lambda data: data[:20] + bytes(9) + data[20:],
    "UTF-16 cut": lambda data: data.decode("latin-1").encode("utf-16")[:-1],
    "long line": lambda data: data + b"x" * 1_500_000,
    "fewer fields": _shorter,
    "more fields": lambda data: data.replace(b"\n", b" 7 ; 7, 7\n"),
    "gzip cut": lambda data: gzip.compress(data, mtime=0)[:-9],
    "gzip head": lambda data: gzip.compress(data, mtime=0)[:12],
    "gzip flip": lambda data: _flipped(gzip.compress(data, mtime=0), 3, 5),
    "gzip twice": lambda data: gzip.compress(gzip.compress(data)),
    "gzip of nothing": lambda data: gzip.compress(b""),
    "gzip bomb": lambda data: _bomb()[0],
    "zip cut": lambda data: _zip(("a", data))[:-30],
    "zip head": lambda data: b"PK\x03\x04" + data,
    "zip flip": lambda data: _flipped(_zip(("a", data)), 4, 5),
    "zip of zip": lambda data: _zip(("a.zip", _zip(("a", data)))),
    "zip of folder": lambda data: _zip(("a/", b"")),
    "zip of nothing": lambda data: _zip(),
    "zip without names": lambda data: _zip(("a", data)).replace(b"a", b"\0"),
    "zip encrypted": lambda data: _encrypted(_zip(("a", data))),
    "zip bomb": lambda data: _bomb()[1],
    "tar in gzip": lambda data: gzip.compress(_tar(data)),
    "zstd": lambda data: b"\x28\xb5\x2f\xfd" + data,
}
HARMLESS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda data: data,
    "gzip": gzip.compress,
    "gzip in parts": lambda data: gzip.compress(data[:99]) + gzip.compress(data[99:]),
    "zip": lambda data: _zip(("a", data)),
    "zip ../": lambda data: _zip(("../../outside", data), ("/etc/outside", b"")),
    "zip of macOS": lambda data: _zip(("a", data), ("__MACOSX/._a", _NOISE)),
}
OF_TEXT: dict[str, Callable[[bytes], bytes]] = {
    "BOM": lambda data: b"\xef\xbb\xbf" + data,
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "UTF-16BE": lambda data: data.decode().encode("utf-16-be"),
    "UTF-16 in gzip": lambda data: gzip.compress(data.decode().encode("utf-16")),
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
}


QUICK = ("csv", "pgn", "obf", "wthor", "pdn")
"""Formats whose readers differ most: files of the others are damaged in the slow tests."""


def cases() -> Iterator[Any]:
    """Yield a format's file, damaged, and the format to import it as."""
    for name, source in SOURCES.items():
        for number, (damage, change) in enumerate(DAMAGES.items()):
            kind = pytest.param if name in QUICK else rarely
            formats = ("auto", source.format)[:: 1 - 2 * (number % 2)]
            for case, format in zip((kind, rarely), formats, strict=True):
                yield case(source, change, format, id=f"{name} as {format}, {damage}")
        for number, (old, new) in enumerate(source.wrong):
            for times, case, format in ((1, pytest.param, "auto"), (-1, rarely, source.format)):
                change = functools.partial(_replaced, old=old, new=new, times=times)
                yield case(source, change, format, id=f"{name} as {format}, {number}: {new[:12]!a}")


def _replaced(data: bytes, old: str, new: str, times: int) -> bytes:
    text = data.decode()
    assert old in text
    return text.replace(old, new, times).encode()


CASES = list(cases())


def imports(run: Run, source: Source, data: bytes, format: str) -> dict[str, Any] | str:
    """Import a file: what is told of it, or the one line that refuses it."""
    Path("given").write_bytes(data)
    line = f"dataset import given --game {source.game} --format {format} --out made/data --json"
    status, out, err = run(line)
    if status == 0:
        told: dict[str, Any] = json.loads(out)
        assert told["positions"] > 0
        assert told["games"] == told["imported"] + sum(told["left_out"].values())
        assert json.loads(Path("made/data/manifest.json").read_text())["complete"]
        return told
    assert (status, out, err.count("\n")) == (1, "", 1) and len(err) < 5000, err
    assert err.startswith("samuel: ") and "Traceback" not in err
    assert os.listdir() == ["given"]  # nothing half-written is left
    return err


def test_there_are_hundreds_of_damaged_files() -> None:
    assert len({case.id for case in CASES}) == len(CASES)
    assert sum(not case.marks for case in CASES) >= 300


@pytest.mark.parametrize(("source", "change", "format"), CASES)
def test_a_damaged_file_is_refused_in_one_line_or_read_in_part(
    source: Source, change: Callable[[bytes], bytes], format: str, run: Run
) -> None:
    imports(run, source, change(source.content), format)


@pytest.mark.parametrize("way", rarely_but((HARMLESS | OF_TEXT), "gzip", "zip ../", "UTF-16"))
@pytest.mark.parametrize("name", SOURCES)
def test_a_sound_file_is_read_as_a_whole_however_it_is_packed(
    name: str, way: str, run: Run
) -> None:
    source, change = SOURCES[name], (HARMLESS | OF_TEXT)[way]
    is_text = name != "wthor"
    content = change(source.content) if is_text or way in HARMLESS else source.content
    told = imports(run, source, content, "auto")
    assert isinstance(told, dict), told
    assert told["left_out"] == {}


KING = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -"
SUITES = {
    "EPD": ("chess", f'{KING} bm Qd1; id "BK.01"; c0 "Qd1=10, Qd2=3";\n{KING} am Qd2; id "2";\n'),
    "OBF": ("othello", f"{BOARD} X; d3:+2; c4:+1;\n{BOARD} X; f5:-3;\n"),
}
OF_SUITES = {
    "EPD": (
        *[("Qd1=10", f"Qd1={bad}") for bad in ("nan", "inf", "-1", "1e999", "9" * 400)],
        *[("bm Qd1", f"bm {bad}") for bad in ("Qd9", "a1a1", "0000", "", '"')],
        *[(KING, bad) for bad in ("8/8/8/8/8/8/8/8 w - -", "x w - -", KING.replace("k", "q"))],
        (" b - -", " b"),
        ("id ", "id " + "9" * 200_000),
        ("Qd1;", "Q" * 200_000 + ";"),
        ("1k1r4", "k" * 200_000),
        ('"BK.01"', '"BK.01'),
        ('"BK.01"', '"' + "x" * 3000 + '"'),
        ('"BK.01"', '"\x1b[2J\x07"'),
    ),
    "OBF": (
        *[("+2", bad) for bad in ("nan", "inf", "1e999", "", "+65")],
        *[("d3:", f"{bad}:") for bad in ("a1", "z9", "")],
        (BOARD, "-" * 64),
        (BOARD, BOARD[1:]),
        ("X;", ";"),
    ),
}


def suite_cases() -> Iterator[Any]:
    """Yield the game and a damaged file of problems."""
    for name, (game, text) in SUITES.items():
        for damage, change in DAMAGES.items():
            yield pytest.param(
                game, functools.partial(change, text.encode()), id=f"{name} {damage}"
            )
        for number, (old, new) in enumerate(OF_SUITES[name]):
            change = functools.partial(_replaced, text.encode(), old, new, 1)
            yield pytest.param(game, change, id=f"{name} {number}: {new[:12]!a}")


@pytest.mark.parametrize(("game", "content"), list(suite_cases()))
def test_a_damaged_suite_is_refused_in_one_line_or_searched_in_part(
    game: str, content: Callable[[], bytes], run: Run
) -> None:
    Path("given").write_bytes(content())
    status, out, err = run(f"search --suite given --game {game} --depth 1 --json")
    if status == 0:
        told = json.loads(out)
        assert told["problems"]
        assert err.count("\n") <= 1 and len(err) < 5000  # a warning about lines that are left out
        return
    assert (status, out, err.count("\n")) == (1, "", 1) and len(err) < 5000, err
    assert err.startswith("samuel: given") and "Traceback" not in err


def test_a_long_file_of_something_else_is_refused_after_its_first_lines(run: Run) -> None:
    Path("given").write_text("nothing of the kind\n" * 300_000)
    began = time.process_time()
    said = run.refused("dataset import given --out made")
    assert "none of its first 4,096 lines is one (others: --format NAME, --game NAME)" in said
    with pytest.raises(UserError, match="line 1: 'no' is not a move"):
        read_openings("given", game_named("othello"))
    assert time.process_time() - began < 5  # both took a minute
    assert os.listdir() == ["given"]


OPENINGS = {
    "positions": ("chess", f"{FOUR}\n{FOUR.replace(' w ', ' b ')}\n"),
    "transcripts": ("othello", f"{SHORTEST[:8]}\n{SHORTEST[:6]}\n"),
    "games": ("chess", '[Event "x"]\n\n1. e4 e5 *\n\n[Event "y"]\n\n1. d4 d5 *\n\n'),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", OPENINGS)
def test_damaged_openings_are_refused_in_a_sentence_or_read(
    name: str, damage: str, tmp_path: Path
) -> None:
    game, text = OPENINGS[name]
    path = tmp_path / "given"
    path.write_bytes(DAMAGES[damage](text.encode()))
    try:
        assert len(read_openings(path, game_named(game))) > 0
    except UserError as error:
        assert "\n" not in str(error) and str(path) in str(error)
        if path.read_bytes()[:2] in (b"PK", b"\x1f\x8b"):
            assert "is not a move" not in str(error)


@pytest.mark.parametrize("format", ["auto", "epd", "plain", "csv", "pgn"])
def test_what_is_no_file_is_named_as_what_it_is(format: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    told = {tmp_path: "is a folder", pipe: "is no regular file", tmp_path / "x": "does not exist"}
    for path, what in told.items():
        with pytest.raises(UserError, match=f"{what}$"):
            import_games([path], tmp_path / "out", game="chess", format=format)
