"""`samuel explain`."""

from __future__ import annotations

import json as json_text
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import emit, game_and_evaluators, position_of

if TYPE_CHECKING:
    from samuel.search.reference.node import Tree

_MOST_BYTES = 1 << 20
"""Of a file with a tree."""

EXAMPLES: dict[str, Tree] = {
    "minimax-example": [[3, 12, 8], [2, 4, 6], [14, 1, 5]],
    "alphabeta-example": [
        [[[0, 5], [-3, 3]], [[3, 6], [-2, 3]]],
        [[[5, 4], [-3, 0]], [[6, 8], [9, -3]]],
    ],
}
"""The worked trees of the textbooks, by name: values 3 and 4."""


@command("explaining")
def run(
    tree: Annotated[
        str | None,
        typer.Option(
            help="Nested lists of leaves, or a file with them (JSON), or a worked example: "
            "minimax-example, alphabeta-example."
        ),
    ] = None,
    position: options.PositionOption = None,
    moves: options.MovesOption = None,
    evaluator: options.EvaluatorOption = None,
    game: options.GameOption = None,
    depth: Annotated[
        int | None, typer.Option(min=1, max=100, help="Plies to search a position; 2 if not given.")
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="minimax, negamax, alphabeta, alphabeta-hard, negamax-soft, negamax-hard, pvs, "
            "memory, mtdf or deepening; expectiminimax, star1, star2 or star2.5 where there are "
            "dice. By default alphabeta, with dice expectiminimax."
        ),
    ] = None,
    out: Annotated[
        str, typer.Option(help="Where to write: a picture (.svg), or a page (.html).")
    ] = "explain.svg",
    json: options.JsonOption = False,
) -> None:
    """Draw a small search as a tree: its order, its windows, what it cut and why.

    Searches a position of any game to a small depth, or an explicit tree to its leaves.

    Example: samuel explain --tree "[[3,12,8],[2,4,6],[14,1,5]]" --algorithm pvs --out tree.svg
    """
    from samuel.errors import UserError
    from samuel.models import load_evaluator
    from samuel.reports.tree import write_explanation
    from samuel.search.reference.explanation import explain_position, explain_tree

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


def read_tree(text: str) -> tuple[Tree, str]:
    """Return the tree that `text` gives, and what to call it.

    `text` is nested lists as JSON, in which `{"chance": [...], "weights": [...]}` stands where dice
    are thrown, the name of a worked example, or a file that holds JSON.

    Raises
    ------
    UserError
        It is none of these, or no JSON. Whether the JSON is a tree, `explain_tree` says.
    """
    from samuel.errors import UserError
    from samuel.files import read_bytes
    from samuel.search.score import MAX_PLY

    if text in EXAMPLES:
        return EXAMPLES[text], text
    is_json = text.lstrip().startswith(("[", "{"))
    if not is_json and not os.path.isfile(text):  # False for what cannot be a name, too
        raise UserError(
            f"{text!r} is no tree and no file that can be read; give nested lists such as "
            f'"[[3, 12, 8], [2, 4, 6]]", a file with such lists, or {" or ".join(EXAMPLES)}'
        )
    content = text if is_json else read_bytes(text, _MOST_BYTES)
    name = "a tree" if is_json else Path(text).name
    try:
        return json_text.loads(content), name
    except RecursionError:
        raise UserError(f"{name} is too deep; a tree may be at most {MAX_PLY} plies deep") from None
    except ValueError as error:
        raise UserError(f"{name} is not nested lists in JSON ({error})") from None
