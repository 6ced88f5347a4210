"""A pool of three players, and a saved model to join it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.arena.pool.pools import QUICK, add_to_pool, save_model


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pool of three players, not to be changed."""
    folder = tmp_path_factory.mktemp("three") / "pool"
    add_to_pool(folder, ["classic", "wpc", "zero"], **QUICK)
    return folder


@pytest.fixture
def pool(three: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(three, tmp_path / "pool"))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A small saved model."""
    return save_model(tmp_path / "mine", 1.0)
