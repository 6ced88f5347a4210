"""Files that are either whole or not there, whatever interrupts the writing."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from samuel.errors import UserError

PARTIAL = ".partial"
"""Suffix of a file still being written; a leftover one is never read."""
LOCK = ".lock"
"""The file by which one process holds a folder."""


@contextlib.contextmanager
def whole(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` when the block ends well.

    Raises
    ------
    UserError
        `path` names a folder, the disk is full or the folder cannot be written; nothing is left
        behind.
    """
    path = _of_a_file(path)
    partial = path.with_name(f"{path.name}.{os.getpid()}{PARTIAL}")
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            yield partial
            _flush_to_disk(partial)
            os.replace(partial, path)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def require_file(path: Path | str) -> None:
    """Raise UserError unless a file can be written at `path`; it makes nothing."""
    path = _of_a_file(path)
    with writing(path):
        folder = next(parent for parent in path.absolute().parents if parent.exists())
        with tempfile.TemporaryFile(dir=folder):
            pass


def _of_a_file(path: Path | str) -> Path:
    path = Path(path)
    if not path.name or os.path.isdir(path):
        raise UserError(f"{str(path)!r} is a folder; give the name of a file to write")
    return path


@contextlib.contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Turn an operating system's refusal to write at `path` into one clear sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error):
            message = f"the disk is full: {path} was not written; free some space and run it again"
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            message = f"no permission to write {path}; choose another folder"
        elif error.errno in (errno.ENOTDIR, errno.EEXIST):
            message = f"{path} cannot be written: a file stands where a folder is needed"
        else:
            message = f"{path} could not be written ({error.strerror or error})"
        raise UserError(message) from error


@contextlib.contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Hold a folder for this process; the system lets go when the process ends, however.

    Raises
    ------
    UserError
        Another process holds it, or it cannot be written.
    """
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = open(folder / LOCK, "w")  # noqa: SIM115
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(f"another run is writing to {folder}; wait for it to end") from None
        yield


def write_json(path: Path | str, content: Any) -> None:
    """Write `content` as indented JSON, whole or not at all."""
    with whole(path) as partial:
        partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read_json(path: Path | str, what: str) -> dict[str, Any]:
    """Read a JSON object; `what` names it in the error a damaged file raises.

    Raises
    ------
    UserError
        the file is missing, cut off, or not a JSON object.
    """
    path = Path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} is missing: {path.parent} is not {what}") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} is damaged or not JSON ({error})") from None
    if not isinstance(content, dict):
        raise UserError(f"{path} is damaged: it should hold a JSON object")
    return content


def _flush_to_disk(path: Path) -> None:
    """Ask the system to put the bytes on the disk before the rename makes them count."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
