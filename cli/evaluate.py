"""`samuel evaluate`."""

from __future__ import annotations

from typing import Annotated, Any

from samuel.cli.common import busy, emit, game_and_evaluators
from samuel.cli.options import subcommand
from samuel.common.options import Argument


@subcommand("samuel.models:evaluate", doing="evaluating", without=("evaluator", "game"))
def run(
    *,
    positions: Annotated[str, Argument()],
    evaluator: str | None = None,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Evaluate positions without search, from the side to move.

    A finished game scores its true result.

    Example: samuel evaluate --evaluator classic positions.obf

    Parameters
    ----------
    positions
        OBF file with one position per line.
    """
    from samuel.games.obf import read_problems
    from samuel.models import evaluate, load_evaluator

    rules, (name,) = game_and_evaluators(game, evaluator)
    problems = read_problems(positions, rules)
    places = [problem.position for problem in problems]
    with busy("evaluating"):
        found = evaluate(load_evaluator(name, rules), rules, places)
    scores = [round(float(score), 6) for score in found]

    def show(console: Any) -> None:
        for problem, score in zip(problems, scores, strict=True):
            console.print(f"{score:+z9.3f}  {problem.position.text}", highlight=False)

    emit({"scores": scores}, json, show)
