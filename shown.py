"""What draws itself where a notebook shows it."""

from __future__ import annotations

import importlib


class Shown:
    """A base of results and positions: how they look, reports know (reports/notebook.py).

    Reports stand above what they draw; they are looked up by name when a notebook asks, so that
    what is drawn needs none of them.
    """

    def _repr_html_(self) -> str | None:
        """Return this as HTML that needs nothing else."""
        html: str | None = importlib.import_module("samuel.reports.notebook").html_of(self)
        return html

    def _repr_svg_(self) -> str | None:
        """Return the picture of this as SVG, or None where it has none."""
        svg: str | None = importlib.import_module("samuel.reports.notebook").svg_of(self)
        return svg
