"""Views as HTML: in a notebook, and as a page, one file that needs nothing else.

Pages are made of the templates here, as the board in the browser is, by Jinja, which escapes what
it is given.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from samuel.common.displayable import Displayable, Picture, Table
from samuel.common.errors import plain_name, printable
from samuel.common.files import whole
from samuel.reports.style import NEGATIVE, POSITIVE, svg_of
from samuel.reports.views import View, view_of
from samuel.reports.views import plot_of as plot_of

TEMPLATES = Path(__file__).parent / "templates"
STYLE = TEMPLATES / "style.css"
"""The look of all pages."""
_LEAST_SCALE = 0.7
"""Least size of a figure on a page, as a share of its own."""
_DEEPEST_TINT = 0.45
"""Opacity of the colour behind the best and the worst result."""


@functools.cache
def environment() -> Environment:
    """Return what fills in the templates."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"typeset": typeset, "drawn": _drawn, "tint": _tint, "px": "{:.1f}".format}
    made.tests |= {"link": lambda cell: isinstance(cell, Path)}
    return made


def html_of(shown: Any, base: Path | str = ".", *, is_brief: bool = False) -> Markup:
    """Return a result, or its view, as HTML; links are relative to the folder `base`."""
    view = view_of(shown)
    if is_brief:
        parts = [part for part in view.parts if isinstance(part, Table) or not part.detail]
        view = view._replace(parts=parts)
    sections = [
        (title, [(part, isinstance(part, Table)) for part in parts])
        for title, parts in itertools.groupby(view.parts, key=lambda part: part.title)
    ]
    template = environment().get_template("view.html")
    link = functools.partial(os.path.relpath, start=base)
    return Markup(template.render(lines=view.lines, sections=sections, link=link))


def typeset(text: str) -> str:
    """Return a text with the signs of print."""
    text = text.replace(">=", "\N{GREATER-THAN OR EQUAL TO}")
    text = text.replace("<=", "\N{LESS-THAN OR EQUAL TO}")
    return re.sub(r"(?<![\w-])-(?=[\d\N{INFINITY}])", "\N{MINUS SIGN}", text)


def _drawn(picture: Picture) -> Markup:
    """Return a picture as an SVG element, named for those who cannot see it."""
    drawn = picture.draw()
    if isinstance(drawn, Markup):
        return drawn
    least = _LEAST_SCALE * drawn.get_figwidth()  # on a narrow page it scrolls: it stays legible
    named = Markup('<svg role="img" aria-label="{}" style="min-width: {:.1f}in"').format(
        picture.subtitle or picture.title, least
    )
    return Markup(svg_of(drawn).replace("<svg", named, 1))


def _tint(value: float) -> str:
    return f"{POSITIVE if value > 0 else NEGATIVE}{round(abs(value) * _DEEPEST_TINT * 255):02x}"


def write_page(
    path: Path | str,
    result: Displayable | View,
    *,
    match_table: Sequence[Mapping[str, Any]] = (),
    title: str | None = None,
) -> Path:
    """Write a result as an HTML page, one file that needs nothing else.

    Parameters
    ----------
    path
        File to write.
    result
        Result of a match, a tournament, a bench, a comparison, a learning run, or another result
        that notebooks show.
    match_table
        Results of further matches, one mapping per row, with the keys of the JSON output of `samuel
        match`.
    title
        Title of the page. By default it names the result.

    Returns
    -------
    Path
        Path of the page.

    Raises
    ------
    UserError
        The page cannot be written, or there is nothing to show yet.

    Examples
    --------
    >>> import samuel
    >>> comparison = samuel.compare("data/games", ["ridge", "classic"])
    >>> samuel.write_page("compare.html", comparison).name
    'compare.html'
    """
    view = view_of(result)
    if match_table:
        from samuel.reports import comparison

        view = view._replace(parts=[*view.parts, comparison.match_table(match_table)])
    with whole(path) as partial:
        page, style = environment().get_template("page.html"), STYLE.read_text(encoding="utf-8")
        body, named = html_of(view, Path(path).parent), plain_name(title or view.title)
        content = page.render(style=Markup(style), title=named, body=body)
        # the name of a file may hold what is no Unicode
        partial.write_text(printable(content), encoding="utf-8", errors="replace")
    return Path(path)
