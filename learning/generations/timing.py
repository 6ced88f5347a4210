"""How long the steps that a run still has to do will take, by what its steps so far really took."""

from __future__ import annotations

from samuel.learning.generations.log import AGAINST, GATING, SELFPLAY, TEACH, TRAIN
from samuel.learning.generations.run import LogEntry, Run, learned_from, steps_left

_MARGIN = 1.3
"""Steps of a kind differ so much from those before: other players, a busier machine."""
_MARGIN_OF_ONE = 2.0
"""The same where there was one alone."""

Span = tuple[float, float]
"""The least and the most seconds."""


def time_of(run: Run, last: int) -> Span | None:
    """Return how long the steps left take, up to those of generation `last`.

    A gate may end after any pair: the least is that of the shortest gate so far, the most all its
    pairs. None where a step is left of a kind that the run has not yet done.
    """
    spans = [_span(run, *step) for step in steps_left(run, run.goal) if step[0] <= last]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        return None
    return sum(span[0] for span in known), sum(span[1] for span in known)


def _span(run: Run, generation: int, step: str) -> Span | None:
    if step in (SELFPLAY, TEACH):
        return _scaled([e["seconds"] for e in run.log if e["step"] == step][-2:], (1.0, 1.0))
    if step == TRAIN:
        fits = [entry for entry in run.log if entry["step"] == TRAIN][-2:]
        each = [entry["seconds"] / len(entry["generations"]) for entry in fits]
        many = float(len(learned_from(run, generation)))
        return _scaled(each, (many, many))
    matches = [e for e in run.log if e["step"] == GATING or e["step"].startswith(AGAINST)]
    games = sum(entry["games"] for entry in matches[-4:])  # a match of a few games compiles most
    each = [sum(entry["seconds"] for entry in matches[-4:]) / games] if games else []
    return _scaled(each, _games(run, step, matches), alone=len(matches) == 1)


def _games(run: Run, step: str, matches: list[LogEntry]) -> Span:
    """Return the fewest and the most games of a match of the run."""
    if step != GATING:
        return 2.0 * run.settings.curve_pairs, 2.0 * run.settings.curve_pairs
    before = [entry["games"] for entry in matches if entry["step"] == GATING]
    return min(before, default=0), 2.0 * run.settings.gate_pairs


def _scaled(each: list[float], amount: Span, *, alone: bool | None = None) -> Span | None:
    """Return the time of an amount of work from that of a unit, as it was once or more."""
    if not each:
        return None
    margin = _MARGIN_OF_ONE if (len(each) == 1 if alone is None else alone) else _MARGIN
    return min(each) / margin * amount[0], max(each) * margin * amount[1]
