"""`samuel learn policy`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import (
    emit,
    game_and_evaluators,
    print_table,
    progress,
    replacing_model,
)

if TYPE_CHECKING:
    from rich.console import Console


@command("learning")
def run(
    out: Annotated[str, typer.Option(help="Folder for the model.")],
    shapes: Annotated[
        str, typer.Option(help="A set of shapes, such as tuples2 or tuples3, or a file of shapes.")
    ] = "tuples2",
    against: Annotated[
        str | None,
        typer.Option(
            help="Opponents joined by commas: models of the package, folders, or self; by default "
            "wpc, or classic or zero where the game has no wpc."
        ),
    ] = None,
    generations: Annotated[
        int | None,
        typer.Option(min=1, help="Of 1,000 games or a few more; 300 where no minutes are given."),
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0.001, help="How long to learn.")] = None,
    epsilon: Annotated[
        float, typer.Option(min=0, max=0.99, help="Probability of a random move, of both sides.")
    ] = 0.1,
    games: Annotated[
        int, typer.Option(min=2, help="Fresh games against each opponent to judge by; even.")
    ] = 2000,
    name: Annotated[str | None, typer.Option(help="What reports call the model.")] = None,
    game: options.GameOption = None,
    seed: options.SeedOption = 0,
    jobs: options.JobsOption = -1,
    json: options.JsonOption = False,
) -> None:
    """Learn a model of patterns from one-ply games alone, to win by the Othello League's protocol.

    The model starts from nothing and draws its moves; natural policy gradients make those likelier
    that win. Ctrl-C ends the learning, and what was learned by then is saved. The model is made for
    play without a search; for searches samuel train makes stronger ones.

    Example: samuel learn policy --shapes tuples2 --against wpc --minutes 2 --out runs/league
    """
    from samuel.arena import league
    from samuel.arena.league import default_opponent, require_playable
    from samuel.learning.online.natural_gradient import SELF, policy_gradient
    from samuel.models.saved.saving import require_room, save

    require_room(Path(out))
    judging = seed + 1  # other games than the learning's
    require_playable(games, epsilon, judging, jobs)
    named = options.names_in(against) or []
    others = [opponent for opponent in named if opponent != SELF]
    rules, judges = game_and_evaluators(game, *others)
    judges = judges or [default_opponent(rules)]
    opponents = named or judges
    with progress("learning", 100) as advance:
        fit = policy_gradient(
            shapes,
            game=rules,
            against=opponents,
            epsilon=epsilon,
            generations=generations,
            minutes=minutes,
            seed=seed,
            jobs=jobs,
            progress=lambda share, score: advance(100 * share, f"{score:.1%}"),
        )
    settings = {"against": opponents, "epsilon": epsilon, "seed": seed}
    name = name or Path(out).name
    with replacing_model(out):
        save(out, fit.estimator, name=name, card={"policy": settings | fit.about})
    judged = [
        league(out, judge, game=rules, games=games, epsilon=epsilon, seed=judging, jobs=jobs)
        for judge in judges
    ]
    content = {
        "model": name,
        "out": out,
        **settings,
        **fit.about,
        "league": [result.as_dict() for result in judged],
    }
    emit(content, json, lambda console: _show(content, console))


def _show(content: dict[str, Any], console: Console) -> None:
    from samuel.reports.tables import TextTable

    rows = []
    for judged in content["league"]:
        span = f"{judged['score_low']:.1%} to {judged['score_high']:.1%}"
        rows.append([judged["b"], f"{judged['games']:,}", f"{judged['score']:.1%}", span])
    title = f"{content['model']} in fresh games (epsilon {content['epsilon']:g})"
    print_table(title, TextTable(["against", "games", "score", "95 %"], rows), console)
    early = " (interrupted)" if content["ended"] == "interrupted" else ""
    console.print(
        f"learned from {content['games']:,} games in {content['seconds']:.1f} s{early}; "
        f"saved in {content['out']}"
    )
