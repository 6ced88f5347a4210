"""`samuel league`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, game_and_evaluators, progress, summary

if TYPE_CHECKING:
    from rich.table import Table

    from samuel.arena import LeagueResult


@command("playing")
def run(
    model: Annotated[str, typer.Argument(help="An evaluator's name, or a model's folder.")],
    against: Annotated[
        str | None,
        typer.Option(
            help="Its opponent; by default wpc, the standard square weights, or classic or zero "
            "where the game has no wpc."
        ),
    ] = None,
    games: Annotated[
        int, typer.Option(min=2, help="An even number, half with each colour.")
    ] = 2000,
    epsilon: Annotated[
        float, typer.Option(min=0, max=1, help="Probability of a random move, of both sides.")
    ] = 0.1,
    game: options.GameOption = None,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = -1,
    json: options.JsonOption = False,
) -> None:
    """Measure a model without a search, by the protocol of the Othello League.

    Both sides play the move whose position they like best, one ply ahead, and now and then a
    random one, from the initial position, with both colours equally often.

    Example: samuel league runs/ridge --against wpc --games 2000
    """
    rules, (a, b) = game_and_evaluators(game, model, against)
    from samuel.arena import league
    from samuel.arena.league import default_opponent

    if against is None:
        b = default_opponent(rules)
    with progress(f"{a} - {b}", games) as advance:
        result = league(
            a,
            b,
            game=rules,
            games=games,
            epsilon=epsilon,
            seed=seed,
            jobs=jobs,
            progress=lambda so_far: advance(
                so_far.statistics.games, f"{so_far.statistics.score:.1%}"
            ),
        )
    emit(result.as_dict(), json, lambda console: console.print(_table_of(result)))


def _table_of(result: LeagueResult) -> Table:
    s = result.statistics
    rows = {
        "games": f"{s.games}: {s.wins} won, {s.draws} drawn, {s.losses} lost",
        "score": f"{s.score:.1%} (95 %: {s.score_low:.1%} to {s.score_high:.1%})",
    }
    return summary(f"{result.a} against {result.b} (epsilon {result.epsilon:g})", rows)
