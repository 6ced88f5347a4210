"""Plugins that define what files of data hold, as the files name them: names and digests alone.

The names are shown to a person, who may then name such a file; nothing is run because data names
it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

from msgspec import Meta

from samuel.common.errors import PluginNeededError, UserError
from samuel.games.catalog import known_game
from samuel.games.game import Game
from samuel.games.plugins import loaded_plugins, plugins_behind


class Origin(TypedDict):
    """The file of a plugin, without its folder, and the SHA-256 of its content."""

    file: Annotated[str, Meta(pattern=r"^[^/\x00-\x1f\x7f]{1,100}\.py\Z")]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


def origins_of(
    game: str, modules: Iterable[str] = (), evaluators: Iterable[str] = ()
) -> list[dict[str, str]]:
    """Return the origins of a game, of evaluators of it by name, and of the modules of plugins."""
    behind = plugins_behind(game, modules, evaluators)
    return [{"file": Path(plugin.path).name, "sha256": plugin.digest} for plugin in behind]


def game_from(what: str, name: str, origins: Sequence[Any]) -> Game:
    """Return the game that a file of data names."""
    try:
        game = known_game(name)
    except UserError:
        files = unnamed(origins)
        if not files:
            raise
        text = f"{what} is of the game {name!r}, which is not known here"
        raise PluginNeededError(text, files) from None
    warn_of_others(what, game, origins)
    return game


def unnamed(origins: Sequence[Any]) -> list[str]:
    """Return the files among the origins of which none of that name was loaded."""
    names = {Path(plugin.path).name for plugin in loaded_plugins()}
    return [origin["file"] for origin in origins if origin["file"] not in names]


def warn_of_others(what: str, game: Game, origins: Sequence[Any]) -> None:
    """Warn of plugins of the game, or with the name of an origin, that have another content."""
    made_with = {origin["sha256"] for origin in origins}
    names = {origin["file"] for origin in origins}
    of_the_game = plugins_behind(game.name)
    for plugin in loaded_plugins():
        name = Path(plugin.path).name
        is_meant = name in names or (bool(origins) and plugin in of_the_game)
        if is_meant and plugin.digest not in made_with:
            before = next((o for o in origins if o["file"] == name), origins[0])
            warnings.warn(
                f"{what} was made with another version of {before['file']} than the loaded "
                f"{name}: its SHA-256 is {before['sha256'][:12]}..., the loaded file's is "
                f"{plugin.digest[:12]}...",
                stacklevel=2,  # one place, whoever reads: a text is shown once
            )
