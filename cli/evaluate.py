"""`samuel evaluate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import Jobs, busy, emit, game_and_evaluators, print_table, progress
from samuel.cli.subcommands import MisuseError, subcommand
from samuel.common.options import Argument, Text, counts_in

if TYPE_CHECKING:
    from samuel.games import Game


@subcommand(doing="evaluating")
def run(
    *,
    positions: Annotated[str | None, Argument()] = None,
    evaluator: str | None = None,
    reference: str | None = None,
    depths: Annotated[Sequence[int], Text(counts_in, "0,1,4,6")] = (0, 1, 4, 6),
    game: str | None = None,
    jobs: Jobs = -1,
    json: bool = False,
) -> None:
    """Evaluate positions without search, from the side to move.

    A finished game scores its true result. With --reference the evaluator's scores are compared
    with deep scores, stage by stage. Three figures come from a linear regression of the deep scores
    on the evaluator's: 1 - R2, the remaining error and the slope. A slope of 1 means that the scale
    is right.

    Example: samuel evaluate --evaluator classic positions.obf

    Example: samuel evaluate --evaluator runs/ridge --reference data/reference

    Parameters
    ----------
    positions
        OBF file with one position per line.
    reference
        Reference set (samuel dataset reference), in place of positions.
    depths
        Search depths to compare with the reference, joined by commas; 0 is the static score.
    """
    rules, (name,) = game_and_evaluators(game, evaluator)
    if positions is None and reference is None:
        raise MisuseError("give a file of positions, or --reference FOLDER")
    if positions is not None and reference is not None:
        raise MisuseError("give a file of positions or --reference, not both")
    if positions is not None:
        _evaluate(positions, name, rules, json)
    elif reference is not None:
        _compare_with(reference, name, rules, depths, jobs, json)


def _evaluate(positions: str, name: str, rules: Game, json: bool) -> None:
    import numpy as np

    from samuel.games.obf import read_problems
    from samuel.models import evaluate, load_evaluator

    problems = read_problems(positions, rules)
    rows = np.stack([problem.position.row for problem in problems])
    with busy("evaluating"):
        found = evaluate(load_evaluator(name, rules), rules, rows)
    scores = [round(float(score), 6) for score in found]

    def show(console: Any) -> None:
        for problem, score in zip(problems, scores, strict=True):
            console.print(f"{score:+z9.3f}  {problem.position.text}", highlight=False)

    emit({"scores": scores}, json, show)


def _compare_with(
    reference: str, name: str, rules: Game, depths: Sequence[int], jobs: int, json: bool
) -> None:
    from samuel.learning.comparison.reference import (
        open_reference,
        reference_errors,
        warn_of_same_games,
    )
    from samuel.models import evaluator_names, load_evaluator
    from samuel.models.saved.card import CARD, read_card
    from samuel.reports.comparison.tables import REFERENCE_FIGURES, error_table

    deep = open_reference(reference, rules)
    evaluator = load_evaluator(name, rules)
    folder = Path(name)
    is_saved = name not in evaluator_names(rules) and (folder / CARD).is_file()
    data = read_card(folder).get("data") if is_saved else None
    if isinstance(data, dict):
        lineage = [str(one) for one in data.get("lineage") or ()]
        warn_of_same_games(deep, lineage, str(data.get("folder")))
    with progress("searching", len(deep) * len(set(depths))) as advance:
        errors = reference_errors(deep, evaluator, depths, jobs=jobs, progress=advance)

    def show(console: Any) -> None:
        for figure, what in REFERENCE_FIGURES.items():
            title = f"{evaluator.name} against {deep.folder.name}: {what}"
            unit = f" ({rules.unit})" if figure == "error" else ""
            print_table(title + unit, error_table(errors, figure), console)

    emit({"evaluator": name, "errors": [asdict(error) for error in errors]}, json, show)
