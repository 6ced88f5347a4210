"""Options of the commands that play games: who plays, with how many workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from samuel.cli.common import game_and_evaluators
from samuel.options import Also, Argument, Range

if TYPE_CHECKING:
    from samuel.games import Game

Players: TypeAlias = Annotated[list[str] | None, Argument()]
Engines: TypeAlias = list[str] | None
Jobs: TypeAlias = Annotated[int, Range(-1, 1024), Also("concurrency")]
"""Number of workers; the command line takes one per core by default."""


def players_of(
    players: Sequence[str] | None, engines: Sequence[str] | None, game: str | None
) -> tuple[Game, list[str]]:
    """Return the game, and who plays it: evaluators first, then engines."""
    who = [*(players or ()), *(engines or ())]
    rules, _ = game_and_evaluators(game, *who)
    return rules, who
