"""`samuel evaluate`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit, game_and_evaluators


@command("evaluating")
def run(
    positions: Annotated[str, typer.Argument(help="An OBF file: a position a line.")],
    evaluator: options.EvaluatorOption = None,
    game: options.GameOption = None,
    json: options.JsonOption = False,
) -> None:
    """Evaluate positions without search, each for its side to move.

    A finished game scores its true result.

    Example: samuel evaluate --evaluator classic positions.obf
    """
    import numpy as np

    from samuel.games.obf import read_problems
    from samuel.models import evaluate, load_evaluator

    rules, (judge,) = game_and_evaluators(game, evaluator)
    problems = read_problems(positions, rules)
    rows = np.stack([problem.position.row for problem in problems])
    with busy("evaluating"):
        found = evaluate(load_evaluator(judge, rules), rules, rows)
    scores = [round(float(score), 6) for score in found]

    def show(console: Any) -> None:
        for problem, score in zip(problems, scores, strict=True):
            console.print(f"{score:+9.3f}  {problem.position.text}", highlight=False)

    emit({"scores": scores}, json, show)
