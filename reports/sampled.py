"""Nodes in the picture of a search by sampling (drawn by reports/tree.py)."""

from __future__ import annotations

import functools

from markupsafe import Markup

from samuel.common.displayable import Picture, Table, rounded, share, with_unit
from samuel.reports.tree import Drawing, Drawn, first_rows, tree_svg
from samuel.reports.views import View
from samuel.search.reference.sampled import MoveSampled, Sampled, Sampling

_SIGNS = [
    ('<path class="cut edge" d="M0 0 h22"/>', "never tried"),
    ('<text class="number" y="4">12</text>', "visits"),
    ('<text class="small" x="-2" y="4">0.5</text>', "mean result for MAX; win, loss: proven"),
    ("", "above a node: its move"),
]
_PROVEN = {1: "win", -1: "loss"}


def sampling_view(sampling: Sampling) -> View:
    """Return a sampled tree, and the moves at its root."""
    unit = sampling.position.game.scores.unit
    headings = ["", "move", "visits", "share", f"mean, {unit}", "reward", "upper bound", "remark"]
    rows = [_row(rank, move) for rank, move in enumerate(sampling.moves, 1)]
    return View(
        f"{sampling.method}: {sampling.title}",
        [_summary(sampling)],
        [
            Picture("", functools.partial(_tree, sampling)),
            first_rows(Table("Moves at the root", headings, rows)),
        ],
    )


def _tree(sampling: Sampling) -> Markup:
    drawing = Drawing(
        root=_drawn(sampling.root, sampling.position.game.scores.unit),
        label=f"Tree grown by {sampling.method}, value {rounded(sampling.result.score)}",
        signs=_SIGNS,
        position=sampling.position,
    )
    return tree_svg(drawing)


def _drawn(node: Sampled, unit: str) -> Drawn:
    """Return a node with its mean, or what is proven, and its visits."""
    is_shown = node.children or node.player == "chance"
    return Drawn(
        kind=node.player.lower() if is_shown else "leaf",
        value=_PROVEN.get(node.proven, "" if node.mean is None else _number(node.mean)),
        name=node.name,
        number=f"{node.visits:,}" if node.visits else "",
        labels=[(f"+ {node.hidden:,} more", "small soft")] if node.hidden else [],
        story=_story(node, unit),
        is_pv=node.is_pv,
        is_faint=node.mean is None,
        children=[_drawn(child, unit) for child in node.children],
    )


def _number(mean: float) -> str:
    """Return a mean, as exact as there is room for."""
    return f"{mean:.1f}" if abs(mean) >= 10 else f"{round(mean, 2) + 0:.2f}"


def _story(node: Sampled, unit: str) -> str:
    """Return all about a node, for the tip that shows when one points at it."""
    turn = "the game is over" if node.player == "nobody" else f"{node.player} to move"
    lines = [f"{node.path or 'root'}: {turn}"]
    if node.visits:
        part = f", {share(node.visits / node.parent.visits)} of its parent's" if node.parent else ""
        lines.append(f"{node.visits:,} visits{part}")
    elif node.parent:
        lines.append("never tried")
    if node.mean is not None:
        lines.append(f"mean {node.mean:.3f} {unit} for MAX")
    if node.proven:
        lines.append(f"proven {_PROVEN[node.proven]} for MAX")
    if node.hidden:
        lines.append(f"{node.hidden:,} more nodes below, with fewer visits, are not drawn")
    return "\n".join(lines)


def _row(rank: int, move: MoveSampled) -> list[str]:
    """Return the row of a move in the page's table."""
    numbers = (move.mean, move.reward, move.bound)
    remark = f"proven {_PROVEN[move.proven]}" if move.proven else ""
    return [
        str(rank),
        move.move,
        f"{move.visits:,}",
        share(move.share),
        *("" if number is None else f"{number:.3f}" for number in numbers),
        remark if move.visits else "never tried",
    ]


def _summary(sampling: Sampling) -> str:
    told, game = sampling.summary(), sampling.position.game
    unit = with_unit(game.scores.unit)
    levels = f"{sampling.levels} level{'s' if sampling.levels > 1 else ''}"
    chosen = ", the mean of the best move" if told["pv"] else ""
    line = f", most visited line {' '.join(told['pv'])}" if told["pv"] else ""
    return (
        f"value {_number(told['value'])}{unit}{chosen}, means are for MAX, "
        f"{told['simulations']:,} simulations, {told['drawn']} of {told['nodes']:,} nodes "
        f"drawn, {levels}{line}"
    )
