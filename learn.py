"""The generation loop: play, train, test, promote, and again. `samuel learn`.

A generation plays games with the best evaluator so far, fits a candidate to the games of the last
generations, and lets it play the best until a sequential test decides; a candidate that is shown
to be stronger takes its place. Games against yardsticks (the first evaluator, `classic`) give the
curve of strength by generation.

Every step ends in an entry of the state, which is written whole. Self-play and matches go on where
they were interrupted, the rest is short and begun anew: a run that was killed at any moment ends as
one that was not.
"""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena import Allowance, MatchResult, match
from arena.openings import Openings, openings_for
from errors import UserError
from files import holding
from learning.generation_folder import begin, digest_of, follow, keep_best, require_room
from learning.generation_settings import Settings
from learning.generations import (
    AGAINST,
    DATA,
    FIRST,
    GATE,
    GATING,
    MODEL,
    PLAY,
    REPORT,
    TRAIN,
    Entry,
    Run,
    figures_of,
    remaining_steps,
    seed_of,
    sources,
    yardsticks,
)
from learning.joined import Joined
from models import load_evaluator
from reports.generations import write_generations
from selfplay import Dataset, generate
from train import train

GENERATIONS = 3
_PLAYING, _TRAINING, _TESTING, _MEASURING = range(4)
"""What seeds are for."""
_KEPT = (
    *("a", "b", "games", "wins", "losses", "draws", "score", "score_low", "score_high"),
    *("elo", "elo_low", "elo_high", "los", "pentanomial", "mean_result", "limits", "openings"),
    *("nodes_per_second", "seconds_per_move", "sprt"),
)
"""What an entry keeps of a match; its games are in the match's folder."""


@dataclass(frozen=True)
class Doing:
    """What a run is doing.

    Attributes
    ----------
    generation, generations
        Which, and how many there are to be.
    step
        As learning.generations has it.
    done, total
        Of games; `total` is None where nobody knows.
    note
        The details, in words.
    entry
        Of a step that has just ended; else None.
    """

    generation: int
    generations: int
    step: str
    done: int = 0
    total: int | None = None
    note: str = ""
    entry: Entry | None = None


_Say = Callable[..., None]
"""Tells `done`, `total` and `note` of a Doing."""


def learn(
    out: Path | str,
    settings: Settings | None = None,
    *,
    generations: int = GENERATIONS,
    jobs: int = 1,
    progress: Callable[[Doing], None] = lambda doing: None,
) -> Run:
    """Run the generation loop, or go on with one that was interrupted or is to have more.

    Parameters
    ----------
    out
        The folder of the run (learning.generation_folder).
    settings
        What is settled; None for that of the run in the folder, or else the defaults.
    generations
        How many in all.
    jobs
        Workers for self-play and matches; threads, unless `joblib.parallel_config` says otherwise.
    progress
        Called with what is being done.

    Returns
    -------
    The run. The same settings give the same games, models and results, whatever the number of
    workers and of interruptions; the last digits of a fit depend on the number of processors.

    Raises
    ------
    UserError
        The folder holds something else, a run with other settings, or more generations; a setting
        cannot be used; something cannot be read or written.
    """
    out = Path(out)
    if generations < 1:
        raise UserError(f"the loop takes at least 1 generation, not {generations}")
    if jobs == 0:
        raise UserError("0 workers play no games; give at least 1, or -1 for one a core")
    if settings is not None:
        settings = settings.filled()
        for evaluator in yardsticks(settings).values():  # a wrong name makes no folder
            load_evaluator(evaluator, settings.rules)
    require_room(out)
    with holding(out):
        run = begin(out, settings)
        begun = max((entry["generation"] for entry in run.log), default=0)
        if begun > generations:
            raise UserError(f"{out} is in generation {begun} already; ask for that or more")
        return _go_on(run, generations, jobs, progress)


def _go_on(run: Run, generations: int, jobs: int, progress: Callable[[Doing], None]) -> Run:
    """Do the steps that are left."""
    for generation, step in remaining_steps(run, generations):
        doing = Doing(generation, generations, step)
        say = functools.partial(_tell, progress, doing)
        say()
        began = time.perf_counter()
        figures = _do(run, generation, step, jobs, say)
        entry = {
            "generation": generation,
            "step": step,
            "seconds": round(time.perf_counter() - began, 3),
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        } | figures
        run = replace(run, log=(*run.log, entry))
        run.write()
        keep_best(run)
        progress(replace(doing, entry=entry))
        write_generations(run.folder / REPORT, run)
    write_generations(run.folder / REPORT, run)  # a kill may have come before it
    return run


def _tell(
    progress: Callable[[Doing], None],
    doing: Doing,
    done: int = 0,
    total: int | None = None,
    note: str = "",
) -> None:
    progress(replace(doing, done=done, total=total, note=note))


def _do(run: Run, generation: int, step: str, jobs: int, say: _Say) -> dict[str, Any]:
    """Do a step and return its figures."""
    if step == PLAY:
        return _play(run, generation, jobs, say)
    if step == TRAIN:
        return _train(run, generation, say)
    if step == GATING:
        return _test(run, generation, jobs, say)
    return _measure(run, generation, step.removeprefix(f"{AGAINST} "), jobs, say)


def _play(run: Run, generation: int, jobs: int, say: _Say) -> dict[str, Any]:
    """Play the games of a generation with the best evaluator so far."""
    plan = run.settings.plan(run.best, seed_of(run.settings, generation, _PLAYING))
    data = run.part(generation, DATA)
    follow(data, plan.evaluator)

    def show(done: int, rows: int) -> None:
        say(done, run.settings.games, f"{rows:,} positions")

    dataset = generate(plan, run.settings.games, data, jobs=jobs, progress=show)
    return {
        "player": run.name_of(run.best_generation),
        "games": dataset.games,
        "positions": len(dataset),
        "digest": dataset.digest,
        "seconds": dataset.manifest["seconds"],  # of all attempts
    }


def _train(run: Run, generation: int, say: _Say) -> dict[str, Any]:
    """Fit a candidate to the games of the last generations."""
    settings, chosen = run.settings, sources(run, generation)
    say(note="reading")
    joined = Joined.of([Dataset.open(run.part(number, DATA)) for number in chosen])
    trained = train(
        joined,
        settings.model,
        settings.fitting,
        held_out=settings.held_out,
        seed=seed_of(settings, generation, _TRAINING),
        out=run.part(generation, MODEL),
        name=run.name_of(generation),
        progress=lambda doing: say(note=doing),
    )
    return {
        "generations": list(chosen),
        "rows": trained.rows,
        **{key: trained.metrics[key] for key in ("r2", "mae", "log_loss")},
        "digest": digest_of(run.part(generation, MODEL), settings),
    }


def _test(run: Run, generation: int, jobs: int, say: _Say) -> dict[str, Any]:
    """Let a candidate play the best so far until the test decides or the pairs run out."""
    settings = run.settings
    result = _match(
        run,
        (run.evaluator(generation), run.best),
        _openings(run, settings.gate_pairs, seed_of(settings, generation, _TESTING)),
        run.part(generation, GATE),
        jobs,
        say,
        sprt=settings.test,
    )
    promoted = is_promoted(result)
    return _figures(result) | {"opponent": run.best_generation, "promoted": promoted}


def is_promoted(gate: MatchResult) -> bool:
    """Return whether a candidate takes the place of the best so far.

    It does if the test says that it is stronger; if the pairs ran out before the test decided, if
    the 95 % interval of its score is above one half.
    """
    state = gate.state
    if state is None or state.decision == "continue":
        return gate.statistics.score_low > 0.5
    return state.decision == "H1"


def _measure(run: Run, generation: int, name: str, jobs: int, say: _Say) -> dict[str, Any]:
    """Let a generation play a yardstick; the openings are the same for all generations."""
    settings = run.settings
    yardstick = run.evaluator(0) if name == FIRST else yardsticks(settings)[name]
    result = _match(
        run,
        (run.evaluator(generation), yardstick),
        _openings(run, settings.curve_pairs, seed_of(settings, 0, _MEASURING)),
        run.part(generation, f"{AGAINST}-{name}"),
        jobs,
        say,
    )
    return _figures(result)


def _match(
    run: Run,
    sides: tuple[Path | str, Path | str],
    openings: Openings,
    out: Path,
    jobs: int,
    say: _Say,
    **more: Any,
) -> MatchResult:
    """Play a match of the run, going on where it was interrupted."""

    def show(result: MatchResult) -> None:
        s, state = result.statistics, result.state
        note = f"+{s.wins} ={s.draws} -{s.losses}"
        if state is not None:
            note += f", LLR {state.llr:+.2f} ({state.lower:.2f}, {state.upper:.2f})"
        say(s.games, 2 * len(openings), note)

    return match(
        *map(str, sides),
        game=run.settings.rules,
        pairs=len(openings),
        allowance=Allowance(depth=run.settings.match_depth),
        openings=openings,
        jobs=jobs,
        out=out,
        progress=show,
        **more,
    )


def _openings(run: Run, pairs: int, seed: int) -> Openings:
    """Return so many openings, or all there are where there are fewer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are fewer, in every generation
        return openings_for(run.settings.rules, None, pairs, seed=seed, fewer=True)[:pairs]


def _figures(result: MatchResult) -> dict[str, Any]:
    return figures_of({key: value for key, value in result.as_dict().items() if key in _KEPT})
