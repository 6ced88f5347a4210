"""What a test registers is forgotten after it, as tests share a process."""

import os
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

from samuel.games import catalog, plugins
from samuel.games.feature import _complete, _known, feature_names
from tests.disks import small_disk
from tests.leftovers import Leftovers
from tests.processes import finish, start

__all__ = ["small_disk"]

REGISTRIES = _known, _complete, *plugins.registries

NEEDED_BY_NEARLY_ALL = (
    "from samuel.search import analyse; analyse(START, load_evaluator('classic', START.game))",
    "from samuel.kernels.jit import make_ready; make_ready(START.game.rules)",
)
"""Programs that compile the search, and the rules of Othello with their solver."""

for name in ("FORCE_COLOR", "NO_COLOR", "PY_COLORS", "GITHUB_ACTIONS"):
    os.environ.pop(name, None)
os.environ |= {"COLUMNS": "80", "LINES": "25"}  # what is shown goes by the terminal of who tests

# a slow machine is no fault of an example
settings.register_profile("any", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any")

for known in catalog.game_names():
    feature_names(known)  # later, a test would forget the package's features too


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile what nearly all tests need before several workers begin, and each does by itself."""
    is_worker = hasattr(session.config, "workerinput")
    if is_worker or not session.config.getoption("numprocesses", None):
        return
    begin = (
        "from samuel.games import Position; from samuel.models import load_evaluator; "
        "START = Position.start(); "
    )
    for process in [start("-c", begin + program) for program in NEEDED_BY_NEARLY_ALL]:
        finish(process)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that no worker waits for another at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


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


@pytest.fixture(autouse=True)
def nothing_left_behind() -> Iterator[None]:
    """Fail the test that leaves a thread or a process, not the one that runs when it gives up."""
    leftovers = Leftovers()
    yield
    left = leftovers.after_grace()
    assert not left, f"the test left behind: {', '.join(left)}"


def plugin_modules() -> dict[str, ModuleType]:
    """Return the users' files that are loaded."""
    return {name: it for name, it in sys.modules.items() if name.startswith("plugin_")}
