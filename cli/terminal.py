"""Output on a terminal: names from elsewhere are shown there, never obeyed."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from samuel.common.displayable import Table, said
from samuel.common.errors import printable

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_OF_FILES = 100
"""Width of tables where no terminal gives one."""
_MOST_ROWS = 60
"""Rows of a table that are printed; --json has all."""


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


def content_tables(content: Mapping[str, Any]) -> list[Table]:
    """Return values as tables of their names, and lists of records as tables of their own."""
    found = []
    for is_list, entries in itertools.groupby(content.items(), lambda entry: _is_list(entry[1])):
        if is_list:
            found += [_records(name, rows) for name, rows in entries]
        else:
            texts = [[name.replace("_", " "), said(value)] for name, value in entries]
            found.append(Table("", ("", ""), [row for row in texts if row[1]]))
    return [table for table in found if table.rows]


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)


def _records(name: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    more = len(rows) - _MOST_ROWS
    columns = list(dict.fromkeys(column for row in rows for column in row))
    return Table(
        name.replace("_", " ").capitalize(),
        [column.replace("_", " ") for column in columns],
        [[said(row.get(column)) for column in columns] for row in rows[:_MOST_ROWS]],
        [f"{more:,} more rows; --json has all"] * (more > 0),
    )
