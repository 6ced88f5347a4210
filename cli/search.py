"""`samuel search`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from samuel.cli import options
from samuel.cli.command import command
from samuel.cli.common import busy, emit, game_and_evaluators, position_of
from samuel.units import short


@command("searching")
def run(
    position: options.PositionOption = None,
    moves: options.MovesOption = None,
    evaluator: options.EvaluatorOption = None,
    game: options.GameOption = None,
    depth: Annotated[
        int | None,
        typer.Option(
            min=1, max=options.MOST_DEPTH, help="Plies; without a limit 8, fewer with dice."
        ),
    ] = None,
    nodes: Annotated[
        int | None, typer.Option(min=1, max=options.MOST_NODES, help="About so many positions.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.0001, max=1e9, help="At most so long.")
    ] = None,
    exact_from: options.ExactOption = None,
    probcut: options.ProbCutOption = None,
    method: options.MethodOption = "alphabeta",
    threads: Annotated[int, typer.Option(min=1, max=64, help="That search together.")] = 1,
    all_moves: Annotated[
        bool, typer.Option("--all-moves", help="Score every legal move, not the best alone.")
    ] = False,
    json: options.JsonOption = False,
) -> None:
    """Find the best move of a position.

    The score is for the side to move, in the game's unit (Othello: discs).

    Example: samuel search --moves f5d6c3d3c4 --evaluator classic --depth 10
    """
    from samuel.models import load_evaluator
    from samuel.search import search

    rules, (judge,) = game_and_evaluators(game, evaluator)
    place = position_of(position, moves, rules)
    if evaluator is not None and method != "alphabeta":
        from samuel.search.methods import warn_if_unasked

        warn_if_unasked(method, judge)
    with busy("searching"):
        result = search(
            place,
            load_evaluator(judge, rules),
            depth=depth,
            nodes=nodes,
            seconds=seconds,
            exact_from=exact_from,
            probcut=probcut,
            method=method,
            threads=threads,
            all_moves=all_moves,
        )
    keys = ("move", "score", "depth", "pv", "nodes", "seconds", "exact")
    content = {key: asdict(result)[key] for key in keys} | {"probcut": probcut or None}
    if all_moves:
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
