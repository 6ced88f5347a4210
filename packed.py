"""Streams of bytes from files: plain, packed by gzip, or the members of a zip."""

from __future__ import annotations

import contextlib
import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any

from samuel.errors import UserError, one_line

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_FAULTS = (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)
_AT_ONCE = 1 << 18
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
        _watcher.get()(read or 0)
        return read


@contextlib.contextmanager
def streams(path: Path) -> Iterator[Iterator[IO[bytes]]]:
    """Open a file and yield its streams of bytes: those of the members of a zip, else one.

    Raises
    ------
    UserError
        The file cannot be read, or is cut off.
    """
    try:
        with io.BufferedReader(_Watched(path), _AT_ONCE) as file:
            start = file.read(4)
            file.seek(0)
            if start.startswith(_GZIP):
                packed: Any = gzip.open(file)  # noqa: SIM115
                yield iter([packed])
            elif start == _ZIP:
                with zipfile.ZipFile(file) as members:
                    yield (members.open(one) for one in members.infolist() if not one.is_dir())
            else:
                yield iter([file])
    except _FAULTS as error:
        raise UserError(f"{path} cannot be read ({one_line(error)})") from None


def start_of_file(path: Path, most: int = 1 << 14) -> bytes:
    """Return the first bytes of a file, of the first member of a zip."""
    with watched(lambda read: None), streams(path) as found:
        return next((stream.read(most) for stream in found), b"")
