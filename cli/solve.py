"""`samuel solve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import emit, game_and_evaluators, progress
from samuel.cli.subcommands import subcommand
from samuel.options import Argument

if TYPE_CHECKING:
    from samuel.games.obf import Problem
    from samuel.search import Result


@subcommand(doing="solving")
def run(
    *,
    problems: Annotated[str, Argument()],
    evaluator: str | None = None,
    wld: bool = False,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Solve positions exactly: value, best move, best play to the end.

    Where the file names scores, the results are compared with them. With --wld the score is 1, 0
    or -1 for a win, a draw or a loss.

    Example: samuel solve problems.obf

    Parameters
    ----------
    problems
        OBF file: a position per line.
    evaluator
        Evaluator that orders moves; without one the solver orders them by itself.
    wld
        Find only whether a position is won, drawn or lost, which takes less time.
    """
    from samuel.errors import UserError
    from samuel.games.obf import read_problems
    from samuel.models import load_evaluator
    from samuel.search import solve, solve_sign

    rules, _ = game_and_evaluators(game, evaluator)
    guide = load_evaluator(evaluator or "zero", rules)
    solved = []
    everything = read_problems(problems, rules)
    with progress("solving", len(everything)) as advance:
        for done, problem in enumerate(everything, 1):
            advance(done - 1, problem.name)
            if wld:
                result = solve_sign(problem.position, guide, guided=evaluator is not None)
            else:
                result = solve(problem.position, guide, guided=evaluator is not None)
            if not result.exact:
                raise UserError(f"{problem.name}: not solved to its end")
            solved.append(_row(problem, result, wld))
            advance(done)

    def show(console: Any) -> None:
        from rich.table import Table

        table = Table("problem", "score", "move", "line", "nodes", "seconds", "right")
        for row in solved:
            right = {True: "yes", False: "NO", None: ""}[row["right"]]
            line = " ".join(row["pv"])
            cells = (f"{row['score']:+g}", row["move"] or "", line, f"{row['nodes']:,}")
            table.add_row(row["name"], *cells, f"{row['seconds']:.3f}", right)
        console.print(table)
        nodes, seconds = (sum(row[key] for row in solved) for key in ("nodes", "seconds"))
        known = [row["right"] for row in solved if row["right"] is not None]
        note = f", {sum(known)} of {len(known)} as the file says" if known else ""
        console.print(f"{len(solved)} positions, {nodes:,} nodes, {seconds:.2f} s{note}")

    emit({"problems": solved}, json, show)


def _row(problem: Problem, result: Result, wld: bool) -> dict[str, Any]:
    right = None
    if problem.best_score is not None:
        # a win is a win, however many plies it takes
        sooner = problem.position.game.sooner_is_better
        score = round(result.score) if sooner else result.score
        listed = result.move in problem.scores
        if wld:
            right = score == (problem.best_score > 0) - (problem.best_score < 0)
        else:
            best = not listed or result.move in problem.best_moves
            right = score == problem.best_score and best
    return {
        "name": problem.name,
        "score": result.score,
        "move": result.move,
        "pv": result.pv,
        "nodes": result.nodes,
        "seconds": round(result.seconds, 6),
        "right": right,
    }
