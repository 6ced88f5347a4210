"""Views as HTML: in a notebook, and as a page, one file that needs nothing else.

Pages are made of the templates here, as the board in the browser is, by Jinja, which escapes what
it is given.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from samuel.common.displayable import Picture, Table
from samuel.common.errors import plain_name, printable
from samuel.common.files import whole
from samuel.reports.style import NEGATIVE, POSITIVE, svg_of
from samuel.reports.views import View, view_of

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
    view = shown if isinstance(shown, View) else view_of(shown)
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


def write(path: Path | str, shown: Any) -> Path:
    """Write a result, or its view, as a page, whole or not at all."""
    view = shown if isinstance(shown, View) else view_of(shown)
    body = html_of(view, Path(path).parent)
    with whole(path) as partial:
        page = environment().get_template("page.html")
        style = Markup(STYLE.read_text(encoding="utf-8"))
        content = page.render(style=style, title=plain_name(view.title), body=body)
        # the name of a file may hold what is no Unicode
        partial.write_text(printable(content), encoding="utf-8", errors="replace")
    return Path(path)


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
    """Return the colour of a value from -1 to 1."""
    return f"{POSITIVE if value > 0 else NEGATIVE}{round(abs(value) * _DEEPEST_TINT * 255):02x}"
