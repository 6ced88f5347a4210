"""`samuel levels`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, game_and_evaluators, keeping_games, print_table, progress

if TYPE_CHECKING:
    from samuel.arena import MatchResult
    from samuel.play.ladder import Rung
    from samuel.reports.tables import TextTable


@command("playing the ladder")
def run(
    evaluator: options.EvaluatorOption = None,
    game: options.GameOption = None,
    pairs: Annotated[int, typer.Option(min=1, max=100_000, help="Of each match.")] = 200,
    out: Annotated[
        str | None, typer.Option(help="A folder for the matches; interrupted, it goes on there.")
    ] = None,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = -1,
    json: options.JsonOption = False,
) -> None:
    """Let each level of play meet the one below, and say how strong each is.

    Levels are those of samuel play, gtp, nboard and the others.

    Example: samuel levels --game checkers --out runs/levels
    """
    from samuel.models import load_evaluator
    from samuel.play.ladder import as_dicts, climb
    from samuel.play.levels import levels_of

    rules, (name,) = game_and_evaluators(game, evaluator)
    judge = load_evaluator(name, rules)
    steps = len(levels_of(rules)) - 1
    with keeping_games(out), progress("games played", 2 * pairs * steps) as advance:

        def follow(level: int, result: MatchResult) -> None:
            advance(2 * (pairs * (level - 2) + len(result.pairs)))

        rungs = climb(judge, rules, pairs=pairs, seed=seed, jobs=jobs, out=out, progress=follow)
    content = {"game": rules.name, "evaluator": name, "pairs": pairs, "levels": as_dicts(rungs)}
    title = f"Levels of {rules.name} by {name}, {2 * pairs} games a step"
    emit(content, json, lambda console: print_table(title, _table(rungs), console))


def _table(rungs: list[Rung]) -> TextTable:
    from samuel.reports.tables import NOTHING, TextTable

    def score(rung: Rung) -> str:
        if rung.score is None:
            return NOTHING
        return f"{rung.score:.1%} ({rung.score_low:.1%} to {rung.score_high:.1%})"

    def elo(rung: Rung) -> str:
        if not math.isfinite(rung.elo):  # somebody has won every game, here or below
            return NOTHING
        return f"{rung.elo:.0f} ({rung.elo_low:.0f} to {rung.elo_high:.0f})"

    rows = [
        [
            str(rung.level),
            str(rung.depth),
            f"{rung.errors:g}",
            score(rung),
            elo(rung),
        ]
        for rung in rungs
    ]
    return TextTable(["level", "depth", "errors", "against the one below", "Elo"], rows)
