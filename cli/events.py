"""Common parts of the commands that play games: players, progress, and results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

from samuel.cli.common import (
    busy,
    emit,
    game_and_evaluators,
    keeping_games,
    on_cluster,
    show,
    write_report,
)
from samuel.common.errors import ForfeitError
from samuel.common.options import Argument

if TYPE_CHECKING:
    from rich.console import Console

    from samuel.games import Game

R = TypeVar("R", bound=Any)
Players: TypeAlias = Annotated[list[str] | None, Argument()]
Engines: TypeAlias = list[str] | None


def players_of(
    players: Sequence[str] | None, engines: Sequence[str] | None, game: str | None
) -> tuple[Game, list[str]]:
    """Return the game and its players: evaluators first, then engines.

    Folders of events are looked at later, and what their games know.
    """
    from samuel.arena.journal import is_event

    who = [*(players or ()), *(engines or ())]
    named = [] if any(map(is_event, who)) else who
    rules, _ = game_and_evaluators(game, *named)
    return rules, who


def run_event(
    play: Callable[[Callable[..., None]], R],
    *,
    title: str,
    so_far: Callable[..., str],
    out: str | None,
    cluster: str | None,
    report: str | None,
    json: bool,
) -> None:
    """Play an event, and print its result; what there is so far where it ends before its time."""
    last: list[Any] = []

    def follow(result: Any, *more: Any) -> None:
        last[:] = [result]
        if len(result.pairs):
            say(f"{title}: {so_far(result, *more)}")

    with keeping_games(out):
        try:
            with on_cluster(cluster), busy(f"{title}: starting") as say:
                result = play(follow)
        except (KeyboardInterrupt, ForfeitError):
            if last and len(last[0].pairs):
                if not json:
                    emit({}, False, functools.partial(_show_interrupted, last[0]))
                write_report(report, last[0])
            raise
    write_report(report, result)
    emit(result.as_dict(), json, functools.partial(show, result))


def _show_interrupted(result: Any, console: Console) -> None:
    show(result, console)
    console.print("interrupted: these are the results so far")
