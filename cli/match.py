"""`samuel match`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from cli.common import (
    MOST_SIGMAS,
    ExactOption,
    GameOption,
    JobsOption,
    JsonOption,
    PluginOption,
    ProbCutOption,
    SeedOption,
    command,
    emit,
    game_and_evaluators,
    prepare,
    progress,
)

if TYPE_CHECKING:
    from rich.table import Table

    from arena import MatchResult


@command
def run(
    a: Annotated[str, typer.Argument(help="A model of the package, or a folder.")],
    b: Annotated[str, typer.Argument(help="Its opponent.")],
    game: GameOption = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Plies a move; 4 by default.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="About so many nodes a move.")] = None,
    milliseconds: Annotated[
        float | None, typer.Option("--ms", min=0.01, help="Wall time a move, in milliseconds.")
    ] = None,
    depth_b: Annotated[int | None, typer.Option(min=1, help="Depth of B, if another.")] = None,
    nodes_b: Annotated[int | None, typer.Option(min=1, help="Nodes of B, if others.")] = None,
    milliseconds_b: Annotated[
        float | None, typer.Option("--ms-b", min=0.01, help="Time of B, if another.")
    ] = None,
    probcut: ProbCutOption = None,
    probcut_b: Annotated[
        float | None,
        typer.Option(
            "--probcut-b",
            min=0,
            max=MOST_SIGMAS,
            help="Confidence of B, if another; 0 for no such cuts.",
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(min=1, max=1_000_000, help="Openings, each played twice; 200 by default."),
    ] = None,
    exact_from: ExactOption = None,
    opening_plies: Annotated[
        int | None, typer.Option(min=0, help="Random moves at the start.")
    ] = None,
    seed: SeedOption = 0,
    jobs: JobsOption = -1,
    plugin: PluginOption = None,
    json: JsonOption = False,
) -> None:
    """Play A against B and say whether A is stronger, and by how much.

    Every opening is played twice with colours swapped, and no opening twice in a match.

    Example: samuel match runs/ridge classic --depth 4 --pairs 200
    """
    prepare(plugin)
    from arena import DEFAULT_PAIRS, Allowance, match

    rules, _ = game_and_evaluators(game, a, b)

    def allowance(
        d: int | None, n: int | None, ms: float | None, sigmas: float | None
    ) -> Allowance:
        unlimited = d is None and n is None and ms is None
        seconds = None if ms is None else ms / 1000
        return Allowance(4 if unlimited else d, n, seconds, sigmas or None)

    one = allowance(depth, nodes, milliseconds, probcut)
    sigmas_b = probcut if probcut_b is None else probcut_b
    if depth_b or nodes_b or milliseconds_b:
        other = allowance(depth_b, nodes_b, milliseconds_b, sigmas_b)
    else:
        other = replace(one, probcut=sigmas_b or None)
    so_far: list[MatchResult] = []
    try:
        with progress(f"{a} - {b}", 2 * (pairs or DEFAULT_PAIRS)) as advance:

            def show_progress(result: MatchResult) -> None:
                so_far[:] = [result]
                s = result.statistics
                advance(s.games, f"+{s.wins} ={s.draws} -{s.losses}")

            result = match(
                a,
                b,
                game=rules,
                pairs=pairs,
                allowance=one,
                allowance_b=None if other == one else other,
                exact_from=exact_from,
                opening_plies=opening_plies,
                seed=seed,
                jobs=jobs,
                progress=show_progress,
            )
    except KeyboardInterrupt:
        if so_far and not json:
            emit({}, False, lambda console: console.print(table_of(so_far[0], "interrupted")))
        raise
    emit(result.as_dict(), json, lambda console: console.print(table_of(result, result.limits)))


def table_of(result: MatchResult, limits: str) -> Table:
    """Return the result as a table for the terminal."""
    from rich.table import Table

    s = result.statistics
    table = Table(title=f"{result.a} against {result.b} ({limits})", show_header=False)
    rows = {
        "games": f"{s.games}: {s.wins} won, {s.draws} drawn, {s.losses} lost",
        "score": f"{s.score:.1%} (95 %: {s.score_low:.1%} to {s.score_high:.1%})",
        "Elo": f"{s.elo:+.0f} (95 %: {s.elo_low:+.0f} to {s.elo_high:+.0f})",
        "likelihood of superiority": f"{s.los:.1%}",
        "pairs (0, 1/2, 1, 3/2, 2 points)": " ".join(map(str, s.pentanomial or ())),
        "mean result": f"{result.mean_result:+.2f}",
        "million nodes a second": " and ".join(f"{n / 1e6:.1f}" for n in result.nodes_per_second),
    }
    for what, value in rows.items():
        table.add_row(what, value)
    return table
