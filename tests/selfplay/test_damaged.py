"""Damaged files of positions and games: one clear sentence, or a dataset of what can be read."""

from __future__ import annotations

import gzip
import io
import os
import random
import zipfile
from pathlib import Path

import pytest

from samuel.errors import UserError
from samuel.selfplay import import_games

FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
FILES = {
    "epd": f'{FEN[:-4]} c9 "1-0";\n' * 5,
    "fen": f"{FEN}; [0.5]\n" * 5,
    "bullet": f"{FEN} | 12 | 0.5\n" * 5,
    "plain": f"fen {FEN}\nmove e2e4\nscore 3\nply 0\nresult 1\ne\n" * 5,
    "csv": f"fen,score,result\n{FEN},5,0.5\n",
    "pgn": '[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n' * 5,
}


def _zipped(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as members:
        members.writestr("../../outside", data)
        members.writestr("second", data)
    return stream.getvalue()


def _flipped(data: bytes, luck: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(3):
        changed[luck.randrange(len(changed))] ^= 1 << luck.randrange(8)
    return bytes(changed)


def _damaged(text: str) -> list[bytes]:
    data, luck = text.encode(), random.Random(7)
    packed, members = gzip.compress(data, mtime=0), _zipped(data)
    return [
        *(b"", b"\xef\xbb\xbf" + data, text.encode("utf-16"), data.replace(b"\n", b"\r\n")),
        *(data[: 2 * len(data) // 3], data[:20] + bytes(9) + data[20:], data + b"x" * 3_000_000),
        *(data.replace(b"5", b"nan").replace(b"3", b"1e400"), _flipped(data, luck)),
        *(packed[:-9], _flipped(packed, luck), members, members[:-30], _flipped(members, luck)),
    ]


@pytest.mark.parametrize("format", FILES)
def test_damaged_files_are_refused_in_one_line_or_read_in_part(format: str, tmp_path: Path) -> None:
    for number, data in enumerate(_damaged(FILES[format])):
        path, out = tmp_path / f"{number}.dat", tmp_path / f"out{number}"
        path.write_bytes(data)
        try:
            found = import_games([path], out, game="chess", format=format)
        except UserError as error:
            assert "\n" not in str(error)
            assert [one.name for one in out.glob("*")] in ([], [".lock"])  # which hold() leaves
        else:
            assert len(found) > 0


@pytest.mark.parametrize("format", ["auto", *FILES])
def test_what_is_no_file_is_named_as_what_it_is(format: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    told = {tmp_path: "is a folder", pipe: "is no regular file", tmp_path / "x": "does not exist"}
    for path, what in told.items():
        with pytest.raises(UserError, match=f"{what}$"):
            import_games([path], tmp_path / "out", game="chess", format=format)
