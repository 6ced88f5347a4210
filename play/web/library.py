"""Library of what may be opened: games, evaluators, and the folders named on the command line.

A page names an evaluator by its name in the list, never by a path.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from samuel.common.errors import UserError
from samuel.common.extras import command
from samuel.games import Game, game_names
from samuel.games.catalog import known_game
from samuel.games.drawing import side_names
from samuel.games.evaluator import Evaluator
from samuel.games.plugins import plugin_options
from samuel.models import evaluator_names, find_evaluator
from samuel.models.game_of import game_of_folder
from samuel.models.saved.card import CARD
from samuel.play.levels import USUAL_LEVEL, levels_of
from samuel.search import AlphaBeta
from samuel.search.methods import METHODS

_TITLES = {"xiangqi": "Chinese chess"}
_DEEPEST = 3
_MOST_FILES = 500


class Library:
    """The games, evaluators and folders that a page may ask for."""

    def __init__(
        self, folders: Sequence[Path | str], evaluators: Sequence[str], game: Game
    ) -> None:
        self.game = game
        self.folders = [Path(folder) for folder in folders]
        for root in self.folders:
            if root.suffix == ".py" and root.is_file():
                raise UserError(
                    f"{root} is a file of code, not a folder; use --game {root} if it defines a "
                    f"game, or --plugin {root} if it defines features or evaluators"
                )
            if not root.is_dir():
                raise UserError(f"there is no folder {root}")
        self._named = list(evaluators)

    def models(self) -> dict[str, Path]:
        """Return the models in the folders, as they are now, by the names that the page has."""
        return {name: path.parent for _, name, path in self._found(CARD)}

    def reports(self) -> dict[str, str]:
        """Return the pages in the folders by name: where the server has them."""
        return {
            f"{name}/{path.name}": f"{number}/{_address(path, self.folders[number])}"
            for number, name, path in self._found("*.html")
        }

    def report(self, address: str) -> Path | None:
        """Return the page that `reports` has at an address, unquoted."""
        found = self._found("*.html")
        pages = {
            f"{n}/{path.relative_to(self.folders[n]).as_posix()}": path for n, _, path in found
        }
        return pages.get(address)

    def _found(self, pattern: str) -> list[tuple[int, str, Path]]:
        """Return files: the number of the folder named, the name of the file's folder, the file."""
        found = []
        for number, root in enumerate(self.folders):
            for path in _inside(root, pattern, _DEEPEST):
                name = str(Path(root.name) / path.parent.relative_to(root))
                found.append((number, name, path))
        return found[:_MOST_FILES]

    def game_of(self, name: str) -> Game:
        """Return a game by its name."""
        if name == self.game.name:
            return self.game
        if name not in game_names():
            raise UserError(f"there is no game called {name!r:.80}")
        return known_game(name)

    def evaluators(self, game: Game) -> dict[str, str]:
        """Return the evaluators of a game by the names a page knows them by, and what to load."""
        known = evaluator_names(game)
        named = [name for name in self._named if name in known or _is_of(name, game)]
        listed = {name: name for name in (*named, *known)}
        for name, path in self.models().items():
            if _is_of(str(path), game):
                listed[name] = str(path)
        return listed

    def evaluator(self, name: str, game: Game) -> Evaluator:
        """Return an evaluator that is listed."""
        listed = self.evaluators(game)
        if name not in listed:
            raise UserError(f"there is no evaluator {name!r:.80}; name it when you start the board")
        return find_evaluator(listed[name], game)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, for JSON."""
        names = sorted({*game_names(), self.game.name})
        return {
            "game": self.game.name,
            "games": [{"name": name, "title": _title(name)} for name in names],
            "level": USUAL_LEVEL,
            "command": f"{command()} board",
            "reports": self.reports(),
        }

    def of_game(self, game: Game) -> dict[str, Any]:
        """Return what may be chosen in a game, for JSON."""
        evaluators = self.evaluators(game)
        return {
            "evaluators": list(evaluators),
            "own": len(evaluators) > len(evaluator_names(game)),
            "levels": len(levels_of(game)),
            "methods": _methods_of(game),
            "depth": game.defaults.depth,
            "unit": game.scores.unit,
            "most": game.scores.max_utility,
            "names": side_names(game),
            "dice": game.chance is not None,
            "commands": _commands(game),
        }


def _title(name: str) -> str:
    return _TITLES.get(name, name.replace("_", " ").capitalize())


def _methods_of(game: Game) -> list[str]:
    """Return the search methods that differ in a game: those for chance nodes need dice."""
    usual = METHODS["alphabeta"]
    has_dice = game.chance is not None
    return [
        name
        for name, method in METHODS.items()
        if method is usual or type(method) is not AlphaBeta or (has_dice and method != usual)
    ]


def _commands(game: Game) -> list[str]:
    """Return what to type where the page has no model to show."""
    samuel, name = command(), game.name
    plugin = plugin_options(name)
    of = f"{'' if name == 'othello' else f' --game {name}'}{plugin}"
    return [
        f"{samuel} selfplay{of} --games 1000 --out data/{name}",
        f"{samuel} train data/{name}{plugin} --out runs/{name}-model",
        f"{samuel} board runs{of}",
    ]


def _address(path: Path, root: Path) -> str:
    return quote(path.relative_to(root).as_posix())


def _inside(folder: Path, pattern: str, deep: int) -> Iterator[Path]:
    """Yield the files of a pattern in a folder and in those below it; links are not followed."""
    try:
        here = sorted(one for one in folder.iterdir() if not one.is_symlink())
    except OSError:
        return
    yield from (one for one in here if one.match(pattern) and one.is_file())
    if deep:
        for one in [one for one in here if one.is_dir()][:_MOST_FILES]:
            yield from _inside(one, pattern, deep - 1)


@functools.lru_cache(maxsize=1024)
def _is_of(evaluator: str, game: Game) -> bool:
    try:
        return game_of_folder(evaluator) == game.name
    except UserError:
        return False
