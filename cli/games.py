"""`samuel games`."""

from __future__ import annotations

import functools

from samuel.cli.common import emit, show
from samuel.cli.events import write_event_page
from samuel.cli.options import Given, subcommand


@subcommand("samuel.arena.event_games:event_games", doing="reading games")
def run(given: Given, *, report: str | None = None, json: bool = False) -> None:
    """Run `samuel games`.

    Example: samuel games runs/new-old --number 7

    Example: samuel games runs/new-old --report new-old.html
    """
    from samuel.arena.event_games import event_games
    from samuel.arena.standings import read_result

    if report is not None:
        write_event_page(report, read_result(given["folder"]))
    found = event_games(**given)
    emit(found.as_dict(), json, functools.partial(show, found))
