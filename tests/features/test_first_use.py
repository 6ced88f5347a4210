"""The first use of a game and its features from several threads at once."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import samuel.games
from samuel.common.errors import UserError
from samuel.features import feature_names
from samuel.games import catalog, game_named, load_plugin, plugins, register_game
from tests.processes import TIMEOUT

BOTH = """
from samuel.games.feature import feature
from tests.features.test_first_use import hold
def define(game):
    @feature(game=game.name)
    def first(position):
        return 1.0
    hold()
    @feature(game=game.name)
    def second(position):
        return 2.0
"""
AT_IMPORT = BOTH.replace("def define(game):", "from samuel.games import known_game\nif True:")
begun, go_on = threading.Event(), threading.Event()


def hold() -> None:
    """Stop in the middle until the test says so."""
    begun.set()
    assert go_on.wait(TIMEOUT)


@pytest.fixture(autouse=True)
def new_events() -> None:
    begun.clear()
    go_on.clear()


def both_at_once(call: Any) -> tuple[Any, Any]:
    """Return what two threads get, the second of which begins when the first is held."""
    with ThreadPoolExecutor(2) as pool:
        first: Future[Any] = pool.submit(call)
        try:
            assert begun.wait(TIMEOUT)
            second: Future[Any] = pool.submit(call)
            with pytest.raises(TimeoutError):  # whoever comes second has to wait
                second.result(timeout=0.05)
        finally:
            go_on.set()
        return first.result(TIMEOUT), second.result(TIMEOUT)


@pytest.mark.parametrize("source", [BOTH, AT_IMPORT.replace("game.name", "'held'")])
def test_features_half_defined_are_not_taken_for_all(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"held_{len(source)}"
    (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.setattr(samuel.games, "__path__", [*samuel.games.__path__, str(tmp_path)])
    nim = game_named("nim")
    defaults = replace(nim.defaults, features_in=f"samuel.games.{name}")
    register_game(replace(nim, name="held", defaults=defaults))
    assert both_at_once(lambda: feature_names("held")) == (["first", "second"],) * 2


def test_a_plugin_that_fails_leaves_what_was_known_all_the_time(tmp_path: Path) -> None:
    """A registry is never empty for a moment, in which another thread may look."""

    class Watched(dict[Any, Any]):
        def clear(self) -> None:
            raise AssertionError("emptied")

    file = tmp_path / "fails.py"
    file.write_text(
        "from dataclasses import replace\nfrom samuel.games import game_named, register_game\n"
        "register_game(replace(game_named('nim'), name='gone'))\n1 / 0\n"
    )
    register_game(replace(game_named("nim"), name="stays"))
    own = Watched(plugins.own_games)
    registries = tuple(own if one is plugins.own_games else one for one in plugins.registries)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalog, "own_games", own)
        patch.setattr(plugins, "own_games", own)
        patch.setattr(plugins, "registries", registries)
        with pytest.raises(UserError, match="ZeroDivisionError"):
            load_plugin(file)
    assert "stays" in own and list(own) == list(plugins.own_games)
