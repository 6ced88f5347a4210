"""Style of pictures, and their way onto a page.

Ink in `INK` stands for the colour of the surrounding text, which a page may set; everything else
is readable on light and dark ground.
"""

from __future__ import annotations

import io
import re
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK = "#010203"
PALETTE = ("#2f7ed8", "#e8743b", "#2a9d6f", "#c04bb0", "#c9a227", "#7a6fd0", "#d64550", "#6b8e9e")
POSITIVE, NEGATIVE, NEUTRAL = "#c8503c", "#3f7fbf", "#888888"
_FAINT, _STYLES = "#88888855", ("-", "--", ":")


def single_axis(height: float = 4.4, axis: Axes | None = None) -> tuple[Figure, Axes]:
    """Return a figure with one plot of so many inches, or the plot that is given, and its own."""
    if axis is None:
        figure = Figure(figsize=(7.0, height), layout="constrained")
        axis = figure.subplots()
    plain_axis(axis, grid="both")
    drawn = axis.get_figure(root=True)
    assert drawn is not None  # only plots that were taken out have none
    return drawn, axis


def plain_axis(axis: Axes, grid: Any) -> None:
    """Leave a plot nothing but faint lines along `grid` (x, y or both)."""
    axis.grid(axis=grid, color=_FAINT, linewidth=0.7)
    axis.set_axisbelow(True)
    axis.set_facecolor("none")
    axis.tick_params(colors=INK, labelsize=9, length=0)
    axis.xaxis.label.set_color(INK)
    axis.yaxis.label.set_color(INK)
    for spine in axis.spines.values():
        spine.set_visible(False)


def line_style(number: int) -> dict[str, Any]:
    """Return how line `number` looks; the first two dozen differ."""
    style = _STYLES[number // len(PALETTE) % len(_STYLES)]
    colour = PALETTE[number % len(PALETTE)]
    return {"color": colour, "linestyle": style, "marker": "o", "markersize": 3.5, "linewidth": 1.6}


def legend(of: Axes | Figure, lines: int, **place: Any) -> None:
    """Name the lines of a plot, by default to its right."""
    if lines:
        place = place or {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
        of.legend(frameon=False, labelcolor=INK, fontsize=9, **place)


def svg_of(figure: Figure) -> str:
    """Return a figure as an SVG element for a page, whose ink and font its text takes."""
    file = io.StringIO()
    with rc_context({"svg.hashsalt": "samuel", "svg.fonttype": "none"}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    text = re.sub(
        r"<metadata>(?:[^<]|<(?!/?metadata>))*+</metadata>", "", text[text.index("<svg") :]
    )
    text = re.sub(r"<[^<>]+>", lambda tag: _brief(tag[0]), text)
    used = set(re.findall(r"#([\w.-]+)[\")]", text))
    text = re.sub(r' id="([^"]*)"', lambda name: name[0] if name[1] in used else "", text)
    text = re.sub(r">\s+<", "><", text)
    return text.replace("<g/>", "").replace(INK, "currentColor").strip()


def _brief(tag: str) -> str:
    """Return a tag without what says nothing on a page: matplotlib's are long."""
    tag = re.sub(r' xmlns(:xlink)?="[^"]*"', "", tag)  # a page knows what SVG is
    tag = tag.replace("xlink:href", "href")
    tag = re.sub(r"font-family: [^;]*; |stroke-linecap: square", "", tag)
    tag = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", tag)
    return re.sub(r"-?(?<!\d)\d++\.\d{2,}", lambda number: f"{float(number[0]):.2f}", tag)
