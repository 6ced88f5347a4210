"""An evaluator that comes with samuel, learned again. `samuel learn again`.

The runs by which it was learned lie beside its weights (recipe.toml): of `samuel learn`, each from
the best of the one before, and what its parameters of ProbCut are fitted to. A folder of them:

run-1/               and so on (learning/generations/folder.py)
best/                the best model of the last one, with its parameters of ProbCut
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from samuel.common.errors import UserError, require_number, unknown
from samuel.common.files import holding, require_alone
from samuel.common.options import typed_fields
from samuel.games.interface import Game
from samuel.learning.generations.folder import digest_of, tidy
from samuel.learning.generations.loop import StepProgress, learn
from samuel.learning.generations.run import BEST, FIRST, SETTINGS, STATE, Run
from samuel.learning.generations.settings import checked
from samuel.learning.options import ROTE, LearnOptions
from samuel.learning.probcut import fit_probcut
from samuel.models import evaluator_names, load_evaluator
from samuel.models.learned import ProbCut, learned_names, recipe_of
from samuel.models.saved.card import CARD, PROBCUT, read_card, read_whole
from samuel.models.saved.saving import copy_model, save_probcut


@dataclass(frozen=True)
class ModelRecipe:
    """The runs by which an evaluator was learned.

    Attributes
    ----------
    game, about
        Of the evaluator.
    runs
        Options of `samuel learn` by name, and maybe how many `generations`, in their order.
    probcut
        What its parameters are fitted to; None where it is not searched selectively.
    """

    game: Game
    about: str
    runs: tuple[dict[str, Any], ...]
    probcut: ProbCut | None = None

    @classmethod
    def of(cls, name: str, game: Game) -> ModelRecipe:
        """Return that of an evaluator; UserError where none was learned, or its file is damaged."""
        known = learned_names(game.name)
        if name not in known:
            others = f"in {game.name} these were learned: {', '.join(known) or 'none'}"
            if name in evaluator_names(game):
                raise UserError(f"{name} is hand-made, not learned; {others}")
            raise unknown("learned evaluator", name, (), f"{others}; --game names another game")
        found = recipe_of(name, game)
        runs = tuple({"game": game.name, **options} for options in found["run"])
        return cls(game, found["about"], runs, found.get("probcut"))

    def changed(self, changes: dict[str, Any], positions: int | None = None) -> ModelRecipe:
        """Return it with some options of all its runs changed.

        `positions` are how many ProbCut's parameters are fitted to, 0 for none of them.

        Raises
        ------
        UserError
            They change the game or the beginning, or no model would come of them.
        """
        if not changes.keys().isdisjoint({"game", "first"}):
            raise UserError("--from cannot be used here: the recipe says where each run begins")
        if changes.get("method") == ROTE:
            raise UserError(
                "rote learning stores positions and makes no model; give another --method"
            )
        runs = tuple(_with_changes(options, changes) for options in self.runs)
        if positions is None:
            return replace(self, runs=runs)
        if positions == 0:
            return replace(self, runs=runs, probcut=None)
        require_number("positions", positions, 100)
        if self.game.outcomes is not None:
            raise UserError(
                f"{self.game.name} has dice, so it has no ProbCut; leave out --positions"
            )
        probcut = self.probcut.copy() if self.probcut else ProbCut(count=positions)
        probcut["count"] = positions
        return replace(self, runs=runs, probcut=probcut)

    def options_of(self, number: int, first: str = "") -> tuple[LearnOptions, int | None]:
        """Return the options of a run, from 1 on, and its generations; None for the game's.

        `first` is what runs after the first begin with. UserError where a setting cannot be used.
        """
        chosen = dict(self.runs[number - 1])
        generations = chosen.pop("generations", None)
        if number > 1:
            chosen["first"] = first or f"{_name(number - 1)}/{BEST}"
        return checked(LearnOptions.of(chosen, _name(number))), generations


class Again(NamedTuple):
    """Result of `learn_again`: the runs, and the folder of the best model of the last one."""

    runs: tuple[Run, ...]
    best: Path


def learn_again(
    recipe: ModelRecipe,
    out: Path | str,
    *,
    jobs: int = 1,
    progress: Callable[[int, StepProgress], None] = lambda number, doing: None,
    searched: Callable[[int, int], None] = lambda done, total: None,
    draw: Callable[[Run], object] = lambda run: None,
) -> Again:
    """Do the runs of a recipe, or go on with those that were interrupted.

    Parameters
    ----------
    out
        The folder of the runs.
    jobs, draw
        As `learn` takes them.
    progress
        Called with the number of a run, from 1 on, and what it is doing.
    searched
        Called with how many positions of how many were searched for ProbCut.

    Raises
    ------
    UserError
        The folder holds something else, runs with other options, or one that a later run began
        from and that is to have more generations; a setting cannot be used; something cannot be
        read or written; or nothing was promoted.
    """
    out = Path(out)
    require_alone(out, _name(1), what=" and no runs to go on with")
    numbers = range(1, len(recipe.runs) + 1)
    for number in numbers:  # what is refused leaves the folder as it is
        _, generations = recipe.options_of(number)
        _require_no_more(out, number, generations)
    found: list[Run] = []
    with holding(out):
        for number in numbers:
            folder = out / _name(number)
            first = _best_of(found[-1]) if found else ""
            if found and (folder / STATE).exists():
                first = _begun_from(folder, first)
            options, generations = recipe.options_of(number, first)
            run = learn(
                folder,
                options,
                generations=generations,
                jobs=jobs,
                progress=functools.partial(progress, number),
                draw=draw,
            )
            found.append(run)
        return Again(tuple(found), _kept(recipe, found[-1], out, jobs, searched))


def _with_changes(options: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return options of a run with changes: either may call a field by another of its names."""
    found: dict[str, Any] = {}
    for values in (options, changes):
        rest = {name: value for name, value in values.items() if name != "generations"}
        found |= typed_fields(LearnOptions, rest)
        found |= {name: values[name] for name in values.keys() - rest.keys()}
    return found


def _name(number: int) -> str:
    return f"run-{number}"


def _require_no_more(out: Path, number: int, generations: int | None) -> None:
    """Raise UserError where a run is to go on from which a later one began."""
    later = out / _name(number + 1)
    if not (later / STATE).exists():
        return
    goal = Run.open(out / _name(number)).goal
    if generations is not None and generations > goal:
        raise UserError(
            f"{later} began from generation {goal} of {_name(number)}; for more generations "
            "choose another folder"
        )


def _begun_from(folder: Path, best: str) -> str:
    """Return what a run that was begun calls `best`, the evaluator of the run before it.

    It is called as it was when it was begun: the folder of both may have been moved since. A run
    that was killed before it had a copy of its own is begun anew.
    """
    begun = Run.open(folder)
    called = begun.options.first
    if called not in evaluator_names(begun.options.game):
        if not begun.log and not (folder / FIRST / CARD).exists():
            for file in (STATE, SETTINGS):
                (folder / file).unlink(missing_ok=True)
            return best
        if begun.digests.get(FIRST) != digest_of(best, begun.options):
            raise UserError(f"{folder} began from another model than {best}; choose another folder")
    return called


def _best_of(run: Run) -> str:
    """Return the evaluator that a run ended with: where it does not move, if it is a model."""
    return str(run.folder / BEST) if run.best_generation else run.best


def _kept(
    recipe: ModelRecipe, run: Run, out: Path, jobs: int, searched: Callable[[int, int], None]
) -> Path:
    """Copy what the last run ended with, with parameters of ProbCut, unless that was done."""
    best, target = _best_of(run), out / BEST
    tidy(target)
    if best in evaluator_names(recipe.game):
        raise UserError(
            f"no model was promoted, so {best} stays the best; give more --generations, or "
            "more --games with another folder"
        )
    with suppress(UserError):  # there is none, or it is damaged
        card = read_card(target)
        for file in card["files"]:
            read_whole(target, card, file)
        has_probcut = card["files"].pop(PROBCUT, None) is not None
        is_same = card["files"] == read_card(Path(best))["files"]
        if is_same and has_probcut == (recipe.probcut is not None):
            return target
    if recipe.probcut is None:
        copy_model(Path(best), target)
        return target
    count = recipe.probcut["count"]
    fit = fit_probcut(
        load_evaluator(best),
        recipe.game,
        jobs=jobs,
        progress=lambda done: searched(done, count),
        **recipe.probcut,
    )
    copy_model(Path(best), target)  # now: what was there before served until the end
    save_probcut(target, fit.parameters, fit.about)
    return target
