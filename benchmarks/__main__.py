"""Run the benchmarks named on the command line, or all but `golden`, which prints JSON."""

import importlib
import sys

MEASURED = "perft", "search", "selfplay", "formats", "endgame", "strength", "networks", "tuning"
ALL = *MEASURED, "golden"


def main() -> None:
    """Run them one after the other."""
    names = sys.argv[1:] or MEASURED
    for name in names:
        if name not in ALL:
            sys.exit(f"no benchmark has the name {name}; choose from: {', '.join(ALL)}")
    for name in names:
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
