"""A disk so small that it fills up."""

from __future__ import annotations

import contextlib
import gc
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def disk_of(folder: Path, kilobytes: int) -> Iterator[Path]:
    """Yield an empty disk of that size, mounted in a folder; skip the test where that cannot be."""
    disk = folder / "disk"
    disk.mkdir()
    size = f"size={kilobytes}k"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", size, "tmpfs", disk], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting a small disk needs Linux and the rights of root")
    yield disk
    gc.collect()  # of a table that could not be written, pyarrow holds the file for a while
    subprocess.run(["umount", disk], check=True)
