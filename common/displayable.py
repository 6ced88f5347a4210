"""What results show: tables and pictures, in a terminal, on a page and in a notebook."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RENDERER: list[str] = []
"""The module that draws results, with `view_of` and `html_of`; the facade names it, so that what is
drawn imports none of the reports."""
_NUMBER = re.compile(r"[-+<>=\u2013\u00b1]*\s*[\d\u221e.]|\u2013?$|at (least|most) [-+]|anything$")


@dataclass(frozen=True)
class Table:
    """A table of text; cells that are paths become links where that is possible.

    Attributes
    ----------
    title
        Title of the section that the table is in.
    columns
        Headings. Without any, only the notes are shown.
    rows
        Cells of each row.
    notes
        Sentences on the table; a note of several lines is shown as it is.
    subtitle
        Title of the table, if its section has several.
    detail
        Whether a page folds the table, and a terminal leaves it out.
    tints
        Colours behind cells, from -1 (bad) to 1 (good), by row and column.
    """

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str | Path]] = ()
    notes: Sequence[str] = ()
    subtitle: str = ""
    detail: bool = False
    tints: Mapping[tuple[int, int], float] = field(default_factory=dict)

    @property
    def words(self) -> list[int]:
        """Columns of words, which are aligned on the left, and values without a heading."""
        return [
            k
            for k, heading in enumerate(self.columns)
            if (k and not heading) or not all(_NUMBER.match(str(row[k])) for row in self.rows)
        ]


@dataclass(frozen=True)
class Picture:
    """A picture, which is drawn when it is needed.

    Attributes
    ----------
    title
        Title of the section that the picture is in.
    draw
        Function that returns SVG, or a matplotlib figure, drawn on `axis` where that is given.
    notes
        Sentences on the picture.
    subtitle
        Title of the picture, if its section has several.
    detail
        Whether a notebook leaves the picture out.
    """

    title: str
    draw: Callable[..., Any]
    notes: Sequence[str] = ()
    subtitle: str = ""
    detail: bool = False


class Displayable:
    """A base of results and positions that show themselves."""

    def tables(self) -> list[Table]:
        """Return the tables of this result with their titles, in the order of the page."""
        return [part for part in _renderer().view_of(self).parts if isinstance(part, Table)]

    def pictures(self) -> list[Picture]:
        """Return the pictures of this result with their titles, in the order of the page."""
        return [part for part in _renderer().view_of(self).parts if isinstance(part, Picture)]

    def _repr_html_(self) -> str:
        """Return this as HTML that needs nothing else."""
        return str(_renderer().html_of(self, is_brief=True))


def _renderer() -> Any:
    return importlib.import_module(RENDERER[0])
