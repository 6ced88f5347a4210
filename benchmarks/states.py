"""States that follow the line against states made anew, on random lines of every game with a board.

Every form of evaluator that has a state, every bit of the state, and the score. Arguments are the
number of lines of each game and form (10,000), and games, by default all.
"""

from __future__ import annotations

import sys
from typing import Any

from benchmarks.common import record
from samuel.games import game_named, game_names, load_plugin
from samuel.games.interface import Game
from tests.lines import evaluators_with_states, followed_lines
from tests.toys import kings

LINES = 10_000


def every_game() -> dict[str, Game]:
    """Return the games with a board, two of one file among them."""
    load_plugin("examples/moving_game.py")
    games = {name: game_named(name) for name in (kings.GAME.name, *game_names())}
    return {name: game for name, game in games.items() if game.board is not None}


def compared(name: str, game: Game, lines: int) -> list[dict[str, Any]]:
    """Return what was compared in a game, by the form of the evaluator."""
    rows = []
    for about, evaluator in evaluators_with_states(game):
        rows.append(
            {"game": name, "form": about, **followed_lines(game, evaluator, lines)._asdict()}
        )
        print(*rows[-1].values(), flush=True)
    return rows


def main() -> None:
    """Run all games, or those that are named."""
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    games = every_game()
    rows = [row for name in sys.argv[2:] or games for row in compared(name, games[name], lines)]
    record("states", rows, f"{lines:,} lines of each game and form")
    assert not any(row["wrong"] for row in rows)


if __name__ == "__main__":
    main()
