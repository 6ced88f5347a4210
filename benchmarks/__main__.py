"""Run the benchmarks named on the command line, or all."""

import importlib
import sys

ALL = (
    "startup",
    "perft",
    "search",
    "methods",
    "chance",
    "playouts",
    "equal_time",
    "limits",
    "threads",
    "endgame",
    "checkers_endings",
    "chess_speed",
    "xiangqi",
    "selectivity",
    "pruning",
    "texel",
    "selfplay",
    "evaluation",
    "patterns",
    "league",
    "sprt",
    "intervals",
    "strength",
    "rote",
    "importing",
    "board",
    "engine_ends",
    "demo",
)
LONG = ("backgammon", "endgame_hard")
"""Those that run where they are named, alone."""


def main() -> None:
    """Run them one after the other."""
    for name in sys.argv[1:] or ALL:
        if name not in (*ALL, *LONG):
            sys.exit(f"there is no benchmark called {name}; there are {', '.join((*ALL, *LONG))}")
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
