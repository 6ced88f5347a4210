"""Base of things that draw themselves where a notebook shows them."""

from __future__ import annotations

import importlib

RENDERER: list[str] = []
"""The module that draws results, with `html_of` and `svg_of`; the facade names it, so that what is
drawn imports none of the reports."""


class Displayable:
    """A base of results and positions that notebooks draw."""

    def _repr_html_(self) -> str | None:
        """Return this as HTML that needs nothing else."""
        return self._drawn_by("html_of")

    def _repr_svg_(self) -> str | None:
        """Return the picture of this as SVG, or None where it has none."""
        return self._drawn_by("svg_of")

    def _drawn_by(self, name: str) -> str | None:
        drawn: str | None = getattr(importlib.import_module(RENDERER[0]), name)(self)
        return drawn
