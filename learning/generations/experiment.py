"""Algorithms of learning side by side: the same budget each, several seeds, one scale of strength.

An algorithm is the options of a run. Each is run with each seed, in a folder NAME-SEED. Then the
evaluators of all generations play a Swiss tournament, in which equally successful players meet. Its
games give all ratings. After an interruption the same call continues.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

from samuel.arena.openings.choice import openings_for
from samuel.arena.standings import TournamentResult
from samuel.arena.tournament import tournament
from samuel.common.errors import UserError
from samuel.common.files import require_alone
from samuel.common.json_files import as_record, read_record, write_json
from samuel.common.options import Range, fields_of
from samuel.common.public import FileOptions, typed_fields
from samuel.games.evaluator import Evaluator
from samuel.learning.generations.experiment_result import Experiment, seconds_of_learning
from samuel.learning.generations.log import MOST_GENERATIONS
from samuel.learning.generations.loop import StepProgress, learn
from samuel.learning.generations.run import FIRST, STATE, Run, baselines_of, require_settings
from samuel.learning.generations.settings import checked
from samuel.learning.options import LearnOptions
from samuel.models import find_evaluator
from samuel.search.limits import Limits

PLAN, TOURNAMENT = "experiment.json", "tournament"
_FORMAT = 1
_NAMES = "an algorithm's name is made of letters, digits, - and _, and begins with a letter"
PLAIN = {"gate_pairs": 0, "curve_pairs": 0}
"""Default options of an algorithm: the tournament replaces gate and curve."""
_GENERATIONS = 3
"""Default number of generations of a run."""


class _File(TypedDict):
    """Part of `experiment.json` besides the fields of the plan."""

    algorithms: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Plan(FileOptions):
    """Plan of an experiment: number of runs, budget of each, size of the tournament."""

    seeds: Annotated[int, Range(1, 1_000)] = 3
    generations: Annotated[int | None, Range(1, MOST_GENERATIONS)] = None
    minutes: Annotated[float | None, Range(1e-3, 1e6)] = None
    pairs: Annotated[int, Range(1, 1_000_000)] = 16
    rounds: Annotated[int | None, Range(1)] = None

    @property
    def most_generations(self) -> int:
        """Largest number of generations of a run."""
        return self.generations or (_GENERATIONS if self.minutes is None else MOST_GENERATIONS)


@dataclass(frozen=True)
class Learning:
    """Progress of an experiment: run number `run` of `runs`, or the tournament."""

    run: int
    runs: int
    name: str
    doing: StepProgress | None = None
    done: int = 0
    total: int | None = None


def experiment(
    out: Path | str,
    algorithms: Mapping[str, LearnOptions],
    plan: Plan = Plan(),
    *,
    jobs: int = 1,
    progress: Callable[[Learning], None] = lambda learning: None,
    draw: Callable[[Run], object] = lambda run: None,
) -> Experiment:
    """Let several algorithms learn with the same budget, and rate their evaluators on one scale."""
    out = Path(out)
    filled = _planned(out, algorithms, plan)
    runs = {}
    entrants = _entrants(filled, plan.seeds)
    for number, (name, seed) in enumerate(entrants, 1):
        say = functools.partial(_tell, progress, Learning(number, len(entrants), f"{name}-{seed}"))
        runs[name, seed] = _learned(
            out / f"{name}-{seed}",
            replace(filled[name], seed=seed),
            plan,
            functools.partial(learn, jobs=jobs, progress=say, draw=draw),
        )

    def follow(result: TournamentResult, of: int) -> None:
        progress(Learning(len(runs), len(runs), "", None, 2 * len(result.pairs), 2 * of))

    players = dict(_players(runs))
    result = _played(out, runs, players, plan, jobs, follow)
    return Experiment(out, runs, result, {name: whose for name, (_, whose) in players.items()})


def _planned(
    out: Path, algorithms: Mapping[str, LearnOptions], plan: Plan
) -> dict[str, LearnOptions]:
    """Return complete options of an experiment that can be run; keep them in its folder."""
    filled = _filled(algorithms)
    require_alone(out, PLAN, what=" and no experiment")
    for name, seed in _entrants(filled, plan.seeds):
        if (out / f"{name}-{seed}" / STATE).exists():
            begun = Run.open(out / f"{name}-{seed}")
            require_settings(replace(filled[name], seed=seed), begun)
    own = {name: options.flat() for name, options in filled.items()}
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / PLAN, {"format": _FORMAT, "algorithms": own, **plan.flat()})
    return filled


def _entrants(algorithms: Mapping[str, LearnOptions], seeds: int) -> list[tuple[str, int]]:
    return [(name, of.seed + k) for name, of in algorithms.items() for k in range(seeds)]


def plan_in(out: Path | str) -> tuple[dict[str, LearnOptions], Plan]:
    """Return the algorithms and the plan of the experiment in a folder."""
    path, again = Path(out) / PLAN, "give another folder (--out)"
    found = read_record(path, dict[str, Any], "the folder of an experiment", again, format=_FORMAT)
    file: _File = as_record(found, _File, str(path), again)
    algorithms = {name: LearnOptions.of(of, str(out)) for name, of in file["algorithms"].items()}
    values = {name: value for name, value in found.items() if name in fields_of(Plan)}
    return algorithms, Plan.of(values, str(path))


def algorithms_of(
    values: Mapping[str, Any], algorithms: Mapping[str, Mapping[str, Any]], source: str
) -> dict[str, LearnOptions]:
    """Return algorithms of learning by their shared and their own options."""
    try:
        shared = {**PLAIN} | typed_fields(LearnOptions, values)
        own = {name: typed_fields(LearnOptions, of) for name, of in algorithms.items()}
        return {name: LearnOptions(**(shared | own[name])) for name in own}
    except UserError as error:
        raise UserError(f"{source}: {error}") from None


def _filled(algorithms: Mapping[str, LearnOptions]) -> dict[str, LearnOptions]:
    if not algorithms:
        raise UserError("give at least one algorithm")
    for name in algorithms:
        if not (name[:1].isalpha() and name.isascii() and name.replace("-", "_").isidentifier()):
            raise UserError(f"{_NAMES} (got {name!r})")
    filled = {name: checked(options) for name, options in algorithms.items()}
    for what in ("game", "match_depth"):
        found = {name: options.flat()[what] for name, options in filled.items()}
        if len(set(found.values())) > 1:
            said = ", ".join(f"{value} of {name}" for name, value in found.items())
            raise UserError(
                f"every algorithm of an experiment must have the same {what} (got {said})"
            )
    return filled


def _learned(out: Path, options: LearnOptions, plan: Plan, learn: Callable[..., Run]) -> Run:
    """Return a run after it has used its budget."""
    most, minutes = plan.most_generations, plan.minutes
    number = most if minutes is None else 1
    if (out / STATE).exists():
        number = max(number, Run.open(out).begun)
    while True:
        run = learn(out, options, generations=number)
        spent = sum(seconds_of_learning(run, k) for k in range(number + 1))
        if number >= most or (minutes is not None and spent >= 60 * minutes):
            return run
        number += 1


def _tell(progress: Callable[[Learning], None], what: Learning, doing: StepProgress) -> None:
    progress(replace(what, doing=doing))


def _players(
    runs: Mapping[tuple[str, int], Run],
) -> Iterator[tuple[str, tuple[Evaluator, tuple[str, int, int]]]]:
    """Yield the players: name, evaluator, and algorithm, seed and generation."""
    taken: dict[str, str] = {}
    for run in runs.values():
        for name in baselines_of(run.options):
            title = run.name_of(0) if name == FIRST else name
            if taken.setdefault(title, run.digests[name]) != run.digests[name]:
                raise UserError(f"two evaluators have the name {title!r}; rename the folder of one")
            evaluator = find_evaluator(run.baseline(name), run.options.rules)
            yield title, (replace(evaluator, name=title), ("", 0, 0))
    for (algorithm, seed), run in runs.items():
        for generation in range(1, run.generations + 1):
            title = f"{algorithm}-{seed} {generation}"
            evaluator = find_evaluator(run.evaluator(generation), run.options.rules)
            yield title, (replace(evaluator, name=title), (algorithm, seed, generation))


def _played(
    out: Path,
    runs: Mapping[tuple[str, int], Run],
    players: Mapping[str, tuple[Evaluator, Any]],
    plan: Plan,
    jobs: int,
    progress: Callable[[TournamentResult, int], None],
) -> TournamentResult:
    """Play the tournament, in a folder of its own for these players and sizes."""
    options = next(iter(runs.values())).options
    rounds = min(len(players) - 1, plan.rounds or 2 * math.ceil(math.log2(len(players))))
    openings = openings_for(options.rules, None, plan.pairs * rounds, seed=options.seed)
    rounds = min(rounds, len(openings))
    pairs = min(plan.pairs, len(openings) // rounds)
    known = repr((list(players), pairs, rounds, options.gate.match_depth, options.seed))
    return tournament(
        [evaluator for evaluator, _ in players.values()],
        kind="swiss",
        game=options.rules,
        pairs=pairs,
        rounds=rounds,
        limits=Limits(depth=options.gate.match_depth),
        openings=openings,
        anchor=next(iter(players)),
        seed=options.seed,
        jobs=jobs,
        out=out / f"{TOURNAMENT}-{hashlib.sha256(known.encode()).hexdigest()[:8]}",
        progress=progress,
    )
