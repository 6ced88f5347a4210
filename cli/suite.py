"""`samuel search --suite`: a search of every problem of a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from samuel.cli.common import emit, progress

if TYPE_CHECKING:
    from samuel.games import Game
    from samuel.games.obf import Problem
    from samuel.search import Result

_LISTED = 60
"""Problems of a file that are shown one by one; of more, their themes."""
_NUMBER = re.compile(r"(?:(?<![\s._#-])[\s._#-]++|(?<![\s._#\d-]))\d++\s*+$")


def run_suite(
    path: str, name: str, rules: Game, options: Mapping[str, Any], json: bool = False
) -> None:
    """Search every problem of a file, and tell which are solved and how many points that gives."""
    from samuel.games.obf import read_problems
    from samuel.models import load_evaluator
    from samuel.search import analyse

    problems = read_problems(path, rules)
    evaluator = load_evaluator(name, rules)
    rows: list[dict[str, Any]] = []
    with progress("searching", len(problems)) as advance:
        for problem in problems:
            advance(len(rows), _so_far(rows))
            rows.append(_row(problem, analyse(problem.position, evaluator, **options)))
        advance(len(rows))
    content = {"problems": rows, "evaluator": name, **_sums(rows), **effort(rows)}

    listed = [_in_table(*one) for one in zip(problems, rows, strict=True)]
    shown = content | {"problems": _by_theme(rows) if len(rows) > _LISTED else listed}
    emit(content, json, shown=shown)


def _row(problem: Problem, result: Result) -> dict[str, Any]:
    return {
        "name": problem.name,
        "position": problem.position.text,
        "move": result.move,
        "score": result.score,
        "depth": result.depth,
        "pv": result.pv,
        "nodes": result.nodes,
        "seconds": round(result.seconds, 6),
        "solved": problem.is_solved_by(result.move),
        "points": problem.points.get(result.move or "", 0.0) if problem.points else None,
        "most": max(problem.points.values()) if problem.points else None,
    }


def _in_table(problem: Problem, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as people read it, with the moves that the problem asks for."""
    names_of = problem.position.names_of
    moves = {
        "move": [row["move"]] if row["move"] else [],
        "wanted": problem.best or problem.best_moves,
        "avoid": problem.avoided,
    }
    names = {key: [names_of([move])[0] for move in some] for key, some in moves.items()}
    points = None if row["most"] is None else f"{row['points']:g} of {row['most']:g}"
    figures = {"score": f"{row['score']:+z.2f}", "depth": row["depth"], "points": points}
    return {"problem": row["name"], **names, **figures, "solved": row["solved"]}


def effort(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the nodes and the seconds of all searches, and their speed."""
    nodes, seconds = (sum(row[key] for row in rows) for key in ("nodes", "seconds"))
    speed = round(nodes / max(seconds, 1e-9))
    return {"nodes": nodes, "seconds": round(seconds, 6), "nodes_per_second": speed}


def _sums(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how many problems are solved, of how many, and points; None where none are given."""
    asked = [row["solved"] for row in rows if row["solved"] is not None]
    given = [row for row in rows if row["most"] is not None]
    return {
        "solved": sum(asked) if asked else None,
        "asked": len(asked),
        "points": sum(row["points"] for row in given) if given else None,
        "most": sum(row["most"] for row in given) if given else None,
    }


def _so_far(rows: Sequence[Mapping[str, Any]]) -> str:
    sums = _sums(rows)
    told = [f"{sums['solved']} of {sums['asked']} solved"] if sums["asked"] else []
    told += [f"{sums['points']:,g} of {sums['most']:,g} points"] if sums["most"] else []
    return ", ".join(told)


def _by_theme(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the sums of each theme: names that differ in a number at their end."""
    themes: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        themes.setdefault(_NUMBER.sub("", row["name"]) or "all", []).append(row)
    return [{"theme": name, "problems": len(some), **_sums(some)} for name, some in themes.items()]
