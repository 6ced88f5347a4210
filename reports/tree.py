"""A tree as a picture, SVG written by hand, and as a page around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from markupsafe import Markup

from samuel.common.displayable import Displayable, Table
from samuel.common.errors import UserError, printable
from samuel.common.files import whole
from samuel.games import Position
from samuel.games.drawing import side_names
from samuel.reports.html import typeset, write
from samuel.reports.scenes import position_svg

_LETTER, _SUMMARY_LETTER = 6.0, 7.0
"""The room, in pixels, of a letter of the tree, and of the summary."""
_HALF_BASE, _HALF_HEIGHT = 36.0, 22.0
_HALF_UNVISITED, _HALF_UNVISITED_HEIGHT = 14.0, 13.0
_HALF_EMPTY, _HALF_LEAF_HEIGHT = 9.0, 13.0
_TOP, _MARGIN, _LINE, _NAME = 112.0, 24.0, 19.0, 19.0
_LEAST_WIDTH, _SIGN, _BOARD = 960.0, 28.0, 124.0
_LEAST_SCALE = 0.8
"""Least size of a tree in a window, as a share of its own, so that it stays legible."""
_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_MOST_ROWS = 2000
"""Most rows of a page's table; MTD(f) may need very many."""

_STYLE = """
.tree { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #1c2024; }
.tree .ground { fill: #ffffff; } .tree > text, .tree > g text { fill: #1c2024; }
.tree .title { font-size: 17px; font-weight: 600; } .tree text.soft { fill: #5c6670; }
.tree .middle { text-anchor: middle; } .tree .right { text-anchor: end; }
.tree .small { font-size: 11px; } .tree .tiny { font-size: 10px; }
.tree .board { font: 11px monospace; }
.tree text.number { font-size: 10px; fill: #7a4fb5; }
.tree .halo { stroke: #ffffff; stroke-width: 4px; paint-order: stroke; stroke-linejoin: round; }
.tree .max { fill: #dce9f8; stroke: #2f6fb5; } .tree .min { fill: #fbe3d0; stroke: #c2662a; }
.tree .chance { fill: #e6f0dc; stroke: #6a8f3c; }
.tree .leaf { fill: #f1f3f5; stroke: #7d8791; } .tree .shape { stroke-width: 1.5; }
.tree .edge { stroke: #7d8791; stroke-width: 1.3; fill: none; }
.tree .pv.edge { stroke: #12874f; stroke-width: 3.5; }
.tree .pv.shape { stroke: #12874f; stroke-width: 3; }
.tree .cut.edge { stroke: #a9b1b9; stroke-dasharray: 5 4; }
.tree .cut.shape { fill: #ffffff; stroke: #b4bbc2; stroke-dasharray: 4 3; }
.tree text.faint { fill: #939ba3; } .tree .mark { stroke: #c0392b; stroke-width: 1.8; }
.tree text.why { font-size: 11px; font-weight: 600; fill: #c0392b; }
@media (prefers-color-scheme: dark) {
.tree { color: #e4e7ea; } .tree .ground { fill: #16191c; }
.tree > text, .tree > g text { fill: #e4e7ea; } .tree text.soft { fill: #9aa4ad; }
.tree text.number { fill: #b79be6; } .tree .halo { stroke: #16191c; }
.tree .max { fill: #1d3450; } .tree .min { fill: #4a2c17; } .tree .chance { fill: #2c3a1c; }
.tree .leaf { fill: #262b30; }
.tree .pv.edge, .tree .pv.shape { stroke: #35b877; } .tree text.faint { fill: #7f8890; }
.tree .cut.shape { fill: #16191c; stroke: #565e66; } .tree .cut.edge { stroke: #565e66; }
.tree text.why { fill: #ef7f72; } .tree .mark { stroke: #ef7f72; }
}
"""


@dataclass(eq=False)
class Drawn:
    """A node of a picture."""

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
        if self.children:
            return _HALF_UNVISITED_HEIGHT if self._is_empty else _HALF_HEIGHT
        return _HALF_LEAF_HEIGHT

    @property
    def half_width(self) -> float:
        """In pixels; a leaf is as wide as its value needs."""
        if self.children:
            return _HALF_UNVISITED if self._is_empty else _HALF_BASE
        return max(_HALF_EMPTY, _LETTER / 2 * len(self.value) + 4 if self.value else 0)

    @property
    def _is_empty(self) -> bool:
        return self.is_faint and not self.value


@dataclass(frozen=True)
class Drawing:
    """A tree, its signs and its position."""

    root: Drawn
    label: str
    signs: Sequence[tuple[str, str]]
    position: Position | None = None


Places = dict[Drawn, tuple[float, float]]


def write_tree(path: Path | str, result: Displayable) -> Path:
    """Write the picture of a tree (`.svg`) or a page with it and its table (`.html`)."""
    kind = Path(path).suffix.lower()
    if kind in (".html", ".htm"):
        return write(path, result)
    if kind != ".svg":
        raise UserError(f"{path}: give a name that ends in .svg for a picture, in .html for a page")
    drawn = str(result.pictures()[0].draw()).replace("<svg", f"<svg{_NAMESPACE}", 1)
    with whole(path) as partial:
        content = f'<?xml version="1.0" encoding="UTF-8"?>\n{drawn}\n'
        # the name of a file may hold what is no Unicode
        partial.write_text(printable(content), encoding="utf-8", errors="replace")
    return Path(path)


def first_rows(table: Table) -> Table:
    """Return a table with as many rows as a page can show."""
    left_out = len(table.rows) - _MOST_ROWS
    notes = [f"And {left_out:,} more."] * (left_out > 0)
    return replace(table, rows=table.rows[:_MOST_ROWS], notes=notes)


def tree_svg(drawing: Drawing) -> Markup:
    """Return a tree as an SVG element."""
    places, width, height = _layout(drawing.root)
    legend, height = _legend(drawing, width, height)
    edges = sorted(drawing.root.edges, key=lambda edge: edge[1].is_pv)  # the line above the others
    parts = [
        Markup('<rect class="ground" width="{:.0f}" height="{:.0f}"/>').format(width, height),
        *_heading(drawing, width),
        *(_edge(parent, child, places) for parent, child in edges),
        *(_node(node, *places[node]) for node in drawing.root),
        *legend,
    ]
    return Markup(
        '<svg class="tree" role="img" aria-label="{label}" width="{width:.0f}" '
        'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
        'style="width: 100%; min-width: {least:.0f}px; height: auto">\n'
        "<style>{style}</style>\n{body}\n</svg>"
    ).format(
        label=drawing.label,
        width=width,
        height=height,
        least=_LEAST_SCALE * width,
        style=Markup(_STYLE),
        body=Markup("\n").join(parts),
    )


def _layout(root: Drawn) -> tuple[Places, float, float]:
    """Return the centre of each node, and the size of the picture without the legend."""
    room = _room(root)
    width = max(room[root] + 2 * _MARGIN, _LEAST_WIDTH)
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
    return places, width, rows[-1][0] + _HALF_HEIGHT + 34


def _room(root: Drawn) -> dict[Drawn, float]:
    """Return the width that each node takes with all below it."""
    room: dict[Drawn, float] = {}
    for node in reversed(list(root)):  # children before parents
        own = 2 * node.half_width + 2
        if node.children:
            beside = [node.number, *(label for label, _ in node.labels)]
            own += 2 * (6 + max(map(len, beside)) * _LETTER)
        own = max(own, len(node.name) * _SUMMARY_LETTER + 6)
        room[node] = max(own, sum(room[child] for child in node.children))
    return room


def _edge(parent: Drawn, child: Drawn, places: Places) -> Markup:
    """Return the line from the parent, with a mark where it was cut."""
    (x0, y0), (x1, y1) = places[parent], places[child]
    # the line ends above the move, which stands between it and the node
    y0, y1 = y0 + parent.half_height, y1 - child.half_height - (_NAME if child.name else 0)
    style = "pv edge" if child.is_pv else "cut edge" if child.is_faint else "edge"
    line = _path(style, f"M{x0:.1f} {y0:.1f} L{x1:.1f} {y1:.1f}")
    if child.is_cut:
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        line += _path("mark", f"M{x - 5:.1f} {y:.1f} l10 -5 m0 5 l-10 5")
    return line


def _node(node: Drawn, x: float, y: float) -> Markup:
    """Return a node with what stands in it and around it."""
    style = f"{node.kind} shape{' pv' if node.is_pv else ''}{' cut' if node.is_faint else ''}"
    half, tall = node.half_width, node.half_height
    if node.kind == "min":
        tall = -tall
    to_apex = f"l-{half:.0f} {-2 * tall:.0f}"
    rest = to_apex if node.children else f"v{-2 * tall:.0f} h-{2 * half:.0f}"
    outline = f"M{x - half:.1f} {y + tall:.1f} h{2 * half:.0f} {rest} Z"
    if node.kind == "chance":
        outline = f"M{x - half:.1f} {y:.1f} {_ellipse(half, tall)}"
    is_long = len(node.value) > 5 and bool(node.children)
    level = y + {"leaf": 4, "max": 18, "min": -10, "chance": 4.5}[node.kind]
    faint = " faint" if node.is_faint else ""
    fitting = "middle" + (" tiny" if is_long else "" if node.children else " small") + faint
    return Markup("<g><title>{}</title>{}{}{}</g>").format(
        typeset(node.story),
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
        yield _text(x - node.half_width - 4, y - 11, node.number, "right number")
    for line, (content, style) in enumerate(node.labels):
        yield _text(x + node.half_width + 4, y - 11 + 14 * line, content, style)


def _heading(drawing: Drawing, width: float) -> list[Markup]:
    """Return the position, above the tree."""
    position = drawing.position
    if position is None:
        return []
    text = Markup('<text class="board soft" x="{}" y="{}">{}</text>')
    lines = [text.format(_MARGIN, 30, position.text)]
    # its words stay legible where the tree is drawn smaller
    board = position_svg(position, int(_BOARD * _LEAST_SCALE))
    if board is not None:
        # beside the root, above the last of its children
        placed = (
            f'<svg x="{width - _MARGIN - _BOARD:.0f}" y="14" height="{_BOARD:.0f}" '
            f'preserveAspectRatio="xMaxYMin" width="{_BOARD:.0f}"'
        )
        # the whole picture has the namespace, and the width is given
        inner = re.sub(f'{_NAMESPACE}| width="[0-9]+"', "", str(board), count=2)
        lines.append(Markup(inner.replace("<svg", placed, 1)))
    return lines


def _signs(drawing: Drawing) -> list[tuple[str, str]]:
    sides = ("", "")
    if drawing.position is not None:
        names = side_names(drawing.position.game)
        side = drawing.position.side
        sides = (f": {names[side]}", f": {names[1 - side]}")
    chance = (f'<path class="chance shape" d="M0 0 {_ellipse(11, 7)}"/>', "chance")
    return [
        (
            '<path class="max shape" d="M0 7 h22 l-11 -14 Z"/>',
            f"MAX{sides[0]} (to move at the root)",
        ),
        ('<path class="min shape" d="M0 -7 h22 l-11 14 Z"/>', f"MIN{sides[1]}"),
        *[chance] * any(node.kind == "chance" for node in drawing.root),
        ('<path class="pv edge" d="M0 0 h22"/>', "principal variation"),
        *drawing.signs,
    ]


def _legend(drawing: Drawing, width: float, y: float) -> tuple[list[Markup], float]:
    """Return the signs and what they mean, in lines from `y` on, and where they end."""
    parts, x = [], _MARGIN
    y += _LINE / 2
    for sign, meaning in _signs(drawing):
        indent = _SIGN if sign else 0
        room = indent + len(meaning) * _LETTER
        if x > _MARGIN and x + room > width - _MARGIN:
            x, y = _MARGIN, y + _LINE
        placed = Markup('<g transform="translate({:.0f} {:.0f})">{}{}</g>')
        parts.append(placed.format(x, y, Markup(sign), _text(indent, 4, meaning, "small")))
        x += room + 16
    return parts, y + _LINE


def _text(x: float, y: float, content: str, style: str) -> Markup:
    text = Markup('<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>')
    return text.format(style, x, y, typeset(content))


def _path(style: str, outline: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(style, outline)
