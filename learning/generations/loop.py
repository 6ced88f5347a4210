"""The generation loop: play, train, test, promote, and again. `samuel learn`.

A generation plays games with the best evaluator so far, fits a candidate to the games of the last
generations, and lets it play the best until a sequential test decides; a candidate that is shown
to be stronger takes its place. Games against baselines (the first evaluator, `classic`) give the
curve of strength by generation.

Every step ends in an entry of the state, which is written whole. Self-play and matches go on where
they were interrupted, the rest is short and begun anew: a run that was killed at any moment ends as
one that was not.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from samuel.common.errors import UserError, require_workers
from samuel.common.files import holding, require_alone
from samuel.common.json_files import plain
from samuel.common.options import Range
from samuel.common.steps import OnStep, Steps, sending
from samuel.learning.algorithms import ROTE
from samuel.learning.fitting.estimators import goes_on, unfitted
from samuel.learning.generations.folder import begin_run, digest_of, follow, keep_best, options_in
from samuel.learning.generations.log import (
    AGAINST,
    GATING,
    MOST_GENERATIONS,
    SELFPLAY,
    TEACH,
    TRAIN,
)
from samuel.learning.generations.matches import Tell, play_baseline, play_gate
from samuel.learning.generations.online import teach, teach_by_rote
from samuel.learning.generations.run import (
    DATA,
    MODEL,
    PLAYING,
    STATE,
    TRAINING,
    LogEntry,
    Run,
    baselines_of,
    learned_from,
    seed_of,
    steps_left,
)
from samuel.learning.generations.settings import asked_of, checked
from samuel.learning.generations.sources import require_same_sources
from samuel.learning.options import LearnOptions
from samuel.learning.training import train
from samuel.models import find_evaluator
from samuel.models.named import folder_of, learned_names
from samuel.selfplay.data.combine import joined
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.generate import generate


@dataclass(frozen=True)
class StepProgress:
    """Progress of a run."""

    generation: int
    generations: int
    step: str
    done: int = 0
    total: int | None = None
    note: str = ""
    entry: LogEntry | None = None
    at_most: bool = False  # a gate may end before `total`


def learn(
    out: Path | str,
    options: LearnOptions | None = None,
    *,
    generations: Annotated[int | None, Range(1, MOST_GENERATIONS)] = None,
    jobs: int = 1,
    progress: Callable[[StepProgress], None] = lambda doing: None,
    draw: Callable[[Run], object] = lambda run: None,
    on_step: OnStep | None = None,
    **changes: Any,
) -> Run:
    """Learn by self-play: play games, fit a candidate, promote it if it wins a match, repeat.

    In each generation the candidate plays the best model so far until a sequential test decides. A
    stronger candidate becomes the best model.

    Parameters
    ----------
    out
        Folder of the run.
    options
        Options of the run. By default those of the run in the folder, or the game's own. Options
        may come from a file: Python files that they name must have been run before (`load_plugin`).
    generations
        Number of generations in all. By default that of the run in `out`, or the game's own number.
    jobs
        Number of workers; -1 for one per core. In Python these are threads, unless
        `joblib.parallel_config` chooses otherwise.
    progress
        Called with a description of the current step.
    draw
        Called with the run after each step, and at the end, such as `samuel.write_generations`.
    on_step
        Called with the figures of each step, a dict (docs/callbacks.md). Its exceptions end the
        run; the same call continues it.
    **changes
        Fields of `LearnOptions` by name, which replace the fields of `options`: learn("runs/learn",
        games=1000, model="tuples2"). Python files that they name are run.

    Returns
    -------
    Run
        The run. Equal options give equal games, models and results, whatever the number of workers
        and of interruptions. The last digits of a fit depend on the number of processors.

    Raises
    ------
    UserError
        The folder contains something else, a run with other options, or a run with more
        generations. Or a setting cannot be used, or a file cannot be read or written.

    Examples
    --------
    >>> import samuel
    >>> options = samuel.LearnOptions(game="tic_tac_toe", games=40, gate_pairs=0, curve_pairs=2)
    >>> run = samuel.learn("runs/learn", options, generations=1)
    >>> run.goal
    1
    """
    out = Path(out)
    if generations is not None and generations < 1:
        raise UserError(f"generations must be at least 1 (got {generations})")
    require_workers(jobs)
    if changes:
        asked = asked_of(changes)
        begun = options or options_in(out)
        options = begun.but(asked) if begun else LearnOptions(**asked)
    if options is not None:
        options = checked(options)
        if not (out / STATE).exists():
            for evaluator in baselines_of(options).values():  # a wrong name makes no folder
                find_evaluator(evaluator, options.rules)
    require_alone(out, STATE, what=" and no run")
    with holding(out), sending(on_step) as steps:
        return _go_on(begin_run(out, options, generations), jobs, progress, draw, steps)


def _go_on(
    run: Run,
    jobs: int,
    progress: Callable[[StepProgress], None],
    draw: Callable[[Run], object],
    steps: Steps,
) -> Run:
    games = run.options.games

    def follow(doing: StepProgress) -> None:
        progress(doing)
        if doing.step == TEACH and doing.done:
            played = (doing.generation - 1) * games + doing.done
            steps.send("checkpoint", played, generation=doing.generation, games=played)

    for generation, step in steps_left(run, run.goal):
        doing = StepProgress(generation, run.goal, step)
        say = functools.partial(_tell, follow, doing)
        say()
        began, busy = time.perf_counter(), time.process_time()
        figures = _do(run, generation, step, jobs, say)
        entry = {
            "generation": generation,
            "step": step,
            "seconds": round(time.perf_counter() - began, 3),
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        } | figures
        if jobs == 1:  # else other processes are at work
            entry["processor_seconds"] = round(time.process_time() - busy, 3)
        run = replace(run, log=(*run.log, entry))
        run.write()
        keep_best(run)
        progress(replace(doing, entry=entry))
        draw(run)
        if not steps_left(run, generation):
            steps.send("generation", generation, **run.row(generation))
    draw(run)  # a kill may have come before it
    return run


def _tell(
    progress: Callable[[StepProgress], None],
    doing: StepProgress,
    done: int = 0,
    total: int | None = None,
    note: str = "",
    *,
    at_most: bool = False,
) -> None:
    progress(replace(doing, done=done, total=total, note=note, at_most=at_most))


def _do(run: Run, generation: int, step: str, jobs: int, say: Tell) -> dict[str, Any]:
    if step == SELFPLAY:
        return _play(run, generation, jobs, say)
    if step == TRAIN:
        return _train(run, generation, say)
    if step == TEACH:
        require_same_sources(run)
        if run.options.algorithm == ROTE:
            return teach_by_rote(run, generation, say)
        return teach(run, generation, say)
    if step == GATING:
        return play_gate(run, generation, jobs, say)
    return play_baseline(run, generation, step.removeprefix(f"{AGAINST} "), jobs, say)


def _play(run: Run, generation: int, jobs: int, say: Tell) -> dict[str, Any]:
    """Play the games of a generation with the best evaluator so far."""
    plan = run.options.plan(run.best, seed_of(run.options, generation, PLAYING))
    data = run.part(generation, DATA)
    follow(data, plan.evaluator)

    def show(done: int, rows: int) -> None:
        say(done, run.options.games, f"{rows:,} positions")

    dataset = generate(plan, run.options.games, data, jobs=jobs, progress=show)
    return {
        "player": run.name_of(run.best_generation),
        "games": dataset.games,
        "positions": len(dataset),
        "digest": dataset.digest,
        "seconds": dataset.manifest["seconds"],  # of all attempts
    }


def _start_of(evaluator: Path | str, options: LearnOptions) -> Path | None:
    """Return the folder of the model that a fit continues from; None if it starts from scratch."""
    game = options.rules
    if not goes_on(unfitted(options.model, game, options.fit)):
        return None
    if isinstance(evaluator, Path):
        return evaluator
    return folder_of(evaluator, game) if evaluator in learned_names(game.name) else None


def _train(run: Run, generation: int, say: Tell) -> dict[str, Any]:
    """Fit a candidate to the games of the last generations."""
    options, chosen = run.options, learned_from(run, generation)
    best = run.evaluator(run.best_generation)
    require_same_sources(run)
    say(note="reading")
    trained = train(
        joined([Dataset.open(run.part(number, DATA)) for number in chosen]),
        options.model,
        options.fit,
        start=_start_of(best, options),
        held_out=options.held_out,
        seed=seed_of(options, generation, TRAINING),
        out=run.part(generation, MODEL),
        name=run.name_of(generation),
        progress=lambda doing: say(note=doing),
    )
    require_same_sources(run)  # a file of shapes is read while it is fitted
    return {
        "generations": list(chosen),
        "rows": trained.rows,
        **{key: trained.card[key] for key in ("begun",) if key in trained.card},
        **plain({key: trained.metrics[key] for key in ("r2", "mae", "log_loss")}),
        "digest": digest_of(run.part(generation, MODEL), options),
    }
