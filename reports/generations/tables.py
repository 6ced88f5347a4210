"""A run of the generation loop as tables of text, and in a sentence."""

from __future__ import annotations

from typing import Any

from samuel.learning.generations.log import AGAINST, GATING
from samuel.learning.generations.run import FIRST, LogEntry, Run, baselines_of
from samuel.reports.tables import NOTHING, TextTable, cell, duration

_VERDICTS = {
    ("H1", True): "stronger",
    ("H0", False): "not stronger",
    ("continue", True): "stronger, in all pairs",
    ("continue", False): "undecided",
}


def generation_table(run: Run) -> TextTable:
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
    return TextTable(headings, rows)


def gate_table(run: Run) -> TextTable:
    """Return the matches of the gate as text."""
    headings = ["candidate", "against", "games", "won", "drawn", "lost", "score", "Elo"]
    headings += ["LLR", "verdict"]
    rows = []
    for entry in (e for e in run.log if e["step"] == GATING):
        test = entry["sprt"]
        rows.append(
            [
                run.name_of(entry["generation"]),
                run.name_of(entry["opponent"]),
                *(f"{entry[key]:,}" for key in ("games", "wins", "draws", "losses")),
                score_text(entry),
                _elo(entry),
                f"{test['llr']:+z.2f} ({test['lower']:.2f} to {test['upper']:.2f})",
                _VERDICTS.get((test["decision"], entry["promoted"]), NOTHING),
            ]
        )
    return TextTable(headings, rows)


def _elo(entry: LogEntry) -> str:
    """Return the Elo of a match, with its 95 % interval."""
    elo, low, high = (cell("elo", entry[f"elo{end}"]) for end in ("", "_low", "_high"))
    return f"{elo} ({low} to {high})"


def strength_table(run: Run) -> TextTable:
    """Return the score of each generation against each baseline, with 95 % intervals."""
    names = list(baselines_of(run.options))
    headings = ["generation", *(f"against {baseline_title(name, run)}" for name in names)]
    rows = []
    for generation in range(run.begun + 1):
        found = [run.of(generation).get(f"{AGAINST} {name}") for name in names]
        if any(found):
            title = str(generation) if generation else f"0: {run.name_of(0)}"
            rows.append([title, *(score_text(match) for match in found)])
    return TextTable(headings, rows)


def baseline_title(baseline: str, run: Run) -> str:
    """Return what a baseline is called: the first evaluator by its own name."""
    return f"{run.name_of(0)} (start)" if baseline == FIRST else baseline


def score_text(match: LogEntry | None) -> str:
    """Return the score of a match with its 95 % interval."""
    if match is None:
        return NOTHING
    return f"{match['score']:.1%} ({match['score_low']:.1%} to {match['score_high']:.1%})"


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
            f"{len(tested)} candidate{'s' * (len(tested) != 1)}, {promoted} promoted. The "
            f"best model is {best}."
        )
    found = {
        baseline_title(name, run): run.of(run.best_generation).get(f"{AGAINST} {name}")
        for name in baselines_of(run.options)
    }
    said = [f"{score_text(match)} against {name}" for name, match in found.items() if match]
    if said:
        text += f" At depth {run.options.gate.match_depth} it scores {' and '.join(said)}."
    return text
