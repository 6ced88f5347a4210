"""A small disk goes when its test ends, however it ends."""

from pathlib import Path

import pytest

from tests.disks import disk_of


def test_a_failing_test_that_holds_a_file_leaves_no_disk(tmp_path: Path) -> None:
    held = []
    with pytest.raises(AssertionError, match="fails"), disk_of(tmp_path, 64) as disk:
        assert disk.is_mount()
        held.append((disk / "open").open("w"))
        raise AssertionError("fails")
    assert not disk.is_mount() and not list(disk.iterdir())
    held[0].close()
