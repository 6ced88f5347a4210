"""Numbers that outside programs write."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:e[+-]?\d{1,2})?", re.I | re.A)


def number_in(text: str | None) -> float | None:
    """Return the number that a text is, such as `+35` or `-0.25`; None for another text."""
    # At most 18 digits before and behind the point keep it finite and quick to read.
    return float(text) if text is not None and _NUMBER.fullmatch(text) else None


def count_in(text: str | None) -> int:
    """Return the integer that a text is, at least 0; 0 for another text."""
    return max(0, int(number_in(text) or 0))
