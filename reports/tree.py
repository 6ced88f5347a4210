"""A tree as a picture, and as a page around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from markupsafe import Markup

from samuel.common.displayable import Displayable, Table
from samuel.common.errors import UserError, printable
from samuel.common.files import whole
from samuel.games import Position
from samuel.games.drawing import side_names
from samuel.reports.html import environment, write_page
from samuel.reports.scenes import position_svg

_LETTER, _SUMMARY_LETTER = 6.0, 7.0
"""The room, in pixels, of a letter of the tree, and of the summary."""
_HALF_BASE, _HALF_HEIGHT = 36.0, 22.0
_HALF_UNVISITED, _HALF_UNVISITED_HEIGHT = 14.0, 13.0
_HALF_EMPTY, _HALF_LEAF_HEIGHT = 9.0, 13.0
_TOP, _MARGIN, _LINE = 112.0, 24.0, 19.0
_LEAST_WIDTH, _SIGN, _BOARD = 960.0, 28.0, 124.0
_LEAST_SCALE = 0.8
"""Least size of a tree in a window, as a share of its own, so that it stays legible."""
_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_CHANCE = ('<path class="chance shape" d="M0 0 a11 7 0 1 0 22 0 a11 7 0 1 0 -22 0 Z"/>', "chance")
_MOST_ROWS = 2000
"""Most rows of a page's table; MTD(f) may need very many."""


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
    x: float = 0  # of its centre, in pixels
    y: float = 0

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


def write_tree(path: Path | str, result: Displayable) -> Path:
    """Write the picture of a tree (`.svg`) or a page with it and its table (`.html`)."""
    kind = Path(path).suffix.lower()
    if kind in (".html", ".htm"):
        return write_page(path, result)
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
    root, position = drawing.root, drawing.position
    width, height = _lay_out(root)
    legend, height = _legend(drawing, width, height)
    # its words stay legible where the tree is drawn smaller
    board = None if position is None else position_svg(position, int(_BOARD * _LEAST_SCALE))
    template = environment().get_template("tree.svg")
    drawn = template.render(
        root=root,
        edges=sorted(root.edges, key=lambda edge: edge[1].is_pv),  # the line above the others
        label=drawing.label,
        legend=legend,
        position=position,
        board=board,
        board_width=_BOARD,
        width=width,
        height=height,
        least=_LEAST_SCALE,
        margin=_MARGIN,
    )
    return Markup(drawn)


def _lay_out(root: Drawn) -> tuple[float, float]:
    """Place the nodes, and return the size of the picture without the legend."""
    room = _room(root)
    width = max(room[root] + 2 * _MARGIN, _LEAST_WIDTH)
    left = {root: (width - room[root]) / 2}
    for node in root:  # parents before children
        at = left[node] + (room[node] - sum(room[c] for c in node.children)) / 2
        for child in node.children:
            left[child], at = at, at + room[child]
    for node in reversed(list(root)):
        ends = [child.x for child in node.children[:: max(1, len(node.children) - 1)]]
        node.x = sum(ends) / len(ends) if ends else left[node] + room[node] / 2
    level, down, bottom = [root], _TOP, _TOP
    while level:
        for node in level:
            node.y = bottom = down
        below = [(abs(child.x - node.x), child) for node in level for child in node.children]
        farthest = max((distance for distance, _ in below), default=0)
        down += 96 + min(160, 0.12 * farthest)  # edges that go far need some slope
        level = [child for _, child in below]
    return width, bottom + _HALF_HEIGHT + 34


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


def _signs(drawing: Drawing) -> list[tuple[str, str]]:
    sides = ("", "")
    if drawing.position is not None:
        names = side_names(drawing.position.game)
        side = drawing.position.side
        sides = (f": {names[side]}", f": {names[1 - side]}")
    return [
        (
            '<path class="max shape" d="M0 7 h22 l-11 -14 Z"/>',
            f"MAX{sides[0]} (to move at the root)",
        ),
        ('<path class="min shape" d="M0 -7 h22 l-11 14 Z"/>', f"MIN{sides[1]}"),
        *[_CHANCE] * any(node.kind == "chance" for node in drawing.root),
        ('<path class="pv edge" d="M0 0 h22"/>', "principal variation"),
        *drawing.signs,
    ]


def _legend(
    drawing: Drawing, width: float, y: float
) -> tuple[list[tuple[float, float, Markup, float, str]], float]:
    """Return the signs and what they mean, in lines from `y` on, and where they end."""
    parts, x = [], _MARGIN
    y += _LINE / 2
    for sign, meaning in _signs(drawing):
        indent = _SIGN if sign else 0
        room = indent + len(meaning) * _LETTER
        if x > _MARGIN and x + room > width - _MARGIN:
            x, y = _MARGIN, y + _LINE
        parts.append((x, y, Markup(sign), indent, meaning))
        x += room + 16
    return parts, y + _LINE
