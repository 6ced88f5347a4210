"""Files that are either whole or not there, whatever interrupts the writing."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO

from samuel.common.errors import UserError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PARTIAL = ".partial"
"""Suffix of a file still being written; a leftover one is never read."""
LOCK = ".lock"
"""The file by which one process holds a folder."""
MOST_BYTES = 1 << 30
"""No file that is read as a whole is larger: one that is, however small on the disk, is refused."""
MOST_OF_JSON = 1 << 25
"""Bytes of a file of JSON, which takes twenty times as many in memory."""
_LONGEST_WAIT, _LONGEST_RENAME, _POLL = 60.0, 2.0, 0.01
"""Seconds to wait for others to let go of a folder, or of a file, and between looks."""
_FOLDERS = {
    "model.json": "a model",
    "manifest.json": "a dataset (samuel train makes a model of one)",
    "event.json": "a match or tournament",
    "state.json": "a run of samuel learn, whose best model is in best",
}
"""Kinds of folders, by the file that says so."""


@contextlib.contextmanager
def whole(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path; what stands there becomes the file `path` when the block ends well.

    A link stays, and what it leads to is written; a device or a pipe is written into.
    """
    path, target = Path(path), _target_of(path)
    if target is None:
        with tempfile.TemporaryDirectory(prefix="samuel-") as folder, writing(path):
            partial = Path(folder) / path.name
            yield partial
            with open(partial, "rb") as content, _opened(path) as stream:
                shutil.copyfileobj(content, stream)
        return
    partial = target.with_name(f"{target.name}.{secrets.token_hex(4)}{PARTIAL}")
    try:
        with writing(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            yield partial
            # on the disk before the rename makes it count; Windows flushes what is open for writing
            with open(partial, "rb+") as file:
                os.fsync(file.fileno())
            _rename(partial, target)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def require_file(path: Path | str) -> None:
    """Raise UserError unless a file can be written at `path`; it makes nothing."""
    target = _target_of(path)
    if target is None:
        if not os.access(path, os.W_OK):
            raise UserError(f"no permission to write {path}; give another name")
        return
    require_folder(target.parent)


def require_folder(path: Path | str) -> None:
    """Raise UserError unless a folder, which may be missing, can be written to; make nothing."""
    with writing(path):
        places = (place for place in (Path(path), *Path(path).parents) if place.exists())
        with tempfile.TemporaryFile(dir=next(places, Path())):
            pass


def _target_of(path: Path | str) -> Path | None:
    """Return the file that `path` leads to, there or not; None for a device, pipe or socket."""
    path = Path(path)
    if not path.name or os.path.isdir(path):
        raise UserError(f"{str(path)!r} is a folder; give the name of a file")
    if os.path.exists(path) and (not os.path.isfile(path) or _standard(path) is not None):
        return None
    if not os.path.islink(path):
        return path
    target = os.path.realpath(path)
    if os.path.islink(target):
        raise UserError(f"{path} is a link to itself; give the name of a file")
    return Path(target)


def _opened(path: Path) -> BinaryIO:
    """Open a device or a pipe for writing; standard output and errors where they have come to."""
    descriptor = _standard(path)
    if descriptor is None:
        return open(path, "wb")
    sys.stdout.flush()
    return open(os.dup(descriptor), "wb")


def _standard(path: Path) -> int | None:
    """Return 1 or 2 if the process's standard output or errors go to just this file, else None."""
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.stat(path), os.fstat(descriptor)):
                return descriptor
    return None


def require_name(path: Path | str) -> None:
    """Raise UserError where `path` can name no output: it is empty, or no Unicode."""
    if not str(path):
        raise UserError("the name of the output is empty; give a name, or . for the current folder")
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise UserError(f"the name {str(path)!a} is not valid Unicode; give another name") from None


def inside(folder: Path, name: str) -> Path:
    """Return the path of what a file in a folder calls `name`: something in that folder."""
    path = folder / name
    if not _is_within(folder, path):
        raise UserError(
            f"{folder} names {name!r}, which lies outside the folder; nothing there is read "
            "or changed"
        )
    return path


def require_own(folder: Path) -> None:
    """Raise UserError where a folder that is to be written to leads out of itself."""
    for place, folders, files in os.walk(folder):
        for path in (Path(place, name) for name in (*folders, *files)):
            if path.is_symlink() and not _is_within(folder, path):
                raise UserError(
                    f"{path} is a link to a place outside {folder}; replace it by the file "
                    "itself, or remove it"
                )
            is_known = path.is_symlink() or path.is_dir() or path.is_file()
            if not is_known and path.exists():  # another process may have taken it away meanwhile
                raise UserError(f"{path} is a device or a pipe, not a file; remove it")


def _is_within(folder: Path, path: Path) -> bool:
    try:
        home, place = os.path.realpath(folder), os.path.realpath(path)
    except ValueError:  # a name that no file can have
        return False
    return place != home and Path(place).is_relative_to(home)


def require_alone(folder: Path, sign: str, own: Collection[str] = (), what: str = "") -> None:
    """Raise UserError where a folder without the file `sign` holds other files than its `own`."""
    if not folder.is_dir() or (folder / sign).exists():
        return
    known = {LOCK, *own}
    for other in folder.iterdir():
        if other.name not in known and not other.name.endswith(PARTIAL):
            raise UserError(
                f"{folder} contains other files{what} ({other.name}, ...); choose another folder"
            )


def is_nowhere() -> bool:
    """Return whether the current folder has been removed."""
    try:
        os.getcwd()  # a stat of it would still succeed
    except FileNotFoundError:
        return True
    return False


FULL = "the disk is full: {} was not written; free some space and run it again"


def is_full(error: OSError) -> bool:
    """Return whether a disk has no room left."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error)


@contextlib.contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Turn an operating system's refusal to write at `path` into one clear sentence."""
    try:
        yield
    except OSError as error:
        if is_full(error):
            message = FULL.format(path)
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            message = f"no permission to write {path}; choose another folder"
        elif error.errno in (errno.ENOTDIR, errno.EEXIST):
            message = f"{path} cannot be written: a file stands where a folder is needed"
        elif is_nowhere():
            message = "the current folder no longer exists; change to another one"
        else:
            message = f"{path} could not be written ({error.strerror or error})"
        raise UserError(message) from error


@contextlib.contextmanager
def holding(folder: Path) -> Iterator[None]:
    """Hold a folder for this process; the system lets go when the process ends, however.

    A folder that leads out of itself is refused (`require_own`). Half-written files of runs that
    were killed are removed, but not in a folder within that is held by itself. A folder that is
    made for this is removed again where nothing is in it after a failure.
    """
    require_name(folder)
    with writing(folder):
        made = [one for one in (folder, *folder.parents) if not one.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        require_own(folder)
        lock = open(folder / LOCK, "w")  # noqa: SIM115
    with lock:
        require_free(lock, folder)
        for leftover in folder.rglob(f"*{PARTIAL}"):
            at = leftover.parent
            if leftover.is_file() and (at == folder or not (at / LOCK).exists()):
                leftover.unlink(missing_ok=True)
        try:
            yield
        except BaseException:
            _remove_empty(made)
            raise


def require_free(file: IO[Any], path: Path) -> None:
    """Hold an open file until it is closed; raise UserError where another run holds it."""
    try:
        _lock(file.fileno())
    except OSError:
        raise UserError(f"another run is writing to {path}; wait for it to end") from None


def _remove_empty(folders: list[Path]) -> None:
    """Remove folders that hold each other, the innermost first, which holds at most its lock."""
    with contextlib.suppress(OSError):
        if folders and [one.name for one in folders[0].iterdir()] == [LOCK]:
            (folders[0] / LOCK).unlink()
        for folder in folders:
            folder.rmdir()


@contextlib.contextmanager
def in_turn(folder: Path, *, reading: bool = False) -> Iterator[None]:
    """Hold a folder whose files belong together while they are renamed, or read.

    Readers hold it together, a writer alone; who comes later waits. The lock is the folder's own:
    where there is no folder, or a file system without locks, nothing is held. Windows locks no
    folders: there a file for temporary files is locked.
    """
    try:
        held = _handle_of(folder)
    except OSError:
        yield
        return
    try:
        _wait_for(held, reading, folder)
        yield
    finally:
        os.close(held)


def _handle_of(folder: Path) -> int:
    if sys.platform != "win32":
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    name = hashlib.sha256(os.path.realpath(folder).encode()).hexdigest()[:24]
    return os.open(Path(tempfile.gettempdir(), f"samuel-{name}{LOCK}"), os.O_RDWR | os.O_CREAT)


def _lock(held: int, shared: bool = False) -> None:
    """Lock an open file until it is closed; raise OSError where another has it locked."""
    if sys.platform == "win32":
        os.lseek(held, MOST_BYTES, os.SEEK_SET)  # a byte that nobody reads: Windows refuses that
        msvcrt.locking(held, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(held, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _wait_for(held: int, reading: bool, folder: Path) -> None:
    until = time.monotonic() + _LONGEST_WAIT
    while True:
        try:
            return _lock(held, reading)
        except (BlockingIOError, PermissionError):
            if time.monotonic() > until:
                raise UserError(
                    f"another process has used {folder} for {_LONGEST_WAIT:g} s; wait for it to end"
                ) from None
            time.sleep(_POLL)
        except OSError:
            return None


def what_is(folder: Path) -> str | None:
    """Return what a folder is, in words; None where nobody knows."""
    found = next((name for name in _FOLDERS if (folder / name).is_file()), None)
    if found == "state.json" and (folder / "best.rote").is_file():
        return "a run of rote learning, whose best store is best.rote"
    if found == "state.json" and not (folder / "best").is_dir():
        return "a run of samuel learn, none of whose models was promoted"
    return _FOLDERS.get(found or "")


def but_is(folder: Path) -> str:
    """Return what a folder is instead of what was looked for there; nothing where nobody knows."""
    found = what_is(folder)
    return f"; it is {found}" if found else ""


def read_bytes(path: Path | str, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file; see `require_readable`."""
    require_readable(path, most)
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error})") from None


def require_readable(path: Path | str, most: int = MOST_BYTES) -> None:
    """Raise UserError where there is no file, but a device or a folder, or more bytes than that."""
    try:
        about = os.stat(path)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = getattr(error, "strerror", None) or error
        raise UserError(f"{path} cannot be read ({reason})") from None
    if not stat.S_ISREG(about.st_mode):
        raise UserError(f"{path} cannot be read: it is not a file")
    if about.st_size > most:
        raise UserError(
            f"{path} cannot be read: it has {about.st_size:,} bytes, and the limit is "
            f"{most:,}; split it into smaller files"
        )


def _rename(partial: Path, target: Path) -> None:
    """Rename a file; wait a little for who has the other open, which on Windows hinders it."""
    until = time.monotonic() + (_LONGEST_RENAME if sys.platform == "win32" else 0.0)
    while True:
        try:
            return os.replace(partial, target)
        except PermissionError:
            if time.monotonic() >= until:
                raise
            time.sleep(_POLL)
