"""Output on a terminal: names from elsewhere are shown there, never obeyed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from samuel.common.errors import printable
from samuel.common.units import rounded

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_OF_FILES = 100
"""Width of tables where no terminal gives one."""
_MOST_ROWS, _LONGEST = 60, 300
"""Rows of a table, and characters of a text, that are printed; --json has all."""


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


def show_rows(content: Mapping[str, Any], console: Console) -> None:
    """Print values with their names, a row each, and lists of records as tables."""
    from rich.table import Table

    for name, value in content.items():
        label = name.replace("_", " ")
        if not (isinstance(value, list) and value and isinstance(value[0], Mapping)):
            if text := said(value):
                console.print(f"{label:11} {text}", highlight=False, soft_wrap=True)
            continue
        table = Table(title=label)
        for column in value[0]:
            is_word = isinstance(value[0][column], str | list | None)
            table.add_column(
                column.replace("_", " "), overflow="fold", justify="left" if is_word else "right"
            )
        for row in value[:_MOST_ROWS]:
            table.add_row(*(said(cell) for cell in row.values()))
        console.print(table)
        if len(value) > _MOST_ROWS:
            console.print(f"{len(value) - _MOST_ROWS:,} more rows; --json has all")


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
