"""Perft: leaves of the game tree a second."""

from __future__ import annotations

from benchmarks.common import record, seconds
from games import Position
from games.perft import perft


def main() -> None:
    """Time perft of each game."""
    rows = []
    for game, depth in (("othello", 11), ("connect_four", 9), ("tic_tac_toe", 9)):
        position = Position.start(game)
        leaves = perft(position, 8)  # compiles, or loads, what is timed below
        elapsed = seconds(lambda p=position, d=depth: perft(p, d))  # type: ignore[misc]
        leaves = perft(position, depth)
        rate = leaves / elapsed / 1e6
        rows.append({"game": game, "depth": depth, "leaves": leaves, "M leaves/s": rate})
    record("perft", rows, "one thread; the last ply's moves are listed, not played")


if __name__ == "__main__":
    main()
