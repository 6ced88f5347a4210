"""Worth of each option of the search that prunes: a match with the option against one without.

A match has the same limits for both sides and one of them with the option switched. Nodes are the
same on every machine and under every load; `--ms` counts what an option costs too. A sequential
test stops a match as soon as it is decided; its Elo then is a little too far from 0.

    python -m benchmarks.pruning --nodes 10000 --pairs 100
    python -m benchmarks.pruning null_move late_moves --ms 20 --pairs 1000 --sprt 0,20
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from benchmarks.common import record
from samuel.arena import match
from samuel.arena.sequential import Sprt
from samuel.games import game_named
from samuel.search import AlphaBeta, SearchOptions
from samuel.search.alphabeta.options import options_of
from samuel.search.limits import Limits

OPTIONS = ("null_move", "check_extensions", "late_moves", "futility", "exchange", "killers")
UNUSED = ("correction",)
ALL = "all that prune"
"""The four options that only games with a margin have, at once."""


def switched(name: str, options: SearchOptions, value: bool) -> SearchOptions:
    """Return the options with one, or all that prune, switched."""
    names = OPTIONS[:2] + OPTIONS[3:5] if name == ALL else (name,)
    return replace(options, **dict.fromkeys(names, value))


def worth(name: str, given: argparse.Namespace, limits: Limits) -> dict[str, Any]:
    """Return the result of a match of a search with an option against one without."""
    game = game_named(given.game)
    options = options_of(game)
    found = match(
        *(given.evaluator, given.evaluator),
        game=game,
        limits=limits,
        method=AlphaBeta(options=switched(name, options, True)),
        method_b=AlphaBeta(options=switched(name, options, False)),
        pairs=given.pairs,
        sprt=Sprt(*map(float, given.sprt.split(","))) if given.sprt else None,
        seed=given.seed,
        jobs=given.jobs,
    )
    s = found.statistics
    row = {"option": name, "games": s.games, "score": s.score}
    row |= {"elo": s.elo, "from": s.elo_low, "to": s.elo_high}
    if found.sprt and s.pentanomial:
        row["test"] = found.sprt.state(s.pentanomial).decision
    return row


def main(arguments: Sequence[str] = ()) -> None:
    """Play a match for each option, and record each as it ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("options", nargs="*", default=[ALL, *OPTIONS, *UNUSED])
    parser.add_argument("--game", default="chess")
    parser.add_argument("--evaluator", default="classic")
    parser.add_argument("--nodes", type=int, default=10_000, help="nodes a move")
    parser.add_argument("--ms", type=float, help="milliseconds a move, in place of nodes")
    parser.add_argument("--pairs", type=int, default=100, help="of a match, at most")
    parser.add_argument("--sprt", help="Elo0,Elo1 of a sequential test, such as 0,20")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args(arguments)
    limits = Limits(None, None, given.ms / 1000) if given.ms else Limits(None, given.nodes, None)
    a_move = f"{given.ms:g} ms" if given.ms else f"{given.nodes:,} nodes"
    rows: list[dict[str, Any]] = []
    for name in given.options:
        rows.append(worth(name, given, limits))
        record("pruning", rows, f"{given.game}, {given.evaluator}, {a_move} a move")


if __name__ == "__main__":
    main(sys.argv[1:])
