"""A disk so small that it fills up."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def disk_of(folder: Path, kilobytes: int) -> Iterator[Path]:
    """Yield an empty disk of that size, mounted in a folder; skip the test where that cannot be.

    Whatever happens meanwhile, it is gone in the end.
    """
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small disk needs Linux and the rights of root")
    try:
        yield disk
    finally:
        # lazily: of a table that could not be written, pyarrow holds the file for a while, as the
        # traceback of a test that fails does
        subprocess.run(["umount", "--lazy", disk], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return an empty disk of 256 KiB: the folder `disk` of the test's own."""
    with disk_of(tmp_path, 256) as disk:
        yield disk
