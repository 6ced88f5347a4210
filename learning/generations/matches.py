"""The matches of the generation loop: against the best so far, and against baselines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from samuel.arena.match import match
from samuel.arena.openings.choice import openings_for
from samuel.arena.results import MatchResult
from samuel.common.displayable import llr_between
from samuel.common.json_files import plain
from samuel.learning.generations.log import AGAINST
from samuel.learning.generations.run import GATE, MEASURING, TESTING, Run, seed_of
from samuel.search.limits import Limits
from samuel.selfplay.openings.openings import Openings

Tell = Callable[..., None]
"""Tells how far a step is: `done` and `total`, of games, and `note`, in words."""

_KEPT = (
    *("a", "b", "games", "wins", "losses", "draws", "score", "score_low", "score_high"),
    *("elo", "elo_low", "elo_high", "los", "pentanomial", "mean_result", "limits", "openings"),
    *("nodes_per_second", "seconds_per_move", "sprt"),
)
"""Figures that an entry keeps of a match; its games are in the match's folder."""


def play_gate(run: Run, generation: int, jobs: int, say: Tell) -> dict[str, Any]:
    """Let a candidate play the best so far until the test decides or the pairs run out."""
    options = run.options
    result = _match(
        run,
        (run.evaluator(generation), run.best),
        _openings(run, options.gate.gate_pairs, seed_of(options, generation, TESTING)),
        run.part(generation, GATE),
        jobs,
        say,
        sprt=options.gate.test,
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


def play_baseline(run: Run, generation: int, name: str, jobs: int, say: Tell) -> dict[str, Any]:
    """Let a generation play a baseline; the openings are the same for all generations."""
    options = run.options
    result = _match(
        run,
        (run.evaluator(generation), run.baseline(name)),
        _openings(run, options.gate.curve_pairs, seed_of(options, 0, MEASURING)),
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
    say: Tell,
    **more: Any,
) -> MatchResult:
    """Play a match of the run, going on where it was interrupted."""
    method = run.options.chooser

    def show(result: MatchResult) -> None:
        s, state = result.statistics, result.state
        note = f"+{s.wins} ={s.draws} -{s.losses}"
        if state is not None:
            note += f", LLR {llr_between(state.llr, state.lower, state.upper)}"
        say(s.games, 2 * len(openings), note, at_most=state is not None)

    return match(
        *map(str, sides),
        game=run.options.rules,
        pairs=len(openings),
        limits=Limits(run.options.gate.match_depth if method.deepens else None),
        method=method,
        openings=openings,
        jobs=jobs,
        out=out,
        progress=show,
        **more,
    )


def _openings(run: Run, pairs: int, seed: int) -> Openings:
    """Return so many openings, or all there are where there are fewer."""
    return openings_for(run.options.rules, None, pairs, seed=seed)[:pairs]


def _figures(result: MatchResult) -> dict[str, Any]:
    """Return the figures of a match as an entry keeps them, and as they are read again."""
    figures: dict[str, Any] = plain(
        {key: value for key, value in result.as_dict().items() if key in _KEPT}
    )
    return figures
