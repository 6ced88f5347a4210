"""Library of what may be opened: games, evaluators, and the folders named on the command line.

A page names an evaluator by its name in the list, and a folder by its number, never by a path.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samuel.arena.journal import EVENT
from samuel.common.errors import UserError
from samuel.common.extras import command
from samuel.games import Game, game_names
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.plugins import plugin_options
from samuel.games.scene import side_names
from samuel.learning.generations.run import STATE
from samuel.models import evaluator_names, load_evaluator
from samuel.models.game_of import game_of_folder
from samuel.models.saved.card import CARD
from samuel.play.levels import USUAL_LEVEL, levels_of
from samuel.search import AlphaBeta
from samuel.search.methods import METHODS
from samuel.selfplay.data.manifest import MANIFEST

_KINDS = {CARD: "model", MANIFEST: "dataset", EVENT: "match", STATE: "run"}
"""Kinds of folders, by a file that only such a one has."""
_TITLES = {"xiangqi": "Chinese chess"}
_DEEPEST = 3
_MOST_FOLDERS = 500


@dataclass(frozen=True)
class Entry:
    """A folder: its number, what it is, and the name it is shown by."""

    number: int
    kind: str
    name: str
    path: Path


class Library:
    """The games, evaluators and folders that a page may ask for.

    Parameters
    ----------
    folders
        folders that were named on the command line: models, datasets, matches, tournaments and runs
        of `samuel learn`, or folders that hold some.
    evaluators
        further evaluators, by name or folder.
    game
        the game to begin with.

    Raises
    ------
    UserError
        A folder is not there.
    """

    def __init__(
        self, folders: Sequence[Path | str], evaluators: Sequence[str], game: Game
    ) -> None:
        self.game = game
        self._roots = [Path(folder) for folder in folders]
        for root in self._roots:
            if root.suffix == ".py" and root.is_file():
                raise UserError(
                    f"{root} is a file of code, not a folder; use --game {root} if it defines a "
                    f"game, or --plugin {root} if it defines features or evaluators"
                )
            if not root.is_dir():
                raise UserError(f"there is no folder {root}")
        self._named = list(evaluators)
        self._lock = threading.Lock()
        self._numbers: dict[Path, int] = {}

    def entries(self) -> list[Entry]:
        """Return the folders as they are now; each keeps its number."""
        with self._lock:
            found = []
            for root in self._roots:
                for path, kind in _inside(root, _DEEPEST):
                    number = self._numbers.setdefault(path, len(self._numbers))
                    beside = path.relative_to(root)
                    name = str(root.name / beside) if beside.parts else root.name or str(root)
                    found.append(Entry(number, kind, name, path))
            return found[:_MOST_FOLDERS]

    def folder(self, number: int, *kinds: str) -> Path:
        """Return a folder of these kinds by its number.

        Raises
        ------
        UserError
            There is none.
        """
        for entry in self.entries():
            if entry.number == number and entry.kind in kinds:
                return entry.path
        raise UserError(f"there is no {' or '.join(kinds)} with number {number}; reload the page")

    def game_of(self, name: str) -> Game:
        """Return a game by its name.

        Raises
        ------
        UserError
            There is none: a page names no file.
        """
        if name == self.game.name:
            return self.game
        if name not in game_names():
            raise UserError(f"there is no game called {name!r:.80}")
        return known_game(name)

    def evaluators(self, game: Game) -> dict[str, str]:
        """Return the evaluators of a game by the names a page knows them by, and what to load.

        A page chooses the first: those that were named when the board was started come first.
        """
        known = evaluator_names(game)
        named = [name for name in self._named if name in known or _is_of(name, game)]
        listed = {name: name for name in (*named, *known)}
        for entry in self.entries():
            if entry.kind == "model" and _is_of(str(entry.path), game):
                listed[entry.name] = str(entry.path)
        return listed

    def evaluator(self, name: str, game: Game) -> Evaluator:
        """Return an evaluator that is listed.

        Raises
        ------
        UserError
            It is not, or cannot be loaded.
        """
        listed = self.evaluators(game)
        if name not in listed:
            raise UserError(f"there is no evaluator {name!r:.80}; name it when you start the board")
        return load_evaluator(listed[name], game)

    def as_dict(self) -> dict[str, Any]:
        """Return all of it, for JSON."""
        names = sorted({*game_names(), self.game.name})
        return {
            "game": self.game.name,
            "games": [{"name": name, "title": _title(name)} for name in names],
            "level": USUAL_LEVEL,
            "command": f"{command()} board",
            "folders": [
                {"number": entry.number, "kind": entry.kind, "name": entry.name}
                for entry in self.entries()
                if entry.kind != "model"
            ],
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
            "unit": game.unit,
            "most": game.max_utility,
            "names": side_names(game),
            "dice": game.outcomes is not None,
            "commands": _commands(game),
        }


def _title(name: str) -> str:
    return _TITLES.get(name, name.replace("_", " ").capitalize())


def _methods_of(game: Game) -> list[str]:
    """Return the search methods that differ in a game: those for chance nodes need dice."""
    usual = METHODS["alphabeta"]
    has_dice = game.outcomes is not None
    return [
        name
        for name, method in METHODS.items()
        if method is usual or type(method) is not AlphaBeta or (has_dice and method != usual)
    ]


def _commands(game: Game) -> dict[str, list[str]]:
    """Return what to type where the page has no dataset, no match or run, or no model to show."""
    samuel, name = command(), game.name
    plugin = plugin_options(name)
    of = f"{'' if name == 'othello' else f' --game {name}'}{plugin}"
    one, other = [*evaluator_names(game), "zero", "random"][:2]
    selfplay = f"{samuel} selfplay{of} --games 1000 --out data/{name}"
    return {
        "data": [selfplay, f"{samuel} board data{of}"],
        "runs": [
            f"{samuel} match {one} {other}{of} --pairs 50 --out runs/{name}-match",
            f"{samuel} learn{of} --out runs/{name}-learn",
            f"{samuel} board runs{of}",
        ],
        "models": [
            selfplay,
            f"{samuel} train data/{name}{plugin} --out runs/{name}-model",
            f"{samuel} board runs{of}",
        ],
    }


def _inside(folder: Path, deep: int) -> Iterator[tuple[Path, str]]:
    """Yield what a folder is, and what is in it; links are not followed."""
    for file, kind in _KINDS.items():
        if (folder / file).is_file():
            yield folder, kind
            if kind != "run":
                return
    if deep:
        try:
            below = sorted(one for one in folder.iterdir() if one.is_dir() and not one.is_symlink())
        except OSError:
            return
        for one in below[:_MOST_FOLDERS]:
            yield from _inside(one, deep - 1)


@functools.lru_cache(maxsize=1024)
def _is_of(evaluator: str, game: Game) -> bool:
    try:
        return game_of_folder(evaluator) == game.name
    except UserError:
        return False
