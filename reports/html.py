"""What the pages have in common: each is one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from samuel.errors import printable
from samuel.files import whole
from samuel.reports.style import svg_of

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5c6670; --ground: #ffffff;
  --line: #d9dee3; --best: #eaf3ec; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7ea; --soft: #9aa4ad;
  --ground: #16191c; --line: #343a40; --best: #1f2d24; } }
body { color: var(--ink); background: var(--ground); max-width: 70rem; margin: 2rem auto;
  padding: 0 1.25rem; font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin-bottom: 0.3rem; } h2 { font-size: 1.25rem; margin-top: 2.6rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 0.4rem; }
h4 { font-size: 0.9rem; margin: 1.1rem 0 0.3rem; color: var(--soft); font-weight: 600; }
p { max-width: 46rem; } .soft { color: var(--soft); }
.wide { overflow-x: auto; max-width: 100%; }
.wide table th:first-child, .wide table td:first-child { position: sticky; left: 0;
  background: var(--ground); max-width: 40vw; white-space: normal; overflow-wrap: anywhere; }
.wide tr.best td:first-child { background: var(--best); }
@media print { .wide { overflow: visible; } table { font-size: 0.7rem; } }
.wide svg { max-width: 100%; height: auto; }
.boards { display: flex; flex-wrap: wrap; gap: 0.4rem 0.9rem; margin: 0.3rem 0; }
details { margin: 1rem 0; } summary { cursor: pointer; color: var(--soft); }
summary h3 { display: inline; color: var(--ink); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
th, td { padding: 0.35rem 0.7rem; text-align: right; border-bottom: 1px solid var(--line); }
td { white-space: nowrap; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child, td.text, th.text { text-align: left; }
tr.best td { background: var(--best); font-weight: 600; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
"""


def write_html(path: Path | str, title: str, parts: Sequence[str]) -> Path:
    """Write a page of parts under its title, whole or not at all; empty parts are left out.

    Raises
    ------
    UserError
        It cannot be written.
    """
    page = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body></html>\n"
    )
    with whole(path) as partial:
        partial.write_text(printable(page), encoding="utf-8")
    return Path(path)


def section(heading: str, content: str, *paragraphs: str) -> str:
    """Return a section: its heading, paragraphs of plain text, and content."""
    words = "\n".join(f"<p>{escape(text)}</p>" for text in paragraphs)
    return f"<section><h2>{escape(heading)}</h2>\n{words}\n{content}</section>\n"


def figure_html(picture: Figure | str, what: str) -> str:
    """Return a figure for a page, named for those who cannot see it; SVG elements as they are."""
    if isinstance(picture, str):
        return picture
    svg = svg_of(picture).replace("<svg", f'<svg role="img" aria-label="{escape(what)}"', 1)
    return f'<div class="wide">{svg}</div>'
