"""The folder of a run of the generation loop: begun once, found again, kept whole.

settings.toml        what the run was begun with
state.json           what was done: one entry a finished step, with its figures
generation-001/      and so on
    data/            the games that the best evaluator of the time played (a dataset)
    model/           the candidate that was fitted (a model)
    gate/            its games against the best so far
    against-NAME/    its games against a baseline, of which generation-000 has some, too
best/                a copy of the best model so far; none until one was promoted
best.rote            the same of rote learning, whose generations have store.rote for a model
first/               a copy of the model that the run started from, if it was one
baselines/NAME/      copies of the other models that it is measured against
sources/             copies of the user's own files that it goes by (sources.py)
report.html          the curve and tables
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from samuel.common.errors import UserError
from samuel.common.files import whole
from samuel.common.text_files import read_toml
from samuel.learning.algorithms import ROTE
from samuel.learning.generations.run import (
    BEST,
    BEST_STORE,
    MODEL,
    SETTINGS,
    SOURCES,
    STATE,
    STORE,
    Run,
    baselines_of,
    require_settings,
    steps_left,
)
from samuel.learning.generations.settings import checked, options_text
from samuel.learning.generations.sources import keep_sources, sources_of
from samuel.learning.options import LearnOptions
from samuel.models import find_evaluator
from samuel.models.saved.card import CARD
from samuel.models.saved.saving import copy_model
from samuel.selfplay.data.manifest import MANIFEST, read_manifest, write_manifest
from samuel.selfplay.digest import evaluator_digest

_INTRODUCTION = """\
Options of this run. To continue it, also with more generations (--generations N):
    samuel learn --out FOLDER
Other options need another folder:
    samuel learn --settings THIS_FILE --out OTHER"""


def options_in(folder: Path | str) -> LearnOptions | None:
    """Return the options of the run in a folder, or None where there is no run."""
    return Run.open(folder).options if (Path(folder) / STATE).exists() else None


def begin_run(out: Path, options: LearnOptions | None, generations: int | None) -> Run:
    """Return the run in a folder that this process holds, begun if there is none."""
    if (out / STATE).exists():
        run = Run.open(out)
        if options is not None:
            require_settings(options, run)
        goal = generations or run.goal
        if run.begun > goal:
            raise UserError(
                f"{out} is already in generation {run.begun}; give at least that many --generations"
            )
    else:
        options = options or checked(LearnOptions())
        goal = generations or options.rules.defaults.generations
        measured = baselines_of(options).items()
        digests = {name: digest_of(who, options) for name, who in measured}
        run = Run(out, options, digests, goal, sources=sources_of(options))
        run.write()  # first: whatever else lies in the folder is the run's own
    _write_settings(run)
    _keep_baselines(run)
    keep_best(run)
    if steps_left(run, goal):
        keep_sources(run)
    if goal != run.goal:
        run = replace(run, goal=goal)
        run.write()
    return run


def _write_settings(run: Run) -> None:
    """Write the options for people to read, or make sure that they are still the run's."""
    path = run.folder / SETTINGS
    if path.exists():
        require_settings(LearnOptions.of(read_toml(path), str(path)), run)
        return
    with whole(path) as partial:
        partial.write_text(options_text(run.options, _INTRODUCTION), encoding="utf-8")


def _keep_baselines(run: Run) -> None:
    """Copy the models that a run starts from and is measured against, or find them as they were."""
    for name, who in baselines_of(run.options).items():
        kept = run.baseline(name)
        is_copied = kept == who or (Path(kept) / CARD).exists()
        source = kept if is_copied else who
        if digest_of(source, run.options) != run.digests.get(name):
            raise UserError(
                f"{source} has changed since the start of {run.folder}; restore it (a copy of "
                f"a file of yours is in {run.folder / SOURCES}), or choose another folder"
            )
        if not is_copied:
            copy_model(who, Path(kept))


def digest_of(evaluator: Path | str, options: LearnOptions) -> str:
    """Return the digest of an evaluator (selfplay.digest.evaluator_digest)."""
    game = options.rules
    return evaluator_digest(find_evaluator(evaluator, game), game)


def keep_best(run: Run) -> None:
    """Make `best`, or `best.rote` of a store, the copy of the best so far that it should be."""
    if not run.best_generation:
        return
    if run.options.algorithm == ROTE:
        with whole(run.folder / BEST_STORE) as partial:
            shutil.copyfile(run.part(run.best_generation, STORE), partial)
        return
    model, best = run.part(run.best_generation, MODEL), run.folder / BEST
    with suppress(OSError):
        if (best / CARD).read_bytes() == (model / CARD).read_bytes():
            return
    copy_model(model, best)


def follow(data: Path, evaluator: str) -> None:
    """Let a dataset that was begun know its evaluator by the path that it has now."""
    if (data / MANIFEST).exists():
        manifest = read_manifest(data)
        if manifest["settings"].get("evaluator") != evaluator:
            manifest["settings"]["evaluator"] = evaluator
            write_manifest(data, manifest)
