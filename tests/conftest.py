"""What a test registers is forgotten after it, as tests share a process."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from samuel.features.feature import _OF_THE_PACKAGE, _known
from samuel.games import catalog
from tests.disks import small_disk

__all__ = ["small_disk"]

REGISTRIES = _known, catalog._own, catalog._plugins, catalog._of_plugins

for package in set(_OF_THE_PACKAGE.values()):
    importlib.import_module(package)  # later, a test would forget the package's features too


@pytest.fixture(autouse=True)
def own_games_and_features() -> Iterator[None]:
    """Forget the games, features and plugins of a test."""
    before, modules = [dict(known) for known in REGISTRIES], plugin_modules()
    yield
    for known, content in zip(REGISTRIES, before, strict=True):
        known.clear()
        known.update(content)
    for name in plugin_modules():
        del sys.modules[name]
    sys.modules.update(modules)


def plugin_modules() -> dict[str, ModuleType]:
    """Return the users' files that are loaded."""
    return {name: it for name, it in sys.modules.items() if name.startswith("plugin_")}
