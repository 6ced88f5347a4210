"""`samuel learn policy`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import (
    Jobs,
    emit,
    game_and_evaluators,
    print_table,
    progress,
    replacing_model,
)
from samuel.cli.subcommands import Given, subcommand
from samuel.common.options import Range, Text, names_in

if TYPE_CHECKING:
    from rich.console import Console

_MEASURED = (
    *("a", "b", "games", "wins", "losses", "draws", "score", "score_low", "score_high"),
    "epsilon",
)
"""Note on the games that measure a model."""


@subcommand("samuel.learning.online.natural_gradient:policy_gradient", doing="learning")
def run(
    given: Given,
    *,
    out: str,
    shapes: str = "tuples2",
    against: Annotated[list[str] | None, Text(names_in, "wpc,self")] = None,
    epsilon: Annotated[float, Range(0.0, 0.99)] = 0.1,
    games: Annotated[int, Range(2)] = 2000,
    name: str | None = None,
    game: str | None = None,
    seed: Annotated[int, Range(0, (1 << 32) - 1)] = 0,
    jobs: Jobs = -1,
    json: bool = False,
) -> None:
    """Run `samuel learn policy`.

    The weights start from zero. Natural policy gradients raise the probability of moves that win.
    Ctrl-C ends the learning and saves the model. For play with a search, `samuel train` makes
    stronger models.

    Example: samuel learn policy --shapes tuples2 --against wpc --minutes 2 --out runs/league

    Parameters
    ----------
    out
        Folder for the model.
    shapes
        Set of patterns, such as tuples2 or tuples3, or a file of patterns.
    against
        Opponents, joined by commas: evaluators, folders of models, or self. Default: wpc, or
        classic or zero if the game has no wpc.
    epsilon
        Share of random moves of both sides.
    games
        Number of new games against each opponent to measure the model, an even number.
    name
        Name of the model in reports.
    """
    from samuel.arena import match
    from samuel.arena.match import pairs_of
    from samuel.learning.online.natural_gradient import SELF, policy_gradient
    from samuel.models.named import default_opponent
    from samuel.models.saved.saving import require_room, save

    require_room(Path(out))
    seed_of_match = seed + 1  # other games than the learning's
    pairs = pairs_of(games)
    named = against or []
    others = [opponent for opponent in named if opponent != SELF]
    rules, baselines = game_and_evaluators(game, *others)
    baselines = baselines or [default_opponent(rules)]
    opponents = named or baselines
    with progress("learning", 100) as advance:
        fit = policy_gradient(
            shapes,
            game=rules,
            against=opponents,
            epsilon=epsilon,
            seed=seed,
            jobs=jobs,
            **given,
            progress=lambda share, score: advance(100 * share, f"{score:.1%}"),
        )
    settings = {"against": opponents, "epsilon": epsilon, "seed": seed}
    name = name or Path(out).name
    with replacing_model(out):
        save(out, fit.estimator, name=name, card={"policy": settings | fit.about})
    terms: dict[str, Any] = {"method": "greedy", "epsilon": epsilon, "openings": "start"}
    terms |= {"game": rules, "pairs": pairs, "seed": seed_of_match, "jobs": jobs}
    measured = [match(out, baseline, **terms).as_dict() for baseline in baselines]
    content = {
        "model": name,
        "out": out,
        **settings,
        **fit.about,
        "league": [{key: one[key] for key in _MEASURED} for one in measured],
    }
    emit(content, json, lambda console: _show(content, console))


def _show(content: dict[str, Any], console: Console) -> None:
    from samuel.reports.tables import TextTable

    rows = []
    for measured in content["league"]:
        span = f"{measured['score_low']:.1%} to {measured['score_high']:.1%}"
        rows.append([measured["b"], f"{measured['games']:,}", f"{measured['score']:.1%}", span])
    title = f"{content['model']} in fresh games (epsilon {content['epsilon']:g})"
    print_table(title, TextTable(["against", "games", "score", "95 %"], rows), console)
    early = " (interrupted)" if content["ended"] == "interrupted" else ""
    console.print(
        f"trained on {content['games']:,} games in {content['seconds']:.1f} s{early}; saved "
        f"in {content['out']}"
    )
