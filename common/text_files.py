"""Text files in UTF-8, plain or packed by gzip, zip or Zstandard, and TOML."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import math
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, cast

from samuel.common.errors import UserError
from samuel.common.files import MOST_BYTES, read_bytes, require_readable

_GZIP, _ZIPS = b"\x1f\x8b", (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ZSTANDARD, _MARK = b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf"
_PACKERS = (".gz", ".zip", ".zst")
_ENCRYPTED = 1
_AT_ONCE = 1 << 18
_SMALL, _MOST_TIMES = 1 << 26, 200
"""Bytes that a file may unpack to, however small it is, and how many times its size others may."""
_MOST_OF_TOML = 1 << 18
_watcher: ContextVar[Callable[[int], None]] = ContextVar("_watcher", default=lambda read: None)


@contextlib.contextmanager
def watched(told: Callable[[int], None]) -> Iterator[None]:
    """Tell how many bytes were read, whenever `open_file` has read some of a file inside."""
    token = _watcher.set(told)
    try:
        yield
    finally:
        _watcher.reset(token)


def tell_read(read: int) -> None:
    """Tell that so many bytes more of a file were read, by other means than `open_file`."""
    _watcher.get()(read)


class _Unpacked(io.RawIOBase):
    """Unpacked bytes of a file, whose faults are told in a sentence about it."""

    def __init__(
        self, path: Path, file: IO[bytes], source: IO[bytes], is_text: bool, most: float
    ) -> None:
        self._path, self._file, self._source, self._left = path, file, source, most
        self._decoder = codecs.getincrementaldecoder("utf-8")() if is_text else None
        self._told = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _told_of(self._path):
            block = self._source.read(len(buffer))
            read = self._file.tell() if block else self._path.stat().st_size
        self._left -= len(block)
        if self._left < 0:
            raise too_large(self._path)
        try:
            if self._decoder is not None:
                self._decoder.decode(block, not block)
        except UnicodeDecodeError:
            raise not_text(self._path) from None
        _watcher.get()(read - self._told)
        self._told = read
        buffer[: len(block)] = block
        return len(block)


@contextlib.contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """Turn whatever unpacking a damaged file raises into a sentence."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # zlib, lzma and zipfile have many
        if isinstance(error, OSError) and error.strerror:  # not one of gzip or Arrow
            raise UserError(f"{path} cannot be read ({error.strerror})") from None
        raise UserError(f"{path} is damaged or cut off; copy it again") from None


@contextlib.contextmanager
def open_file(path: Path, is_text: bool = False, most: float = math.inf) -> Iterator[IO[bytes]]:
    """Open a file and yield its bytes, unpacked."""
    with contextlib.ExitStack() as stack:
        with _told_of(path):
            file = stack.enter_context(io.BufferedReader(io.FileIO(path), _AT_ONCE))
            start, source = file.peek(4)[:4], cast(Any, file)
            if start in _ZIPS:
                source = stack.enter_context(_member_of(zipfile.ZipFile(file), path))
            elif start.startswith(_GZIP):
                source = stack.enter_context(gzip.open(file))
            elif start == _ZSTANDARD:
                import pyarrow  # not for those who read no such file

                source = stack.enter_context(pyarrow.CompressedInputStream(file, "zstd"))
        yield io.BufferedReader(_Unpacked(path, file, source, is_text, most), _AT_ONCE)


def _member_of(archive: zipfile.ZipFile, path: Path) -> Any:
    files = [one for one in archive.infolist() if not one.is_dir()]
    if len(files) != 1:
        raise UserError(f"{path} contains {len(files)} files; unpack it and give one of them")
    if files[0].flag_bits & _ENCRYPTED:
        raise UserError(f"{path} is encrypted; unpack it and give the file in it")
    return archive.open(files[0])


@contextlib.contextmanager
def open_text(path: Path, most: float = math.inf) -> Iterator[IO[bytes]]:
    """Open a file of text as `open_file` does, behind a byte-order mark."""
    with open_file(path, True, most) as stream:
        if stream.peek(3).startswith(_MARK):  # type: ignore[attr-defined]
            stream.read(3)
        yield stream


def most_unpacked(size: int) -> int:
    """Return how many bytes a file of so many may unpack to."""
    return max(_SMALL, _MOST_TIMES * size)


def too_large(path: Path) -> UserError:
    """Return the error that a file unpacks to more than is read."""
    return UserError(
        f"{path} has {path.stat().st_size:,} bytes and unpacks to more than a file of its kind "
        "can; unpack it and split it into smaller files"
    )


def content_of(path: Path, most: int) -> bytes:
    """Return the content of a file, unpacked."""
    left = min(most, most_unpacked(path.stat().st_size))
    with open_file(path) as stream:
        content = stream.read(left + 1)
    if len(content) > left:
        raise too_large(path)
    return content


def start_of_file(path: Path, most: int = 1 << 14) -> bytes:
    """Return the first bytes of a file, unpacked."""
    with watched(lambda read: None), open_file(path) as stream:
        return stream.read(most)


def start_of_text(path: Path) -> str:
    """Return the text that a file begins with, with blanks for tabs."""
    return sniffed(start_of_file(path)).replace("\t", " ")


def ending_of(path: Path) -> str:
    """Return the ending of a file's name in lower case, without that of a packer and the dot."""
    name = Path(path.name.lower())
    return (Path(name.stem) if name.suffix in _PACKERS else name).suffix.lstrip(".")


def read_text(path: Path | str, most: int = MOST_BYTES) -> str:
    """Return the content of a text file, which may be packed; see `text_of`."""
    require_readable(path, most)
    try:
        return text_of(content_of(Path(path), most))
    except ValueError:
        raise not_text(path) from None


def text_of(content: bytes) -> str:
    r"""Return the text in bytes of UTF-8, whose lines end in `\n`."""
    text = content.decode("utf-8-sig").replace("\0", " ")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def not_text(path: Path | str) -> UserError:
    """Return the error that a file is no text."""
    return UserError(f"{path} is not a text file in UTF-8")


def sniffed(start: bytes) -> str:
    """Return the text that a file begins with."""
    return start.decode("utf-8-sig", "ignore").replace("\0", " ").replace("\r", "\n")


def read_toml(path: Path | str) -> dict[str, Any]:
    """Return what a TOML file holds."""
    try:
        return tomllib.loads(read_bytes(path, _MOST_OF_TOML).decode())
    except RecursionError:
        raise UserError(f"{path} is not TOML: it is nested too deep") from None
    except UnicodeDecodeError:
        raise not_text(path) from None
    except ValueError as error:  # also where it has a number without end
        raise UserError(f"{path} is not TOML: {error}") from None
