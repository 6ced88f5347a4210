"""`samuel search`, `samuel solve`, `samuel perft` and `samuel evaluate`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from samuel.cli.common import (
    busy,
    emit,
    game_and_evaluators,
    position_of,
    progress,
    result_command,
    show,
)
from samuel.cli.options import Given, MisuseError, subcommand
from samuel.cli.suite import effort, run_suite
from samuel.common.errors import UserError
from samuel.common.options import Argument

if TYPE_CHECKING:
    from samuel.games.obf import Problem
    from samuel.search import Result


@subcommand("samuel.search:analyse", doing="searching", without=("clock", "increment"))
def run(
    given: Given,
    *,
    position: str | None = None,
    moves: str | None = None,
    suite: str | None = None,
    evaluator: str | None = None,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Search a position and show the best move, its score and the expected line.

    The search ends at the first limit that is reached.

    Example: samuel search --moves f5d6c3d3c4 --evaluator classic --depth 10

    Example: samuel search --game chess --suite sts.epd --ms 1000

    Parameters
    ----------
    position
        Position as text (docs/games/GAME.md). By default the initial position.
    moves
        Moves from the initial position, such as f5d6c3.
    suite
        File of problems (EPD or OBF) instead of a position. The output counts the moves that agree
        with the file, and their points.
    depth
        Search depth in plies; a pass counts as one. Without any limit, twice the game's usual
        depth.
    """
    rules, (name,) = game_and_evaluators(game, evaluator)
    if suite is not None:
        if position or moves:
            raise MisuseError("--suite takes the place of --position and --moves")
        return run_suite(suite, name, rules, given, json)
    place = position_of(position, moves, rules)
    from samuel.models import load_evaluator
    from samuel.search import analyse
    from samuel.search.wdl import chances_of

    probcut = given.get("probcut")
    if evaluator is not None and "method" in given:
        from samuel.search.methods import method_named, warn_if_unasked

        warn_if_unasked(method_named(given["method"]), name)
    with busy("searching"):
        by = load_evaluator(name, rules)
        result = analyse(place, by, **given)
        chances = chances_of(by, place, result)
    keys = ("move", "score", "depth", "pv", "nodes", "seconds", "exact")
    content = {key: asdict(result)[key] for key in keys} | {"probcut": probcut or None}
    content |= {} if chances is None else {"wdl": chances}
    if result.moves is not None:
        content |= {"moves": result.moves, "moves_depth": result.moves_depth}
        content |= {} if result.margins is None else {"margins": result.margins}

    def tell(console: Any) -> None:
        from samuel.reports.search import search_view

        console.print(str(place), highlight=False)
        show(search_view(result, place, probcut, chances), console)

    emit(content, json, tell)


@subcommand("samuel.search:solve", doing="solving", without=("guided",))
def solve(
    given: Given,
    *,
    problems: Annotated[str, Argument()],
    evaluator: str | None = None,
    wld: bool = False,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Solve positions exactly: score, best move and best line to the end.

    If the file has scores, the command compares its results with them. With --wld the score is 1
    (win), 0 (draw) or -1 (loss).

    Example: samuel solve problems.obf

    Example: samuel solve problems.obf --evaluator learned --threads 2 --table-bits 24

    Parameters
    ----------
    problems
        OBF file with one position per line.
    evaluator
        Evaluator that orders moves. By default the solver orders them.
    wld
        Find only whether a position is won, drawn or lost, which is faster.
    """
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
            find = solve_sign if wld else solve
            result = find(problem.position, guide, guided=evaluator is not None, **given)
            if not result.exact:
                raise UserError(f"{problem.name}: the solver stopped before the end of the game")
            solved.append(_row(problem, result, wld))
            advance(done)

    known = [row["right"] for row in solved if row["right"] is not None]
    sums = {"right": sum(known) if known else None, "asked": len(known)} | effort(solved)

    rows = [row | {"score": f"{row['score']:+zg}"} for row in solved]
    told = {"as the file says": f"{sum(known):,} of {len(known):,}"} if known else {}
    shown = {"problems": rows, "positions": len(rows)} | told | effort(solved)
    emit({"problems": solved} | sums, json, shown=shown)


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


perft = result_command(
    "perft",
    "samuel.games.leaves:count_leaves",
    "counting",
    "Example: samuel perft --depth 9 --divide",
)


@subcommand("samuel.models:evaluate", doing="evaluating", without=("evaluator", "game"))
def evaluate(
    *,
    positions: Annotated[str, Argument()],
    evaluator: str | None = None,
    game: str | None = None,
    json: bool = False,
) -> None:
    """Evaluate positions without search, from the side to move.

    A finished game scores its true result.

    Example: samuel evaluate --evaluator classic positions.obf

    Parameters
    ----------
    positions
        OBF file with one position per line.
    """
    from samuel.games.obf import read_problems
    from samuel.models import evaluate, load_evaluator

    rules, (name,) = game_and_evaluators(game, evaluator)
    problems = read_problems(positions, rules)
    places = [problem.position for problem in problems]
    with busy("evaluating"):
        found = evaluate(load_evaluator(name, rules), rules, places)
    scores = [round(float(score), 6) for score in found]

    def show(console: Any) -> None:
        for problem, score in zip(problems, scores, strict=True):
            console.print(f"{score:+z9.3f}  {problem.position.text}", highlight=False)

    emit({"scores": scores}, json, show)
