"""Text in files of any encoding, and TOML."""

from __future__ import annotations

import codecs
import contextlib
import io
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from samuel.common.errors import UserError
from samuel.common.files import MOST_BYTES, read_bytes, require_readable
from samuel.common.packed import contents, streams, watched

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Encodings by their byte-order marks, the longer of UTF-32 and UTF-16 first."""
AS_WINDOWS = "samuel.windows"
"""Handler of errors in UTF-8: bytes that are none are Windows-1252, as in `text_of`."""
_NO_CONTROLS = dict.fromkeys(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b"))
_BLANKS = re.compile(rb"[\t\v\f]|\xc2\xa0|\xe2\x80[\x80-\x8b\xaf]|\xe3\x80\x80|\xef\xbb\xbf")
_FEW_CONTROLS = 4
_FIRST = 1 << 12
"""Bytes that tell the encoding."""
_MOST_OF_TOML, _MOST_POINTS = 1 << 18, 200
"""Bytes of a file of TOML, and points in a line: the time that a key takes grows with the square of
its parts."""


def read_text(path: Path | str, most: int = MOST_BYTES) -> str:
    """Return the content of a text file; see `text_of`.

    It may be packed by gzip or zip; the members of a zip follow one another.

    Raises
    ------
    UserError
        It cannot be read, or is no text.
    """
    require_readable(path, most)
    try:
        return "\n".join(text_of(content) for content in contents(Path(path), most))
    except ValueError:
        raise UserError(f"{path} is not a text file") from None


def text_of(content: bytes) -> str:
    r"""Return the text in bytes, whose lines end in `\n`.

    It is UTF-8, or UTF-16 or UTF-32 with a byte-order mark (or UTF-16 of mostly ASCII without one);
    what is none of them is Windows-1252, of which the five bytes without a meaning are kept as
    Latin-1 has them. Lines may end in `\r\n` or `\r`. NULs and DOS's ends of files (26) become
    blanks, and do not count behind the text.

    Raises
    ------
    ValueError
        It is no text: too much of it is control characters, or half a character is missing.
    """
    text = _decoded(content).replace("\ufeff", "").rstrip("\0\x1a")
    controls = len(text) - len(text.translate(_NO_CONTROLS))
    if controls > _FEW_CONTROLS + len(text) // 32:
        raise ValueError("control characters")
    return text.replace("\r\n", "\n").replace("\r", "\n").translate({0: " ", 26: " "})


@contextlib.contextmanager
def text_streams(path: Path) -> Iterator[Iterator[IO[bytes]]]:
    """Open a file as `samuel.common.packed.streams` does, and yield its streams of text, as UTF-8.

    UTF-16 and UTF-32 are converted, and a byte-order mark is left out.
    """
    with streams(path) as found:
        yield (_as_utf_8(stream) for stream in found)


def _as_utf_8(stream: Any) -> IO[bytes]:
    start = stream.peek(_FIRST)[:_FIRST]
    encoding = _wide_encoding(start)
    if encoding is not None:
        return valid_utf_8(stream, encoding)
    if start.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    return stream


def valid_utf_8(stream: IO[bytes], encoding: str = "utf-8") -> IO[bytes]:
    """Return a stream of what another one has in an encoding, in UTF-8; bytes of none as U+FFFD."""
    return io.BufferedReader(_Recoded(stream, encoding), 1 << 18)


class _Recoded(io.RawIOBase):
    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._stream, self._rest, self._is_over = stream, b"", False
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest and not self._is_over:
            block = self._stream.read(1 << 18)
            self._is_over = not block
            text = self._decoder.decode(block, self._is_over)
            self._rest = text.encode("utf-8", "replace")
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def start_of_text(path: Path) -> str:
    """Return what a file begins with as a text, or the first member of a zip that is not empty.

    White space within a line is blanks, as `blank` has it.
    """
    with watched(lambda read: None), text_streams(path) as found:
        start = next(filter(None, (stream.read(1 << 14) for stream in found)), b"")
    return blank(start).decode("utf-8", "replace")


def blank(text: bytes) -> bytes:
    """Return text in UTF-8 with blanks for white space of other kinds but ends of lines."""
    return _BLANKS.sub(b" ", text)


def sniffed(start: bytes) -> str:
    """Return the text that a file begins with; nothing where it is no text."""
    try:
        return text_of(start if len(start) < 4 else start[: len(start) & -4])  # UTF-32 has fours
    except ValueError:
        return ""


def _wide_encoding(start: bytes) -> str | None:
    """Return the encoding of a text that begins so where it is UTF-16 or UTF-32, else None."""
    mark = next((mark for mark in _MARKS if start.startswith(mark)), None)
    if mark is not None:
        return _MARKS[mark] if mark != codecs.BOM_UTF8 else None
    some = start[:_FIRST]
    some = some[: len(some) & -2]
    for rest, encoding in ((0, "utf-16-be"), (1, "utf-16-le")):
        zeros, others = some[rest::2].count(0), some[1 - rest :: 2].count(0)
        if zeros > 0.7 * len(some) / 2 and others < zeros / 8:
            return encoding
    return None


def _decoded(content: bytes) -> str:
    encoding = _wide_encoding(content)
    if encoding is not None:
        has_mark = encoding in _MARKS.values()
        return (content if has_mark else content[: len(content) & -2]).decode(encoding)
    if content.startswith(codecs.BOM_UTF8):
        return content.decode("utf-8-sig")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="samuel.latin-1")


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", "samuel.latin-1"), error.end


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("samuel.latin-1", _as_latin_1)
codecs.register_error(AS_WINDOWS, _as_windows)


def read_toml(path: Path | str) -> dict[str, Any]:
    """Return what a TOML file holds.

    Raises
    ------
    UserError
        It cannot be read, or is no TOML.
    """
    try:
        text = read_bytes(path, _MOST_OF_TOML).decode()
        if any(line.count(".") > _MOST_POINTS for line in text.splitlines()):
            raise RecursionError
        return tomllib.loads(text)
    except RecursionError:
        raise UserError(f"{path} is not TOML: it is nested too deep") from None
    except ValueError as error:  # also where it is not UTF-8, or has a number without end
        raise UserError(f"{path} is not TOML: {error}") from None
