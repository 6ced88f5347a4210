"""What results show: tables and pictures, in a terminal, on a page and in a notebook.

Numbers for people: every figure of a table, a sentence or a line is written here.
"""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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

    def plot(self, title: str, ax: Axes | None = None) -> Axes:
        """Draw a picture of this result on axes of matplotlib, and return them.

        Parameters
        ----------
        title
            Title of the picture, or its subtitle. Boards, trees and several curves side by side
            need more than one pair of axes: take them from `pictures()`.
        ax
            Axes to draw on. By default new ones.

        Returns
        -------
        Axes
            The axes.

        Raises
        ------
        UserError
            No picture on one pair of axes has this title.
        """
        drawn: Axes = _renderer().plot_of(self, title, ax)
        return drawn

    def _repr_html_(self) -> str:
        """Return this as HTML that needs nothing else."""
        return str(_renderer().html_of(self, is_brief=True))


def _renderer() -> Any:
    return importlib.import_module(RENDERER[0])


NOTHING = "\u2013"
_UNITS = ((1e9, " G"), (1e6, " M"), (1e3, " k"))
_LONGEST = 300
"""Characters of a text that are printed; --json has all."""


def rounded(number: float, digits: int = 3) -> str:
    """Return a number to so many significant digits, without an exponent: 2,080, 0.0149, 5.5."""
    if not math.isfinite(number):
        return f"{number}"
    size = math.floor(math.log10(abs(number))) if number else 0
    text = f"{number:z,.{max(0, digits - 1 - size)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def short(number: float) -> str:
    """Return a number in the unit that suits it: 850, 12.3 k, 4.5 M; a small one to two digits."""
    for size, unit in _UNITS:
        if abs(number) >= 0.9995 * size:
            return f"{rounded(number / size)}{unit}"
    return rounded(number, 2)


def counted(number: int, noun: str) -> str:
    """Return a number and what there are so many of: 1 game, 1,200 games."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def with_unit(unit: str, form: str = " {}") -> str:
    """Return the unit of a game's scores as it stands behind a number or words."""
    return "" if unit == "result" else form.format(unit)


def between(low: float, high: float, digits: int = 0) -> str:
    """Return the ends of an interval: +10 to +60, at least +10, at most +60, or anything."""
    first, last = f"{low:+z.{digits}f}", f"{high:+z.{digits}f}"
    if math.isinf(low):
        return "anything" if math.isinf(high) else f"at most {last}"
    return f"at least {first}" if math.isinf(high) else f"{first} to {last}"


def with_interval(
    number: float, low: float, high: float, digits: int = 0, unit: str = "", level: str = "95 %"
) -> str:
    """Return a number and its interval: +35 Elo (95 %: +10 to +60).

    Where the number is infinite, as Elo after a clean sweep, only the bound says something: at
    least +312 Elo (95 %). Without `level` the interval stands alone in its parentheses.
    """
    ends = between(low, high, digits)
    if math.isinf(number):
        return f"{ends}{unit}" + f" ({level})" * bool(level)
    return f"{number:+z.{digits}f}{unit} ({level}{': ' * bool(level)}{ends})"


def share(part: float) -> str:
    """Return a share in percent."""
    return f"{100 * part:.1f} %"


def share_with_interval(part: float, low: float, high: float) -> str:
    """Return a share and its interval: 62.5 % (58.0 to 67.0)."""
    return f"{share(part)} ({100 * low:.1f} to {100 * high:.1f})"


def probability(chance: float) -> str:
    """Return a probability; no number of games or resamples makes it 0 or 1."""
    return "< 0.1 %" if chance < 0.0005 else "> 99.9 %" if chance > 0.9995 else share(chance)


def llr_between(llr: float, lower: float, upper: float) -> str:
    """Return a log-likelihood ratio and the bounds of its test."""
    return f"{llr:+z.2f} ({lower:.2f} to {upper:.2f})"


def with_error(value: float, error: float) -> str:
    """Return a number with its error behind it, as exact as that makes sense."""
    if not error > 0:
        return rounded(value)
    digits = max(0, 1 - math.floor(math.log10(error)))
    return f"{value:z.{digits}f} \u00b1{error:.{digits}f}"


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it: 2 min, 1.5 s, 100 ms, 3 microseconds."""
    for unit, least, size in (("min", 100.0, 60.0), ("s", 1.0, 1.0), ("ms", 1e-3, 1e-3)):
        if seconds >= least:
            return f"{rounded(seconds / size)} {unit}"
    return f"{rounded(seconds * 1e6)} \u00b5s"


_FORMATS = {
    "log_loss": "{:.4f}",
    "behind": "{:+z.4f}",
    "r2": "{:z.3f}",
    "mae": "{:.2f}",
    "brier": "{:.4f}",
    "rank_correlation": "{:z.3f}",
    "nanoseconds": "{:,.0f}",
    "parameters": "{:,}",
    "seconds": "{:.1f}",
    "elo": "{:+z,.0f}",
}
"""Formats of figures by their keys in the JSON output."""


def cell(key: str, value: Any) -> str:
    """Return the text of a figure, given with its key."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NOTHING
    if isinstance(value, str):
        return value
    if key == "los":
        return probability(value)
    if key in ("score", "value_kept"):
        return share(value)
    if key == "nodes_per_second":
        return short(value)
    if key == "bytes":
        return f"{short(value)}B" if value >= 1e3 else f"{value:.0f} B"
    if isinstance(value, int) and not isinstance(value, bool) and key not in _FORMATS:
        return f"{value:,}"
    return _FORMATS[key].format(value) if key in _FORMATS else rounded(value)


def margin(key: str, row: Mapping[str, Any]) -> str:
    """Return a figure with half the width of its 95 % interval behind it, where it has one."""
    text, low, high = cell(key, row.get(key)), row.get(f"{key}_low"), row.get(f"{key}_high")
    if low is None or high is None or not math.isfinite(high - low):
        return text
    return f"{text} \u00b1{cell(key, (high - low) / 2).removeprefix('+').removesuffix(' %')}"


def said(value: Any) -> str:
    """Return a value in a line; "" where there is none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return rounded(value, 4)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        parts = {str(name).replace("_", " "): said(item) for name, item in value.items()}
        return ", ".join(f"{name} {part}" for name, part in parts.items() if part)
    if isinstance(value, list | tuple):
        return " ".join(map(said, value))
    line = " ".join(str("" if value is None else value).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}... (--json has all)"
