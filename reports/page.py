"""A page of any result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from samuel.common.displayable import Displayable
from samuel.reports.comparison import match_table as matches
from samuel.reports.html import write
from samuel.reports.views import view_of


def write_page(
    path: Path | str,
    result: Displayable,
    *,
    match_table: Sequence[Mapping[str, Any]] = (),
    title: str | None = None,
) -> Path:
    """Write a result as an HTML page, one file that needs nothing else.

    Parameters
    ----------
    path
        File to write.
    result
        Result of a match, a tournament, a bench, a comparison, a learning run, or another result
        that notebooks show.
    match_table
        Results of further matches, one mapping per row, with the keys of the JSON output of `samuel
        match`.
    title
        Title of the page. By default it names the result.

    Returns
    -------
    Path
        Path of the page.

    Raises
    ------
    UserError
        The page cannot be written, or there is nothing to show yet.

    Examples
    --------
    >>> import samuel
    >>> comparison = samuel.compare("data/games", ["ridge", "classic"])
    >>> samuel.write_page("compare.html", comparison).name
    'compare.html'
    """
    view = view_of(result)
    further = [matches(match_table)] if match_table else []
    return write(path, view._replace(title=title or view.title, parts=[*view.parts, *further]))
