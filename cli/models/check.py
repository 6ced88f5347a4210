"""`samuel models check`."""

from __future__ import annotations

import contextlib
import os
import shlex
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import busy, emit, game_and_evaluators
from samuel.cli.options import subcommand
from samuel.common.options import Argument, Seed, Text, names_in

if TYPE_CHECKING:
    from samuel.games import Game


@subcommand(doing="checking")
def run(
    *,
    files: Annotated[list[str] | None, Argument()] = None,
    features: Annotated[list[str] | None, Text(names_in, "mobility,square_colours")] = None,
    evaluator: list[str] | None = None,
    game: str | None = None,
    seed: Seed = 0,
    json: bool = False,
) -> None:
    """Check games, features and evaluators on positions of random games.

    The check stops at the first fault and names the position and the broken rule (docs/games.md).
    In a file, everything that it registers or names is checked. For a game, events that never
    happened, such as a pass or a draw, are listed too.

    Example: samuel models check examples/custom_game.py examples/custom_feature.py

    Example: samuel models check --game connect_four --evaluator classic

    Example: samuel models check --evaluator runs/ridge

    Parameters
    ----------
    files
        Python files with your own games, features and evaluators.
    features
        Features of the game to check, joined by commas.
    evaluator
        Evaluator to check: a name, or the folder of a model.
    """
    from samuel.testing.playouts import PLAYOUTS

    checks = list(_asked(files or [], game, features, evaluator or []))
    if not checks:
        from samuel.common.errors import UserError

        raise UserError(
            "nothing to check: give a Python file with a game, a feature or an evaluator in "
            "it, or use --game, --features or --evaluator"
        )
    checked = []
    with busy("checking") as say:
        for kind, name, of_game, check in checks:
            say(f"checking the {kind} {name}")
            with _noting() as notes:
                never_met = check(seed)
            checked.append({"kind": kind, "name": name, "game": of_game, "notes": notes})
            if never_met is not None:
                checked[-1]["never_met"] = never_met

    def show(console: Any) -> None:
        for found in checked:
            of_game = "" if found["kind"] == "game" else f" of {found['game']}"
            but = ", but see the note" if found["notes"] else ""
            said = f"{found['kind']} {found['name']}{of_game}: passed all checks{but}"
            if found.get("never_met"):
                said += f"; not covered by {PLAYOUTS} random games: {', '.join(found['never_met'])}"
            console.print(said, highlight=False, soft_wrap=True)

    emit({"checked": checked}, json, show)


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
    from samuel.testing import check_game
    from samuel.testing.playouts import never_met

    check_game(game, seed)
    return never_met(game, seed)


def _asked(
    files: list[str], game: str | None, features: list[str] | None, evaluators: list[str]
) -> Iterator[Check]:
    """Yield what is to be checked, games first, since the others are checked on their positions."""
    from samuel.common.errors import UserError
    from samuel.features import Feature, features_named
    from samuel.games import Evaluator, Game, game_named
    from samuel.games.catalog import is_known_elsewhere, is_of_the_package
    from samuel.games.plugins import load_plugin, load_plugins, things_in
    from samuel.models import load_evaluator
    from samuel.models.game_of import game_of_folder
    from samuel.testing import check_evaluator, check_feature

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
    rules, _ = game_and_evaluators(game or (games[0].name if is_of_the_file else None), *evaluators)
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
        of = rules if one.game == "any" else game_named(one.game)
        yield "evaluator", one.name, of.name, partial(check_evaluator, one, of)
