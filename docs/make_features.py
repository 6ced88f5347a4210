"""The tables of features that the site adds to docs/feature_tables.md, from their docstrings."""

from __future__ import annotations

import inspect

from samuel.features import Feature, feature_names, features_named


def tables() -> str:
    """Return a table of the features of each game."""
    parts = []
    for game, title in (
        ("othello", "Othello"),
        ("checkers", "Checkers"),
        ("connect_four", "Connect Four"),
        ("tic_tac_toe", "Tic-tac-toe"),
        ("nim", "Nim"),
        ("backgammon", "Backgammon"),
        ("pig", "Pig"),
        ("gomoku", "Gomoku and k in a row"),
        ("chess", "Chess"),
        ("xiangqi", "Xiangqi"),
    ):
        known = features_named(feature_names(game), game)
        numbers = sum(len(made.columns) for made in known)
        parts.append(f"## {title}\n\n{len(known)} features, {numbers} numbers.\n")
        rows = [f"| `{made.name}` | {_numbers(made)} | {_about(made)} |" for made in known]
        parts.append("\n".join(["| feature | numbers | description |", "|---|---|---|", *rows, ""]))
    return "\n".join(parts)


def _about(made: Feature) -> str:
    function = made.function
    return " ".join((inspect.getdoc(getattr(function, "py_func", function)) or "").split())


def _numbers(made: Feature) -> str:
    names = [column.removeprefix(f"{made.name}_") for column in made.columns]
    if made.scalar:
        return "one"
    return ", ".join(names) if len(names) <= 10 else f"{names[0]} to {names[-1]}, {len(names)}"
