"""Perft: leaves of the game tree a second."""

from __future__ import annotations

from benchmarks.common import record, seconds
from samuel.games import Position, game_named
from samuel.games.othello.bits import PLAIN
from samuel.games.othello.rules import othello
from samuel.games.perft import perft

REPEATS = 10
CASES = (
    ("othello", game_named("othello"), 11),
    ("othello, plain code", othello(bits=PLAIN), 11),
    ("othello_6x6", game_named("othello_6x6"), 11),
    ("connect_four", game_named("connect_four"), 9),
    ("tic_tac_toe", game_named("tic_tac_toe"), 9),
)


def main() -> None:
    """Time perft of each game, and of Othello without its vector code."""
    leaves, best = {}, {}
    for _ in range(REPEATS):  # in turns, so that what else the machine does strikes all alike
        for name, game, depth in CASES:
            start = Position.start(game)
            leaves[name] = perft(start, depth)  # compiles, or loads, what is timed next
            elapsed = seconds(lambda p=start, d=depth: perft(p, d))  # type: ignore[misc]
            best[name] = min(best.get(name, elapsed), elapsed)
    rates = {name: leaves[name] / best[name] / 1e6 for name in best}
    rows = [
        {"game": name, "depth": depth, "leaves": leaves[name], "M leaves/s": rates[name]}
        for name, _, depth in CASES
    ]
    times = rates["othello"] / rates["othello, plain code"]
    record(
        "perft",
        rows,
        "one thread; the last two plies are counted, not played; othello runs at "
        f"{times:.2f} times its plain code; best of {REPEATS}; rust-reversi has no perft",
    )


if __name__ == "__main__":
    main()
