"""`samuel explain`."""

from __future__ import annotations

import json as json_text
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import busy, emit, game_and_evaluators, position_of
from samuel.cli.options import subcommand
from samuel.common.errors import UserError
from samuel.common.options import Range

if TYPE_CHECKING:
    from samuel.search.reference.node import Tree

_MOST_BYTES = 1 << 20
"""Largest file with a tree."""

EXAMPLES: dict[str, Tree] = {
    "minimax-example": [[3, 12, 8], [2, 4, 6], [14, 1, 5]],
    "alphabeta-example": [
        [[[0, 5], [-3, 3]], [[3, 6], [-2, 3]]],
        [[[5, 4], [-3, 0]], [[6, 8], [9, -3]]],
    ],
}
"""The worked trees of the textbooks, by name: values 3 and 4."""


@subcommand(
    "samuel.search.reference.explanation:explain_position",
    doing="explaining",
    without=("evaluator",),
)
def run(
    *,
    tree: str | None = None,
    position: str | None = None,
    moves: str | None = None,
    depth: Annotated[int | None, Range(1, 100)] = None,
    method: str | None = None,
    out: str = "explain.svg",
    evaluator: str | None = None,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Draw a small search as a tree, with the order of visits, windows and cutoffs.

    The command searches a position, or an explicit tree with leaf values. It counts a tree of more
    than 500 nodes, but does not draw it. For uct the drawing shows the visits and mean results of
    the most visited nodes, at most 200.

    Example: samuel explain --tree "[[3,12,8],[2,4,6],[14,1,5]]" --method pvs --out tree.svg

    Parameters
    ----------
    tree
        Nested lists of leaf values, a JSON file with such lists, or an example: minimax-example,
        alphabeta-example.
    position
        Position as text (docs/games/GAME.md). By default the initial position.
    moves
        Moves from the initial position, such as f5d6c3.
    depth
        Search depth in plies. For uct and montecarlo, number of levels to draw. Default: 2.
    method
        Search method: minimax, negamax, alphabeta, alphabeta-hard, pvs, memory, mtdf, deepening;
        with dice expectiminimax, star1, star2, star2.5; by sampling uct, montecarlo. Default:
        alphabeta, with dice expectiminimax.
    out
        File to write: a picture (.svg) or a page (.html).
    """
    from samuel.models import load_evaluator
    from samuel.reports.tree import write_tree
    from samuel.reports.views import view_of
    from samuel.search.methods import method_named, warn_if_unasked
    from samuel.search.reference.explanation import (
        MAX_NODES,
        Explanation,
        explain_position,
        explain_tree,
    )
    from samuel.search.reference.sampled import Sampling, explain_sampling, is_sampler

    result: Explanation | Sampling
    if tree is not None:
        if any(option is not None for option in (position, moves, evaluator, game, depth)):
            raise UserError(
                "--tree cannot be combined with a game, a position or limits: the tree is "
                "searched to its leaves"
            )
        leaves, name = read_tree(tree)
        with busy("searching"):
            result = explain_tree(leaves, method, name)
    else:
        rules, (name,) = game_and_evaluators(game, evaluator)
        place, scores = position_of(position, moves, rules), load_evaluator(name, rules)
        if method is not None and is_sampler(method):
            if evaluator is not None:
                warn_if_unasked(method_named(method), name)
            with busy("sampling"):
                result = explain_sampling(place, scores, depth or 2, method)
        else:
            with busy("searching"):
                result = explain_position(place, scores, depth or 2, method)
    is_drawn = isinstance(result, Sampling) or result.is_drawable
    if is_drawn:
        write_tree(out, result)

    def show(console: Any) -> None:
        console.print(view_of(result).lines[0])
        not_drawn = f"nothing written: more than {MAX_NODES} nodes are too many to draw"
        console.print(f"written to {out}" if is_drawn else not_drawn)

    emit({**result.summary(), "out": out if is_drawn else None}, json, show)


def read_tree(text: str) -> tuple[Tree, str]:
    """Return the tree that `text` gives, and what to call it.

    `text` is nested lists as JSON, in which `{"chance": [...], "weights": [...]}` stands where dice
    are thrown, the name of a worked example, or a file that holds JSON.
    """
    from samuel.common.files import read_bytes
    from samuel.search.score import MAX_PLY

    if text in EXAMPLES:
        return EXAMPLES[text], text
    is_json = text.lstrip().startswith(("[", "{"))
    if not is_json and not os.path.isfile(text):  # False for what cannot be a name, too
        raise UserError(
            f"--tree {text!r} is neither a tree nor a readable file; give nested lists such "
            'as "[[3, 12, 8], [2, 4, 6]]", a file with nested lists, or '
            f"{' or '.join(EXAMPLES)}"
        )
    content = text if is_json else read_bytes(text, _MOST_BYTES)
    name = "a tree" if is_json else Path(text).name
    try:
        return json_text.loads(content), name
    except RecursionError:
        raise UserError(f"{name} is too deep; a tree has at most {MAX_PLY} plies") from None
    except ValueError as error:
        raise UserError(
            f"{name} is not nested lists in JSON ({error}); write numbers, commas and a bracket "
            "for every level, such as [[3, 12, 8], [2, 4, 6]]"
        ) from None
