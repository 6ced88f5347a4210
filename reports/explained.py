"""Nodes in the picture of an explained search (drawn by reports/tree.py)."""

from __future__ import annotations

import functools

from markupsafe import Markup

from samuel.common.displayable import Picture, Table, with_unit
from samuel.common.errors import UserError
from samuel.reports.tree import Drawing, Drawn, first_rows, tree_svg
from samuel.reports.views import View
from samuel.search.reference.explanation import MAX_NODES, Branch, Explanation
from samuel.search.reference.trace import Visit

ALPHA, BETA = "\N{GREEK SMALL LETTER ALPHA}", "\N{GREEK SMALL LETTER BETA}"
_ORDER = ('<text class="number" y="4">12</text>', "order of the visits; all values are for MAX")
_MOVE = ("", "above a node: its move")
_CUT = (
    '<path class="cut edge" d="M0 0 h22"/><path class="mark" d="M6 5 l5 -10 m5 0 l-5 10"/>',
    "cut: never searched",
)

_WITHOUT_WINDOW = ("minimax", "expectiminimax", "negamax")
"""Algorithms that search without alpha and beta."""


def explanation_view(explanation: Explanation) -> View:
    """Return an explained search as a tree, and all its visits."""
    window = _window_headings(explanation)
    headings = ["visit", "node", "player", "depth", *window, "value", "remark"]
    visits = Table("Visits in order", headings, _visit_rows(explanation))
    return View(
        f"{explanation.method}: {explanation.title}",
        [_summary(explanation)],
        [Picture("", functools.partial(_tree, explanation)), first_rows(visits)],
    )


def _tree(explanation: Explanation) -> Markup:
    if not explanation.is_drawable:
        raise UserError(
            f"the tree has more than {MAX_NODES} nodes, too many to draw; explain a smaller tree"
        )
    drawing = Drawing(
        root=_drawn(explanation, explanation.root, {explanation.root, *explanation.pv}),
        label=f"Game tree searched by {explanation.method}, value {explanation.summary()['value']}",
        signs=_signs(explanation),
        position=explanation.position,
    )
    return tree_svg(drawing)


def _signs(explanation: Explanation) -> list[tuple[str, str]]:
    """Return the signs that the picture of a search has, and what they mean."""
    branches = list(explanation.root)
    values = [explanation.value_text(branch) for branch in branches]
    cuts = {branch.bound_reached(branch.cutoff) for branch in branches}
    signs = [_ORDER, *[_MOVE] * (explanation.position is not None)]
    if any(branch.is_cut for branch in branches):
        signs.append(_CUT)
    if _window_headings(explanation):
        window = f"window on arrival: only values between {ALPHA} and {BETA} matter"
        signs.append((_small("soft", f"{ALPHA} {BETA}"), window))
    for bound, sign in (("alpha", f"<= {ALPHA}"), ("beta", f">= {BETA}")):
        if bound in cuts:
            signs.append(
                (
                    _small("why", sign),
                    f"{bound} cutoff: now {ALPHA} >= {BETA}, so the other moves cannot matter",
                )
            )
    for sign, words in (("<=", "at most"), (">=", "at least")):
        if any(value.startswith(sign) for value in values):
            meaning = f"{words}; the window made an exact value unnecessary"
            signs.append((_small("", sign), meaning))
    ends = (branch for branch in branches if branch.is_leaf and branch.visits)
    proven: dict[bool, str] = {}
    for branch in ends:
        score = branch.bounds[0]
        if words := explanation.result_in_words(score):
            proven.setdefault(score > 0, f"{explanation.number(score)}: {words} from the root")
    return signs + [("", proven[is_won]) for is_won in (True, False) if is_won in proven]


def _small(style: str, text: str) -> str:
    text = text.replace("<=", "\N{LESS-THAN OR EQUAL TO}")
    text = text.replace(">=", "\N{GREATER-THAN OR EQUAL TO}")
    return f'<text class="small {style}" y="4">{text}</text>'


def _drawn(explanation: Explanation, branch: Branch, pv: set[Branch]) -> Drawn:
    """Return a branch with its value, the last window on arrival, the numbers of its visits."""
    return Drawn(
        kind="leaf" if branch.is_leaf else _player(branch).lower(),
        value=explanation.value_text(branch).replace("= ", "="),
        name=branch.name if explanation.position and branch.parent else "",
        number=_numbers(branch),
        labels=_labels(explanation, branch),
        story=_story(explanation, branch),
        is_pv=branch in pv,
        is_faint=not branch.visits,
        is_cut=branch.is_cut,
        children=[_drawn(explanation, child, pv) for child in branch.children],
    )


def _summary(explanation: Explanation) -> str:
    told, position = explanation.summary(), explanation.position
    unit = with_unit(position.game.scores.unit) if position else ""
    summary = (
        f"value {explanation.number(explanation.root.bounds[0])}{unit}, leaves visited "
        f"{told['leaves']} of {told['leaves_total']}, nodes visited {told['nodes']} of "
        f"{told['nodes_total']}"
    )
    if told["visits"] > told["nodes"]:
        summary += f" in {told['visits']} visits"
    if words := explanation.result_in_words(explanation.root.bounds[0]):
        summary = summary.replace(", ", f" ({words}), ", 1)
    if told["pv"]:
        summary += f", best line {' '.join(told['pv'])}"
        summary += "" if position else " (numbers of the children, from the left)"
    return summary


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
                *_window(explanation, visit),
                "" if visit.value is None else number(visit.value),
                _remark(explanation, branch, visit),
            ]
    return [rows[n] for n in sorted(rows)]


def _window_headings(explanation: Explanation) -> tuple[str, ...]:
    return () if explanation.method in _WITHOUT_WINDOW else ("alpha", "beta")


def _window(explanation: Explanation, visit: Visit) -> list[str]:
    """Return alpha and beta of a visit; nothing of an algorithm that has none."""
    bounds = (visit.alpha, visit.beta) if _window_headings(explanation) else ()
    return [explanation.number(bound) for bound in bounds]


def _player(branch: Branch) -> str:
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


def _numbers(branch: Branch) -> str:
    """Return the numbers of a branch's visits, of more than two the first and the last."""
    numbers = [str(visit.number) for visit in branch.visits]
    return " ".join(numbers) if len(numbers) < 3 else f"{numbers[0]}…{numbers[-1]}"


def _labels(explanation: Explanation, branch: Branch) -> list[tuple[str, str]]:
    """Return what stands beside an inner node: its last window and why it was cut, with styles."""
    if not branch.visits:
        return []
    number, visit = explanation.number, branch.visits[-1]
    window = _window(explanation, visit)
    labels = [
        (f"{sign} {said}", "small soft") for sign, said in zip((ALPHA, BETA), window, strict=False)
    ]
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
        if visit.value is not None and (words := explanation.result_in_words(visit.value)):
            value += f" ({words})"
        window = zip(("alpha", "beta"), _window(explanation, visit), strict=False)
        said = ", ".join([*(f"{name} {bound}" for name, bound in window), f"value {value}"])
        lines.append(f"visit {visit.number}: {said}" + (f" ({remark})" if remark else ""))
    if branch.is_cut and branch.parent:
        reason = explanation.reason(branch.parent, branch.parent.cutoff)
        lines.append(f"never searched: {reason} at its parent")
    elif branch.is_probed:
        lines.append("probed: only the first moves here were searched")
    elif not branch.visits:
        lines.append("never searched")
    return "\n".join(lines)
