"""An explained search as a picture, SVG written by hand, and as a page around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

from samuel.errors import UserError, printable
from samuel.files import whole
from samuel.search.reference.explanation import Branch, Explanation
from samuel.search.reference.watch import Visit

_LEAF_WIDTH, _EMPTY_WIDTH = 52.0, 30.0
"""The room, in pixels, of a leaf, and of one without a value."""
_LETTER = 6.0
_HALF_BASE, _HALF_HEIGHT = 36.0, 22.0
_HALF_LEAF, _HALF_EMPTY, _HALF_LEAF_HEIGHT = 23.0, 12.0, 13.0
_TOP, _MARGIN, _LEGEND = 112.0, 24.0, 40.0
_LEAST_WIDTH = 960.0
_MOST_ROWS = 2000
"""Visits that a page lists; MTD(f) may need very many."""

ALPHA, BETA = "\N{GREEK SMALL LETTER ALPHA}", "\N{GREEK SMALL LETTER BETA}"

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
_PAGE_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --ground: #ffffff; --line: #d9dee3; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --ground: #16191c;
  --line: #343a40; } }
body { color: var(--ink); background: var(--ground); margin: 2rem auto; padding: 0 1.25rem;
  max-width: 90rem; font: 16px/1.55 system-ui, sans-serif; }
.wide { overflow-x: auto; } pre { line-height: 1.25; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
th, td { padding: 0.25rem 0.8rem; text-align: right; border-bottom: 1px solid var(--line); }
th:nth-child(2), td:nth-child(2), td:last-child, th:last-child { text-align: left; }
"""
Places = dict[Branch, tuple[float, float]]


def write_explanation(path: Path | str, explanation: Explanation) -> Path:
    """Write a picture (`.svg`) or a page with it and all visits (`.html`), whole or not at all.

    Raises
    ------
    UserError
        The name ends otherwise, or cannot be written.
    """
    kinds = {".svg": picture_of, ".html": page_of, ".htm": page_of}
    draw = kinds.get(Path(path).suffix.lower())
    if draw is None:
        raise UserError(f"{path}: the name of a picture ends in .svg, that of a page in .html")
    with whole(path) as partial:
        # the name of a file may hold what is no Unicode
        partial.write_text(printable(draw(explanation)), encoding="utf-8", errors="replace")
    return Path(path)


def picture_of(explanation: Explanation) -> str:
    """Return an explained search as an SVG document."""
    svg = _svg(explanation).replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'


def page_of(explanation: Explanation) -> str:
    """Return an explained search as an HTML page that needs nothing else."""
    title = f"{explanation.algorithm}: {explanation.title}"
    board = f"<pre>{escape(str(explanation.position))}</pre>\n" if explanation.position else ""
    headings = "visit", "node", "player", "depth", "alpha", "beta", "value", ""
    head = "".join(f"<th>{heading}</th>" for heading in headings)
    rows = _visit_rows(explanation)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(_typeset(cell))}</td>" for cell in row) + "</tr>"
        for row in rows[:_MOST_ROWS]
    )
    more = f"<p>And {len(rows) - _MOST_ROWS:,} more.</p>" if len(rows) > _MOST_ROWS else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_PAGE_STYLE}</style></head>\n<body>\n"
        f'<div class="wide">{_svg(explanation)}</div>\n{board}<h2>The visits in order</h2>\n'
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>'
        f"</div>{more}\n</body></html>\n"
    )


def _visit_rows(explanation: Explanation) -> list[list[str]]:
    """Return a row for each visit, in order."""
    number = explanation.number
    rows = {}
    for branch in explanation.root:
        for visit in branch.node.visits:
            rows[visit.number] = [
                str(visit.number),
                branch.path or "root",
                _player(branch),
                str(visit.depth),
                number(visit.alpha),
                number(visit.beta),
                "" if visit.value is None else number(visit.value),
                _remark(explanation, branch, visit),
            ]
    return [rows[n] for n in sorted(rows)]


def _player(branch: Branch) -> str:
    """Return who is to move at a branch."""
    if branch.node.weights:
        return "chance"
    return "MAX" if branch.node.is_max else "MIN"


def _remark(explanation: Explanation, branch: Branch, visit: Visit) -> str:
    """Return what a visit did, where it did not just search all children."""
    seen = len(visit.searched)
    if branch.node.is_terminal:
        return "the end of the game" if explanation.position else "a leaf"
    if visit.depth == 0:
        return "evaluated"
    if seen == 0 and not branch.node.weights:
        return "known from the table"
    if seen < len(branch.children):
        return explanation.reason(branch, visit)
    return ""


def _svg(explanation: Explanation) -> str:
    places, width, height = _layout(explanation)
    pv = {explanation.root, *explanation.pv}
    branches = list(explanation.root)
    parts = [
        f'<rect class="ground" width="{width:.0f}" height="{height:.0f}"/>',
        *_heading(explanation),
        *(_edge(branch, places, branch in pv) for branch in branches if branch not in pv),
        *(_edge(branch, places, True) for branch in branches if branch in pv),
        *(_node(explanation, branch, places, branch in pv) for branch in branches),
        *_legend(height - _LEGEND / 2 - 6, any(branch.node.weights for branch in branches)),
    ]
    body = "\n".join(part for part in parts if part)
    facts = explanation.facts()
    label = f"Game tree searched by {explanation.algorithm}, value {facts['value']}"
    return (
        f'<svg class="tree" role="img" aria-label="{escape(label)}" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">\n'
        f"<style>{_STYLE}</style>\n{body}\n</svg>"
    )


def _layout(explanation: Explanation) -> tuple[Places, float, float]:
    """Return the centre of each branch, and the size of the picture.

    Leaves stand side by side, parents over the middle of their children.
    """
    root, room = explanation.root, _room(explanation)
    width = max(room[root] + 2 * _MARGIN, _LEAST_WIDTH)
    across: dict[Branch, float] = {}
    level, left = [root], {root: (width - room[root]) / 2}
    rows: list[tuple[float, list[Branch]]] = []
    for branch in root:  # parents before children
        at = left[branch] + (room[branch] - sum(room[c] for c in branch.children)) / 2
        for child in branch.children:
            left[child], at = at, at + room[child]
    for branch in reversed(list(root)):
        ends = [across[child] for child in branch.children[:: max(1, len(branch.children) - 1)]]
        across[branch] = sum(ends) / len(ends) if ends else left[branch] + room[branch] / 2
    down = _TOP
    while level:
        rows.append((down, level))
        below = [child for branch in level for child in branch.children]
        farthest = max((abs(across[c] - across[c.parent]) for c in below if c.parent), default=0)
        down += 96 + min(160, 0.12 * farthest)  # edges that go far need some slope
        level = below
    places = {branch: (across[branch], y) for y, branches in rows for branch in branches}
    return places, width, rows[-1][0] + _HALF_HEIGHT + 34 + _LEGEND


def _room(explanation: Explanation) -> dict[Branch, float]:
    """Return the width that each branch takes with all below it."""
    room: dict[Branch, float] = {}
    for branch in reversed(list(explanation.root)):  # children before parents
        if branch.is_leaf:
            room[branch] = _LEAF_WIDTH if explanation.value_text(branch) else _EMPTY_WIDTH
        else:
            beside = [_numbers(branch), *(label for label, _ in _labels(explanation, branch))]
            own = 2 * (_HALF_BASE + 8 + max(map(len, beside)) * _LETTER)
            room[branch] = max(own, sum(room[child] for child in branch.children))
    return room


def _edge(branch: Branch, places: Places, is_pv: bool) -> str:
    """Return the line from the parent, with a mark where it was cut."""
    if branch.parent is None:
        return ""
    (x0, y0), (x1, y1) = places[branch.parent], places[branch]
    y0, y1 = y0 + _HALF_HEIGHT, y1 - _half_height(branch)
    style = "pv edge" if is_pv else "edge" if branch.visits else "cut edge"
    line = f'<path class="{style}" d="M{x0:.1f} {y0:.1f} L{x1:.1f} {y1:.1f}"/>'
    if branch.is_cut:
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        line += f'<path class="mark" d="M{x - 5:.1f} {y:.1f} l10 -5 m0 5 l-10 5"/>'
    return line


def _node(explanation: Explanation, branch: Branch, places: Places, is_pv: bool) -> str:
    """Return a node with its value, the window on arrival, the numbers of its visits."""
    x, y = places[branch]
    kind = "leaf" if branch.is_leaf else _player(branch).lower()
    style = f"{kind} shape{' pv' if is_pv else ''}{'' if branch.visits else ' cut'}"
    value = explanation.value_text(branch).replace("= ", "=")
    half, tall = _HALF_BASE, _HALF_HEIGHT * (-1 if kind == "min" else 1)
    if kind == "leaf":
        half, tall = _HALF_LEAF if value else _HALF_EMPTY, _HALF_LEAF_HEIGHT
    to_apex = f"l-{half:.0f} {-2 * tall:.0f}"
    rest = f"v{-2 * tall:.0f} h-{2 * half:.0f}" if branch.is_leaf else to_apex
    outline = f"M{x - half:.1f} {y + tall:.1f} h{2 * half:.0f} {rest} Z"
    if kind == "chance":
        outline = f"M{x - half:.1f} {y:.1f} {_ellipse(half, tall)}"
    level = y + {"leaf": 4.5, "max": 15, "min": -6, "chance": 4.5}[kind]
    fitting = "middle" + (" small" if len(value) > 5 else "") + ("" if branch.visits else " faint")
    return (
        f"<g><title>{escape(_typeset(_story(explanation, branch)))}</title>"
        f'<path class="{style}" d="{outline}"/>{_text(x, level, value, fitting)}'
        f"{''.join(_surroundings(explanation, branch, x, y))}</g>"
    )


def _ellipse(half: float, tall: float) -> str:
    """Return the path from the left end of an ellipse around it."""
    arc = f"a{half:.0f} {tall:.0f} 0 1 0"
    return f"{arc} {2 * half:.0f} 0 {arc} {-2 * half:.0f} 0 Z"


def _surroundings(explanation: Explanation, branch: Branch, x: float, y: float) -> Iterator[str]:
    """Yield what stands around a node: move, numbers of visits, window, why it was cut."""
    if explanation.position and branch.parent:
        style = "middle small halo" + ("" if branch.visits else " faint")
        yield _text(x, y - _half_height(branch) - 8, branch.node.name, style)
    if not branch.visits:
        return
    if branch.is_leaf:
        yield _text(x, y + 27, _numbers(branch), "middle number")
        return
    yield _text(x - _HALF_BASE - 4, y - 11, _numbers(branch), "right number")
    for line, (content, style) in enumerate(_labels(explanation, branch)):
        yield _text(x + _HALF_BASE + 4, y - 11 + 14 * line, content, style)


def _numbers(branch: Branch) -> str:
    """Return the numbers of a branch's visits, of more than two the first and the last."""
    numbers = [str(visit.number) for visit in branch.visits]
    return " ".join(numbers) if len(numbers) < 3 else f"{numbers[0]}…{numbers[-1]}"


def _labels(explanation: Explanation, branch: Branch) -> list[tuple[str, str]]:
    """Return what stands beside an inner node: its last window and why it was cut, with styles."""
    if not branch.visits:
        return []
    number, visit = explanation.number, branch.visits[-1]
    labels = [(f"{ALPHA} {number(visit.alpha)}", "small soft")]
    labels.append((f"{BETA} {number(visit.beta)}", "small soft"))
    bound = branch.bound_reached(branch.cutoff)
    if bound and visit.value is not None:
        sign = {"beta": f" >= {BETA}", "alpha": f" <= {ALPHA}"}.get(bound, f": {bound}")
        labels.append((number(visit.value) + sign, "why"))
    return labels


def _story(explanation: Explanation, branch: Branch) -> str:
    """Return all about a branch, for the tip that shows when one points at it."""
    player = "leaf" if branch.is_leaf else f"{_player(branch)} to move"
    lines = [f"{branch.path or 'root'}: {player}"]
    number = explanation.number
    for visit in branch.node.visits:
        remark = _remark(explanation, branch, visit)
        value = "stopped" if visit.value is None else number(visit.value)
        lines.append(
            f"visit {visit.number}: alpha {number(visit.alpha)}, beta {number(visit.beta)}, "
            f"value {value}" + (f" ({remark})" if remark else "")
        )
    if branch.is_cut and branch.parent:
        reason = explanation.reason(branch.parent, branch.parent.cutoff)
        lines.append(f"never searched: {reason} at its parent")
    elif branch.is_probed:
        lines.append("probed: the first moves here were searched, and no more")
    elif not branch.visits:
        lines.append("never searched")
    return "\n".join(lines)


def _heading(explanation: Explanation) -> list[str]:
    """Return the title and the summary, above the tree."""
    facts, position = explanation.facts(), explanation.position
    unit = f" {position.game.unit}" if position and position.game.unit != "result" else ""
    summary = (
        f"value {explanation.number(explanation.root.bounds[0])}{unit}, leaves visited "
        f"{facts['leaves']} of {facts['leaves_total']}, nodes visited {facts['nodes']} of "
        f"{facts['nodes_total']}"
    )
    if facts["visits"] > facts["nodes"]:
        summary += f" in {facts['visits']} visits"
    if position and facts["pv"]:
        summary += f", best line {' '.join(facts['pv'])}"
    title = f"{explanation.algorithm}: {explanation.title}"
    lines = [_text(_MARGIN, 30, title, "title"), _text(_MARGIN, 52, summary, "soft")]
    if position:
        text = escape(position.text)
        lines.append(f'<text class="board soft" x="{_MARGIN}" y="71">{text}</text>')
    return lines


def _legend(y: float, with_chance: bool) -> list[str]:
    """Return what the signs mean, on one line."""
    signs = [
        (176, '<path class="max shape" d="M0 7 h22 l-11 -14 Z"/>', "MAX, who moves at the root"),
        (70, '<path class="min shape" d="M0 -7 h22 l-11 14 Z"/>', "MIN"),
        *(
            [(90, f'<path class="chance shape" d="M0 0 {_ellipse(11, 7)}"/>', "chance")]
            * with_chance
        ),
        (150, '<path class="pv edge" d="M0 0 h22"/>', "principal variation"),
        (
            158,
            '<path class="cut edge" d="M0 0 h22"/><path class="mark" d="M6 5 l5 -10 m5 0 l-5 10"/>',
            "cut: never searched",
        ),
        (0, '<text class="number" y="4">12</text>', "number of the visit; values are for MAX"),
    ]
    if with_chance:
        sign = f'<path class="chance shape" d="M0 0 {_ellipse(11, 7)}"/>'
        signs.insert(2, (90, sign, "chance"))
    parts, x = [], _MARGIN
    for room, sign, meaning in signs:
        text = _text(28, 4, meaning, "small")
        parts.append(f'<g transform="translate({x:.0f} {y:.0f})">{sign}{text}</g>')
        x += room + 28
    return parts


def _half_height(branch: Branch) -> float:
    return _HALF_LEAF_HEIGHT if branch.is_leaf else _HALF_HEIGHT


def _text(x: float, y: float, content: str, style: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}">{escape(_typeset(content))}</text>'


def _typeset(text: str) -> str:
    """Return a text with the signs of print."""
    text = text.replace(">=", "\N{GREATER-THAN OR EQUAL TO}")
    text = text.replace("<=", "\N{LESS-THAN OR EQUAL TO}")
    return re.sub(r"(?<![\w-])-(?=[\d\N{INFINITY}])", "\N{MINUS SIGN}", text)
