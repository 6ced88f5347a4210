"""Writes docs/features.md from the features' own docstrings: python docs/make_features.py."""

from __future__ import annotations

from pathlib import Path

from samuel.features import Feature, feature_names, features_named

PAGE = Path(__file__).with_name("features.md")
HEAD = """# Features

Numbers read off a position, always from the side to move: the player is who moves, the opponent
the other. Where a feature has `player` and `opponent`, it counts the same for each. Units are
discs, squares or moves, plain counts, where nothing else is said; none is scaled. The columns of a
matrix are the numbers in this order, called `feature_number` (`mobility_player`), or as the
feature where it has one.

This page is made of the functions' docstrings in `features/` by `python docs/make_features.py`;
`samuel models --features` prints the same (`--game` for another game, a user's own too). Patterns
are not features: `samuel models` lists their sets.
"""


def page() -> str:
    """Return the page."""
    parts = [HEAD]
    for game, title in (
        ("othello", "Othello, on 8, 6 and 4 squares a side"),
        ("connect_four", "Connect Four"),
        ("tic_tac_toe", "Tic-tac-toe"),
        ("nim", "Nim, normal and misère"),
        ("einstein", "EinStein würfelt nicht!, on 5 and 3 squares a side"),
        ("backgammon", "Backgammon"),
        ("pig", "Pig"),
        ("gomoku", "Gomoku, and with other lines k in a row on any board"),
        ("xiangqi", "Xiangqi, Chinese chess"),
    ):
        known = features_named(feature_names(game), game)
        numbers = sum(len(made.columns) for made in known)
        parts.append(f"## {title}\n\n{len(known)} features, {numbers} numbers.\n")
        rows = [f"| `{made.name}` | {_numbers(made)} | {made.about} |" for made in known]
        parts.append("\n".join(["| feature | numbers | what it is |", "|---|---|---|", *rows, ""]))
    own = "A game of your own on a board of two words has `squares` from the start (docs/games.md)."
    return "\n".join([*parts, own, ""])


def _numbers(made: Feature) -> str:
    names = [column.removeprefix(f"{made.name}_") for column in made.columns]
    if made.scalar:
        return "one"
    return ", ".join(names) if len(names) <= 10 else f"{names[0]} to {names[-1]}, {len(names)}"


if __name__ == "__main__":
    PAGE.write_text(page())
