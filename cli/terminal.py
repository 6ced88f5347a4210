"""Output on a terminal: names from elsewhere are shown there, never obeyed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from samuel.common.errors import printable

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_OF_FILES = 100
"""Width of tables where no terminal gives one."""


def console(stream: TextIO | None = None) -> Console:
    """Return a terminal, for people; by default that of standard output.

    Text of users may hold brackets, so there is no markup. Control characters in names of files,
    models or engines are shown instead of obeyed.
    """
    from rich.console import Console
    from rich.segment import Segment
    from rich.text import Text

    class Printing(Console):
        def render_str(self, text: str, **kwargs: Any) -> Text:  # measured as it will be shown
            return super().render_str(printable(text), **kwargs)

        def render(self, *args: Any, **kwargs: Any) -> Iterator[Segment]:
            for segment in super().render(*args, **kwargs):
                yield segment if segment.control else segment._replace(text=printable(segment.text))

    made = Printing(file=stream, markup=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = _WIDTH_OF_FILES
    return made
