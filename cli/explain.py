"""`samuel explain`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from samuel.cli.common import (
    EvaluatorOption,
    GameOption,
    JsonOption,
    MovesOption,
    PluginOption,
    PositionOption,
    SeedOption,
    command,
    emit,
    game_and_evaluators,
    position_of,
    prepare,
)


@command
def run(
    tree: Annotated[
        str | None,
        typer.Option(
            help="Nested lists of leaves, or a file with them (JSON), or a worked example: "
            "minimax-example, alphabeta-example."
        ),
    ] = None,
    position: PositionOption = None,
    moves: MovesOption = None,
    evaluator: EvaluatorOption = None,
    game: GameOption = None,
    depth: Annotated[
        int | None, typer.Option(min=1, max=100, help="Plies to search a position; 2 if not given.")
    ] = None,
    algorithm: Annotated[
        str,
        typer.Option(
            help="minimax, negamax, alphabeta, alphabeta-hard, negamax-soft, negamax-hard, pvs, "
            "memory, mtdf or deepening."
        ),
    ] = "alphabeta",
    out: Annotated[
        str, typer.Option(help="Where to write: a picture (.svg), or a page (.html).")
    ] = "explain.svg",
    seed: SeedOption = 0,
    plugin: PluginOption = None,
    json: JsonOption = False,
) -> None:
    """Draw a small search as a tree: its order, its windows, what it cut and why.

    Searches a position of any game to a small depth, or an explicit tree to its leaves.

    Example: samuel explain --tree "[[3,12,8],[2,4,6],[14,1,5]]" --algorithm pvs --out tree.svg
    """
    prepare(plugin)
    from samuel.errors import UserError
    from samuel.models import load_evaluator
    from samuel.reports.tree import explain_position, explain_tree, read_tree, write_explanation

    if tree is not None:
        if any(option is not None for option in (position, moves, evaluator, game, depth)):
            raise UserError("--tree stands alone: it is searched to its leaves, without a game")
        leaves, name = read_tree(tree)
        explanation = explain_tree(leaves, algorithm, name)
    else:
        rules, (judge,) = game_and_evaluators(game, evaluator)
        place = position_of(position, moves, rules)
        explanation = explain_position(place, load_evaluator(judge, rules), depth or 2, algorithm)
    write_explanation(out, explanation)
    facts = explanation.facts()

    def show(console: Any) -> None:
        line = " ".join(facts["pv"]) or "none"
        console.print(f"value       {facts['value']:g} for MAX, who moves at the root")
        console.print(f"leaves      {facts['leaves']} of {facts['leaves_total']} visited")
        again = f", {facts['visits']} visits" if facts["visits"] > facts["nodes"] else ""
        console.print(f"nodes       {facts['nodes']} of {facts['nodes_total']} visited{again}")
        console.print(f"cutoffs     {len(facts['cut'])}")
        console.print(f"best line   {line}", highlight=False)
        console.print(f"written to  {out}", highlight=False)

    emit({**facts, "out": out}, json, show)
