"""Tables of text, for the terminal and for pages."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from samuel.common.units import rounded, short

NOTHING = "\u2013"
MINUS = "\u2212"
INFINITE = "\u221e"

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
    "score": "{:.1%}",
    "elo": "{:+z,.0f}",
}


class TextTable(NamedTuple):
    """Headings, and the cells of each row; the first columns are words."""

    headings: list[str]
    rows: list[list[str]]


def typeset(text: str) -> str:
    """Return a text with the signs of print."""
    text = text.replace(">=", "\N{GREATER-THAN OR EQUAL TO}")
    text = text.replace("<=", "\N{LESS-THAN OR EQUAL TO}")
    return re.sub(r"(?<![\w-])-(?=[\d\N{INFINITY}])", MINUS, text)


def signed(number: float, digits: int = 0) -> str:
    """Return a number with its sign."""
    return f"{number:+z.{digits}f}".replace("-", MINUS).replace("inf", INFINITE)


def probability(share: float) -> str:
    """Return a probability; no number of games or resamples makes it 0 or 1."""
    return "< 0.1%" if share < 0.0005 else "> 99.9%" if share > 0.9995 else f"{share:.1%}"


def margin(key: str, row: Mapping[str, Any]) -> str:
    """Return a figure with half the width of its 95 % interval behind it, where it has one."""
    text, low, high = cell(key, row.get(key)), row.get(f"{key}_low"), row.get(f"{key}_high")
    if low is None or high is None or not math.isfinite(high - low):
        return text
    return f"{text} \u00b1{cell(key, (high - low) / 2).removeprefix('+')}"


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


def cell(key: str, value: Any) -> str:
    """Return the text of a value."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NOTHING
    if isinstance(value, str):
        return value
    if key == "los":
        return probability(value)
    if key == "nodes_per_second":
        return short(value)
    if key == "bytes":
        return f"{short(value)}B" if value >= 1e3 else f"{value:.0f} B"
    if isinstance(value, int) and not isinstance(value, bool) and key not in _FORMATS:
        return f"{value:,}"
    return _FORMATS[key].format(value) if key in _FORMATS else rounded(value)
