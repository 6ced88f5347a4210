"""`samuel models`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, facts

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.games import Game
    from samuel.models.learned import Score


@command("looking for models")
def run(
    name: Annotated[
        str | None,
        typer.Argument(help="An evaluator that comes with samuel: how it was made, its worth."),
    ] = None,
    game: options.GameOption = None,
    features: Annotated[
        bool, typer.Option("--features", help="Say what each feature is, and its numbers.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """List the evaluators that come with samuel, the kinds it trains, and the features.

    Of an evaluator that was learned, and is named, the card: the runs that made it and their seeds,
    the games they learned from and the time they took, its strength on the way, and matches.

    Example: samuel models --game connect_four

    samuel models learned

    samuel models --features
    """
    from samuel.features import feature_names, features_named
    from samuel.features.shapes import set_names
    from samuel.games import game_named
    from samuel.learning.fitting.recipes import recipe_names
    from samuel.models import evaluator_names

    rules = game_named(game or "othello")
    if name is not None:
        return _show_card(name, rules, json)
    lists: dict[str, Any] = {
        "evaluators": evaluator_names(rules),
        "recipes": recipe_names(rules),
        "features": feature_names(rules.name),
    }
    known = features_named(lists["features"], rules.name) if lists["features"] else ()
    lists["about"] = {f.name: {"columns": f.columns, "about": f.about} for f in known}

    def show(console: Any) -> None:
        from rich.table import Table

        console.print(facts(f"Evaluators of {rules.name}", lists["evaluators"]))
        console.print(facts("What samuel train --model makes", lists["recipes"]))
        if set_names(rules):
            console.print("endings such as -logistic may follow any set of shapes")
        if not features:
            console.print(f"features: {', '.join(lists['features']) or 'none'}")
            return
        table = Table(title=f"Features of {rules.name}", show_header=False)
        for made in known:
            table.add_row(made.name, str(len(made.columns)), made.about)
        console.print(table)

    emit(lists, json, show)


def _show_card(name: str, game: Game, json: bool) -> None:
    """Show one evaluator."""
    from samuel.errors import unknown
    from samuel.models import evaluator_names
    from samuel.models.learned import folder_of, learned_names, recipe_of, results_of

    known = evaluator_names(game)
    if name not in known:
        raise unknown("evaluator that comes with samuel", name, known, of=game.name)
    content: dict[str, Any] = {"name": name, "game": game.name, "about": known[name]}
    rows = {"about": known[name]}
    if is_learned := name in learned_names(game.name):
        recipe, results = recipe_of(name, game), results_of(name, game)
        files = folder_of(name, game).iterdir()
        content |= {"bytes": sum(file.stat().st_size for file in files)}
        content |= {"runs": recipe["run"], "probcut": recipe.get("probcut"), **results}
        again = f"samuel learn again {name}" + (f" --game {game.name}" * (game.name != "othello"))
        rows |= {"learned from": results["data"], "in": results["time"]}
        rows |= {"size": f"{content['bytes']:,} bytes", "made again by": again}
        for number, settings in enumerate(recipe["run"], 1):
            rows[f"run {number}"] = ", ".join(f"{k} {v}" for k, v in settings.items())
        if probcut := recipe.get("probcut"):
            rows["ProbCut"] = ", ".join(f"{key} {value}" for key, value in probcut.items())

    def show(console: Console) -> None:
        console.print(facts(f"{name}, of {game.name}", rows))
        if is_learned:
            console.print(_scores("On the way", results["curve"]))
            console.print(_scores("Matches", results["match"]))

    emit(content, json, show)


def _scores(title: str, scores: list[Score]) -> Any:
    from rich.table import Table

    table = Table(title=title)
    for heading in (*(["after"] if "after" in scores[0] else []), "against", "limit"):
        table.add_column(heading)
    table.add_column("score", justify="right")
    table.add_column("games", justify="right")
    for one in scores:
        words = [one[key] for key in ("after", "against", "limit") if key in one]
        said = f"{one['score']:.1f} % ({one['low']:.1f} to {one['high']:.1f})"
        table.add_row(*words, said, f"{one['games']:,}")
    return table
