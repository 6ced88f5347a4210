"""Parts of a score in words: `mobility 5 against 4`, for the side asked about and its opponent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from samuel.games import Game
from samuel.games.board import EMPTY
from samuel.games.drawing import side_names
from samuel.models.contributions.result import Contributions, Part

_PLAIN = {
    "intercept": "constant of the model",
    "network": "network over all patterns or pieces together",
}
_TABLE, _SEEN = "table of ", " seen by the opponent"
_WHOSE = ("player", "opponent")


class Reason(NamedTuple):
    """A part of a score."""

    about: str
    value: str
    adds: float
    squares: tuple[str, ...] = ()


def reasons_of(found: Contributions, game: Game) -> list[Reason]:
    """Return the parts of a score in words, the largest first."""
    groups: dict[str, list[tuple[Part, dict[str, str]]]] = {}
    for part in found.parts:
        about, values = _read(part, game, found.side)
        groups.setdefault(about, []).append((part, values))
    reasons = [_together(about, parts) for about, parts in groups.items()]
    if found.rest:
        reasons.append(Reason("rest, due to several together", "", found.rest))
    return sorted(reasons, key=lambda reason: -abs(reason.adds))


def _together(about: str, parts: list[tuple[Part, dict[str, str]]]) -> Reason:
    values: dict[str, str] = {}
    for _, one in parts:
        values |= one
    if values.keys() == set(_WHOSE):
        value = f"{values['player']} against {values['opponent']}"
    else:
        value = ", ".join(values.values())
    squares = dict.fromkeys(square for part, _ in parts for square in part.squares)
    return Reason(about, value, sum(part.value for part, _ in parts), tuple(squares))


def _read(part: Part, game: Game, side: int) -> tuple[str, dict[str, str]]:
    """Return what a part is about, and its values by whose they are."""
    name, _, value = part.name.partition(" = ")
    if name in _PLAIN:
        return _PLAIN[name], {}
    if name in game.squares:
        return f"piece on {name}", {"": value}
    if name.startswith("squares_") and part.squares and value in ("-1", "0", "1"):
        owner = side if (value == "1") != name.endswith(_SEEN) else 1 - side
        stands = "empty" if value == "0" else side_names(game)[owner]
        return f"square {part.squares[0]}", {"": stands}
    if ": " in name:
        return f"pattern {name.partition(': ')[2]}", {"": _drawn(value, game)}
    if not name.startswith(_TABLE):
        about, whose = _split(name, game, side)
        return about, {whose: value.replace("-", "\N{MINUS SIGN}")}
    pairs = zip(name.removeprefix(_TABLE).split(", "), value.split(", "), strict=True)
    split = [(*_split(column, game, side), one) for column, one in pairs]
    abouts = list(dict.fromkeys(about for about, _, _ in split))
    if len(abouts) == 1:
        return abouts[0], {whose: one for _, whose, one in split}
    return " with ".join(abouts), dict(_values(split))


def _values(split: list[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    for about, whose, value in split:
        yield f"{about} {whose}", f"{about} {value}" + (f" ({whose})" if whose else "")


def _split(column: str, game: Game, side: int) -> tuple[str, str]:
    """Return what a column counts, and whose it is; empty where it is neither's."""
    seen = f" (as {side_names(game)[1 - side]} sees it)" if column.endswith(_SEEN) else ""
    words = column.removesuffix(_SEEN).split("_")
    whose = [word for word in words if word in _WHOSE]
    if len(whose) == 1:
        words.remove(whose[0])
    return " ".join(words) + seen, whose[0] if len(whose) == 1 else ""


def _drawn(signs: str, game: Game) -> str:
    """Return what stands on the squares of a pattern, by the first letters of the sides' names."""
    board = game.board
    if board is not None and len(board.pieces) == 1 and len(board.pieces[0]) > 1:
        letters = "".join(name[0] for name in side_names(game))
        signs = signs.translate(str.maketrans(board.pieces[0], letters))
    return signs.replace(EMPTY, "·")
