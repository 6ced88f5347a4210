"""`samuel explain`."""

from __future__ import annotations

import json as json_text
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit, game_and_evaluators, position_of

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
        int | None,
        typer.Option(
            min=1,
            max=100,
            help="Plies to search a position, or levels to draw of a sampled tree; 2 if not given.",
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            help="minimax, negamax, alphabeta, alphabeta-hard, negamax-soft, negamax-hard, pvs, "
            "memory, mtdf or deepening; expectiminimax, star1, star2 or star2.5 where there are "
            "dice; uct or montecarlo, with settings after a colon as --method takes them "
            "(uct:playouts=200). By default alphabeta, with dice expectiminimax."
        ),
    ] = None,
    out: Annotated[
        str, typer.Option(help="Where to write: a picture (.svg), or a page (.html).")
    ] = "explain.svg",
    json: options.JsonOption = False,
) -> None:
    """Draw a small search as a tree: its order, its windows, what it cut and why.

    Searches a position of any game to a small depth, or an explicit tree to its leaves; or shows
    the tree that UCT has grown, with visits and means. Of a tree of more than 500 nodes the counts
    are printed, and nothing is drawn.

    Example: samuel explain --tree "[[3,12,8],[2,4,6],[14,1,5]]" --algorithm pvs --out tree.svg
    """
    from samuel.errors import UserError
    from samuel.models import load_evaluator
    from samuel.reports.explained import drawing_of
    from samuel.reports.sampled import drawing_of_samples
    from samuel.reports.tree import write_tree
    from samuel.search.methods import method_named, warn_if_unasked
    from samuel.search.reference.explanation import MAX_NODES, explain_position, explain_tree
    from samuel.search.reference.sampled import explain_sampling, is_sampler

    if tree is not None:
        if any(option is not None for option in (position, moves, evaluator, game, depth)):
            raise UserError("--tree stands alone: it is searched to its leaves, without a game")
        leaves, name = read_tree(tree)
        with busy("searching"):
            explanation = explain_tree(leaves, algorithm, name)
            facts, lines = explanation.facts(), _searched_lines
        drawing = drawing_of(explanation) if explanation.is_drawable else None
    else:
        rules, (judge,) = game_and_evaluators(game, evaluator)
        place, scores = position_of(position, moves, rules), load_evaluator(judge, rules)
        if algorithm is not None and is_sampler(algorithm):
            if evaluator is not None:
                warn_if_unasked(method_named(algorithm), judge)
            with busy("sampling"):
                sampling = explain_sampling(place, scores, depth or 2, algorithm)
            facts, lines, drawing = sampling.facts(), _sampled_lines, drawing_of_samples(sampling)
        else:
            with busy("searching"):
                explanation = explain_position(place, scores, depth or 2, algorithm)
                facts, lines = explanation.facts(), _searched_lines
            drawing = drawing_of(explanation) if explanation.is_drawable else None
    if drawing is not None:
        write_tree(out, drawing)

    def show(console: Any) -> None:
        not_drawn = f"nothing: more than {MAX_NODES} nodes are too many to draw"
        written = not_drawn if drawing is None else out
        for what, said in {**lines(facts), "written to": written}.items():
            console.print(f"{what:11} {said}", highlight=False)

    emit({**facts, "out": None if drawing is None else out}, json, show)


def _searched_lines(facts: dict[str, Any]) -> dict[str, str]:
    """Return for people what a search found."""
    again = f", {facts['visits']} visits" if facts["visits"] > facts["nodes"] else ""
    return {
        "value": f"{facts['value']:g} for MAX, who moves at the root",
        "leaves": f"{facts['leaves']} of {facts['leaves_total']} visited",
        "nodes": f"{facts['nodes']} of {facts['nodes_total']} visited{again}",
        "cutoffs": str(len(facts["cut"])),
        "best line": " ".join(facts["pv"]) or "none",
    }


def _sampled_lines(facts: dict[str, Any]) -> dict[str, str]:
    """Return for people what a search by sampling found."""
    return {
        "value": f"{facts['value']:.3f} for MAX, who moves at the root",
        "simulations": f"{facts['simulations']:,}",
        "nodes": f"{facts['drawn']} of {facts['nodes']:,} drawn",
        "best line": " ".join(facts["pv"]) or "none",
    }


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
