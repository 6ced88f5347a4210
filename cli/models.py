"""`samuel models`."""

from __future__ import annotations

from typing import Any

from samuel.cli.common import (
    GameOption,
    JsonOption,
    PluginOption,
    SeedOption,
    command,
    emit,
    prepare,
)


@command
def run(
    game: GameOption = None,
    seed: SeedOption = 0,
    plugin: PluginOption = None,
    json: JsonOption = False,
) -> None:
    """List the evaluators that come with samuel, the kinds it trains, and the features.

    Example: samuel models --game connect_four
    """
    prepare(plugin)
    from samuel.features import feature_names
    from samuel.games import game_named
    from samuel.learning.recipes import recipe_names
    from samuel.models import handmade_names

    rules = game_named(game or "othello")
    lists: dict[str, Any] = {
        "evaluators": handmade_names(rules.name),
        "recipes": recipe_names(rules),
        "features": feature_names(rules.name),
    }

    def show(console: Any) -> None:
        from rich.table import Table

        table = Table(title=f"Evaluators of {rules.name}", show_header=False)
        for name, about in lists["evaluators"].items():
            table.add_row(name, about)
        console.print(table)
        table = Table(title="What samuel train --model makes", show_header=False)
        for name, about in lists["recipes"].items():
            table.add_row(name, about)
        console.print(table)
        console.print(f"features: {', '.join(lists['features']) or 'none'}")

    emit(lists, json, show)
