"""Streams of bytes from files: plain, packed by gzip, or the members of a zip."""

from __future__ import annotations

import contextlib
import gzip
import io
import zipfile
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any

from samuel.common.errors import UserError, one_line

_GZIP, _ZIPS = b"\x1f\x8b", (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_OTHERS = {
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"7z\xbc\xaf\x27\x1c": "7-Zip",
    b"Rar!\x1a\x07": "RAR",
}
"""Packers whose files are not read, by the first bytes of these."""
_TAR, _TAR_AT = b"ustar", 257
_ENCRYPTED = 1
_HIDDEN = "__MACOSX/"
"""Folder in which a zip of macOS has what is no file's content."""
_AT_ONCE, _LONGEST_REASON = 1 << 18, 80
_SMALL, _MOST_TIMES = 1 << 26, 200
"""Bytes that a file may unpack to, however small it is, and how many times its size others may."""
_watcher: ContextVar[Callable[[int], None]] = ContextVar("_watcher", default=lambda read: None)


@contextlib.contextmanager
def watched(told: Callable[[int], None]) -> Iterator[None]:
    """Tell how many bytes were read, whenever `streams` has read some of a file inside."""
    token = _watcher.set(told)
    try:
        yield
    finally:
        _watcher.reset(token)


class _Watched(io.FileIO):
    def readinto(self, buffer: Any) -> int | None:  # type: ignore[override,unused-ignore]
        read = super().readinto(buffer)
        try:
            _watcher.get()(read or 0)
        except Exception as error:
            raise _WatcherError(error) from error
        return read


class _WatcherError(Exception):
    """Error of a function that is told how many bytes were read."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class _Source(io.RawIOBase):
    """Bytes of a source, whose faults are told in a sentence about the file."""

    def __init__(self, source: IO[bytes], path: Path) -> None:
        self._source, self._path = source, path

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _told_of(self._path):
            block = self._source.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)


@contextlib.contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """Turn whatever unpacking a damaged file raises into a sentence."""
    try:
        yield
    except _WatcherError as error:
        raise error.error from None
    except UserError:
        raise
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise _damaged(path, error) from None
        raise UserError(f"{path} cannot be read ({error.strerror or one_line(error)})") from None
    except Exception as error:  # zlib, lzma and zipfile have many
        raise _damaged(path, error) from None


def _damaged(path: Path, error: Exception) -> UserError:
    reason = one_line(error)
    told = f" ({reason})" if len(reason) <= _LONGEST_REASON else ""  # others have bytes of the file
    return UserError(f"{path} is damaged or cut off{told}; copy it again")


@contextlib.contextmanager
def streams(path: Path) -> Iterator[Iterator[IO[bytes]]]:
    """Open a file and yield its streams of bytes: those of the members of a zip, else one.

    Raises
    ------
    UserError
        The file cannot be read, is cut off, or packed in a way that is not read.
    """
    with contextlib.ExitStack() as stack:
        with _told_of(path):
            file = stack.enter_context(io.BufferedReader(_Watched(path), _AT_ONCE))
            start = file.read(4)
            file.seek(0)
        if start in _ZIPS:
            with _told_of(path):
                archive = stack.enter_context(zipfile.ZipFile(file))
            yield _members(archive, path)
        else:
            source: Any = gzip.open(file) if start.startswith(_GZIP) else file  # noqa: SIM115
            yield iter([_opened(source, path, source is not file)])


def _members(archive: zipfile.ZipFile, path: Path) -> Iterator[IO[bytes]]:
    files = [
        one
        for one in archive.infolist()
        if not one.filename.endswith("/") and not one.filename.startswith(_HIDDEN)
    ]
    if not files:
        raise UserError(f"{path} is a zip without any file")
    if any(one.flag_bits & _ENCRYPTED for one in files):
        raise UserError(f"{path} is encrypted; unpack it and give the files in it")
    for one in files:
        with _told_of(path):
            member = archive.open(one)
        with member:
            yield _opened(member, path, True)


def _opened(source: IO[bytes], path: Path, is_unpacked: bool) -> IO[bytes]:
    """Return a stream of a source; raise UserError where it is packed (once more)."""
    stream = io.BufferedReader(_Source(source, path), _AT_ONCE)
    start = stream.peek(512)
    packer = next((name for sign, name in _OTHERS.items() if start.startswith(sign)), "")
    if start[_TAR_AT:].startswith(_TAR):
        packer = "tar"
    elif is_unpacked and start.startswith((_GZIP, *_ZIPS)):
        packer = "gzip" if start.startswith(_GZIP) else "zip"
    if packer:
        what = f"holds a file packed by {packer}" if is_unpacked else f"is packed by {packer}"
        raise UserError(f"{path} {what}, which is not read; unpack it first")
    return stream


def most_unpacked(size: int) -> int:
    """Return how many bytes a file of so many may unpack to."""
    return max(_SMALL, _MOST_TIMES * size)


def bounded(stream: IO[bytes], path: Path) -> IO[bytes]:
    """Return a stream of what a file unpacks to; reading more than that can be raises UserError."""
    return io.BufferedReader(_Bounded(stream, path), _AT_ONCE)


class _Bounded(io.RawIOBase):
    def __init__(self, stream: IO[bytes], path: Path) -> None:
        self._stream, self._path = stream, path
        self._left = most_unpacked(path.stat().st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._stream.read(len(buffer))
        self._left -= len(block)
        if self._left < 0:
            raise too_large(self._path)
        buffer[: len(block)] = block
        return len(block)


def too_large(path: Path) -> UserError:
    """Return the error that a file unpacks to more than is read."""
    return UserError(
        f"{path} has {path.stat().st_size:,} bytes and unpacks to more than a file of its kind "
        "can; unpack it and split it into smaller files"
    )


def contents(path: Path, most: int) -> Iterator[bytes]:
    """Yield the content of a file, of each member of a zip.

    Raises
    ------
    UserError
        As `streams` does; and it unpacks to more bytes than `most`, or than a file of games can.
    """
    left = min(most, most_unpacked(path.stat().st_size))
    with streams(path) as found:
        for stream in found:
            content = stream.read(left + 1)
            left -= len(content)
            if left < 0:
                raise too_large(path)
            yield content


def start_of_file(path: Path, most: int = 1 << 14) -> bytes:
    """Return the first bytes of a file, of the first member of a zip that is not empty."""
    with watched(lambda read: None), streams(path) as found:
        return next(filter(None, (stream.read(most) for stream in found)), b"")


def ending_of(path: Path) -> str:
    """Return the ending of a file's name in lower case, without that of a packer and the dot."""
    name = Path(path.name.lower())
    return (Path(name.stem) if name.suffix in (".gz", ".zip") else name).suffix.lstrip(".")
