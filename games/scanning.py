"""What readers of files of games share: each looks at a part of a text once, however long it is."""

from __future__ import annotations

import re

DASH = "-\u2010\u2011\u2012\u2013\u2014\u2212"
"""What people and their programs write for a minus or a hyphen."""
DASHES = str.maketrans(DASH, "-" * len(DASH))


class Ahead:
    """The next place of something in a text."""

    def __init__(self, content: str, what: re.Pattern[str]) -> None:
        self._content, self._what = content, what
        self._next: int | None = None

    def after(self, at: int) -> int:
        """Return the first place from `at` on, which never falls; -1 where there is none."""
        if self._next is None or 0 <= self._next < at:
            found = self._what.search(self._content, at)
            self._next = -1 if found is None else found.start()
        return self._next


class LineCounter:
    """The number of a line in a text."""

    def __init__(self, content: str) -> None:
        self._content, self._line, self._counted = content, 1, 0

    def at(self, place: int) -> int:
        """Return the line of a place, which never falls, from 1."""
        self._line += self._content.count("\n", self._counted, place)
        self._counted = place
        return self._line
