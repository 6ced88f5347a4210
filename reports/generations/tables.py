"""A run of the generation loop as tables of text, and in a sentence."""

from __future__ import annotations

from typing import Any

from samuel.arena.sequential.sprt import SprtState
from samuel.common.displayable import NOTHING, Table, cell, counted, duration, share_with_interval
from samuel.learning.generations.log import AGAINST, GATING
from samuel.learning.generations.run import FIRST, LogEntry, Run, baselines_of
from samuel.reports.match.tables import outcome
from samuel.reports.views import elo_said

STRENGTH = "Strength by generation"


def generation_table(run: Run) -> Table:
    """Return the generations as text: their games, what was learned, and what came of it."""
    headings = ["gen.", "played by", "games", "positions", "rows", "R2", "log loss"]
    headings += ["promoted", "time"]
    rows = []
    for row in run.frame().to_dict("records"):
        generation = row["generation"]
        if not generation:
            continue
        rows.append(
            [
                f"{generation}{' *' if generation == run.best_generation else ''}",
                row["player"] or NOTHING,
                *(_whole(row[key]) for key in ("games", "positions", "rows")),
                cell("r2", _known(row["r2"])),
                cell("log_loss", _known(row["log_loss"])),
                {True: "yes", False: "no"}.get(row["promoted"], NOTHING),
                duration(row["seconds"]),
            ]
        )
    note = (
        "Rows is the number of training rows of the candidate. R2 and log loss are measured on "
        "held-out games, which differ from generation to generation, so the figures cannot be "
        "compared between generations; a warm-started fit has seen some of them. The star marks "
        "the best generation."
    )
    return Table("Generations", headings, rows, [note])


def gate_table(run: Run) -> Table:
    """Return the matches of the gate as text."""
    gate = run.options.gate
    headings = ["candidate", "against", "games", "won", "drawn", "lost", "score", "Elo"]
    headings += ["LLR", "test", "promoted"]
    rows = []
    for entry in (e for e in run.log if e["step"] == GATING):
        state = SprtState(*(entry["sprt"][key] for key in ("llr", "lower", "upper", "decision")))
        names = run.name_of(entry["generation"]), run.name_of(entry["opponent"])
        rows.append(
            [
                *names,
                *(f"{entry[key]:,}" for key in ("games", "wins", "draws", "losses")),
                score_text(entry),
                elo_said(entry),
                f"{state.llr:+z.2f}",
                outcome(state),
                "yes" if entry["promoted"] else "no",
            ]
        )
    note = (
        f"The gate is a sequential test of {gate.test}. It ends when the log-likelihood ratio "
        f"(LLR) leaves its bounds ({gate.test.lower:.2f} to {gate.test.upper:.2f}), at the latest "
        f"after {gate.gate_pairs:,} pairs; then the candidate is promoted if the 95 % interval of "
        "its score lies above one half. Score and Elo of a test that ended early are biased away "
        "from even."
    )
    return Table("The gate", headings, rows, [note], detail=True)


def strength_table(run: Run) -> Table:
    """Return the score of each generation against each baseline, with 95 % intervals."""
    names, gate = list(baselines_of(run.options)), run.options.gate
    headings = ["generation", *(f"against {baseline_title(name, run)}" for name in names)]
    rows = []
    for generation in range(run.begun + 1):
        found = [run.of(generation).get(f"{AGAINST} {name}") for name in names]
        if any(found):
            title = str(generation) if generation else f"0: {run.name_of(0)}"
            rows.append([title, *(score_text(match) for match in found)])
    note = (
        f"Score of each generation with its 95 % interval, at depth {gate.match_depth}: "
        f"{gate.curve_pairs} game pairs against each baseline, always from the same "
        "openings. Values against different baselines cannot be compared."
    )
    return Table(STRENGTH, headings, rows, [note])


def baseline_title(baseline: str, run: Run) -> str:
    """Return what a baseline is called: the first evaluator by its own name."""
    return f"{run.name_of(0)} (start)" if baseline == FIRST else baseline


def score_text(match: LogEntry | None) -> str:
    """Return the score of a match with its 95 % interval."""
    if match is None:
        return NOTHING
    return share_with_interval(*(match[f"score{end}"] for end in ("", "_low", "_high")))


def _whole(value: Any) -> str:
    known = _known(value)
    return NOTHING if known is None else f"{int(known):,}"


def _known(value: Any) -> Any:
    """Return a figure of the frame, None where it is missing (which pandas may call NaN)."""
    return None if value is None or value != value else value


def verdict(run: Run) -> str:
    """Return what came of it, in sentences."""
    tested = [entry for entry in run.log if entry["step"] == GATING]
    promoted = sum(entry["promoted"] for entry in tested)
    best = run.name_of(run.best_generation)
    text = f"This run has no gate, so every candidate was promoted. The last one is {best}."
    if run.options.gate.gate_pairs:
        text = (
            f"{counted(len(tested), 'candidate')}, {promoted} promoted. The best model is {best}."
        )
    found = {
        baseline_title(name, run): run.of(run.best_generation).get(f"{AGAINST} {name}")
        for name in baselines_of(run.options)
    }
    said = [f"{score_text(match)} against {name}" for name, match in found.items() if match]
    if said:
        text += f" At depth {run.options.gate.match_depth} it scores {' and '.join(said)}."
    return text
