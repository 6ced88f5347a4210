"""`samuel search`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from samuel.cli.common import busy, emit, game_and_evaluators, position_of
from samuel.cli.subcommands import Given, subcommand
from samuel.units import short


@subcommand("samuel.search:search", doing="searching", without=("clock", "increment"))
def run(
    given: Given,
    *,
    position: str | None = None,
    moves: str | None = None,
    evaluator: str | None = None,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Run `samuel search`.

    Example: samuel search --moves f5d6c3d3c4 --evaluator classic --depth 10

    Parameters
    ----------
    position
        Position as text; the initial position by default.
    moves
        Transcript from the initial position, such as f5d6c3.
    """
    rules, (judge,) = game_and_evaluators(game, evaluator)
    place = position_of(position, moves, rules)
    from samuel.models import load_evaluator
    from samuel.search import search

    probcut = given.get("probcut")
    if evaluator is not None and "method" in given:
        from samuel.search.methods import method_named, warn_if_unasked

        warn_if_unasked(method_named(given["method"]), judge)
    with busy("searching"):
        result = search(place, load_evaluator(judge, rules), **given)
    keys = ("move", "score", "depth", "pv", "nodes", "seconds", "exact")
    content = {key: asdict(result)[key] for key in keys} | {"probcut": probcut or None}
    if result.moves is not None:
        content |= {"moves": result.moves, "moves_depth": result.moves_depth}
        content |= {} if result.margins is None else {"margins": result.margins}

    def show(console: Any) -> None:
        kind = "exact" if result.exact else f"depth {result.depth}"
        if probcut and not result.exact:
            kind += f", selective at {probcut:g} sigma"
        console.print(str(place), highlight=False)
        throws = " ".join(name for name, _ in place.outcomes()[:3])
        on_chance = f"chance is to move; add a throw to --moves or --position: {throws} ..."
        without = "none: " + (on_chance if place.is_chance else "the game is over")
        console.print(f"best move  {result.move or without}")
        console.print(f"score      {result.score:+.3f} {rules.unit} ({kind})")
        console.print(f"line       {' '.join(result.pv)}")
        if result.moves:
            margins = {m: f" ± {margin:.2f}" for m, margin in (result.margins or {}).items()}
            scores = [f"{m} {score:+.2f}{margins.get(m, '')}" for m, score in result.moves.items()]
            depth = f" (depth {result.moves_depth})" if result.margins is None else ""
            console.print(f"all moves  {', '.join(scores)}{depth}", highlight=False)
        speed = short(result.nodes / max(result.seconds, 1e-9))
        console.print(f"nodes      {result.nodes:,} in {result.seconds:.3f} s ({speed} a second)")

    emit(content, json, show)
