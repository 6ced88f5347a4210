"""Common parts of the pages: each is one HTML file that needs nothing else.

All are made of the templates here, as the board in the browser is, by Jinja, which
escapes what it is given; what is HTML already is `Markup`, as all functions here return it.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from samuel.common.errors import plain_name, printable
from samuel.common.files import whole
from samuel.reports.style import svg_of
from samuel.reports.tables import TextTable, typeset

TEMPLATES = Path(__file__).parent / "templates"
STYLE = TEMPLATES / "style.css"
"""The look of all pages."""
_LEAST_SCALE = 0.7
"""Least size of a figure on a page, as a share of its own."""


@functools.cache
def environment() -> Environment:
    """Return what fills in the templates."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def part(name: str, *given: Any, **named: Any) -> Markup:
    """Return a part of a page: a macro of parts.html, filled in."""
    filled: Markup = getattr(environment().get_template("parts.html").module, name)(*given, **named)
    return filled


def page(template: str, **named: Any) -> str:
    """Return a whole page, its style within."""
    style = Markup(STYLE.read_text(encoding="utf-8"))
    return environment().get_template(template).render(style=style, **named)


def write_html(path: Path | str, title: str, parts: Sequence[Markup | str]) -> Path:
    """Write a page of parts under its title, whole or not at all; empty parts are left out."""
    with whole(path) as partial:
        content = page("page.html", title=plain_name(title), parts=parts)
        partial.write_text(printable(content), encoding="utf-8")
    return Path(path)


def section(heading: str, content: Markup, *paragraphs: str) -> Markup:
    """Return a section: its heading, paragraphs of plain text, and content."""
    return part("section", heading, content, paragraphs)


def said(*texts: str) -> Markup:
    """Return paragraphs of plain text."""
    return part("lines", texts)


def lead(*texts: str) -> Markup:
    """Return paragraphs that say what a page is of."""
    return part("lines", texts, soft=True)


def joined(parts: Iterable[Markup]) -> Markup:
    """Return parts one behind another."""
    return Markup("\n").join(parts)


def figure_html(picture: Figure | Markup, what: str) -> Markup:
    """Return a figure for a page, named for those who cannot see it; SVG elements as they are."""
    if isinstance(picture, Markup):
        return picture
    least = _LEAST_SCALE * picture.get_figwidth()  # on a narrow page it scrolls: it stays legible
    named = Markup('<svg role="img" aria-label="{}" style="min-width: {:.1f}in"').format(
        what, least
    )
    return part("figure", Markup(svg_of(picture).replace("<svg", named, 1)))


def as_html(
    table: TextTable,
    *,
    words: int | Collection[int] = 1,
    best: bool = False,
    drawn: Mapping[tuple[int, int], Markup] | None = None,
) -> Markup:
    """Return a table whose first `words` columns are words, and whose first row may be the best.

    `drawn` has whole cells, by row and column, in place of the table's own.
    """
    columns = range(words) if isinstance(words, int) else words
    rows = [[c if k in columns else typeset(c) for k, c in enumerate(row)] for row in table.rows]
    return part("table", table.headings, rows, columns, best, drawn or {})
