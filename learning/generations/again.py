"""An evaluator that comes with samuel, learned again by its recipe. `samuel learn again`.

The recipe lies beside the weights (recipe.toml): runs of `samuel learn`, each from the best of the
one before, and what the parameters of ProbCut are fitted to. A folder of it:

run-1/               and so on: the runs (learning/generations/folder.py)
best/                the best model of the last one, with its parameters of ProbCut
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from samuel.errors import UserError, unknown
from samuel.files import require_alone
from samuel.games.interface import Game
from samuel.learning.generations.loop import Doing, learn
from samuel.learning.generations.run import BEST, Run
from samuel.learning.generations.settings import Settings, read_settings
from samuel.learning.probcut import fit_probcut
from samuel.models import load_evaluator
from samuel.models.learned import folder_of, learned_names
from samuel.models.saved.card import CARD, PROBCUT, WEIGHTS, read_card
from samuel.models.saved.saving import copy_model, save_probcut

RECIPE = "recipe.toml"
FIRST_RUN = "run-1"


@dataclass(frozen=True)
class Recipe:
    """How an evaluator that comes with samuel was learned.

    Attributes
    ----------
    name, game, about
        Of the evaluator.
    runs
        Of `samuel learn`, in their order: settings by name, and maybe how many `generations`.
    probcut
        Keyword arguments of `fit_probcut`; None where it is not searched selectively.
    """

    name: str
    game: Game
    about: str
    runs: tuple[dict[str, Any], ...]
    probcut: dict[str, Any] | None

    @classmethod
    def of(cls, name: str, game: Game) -> Recipe:
        """Return that of an evaluator; UserError where none of that name was learned."""
        known = learned_names(game.name)
        if name not in known:
            raise unknown("learned evaluator", name, known, of=game.name)
        path = folder_of(name, game) / RECIPE
        content = read_settings(path)
        runs = tuple({"game": game.name, **settings} for settings in content["run"])
        return cls(name, game, content["about"], runs, content.get("probcut"))

    def changed(self, changes: dict[str, Any]) -> Recipe:
        """Return it with some settings of all its runs changed."""
        if not changes.keys().isdisjoint({"game", "first"}):
            raise UserError("a recipe says what it begins with and for which game: leave --from")
        return replace(self, runs=tuple(settings | changes for settings in self.runs))


def learn_again(
    recipe: Recipe,
    out: Path | str,
    *,
    jobs: int = 1,
    progress: Callable[[int, Doing], None] = lambda number, doing: None,
    draw: Callable[[Run], object] = lambda run: None,
) -> Run:
    """Do the runs of a recipe, or go on with those that were interrupted; return the last.

    Parameters
    ----------
    out
        The folder of the runs.
    jobs, draw
        As `learn` takes them.
    progress
        Called with the number of a run, from 1 on, and what it is doing.

    Raises
    ------
    UserError
        The folder holds something else, or runs with other settings; a setting cannot be used;
        something cannot be read or written.
    """
    out = Path(out)
    require_alone(out, FIRST_RUN, what=" and no runs of a recipe")
    run: Run | None = None
    for number, chosen in enumerate(recipe.runs, 1):
        settings = dict(chosen)
        generations = settings.pop("generations", None)
        if run is not None:
            settings["first"] = str(run.best)
        run = learn(
            out / f"run-{number}",
            Settings.of(settings, RECIPE),
            generations=generations,
            jobs=jobs,
            progress=functools.partial(progress, number),
            draw=draw,
        )
    assert run is not None
    return run


def best_of(
    recipe: Recipe,
    run: Run,
    out: Path | str,
    *,
    jobs: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> Path:
    """Copy the best model of a recipe's last run, give it parameters of ProbCut, and return it.

    `progress` is told the number of positions searched. What was copied before stays.

    Raises
    ------
    UserError
        No generation was promoted; and as `copy_model`, `fit_probcut` and `save_probcut` do.
    """
    if run.best_generation == 0:
        raise UserError(f"of {run.folder} nothing was promoted: give it more --games")
    best, target = Path(run.best), Path(out) / BEST
    if (target / CARD).exists():
        files = read_card(target)["files"]
        is_whole = (PROBCUT in files) == (recipe.probcut is not None)
        if is_whole and files[WEIGHTS] == read_card(best)["files"][WEIGHTS]:
            return target
    copy_model(best, target)
    if recipe.probcut is not None:
        evaluator = load_evaluator(target)
        fit = fit_probcut(evaluator, recipe.game, jobs=jobs, progress=progress, **recipe.probcut)
        save_probcut(target, fit.parameters, fit.about)
    return target
