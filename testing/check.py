"""A check of all that files and names stand for: games, features and evaluators."""

from __future__ import annotations

import contextlib
import os
import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from samuel.common.displayable import Displayable, Table
from samuel.common.errors import UserError
from samuel.common.options import Argument, Seed, Text, names_in
from samuel.common.public import public
from samuel.features import Feature, features_named
from samuel.games import Evaluator, Game
from samuel.games.catalog import is_known_elsewhere, is_of_the_package, known_game
from samuel.games.plugins import load_plugin, load_plugins, things_in
from samuel.models import load_evaluator
from samuel.models.game_of import game_for, game_of_folder
from samuel.testing.evaluators import check_evaluator
from samuel.testing.features import check_feature
from samuel.testing.games import check_game
from samuel.testing.playouts import PLAYOUTS, never_met


@dataclass(frozen=True)
class Checked(Displayable):
    """Kind, name, game and notes of what passed all checks, and events that never happened."""

    checked: tuple[dict[str, Any], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return what was checked as `samuel models check --json` prints it."""
        return {"checked": list(self.checked)}

    def tables(self) -> list[Table]:
        """Return a sentence on each game, feature and evaluator."""
        said = []
        for found in self.checked:
            of_game = "" if found["kind"] == "game" else f" of {found['game']}"
            but = ", but see the note" if found["notes"] else ""
            line = f"{found['kind']} {found['name']}{of_game}: passed all checks{but}"
            if found.get("never_met"):
                line += f"; not covered by {PLAYOUTS} random games: {', '.join(found['never_met'])}"
            said.append(line)
        return [Table("Checked", notes=said)]


@public
def check(
    files: Annotated[Sequence[str] | None, Argument()] = None,
    *,
    features: Annotated[Sequence[str] | None, Text(names_in, "mobility,square_colours")] = None,
    evaluator: list[str] | None = None,
    game: str | None = None,
    seed: Seed = 0,
    progress: Callable[[str], None] = lambda said: None,
) -> Checked:
    """Check games, features and evaluators on positions of random games.

    The check stops at the first fault and names the position and the broken rule (docs/games.md).
    In a file, everything that it registers or names is checked. For a game, events that never
    happened, such as a pass or a draw, are listed too.

    Parameters
    ----------
    files
        Python files with your own games, features and evaluators.
    features
        Features of the game to check, joined by commas.
    evaluator
        Evaluator to check: a name, or the folder of a model.
    game
        Game: a name, or a Python file that registers one. By default the game of the evaluators,
        or Othello.
    seed
        Seed of the random games.
    progress
        Called with a text before each check.

    Returns
    -------
    Checked
        What was checked, with the notes of the checks.

    Raises
    ------
    ContractError
        A game, a feature or an evaluator breaks a rule.
    UserError
        There is nothing to check, or a file or a name is unknown.

    Examples
    --------
    >>> from samuel import testing
    >>> testing.check(game="nim", evaluator=["zero"]).checked[1]["name"]
    'zero'
    """
    checks = list(_asked(files or (), game, features, evaluator or ()))
    if not checks:
        raise UserError(
            "nothing to check: give a Python file with a game, a feature or an evaluator in "
            "it, or use --game, --features or --evaluator"
        )
    checked = []
    for kind, name, of_game, run in checks:
        progress(f"checking the {kind} {name}")
        with _noting() as notes:
            missing = run(seed)
        checked.append({"kind": kind, "name": name, "game": of_game, "notes": notes})
        if missing is not None:
            checked[-1]["never_met"] = missing
    return Checked(tuple(checked))


@contextlib.contextmanager
def _noting() -> Iterator[list[str]]:
    """Yield a list that receives the warnings raised inside, each once."""
    notes: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", UserWarning)
            yield notes
    finally:
        notes += dict.fromkeys(str(one.message) for one in warned)
        for note in notes:
            warnings.warn(note, stacklevel=3)


Check = tuple[str, str, str, Callable[[int], list[str] | None]]
"""Kind (game, feature or evaluator), name, name of the game, and the check, given a seed; the check
of a game returns what never came up."""


def _check_game(game: Game, seed: int) -> list[str]:
    check_game(game, seed)
    return never_met(game, seed)


def _asked(
    files: Sequence[str],
    game: str | None,
    features: Sequence[str] | None,
    evaluators: Sequence[str],
) -> Iterator[Check]:
    """Yield what is to be checked, games first, since the others are checked on their positions."""
    for file in filter(os.path.isdir, files):
        raise UserError(
            f"{file} is a folder, not a Python file; check a saved model with: samuel models "
            f"check --evaluator {shlex.quote(file)}"
        )
    load_plugins([*files, *([game] if game is not None and game.endswith(".py") else [])])
    modules = [load_plugin(file) for file in files]
    kinds = (Game, Feature, Evaluator)
    own = dict.fromkeys(thing for one in modules for thing in things_in(one, kinds))
    games = [x for x in own if isinstance(x, Game) and not is_of_the_package(x.name)]
    is_of_the_file = len(games) == 1 and not any(map(game_of_folder, evaluators))
    rules = game_for(game or (games[0].name if is_of_the_file else None), *evaluators)
    for asked in dict.fromkeys([*games, *([rules] if game is not None else [])]):
        yield "game", asked.name, asked.name, partial(_check_game, asked)
    named = () if features is None else features_named(features, rules.name)
    for made in dict.fromkeys([*(x for x in own if isinstance(x, Feature)), *named]):
        yield "feature", made.name, made.game, partial(check_feature, made)
    loaded = [load_evaluator(name, rules) for name in evaluators]
    own_evaluators = [x for x in own if isinstance(x, Evaluator)]
    for one in own_evaluators:
        if not is_known_elsewhere(one):
            warnings.warn(
                f"{one.name} is not registered, so no command knows its name; call "
                "samuel.register_evaluator",
                stacklevel=2,
            )
    for one in [*own_evaluators, *loaded]:
        of = rules if one.game == "any" else known_game(one.game)
        yield "evaluator", one.name, of.name, partial(check_evaluator, one, of)
