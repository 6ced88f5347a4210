"""Writes docs/features.md from the features' own docstrings: python docs/make_features.py."""

from __future__ import annotations

from pathlib import Path

from samuel.features import Feature, feature_names, features_named

PAGE = Path(__file__).with_name("features.md")
HEAD = """# Features

A [feature](concepts.md#feature) is one or more numbers read from a position. In the tables, the
player is the side to move, and the opponent is the other side. A feature with `player` and
`opponent` has one number for each side. Numbers are plain counts of discs, squares or moves,
unless the description says otherwise. They are not scaled.

The columns of a matrix are these numbers, in the order of the table. A column is called
`feature_number`, such as `mobility_player`. The column of a feature with one number is called
like the feature.

This page is made from the docstrings in `games/GAME/features/` (`python docs/make_features.py`).
`samuel models --features --game GAME` prints the list of any game, with your own features.
Patterns are not features: `samuel models` lists their sets.
"""


def page() -> str:
    """Return the page."""
    parts = [HEAD]
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
        rows = [f"| `{made.name}` | {_numbers(made)} | {made.about} |" for made in known]
        parts.append("\n".join(["| feature | numbers | description |", "|---|---|---|", *rows, ""]))
    own = "A [game of your own](games.md) on a board of two words has `squares` from the start."
    return "\n".join([*parts, own, ""])


def _numbers(made: Feature) -> str:
    names = [column.removeprefix(f"{made.name}_") for column in made.columns]
    if made.scalar:
        return "one"
    return ", ".join(names) if len(names) <= 10 else f"{names[0]} to {names[-1]}, {len(names)}"


if __name__ == "__main__":
    PAGE.write_text(page())
