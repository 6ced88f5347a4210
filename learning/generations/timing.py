"""Estimates of the time that the steps of a run will take, from the steps that it has done."""

from __future__ import annotations

from samuel.learning.generations.log import AGAINST, GATING, SELFPLAY, TEACH, TRAIN
from samuel.learning.generations.run import LogEntry, Run, learned_from, steps_left

_MARGIN = 1.3
"""Factor by which steps of a kind differ from those before: other players, a busier machine."""
_MARGIN_OF_ONE = 2.0
"""Margin factor after one step alone."""

Span = tuple[float, float]
"""The least and the most seconds."""


def time_of(run: Run, last: int) -> Span | None:
    """Return the time of the steps that are left, up to those of generation `last`."""
    spans = [_span(run, *step) for step in steps_left(run, run.goal) if step[0] <= last]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        return None
    return sum(span[0] for span in known), sum(span[1] for span in known)


def _span(run: Run, generation: int, step: str) -> Span | None:
    matches = [e for e in run.log if e["step"] == GATING or e["step"].startswith(AGAINST)]
    if step in (SELFPLAY, TEACH):
        known = [entry for entry in run.log if entry["step"] == step][-2:]
        each, amount = [entry["seconds"] for entry in known], (1.0, 1.0)
    elif step == TRAIN:
        known = [entry for entry in run.log if entry["step"] == TRAIN][-2:]
        each = [entry["seconds"] / len(entry["generations"]) for entry in known]
        amount = (float(len(learned_from(run, generation))),) * 2
    else:
        known = matches[-4:]
        games = sum(entry["games"] for entry in known)  # a match of a few games compiles most
        each = [sum(entry["seconds"] for entry in known) / games] if games else []
        amount = _games(run, step, matches)
    if not each:
        return None
    margin = _MARGIN_OF_ONE if len(known) == 1 else _MARGIN
    return min(each) / margin * amount[0], max(each) * margin * amount[1]


def _games(run: Run, step: str, matches: list[LogEntry]) -> Span:
    """Return the fewest and the most games of a match of the run."""
    if step != GATING:
        return 2.0 * run.options.gate.curve_pairs, 2.0 * run.options.gate.curve_pairs
    before = [entry["games"] for entry in matches if entry["step"] == GATING]
    return min(before, default=0), 2.0 * run.options.gate.gate_pairs
