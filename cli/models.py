"""`samuel models`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, facts


@command("looking for models")
def run(
    game: options.GameOption = None,
    features: Annotated[
        bool, typer.Option("--features", help="Say what each feature is, and its numbers.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """List the evaluators that come with samuel, the kinds it trains, and the features.

    Example: samuel models --game connect_four

    samuel models --features
    """
    from samuel.features import feature_names, features_named
    from samuel.features.shapes import set_names
    from samuel.games import game_named
    from samuel.learning.fitting.recipes import recipe_names
    from samuel.models import evaluator_names

    rules = game_named(game or "othello")
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
