"""A tree as a picture, SVG written by hand, and as a page around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from markupsafe import Markup

from samuel.errors import UserError, printable
from samuel.files import whole
from samuel.games import Position
from samuel.reports.html import page

_LEAF_WIDTH, _EMPTY_WIDTH = 52.0, 30.0
"""The room, in pixels, of a leaf, and of one without a value."""
_LETTER = 6.0
_HALF_BASE, _HALF_HEIGHT = 36.0, 22.0
_HALF_LEAF, _HALF_EMPTY, _HALF_LEAF_HEIGHT = 23.0, 12.0, 13.0
_TOP, _MARGIN, _LEGEND = 112.0, 24.0, 40.0
_LEAST_WIDTH, _SIGN = 960.0, 28.0
_MOST_ROWS = 2000
"""Most rows of a page's table; MTD(f) may need very many."""

_STYLE = """
.tree { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
.tree .ground { fill: #ffffff; } .tree text { fill: #1c2024; }
.tree .title { font-size: 17px; font-weight: 600; } .tree .soft { fill: #5c6670; }
.tree .middle { text-anchor: middle; } .tree .right { text-anchor: end; }
.tree .small { font-size: 11px; } .tree .board { font: 11px monospace; }
.tree .number { font-size: 10px; fill: #7a4fb5; }
.tree .halo { stroke: #ffffff; stroke-width: 4px; paint-order: stroke; stroke-linejoin: round; }
.tree .max { fill: #dce9f8; stroke: #2f6fb5; } .tree .min { fill: #fbe3d0; stroke: #c2662a; }
.tree .chance { fill: #e6f0dc; stroke: #6a8f3c; }
.tree .leaf { fill: #f1f3f5; stroke: #7d8791; } .tree .shape { stroke-width: 1.5; }
.tree .edge { stroke: #7d8791; stroke-width: 1.3; fill: none; }
.tree .pv.edge { stroke: #12874f; stroke-width: 3.5; }
.tree .pv.shape { stroke: #12874f; stroke-width: 3; }
.tree .cut.edge { stroke: #a9b1b9; stroke-dasharray: 5 4; }
.tree .cut.shape { fill: #ffffff; stroke: #b4bbc2; stroke-dasharray: 4 3; }
.tree .faint { fill: #939ba3; } .tree .mark { stroke: #c0392b; stroke-width: 1.8; }
.tree .why { font-size: 11px; font-weight: 600; fill: #c0392b; }
@media (prefers-color-scheme: dark) {
.tree .ground { fill: #16191c; } .tree text { fill: #e4e7ea; } .tree .soft { fill: #9aa4ad; }
.tree .number { fill: #b79be6; } .tree .halo { stroke: #16191c; }
.tree .max { fill: #1d3450; } .tree .min { fill: #4a2c17; } .tree .chance { fill: #2c3a1c; }
.tree .leaf { fill: #262b30; }
.tree .pv.edge, .tree .pv.shape { stroke: #35b877; } .tree .faint { fill: #7f8890; }
.tree .cut.shape { fill: #16191c; stroke: #565e66; } .tree .cut.edge { stroke: #565e66; }
.tree .why { fill: #ef7f72; } .tree .mark { stroke: #ef7f72; }
}
"""


@dataclass(eq=False)
class Drawn:
    """A node of a picture.

    Attributes
    ----------
    kind
        "max", "min", "chance", or "leaf" where nothing is below.
    value
        text in it.
    name
        move that leads here, above it.
    number
        small, to the left of it, or below a leaf.
    labels
        to the right of it, one below the other, with their styles.
    story
        text that shows when one points at it.
    is_pv, is_faint, is_cut
        whether it is of the principal variation; was never visited; was left out for a reason.
    children
        from left to right.
    """

    kind: str
    value: str
    name: str = ""
    number: str = ""
    labels: Sequence[tuple[str, str]] = ()
    story: str = ""
    is_pv: bool = False
    is_faint: bool = False
    is_cut: bool = False
    children: list[Drawn] = field(default_factory=list)

    def __iter__(self) -> Iterator[Drawn]:
        """Yield this and all below it, from left to right."""
        yield self
        for child in self.children:
            yield from child

    @property
    def edges(self) -> Iterator[tuple[Drawn, Drawn]]:
        """All pairs of a parent and a child, from left to right."""
        for child in self.children:
            yield self, child
            yield from child.edges

    @property
    def half_height(self) -> float:
        """In pixels."""
        return _HALF_HEIGHT if self.children else _HALF_LEAF_HEIGHT


@dataclass(frozen=True)
class Drawing:
    """A tree and what is said of it.

    Attributes
    ----------
    root
        the whole tree.
    title, summary
        title, and a sentence about the result; one line each.
    label
        the same in a few words, for who does not see it.
    signs
        signs besides those of the players and the principal variation: the room of each, in pixels,
        its SVG and its meaning.
    table_title, headings, rows
        title, headings and rows of the page's table.
    position
        the position at the root, or None for an explicit tree.
    """

    root: Drawn
    title: str
    summary: str
    label: str
    signs: Sequence[tuple[float, str, str]]
    table_title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    position: Position | None = None


Places = dict[Drawn, tuple[float, float]]


def write_tree(path: Path | str, drawing: Drawing) -> Path:
    """Write a picture (`.svg`) or a page with it and a table (`.html`), whole or not at all.

    Raises
    ------
    UserError
        The name ends otherwise, or cannot be written.
    """
    kinds = {".svg": picture_of, ".html": page_of, ".htm": page_of}
    draw = kinds.get(Path(path).suffix.lower())
    if draw is None:
        raise UserError(f"{path}: give a name that ends in .svg for a picture, in .html for a page")
    with whole(path) as partial:
        # the name of a file may hold what is no Unicode
        partial.write_text(printable(draw(drawing)), encoding="utf-8", errors="replace")
    return Path(path)


def picture_of(drawing: Drawing) -> str:
    """Return a tree as an SVG document."""
    svg = str(tree_svg(drawing)).replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'


def page_of(drawing: Drawing) -> str:
    """Return a tree and its table as an HTML page that needs nothing else."""
    rows = [[_typeset(cell) for cell in row] for row in drawing.rows[:_MOST_ROWS]]
    return page(
        "tree.html",
        title=drawing.title,
        picture=tree_svg(drawing),
        board="" if drawing.position is None else str(drawing.position),
        table_title=drawing.table_title,
        headings=drawing.headings,
        rows=rows,
        left_out=len(drawing.rows) - len(rows),
    )


def tree_svg(drawing: Drawing) -> Markup:
    """Return a tree as an SVG element."""
    signs = _signs(drawing)
    least = 2 * _MARGIN + sum(room + _SIGN for room, *_ in signs)
    places, width, height = _layout(drawing.root, max(least, _LEAST_WIDTH))
    edges = sorted(drawing.root.edges, key=lambda edge: edge[1].is_pv)  # the line above the others
    parts = [
        Markup('<rect class="ground" width="{:.0f}" height="{:.0f}"/>').format(width, height),
        *_heading(drawing),
        *(_edge(parent, child, places) for parent, child in edges),
        *(_node(node, *places[node]) for node in drawing.root),
        *_legend(height - _LEGEND / 2 - 6, signs),
    ]
    return Markup(
        '<svg class="tree" role="img" aria-label="{label}" width="{width:.0f}" '
        'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">\n'
        "<style>{style}</style>\n{body}\n</svg>"
    ).format(
        label=drawing.label,
        width=width,
        height=height,
        style=Markup(_STYLE),
        body=Markup("\n").join(parts),
    )


def _layout(root: Drawn, least: float) -> tuple[Places, float, float]:
    """Return the centre of each node, and the size of the picture.

    Leaves stand side by side, parents over the middle of their children.
    """
    room = _room(root)
    width = max(room[root] + 2 * _MARGIN, least)
    across: dict[Drawn, float] = {}
    level, left = [root], {root: (width - room[root]) / 2}
    rows: list[tuple[float, list[Drawn]]] = []
    for node in root:  # parents before children
        at = left[node] + (room[node] - sum(room[c] for c in node.children)) / 2
        for child in node.children:
            left[child], at = at, at + room[child]
    for node in reversed(list(root)):
        ends = [across[child] for child in node.children[:: max(1, len(node.children) - 1)]]
        across[node] = sum(ends) / len(ends) if ends else left[node] + room[node] / 2
    down = _TOP
    while level:
        rows.append((down, level))
        below = [(abs(across[c] - across[node]), c) for node in level for c in node.children]
        farthest = max((distance for distance, _ in below), default=0)
        down += 96 + min(160, 0.12 * farthest)  # edges that go far need some slope
        level = [child for _, child in below]
    places = {node: (across[node], y) for y, nodes in rows for node in nodes}
    return places, width, rows[-1][0] + _HALF_HEIGHT + 34 + _LEGEND


def _room(root: Drawn) -> dict[Drawn, float]:
    """Return the width that each node takes with all below it."""
    room: dict[Drawn, float] = {}
    for node in reversed(list(root)):  # children before parents
        if node.children:
            beside = [node.number, *(label for label, _ in node.labels)]
            own = 2 * (_HALF_BASE + 8 + max(map(len, beside)) * _LETTER)
        else:
            own = _LEAF_WIDTH if node.value else _EMPTY_WIDTH
        own = max(own, len(node.name) * _LETTER + 12)
        room[node] = max(own, sum(room[child] for child in node.children))
    return room


def _edge(parent: Drawn, child: Drawn, places: Places) -> Markup:
    """Return the line from the parent, with a mark where it was cut."""
    (x0, y0), (x1, y1) = places[parent], places[child]
    y0, y1 = y0 + _HALF_HEIGHT, y1 - child.half_height
    style = "pv edge" if child.is_pv else "cut edge" if child.is_faint else "edge"
    line = _path(style, f"M{x0:.1f} {y0:.1f} L{x1:.1f} {y1:.1f}")
    if child.is_cut:
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        line += _path("mark", f"M{x - 5:.1f} {y:.1f} l10 -5 m0 5 l-10 5")
    return line


def _node(node: Drawn, x: float, y: float) -> Markup:
    """Return a node with what stands in it and around it."""
    style = f"{node.kind} shape{' pv' if node.is_pv else ''}{' cut' if node.is_faint else ''}"
    half, tall = _HALF_BASE, _HALF_HEIGHT * (-1 if node.kind == "min" else 1)
    if not node.children:
        half, tall = _HALF_LEAF if node.value else _HALF_EMPTY, _HALF_LEAF_HEIGHT
    to_apex = f"l-{half:.0f} {-2 * tall:.0f}"
    rest = to_apex if node.children else f"v{-2 * tall:.0f} h-{2 * half:.0f}"
    outline = f"M{x - half:.1f} {y + tall:.1f} h{2 * half:.0f} {rest} Z"
    if node.kind == "chance":
        outline = f"M{x - half:.1f} {y:.1f} {_ellipse(half, tall)}"
    level = y + {"leaf": 4.5, "max": 15, "min": -6, "chance": 4.5}[node.kind]
    faint = " faint" if node.is_faint else ""
    fitting = "middle" + (" small" if len(node.value) > 5 else "") + faint
    return Markup("<g><title>{}</title>{}{}{}</g>").format(
        _typeset(node.story),
        _path(style, outline),
        _text(x, level, node.value, fitting),
        Markup("").join(_surroundings(node, x, y, faint)),
    )


def _ellipse(half: float, tall: float) -> str:
    """Return the path from the left end of an ellipse around it."""
    arc = f"a{half:.0f} {tall:.0f} 0 1 0"
    return f"{arc} {2 * half:.0f} 0 {arc} {-2 * half:.0f} 0 Z"


def _surroundings(node: Drawn, x: float, y: float, faint: str) -> Iterator[Markup]:
    """Yield what stands around a node: name, number, labels."""
    if node.name:
        yield _text(x, y - node.half_height - 8, node.name, f"middle small halo{faint}")
    if not node.children:
        if node.number:
            yield _text(x, y + 27, node.number, "middle number")
        return
    if node.number:
        yield _text(x - _HALF_BASE - 4, y - 11, node.number, "right number")
    for line, (content, style) in enumerate(node.labels):
        yield _text(x + _HALF_BASE + 4, y - 11 + 14 * line, content, style)


def _heading(drawing: Drawing) -> list[Markup]:
    """Return the title and the summary, above the tree."""
    lines = [
        _text(_MARGIN, 30, drawing.title, "title"),
        _text(_MARGIN, 52, drawing.summary, "soft"),
    ]
    if drawing.position:
        text = Markup('<text class="board soft" x="{}" y="71">{}</text>')
        lines.append(text.format(_MARGIN, drawing.position.text))
    return lines


def _signs(drawing: Drawing) -> list[tuple[float, str, str]]:
    """Return the signs and what they mean."""
    chance = (90.0, f'<path class="chance shape" d="M0 0 {_ellipse(11, 7)}"/>', "chance")
    return [
        (176, '<path class="max shape" d="M0 7 h22 l-11 -14 Z"/>', "MAX (to move at the root)"),
        (70, '<path class="min shape" d="M0 -7 h22 l-11 14 Z"/>', "MIN"),
        *[chance] * any(node.kind == "chance" for node in drawing.root),
        (150, '<path class="pv edge" d="M0 0 h22"/>', "principal variation"),
        *drawing.signs,
    ]


def _legend(y: float, signs: Sequence[tuple[float, str, str]]) -> list[Markup]:
    """Return the signs and what they mean, on one line."""
    parts, x = [], _MARGIN
    for room, sign, meaning in signs:
        text = _text(_SIGN, 4, meaning, "small")
        placed = Markup('<g transform="translate({:.0f} {:.0f})">{}{}</g>')
        parts.append(placed.format(x, y, Markup(sign), text))
        x += room + _SIGN
    return parts


def _text(x: float, y: float, content: str, style: str) -> Markup:
    text = Markup('<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>')
    return text.format(style, x, y, _typeset(content))


def _path(style: str, outline: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(style, outline)


def _typeset(text: str) -> str:
    """Return a text with the signs of print."""
    text = text.replace(">=", "\N{GREATER-THAN OR EQUAL TO}")
    text = text.replace("<=", "\N{LESS-THAN OR EQUAL TO}")
    return re.sub(r"(?<![\w-])-(?=[\d\N{INFINITY}])", "\N{MINUS SIGN}", text)
