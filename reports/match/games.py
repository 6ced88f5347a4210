"""Games of a match that are worth looking at, as rows of boards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from samuel.arena.results import MatchResult
from samuel.common.displayable import Picture
from samuel.games.drawing import side_names
from samuel.games.position import Position
from samuel.games.transcripts import transcript
from samuel.reports.scenes import boards_html

_GAMES, _BOARDS = 5, 6
_ENDS = {
    "played": "played to the end",
    "solved": "solved from ply {ply}",
    "time": "out of time at ply {ply}",
    "agreed": "agreed by both sides' scores at ply {ply}",
}


class GameToSee(NamedTuple):
    """A game worth looking at: why, the place of its pair, and which of the two it is."""

    why: str
    place: int
    turn: int


def games_to_see(result: MatchResult) -> list[GameToSee]:
    """Return games worth looking at: faults, clear wins and losses of A, and close games."""
    games = [
        (place, turn, game)
        for place, pair in enumerate(result.pairs)
        for turn, game in enumerate(pair)
    ]
    # a fault says nothing of how the game stood
    clear = sorted(
        (x for x in games if x[2].fault is None), key=lambda x: (-abs(x[2].result), len(x[2].moves))
    )
    ranked = [
        [
            GameToSee(f"Forfeited by {(result.a, result.b)[game.fault]}", place, turn)
            for place, turn, game in games
            if game.fault is not None
        ],
        [
            GameToSee(f"One of the clearest wins of {result.a}", *x[:2])
            for x in clear
            if x[2].result > 0
        ],
        [
            GameToSee(f"One of the clearest wins of {result.b}", *x[:2])
            for x in clear
            if x[2].result < 0
        ],
        [GameToSee("One of the closest games", *x[:2]) for x in reversed(clear)],
    ]
    distinct: dict[tuple[int, int], GameToSee] = {}
    for entry in (one for row in zip_longest(*ranked) for one in row if one is not None):
        distinct.setdefault((entry.place, entry.turn), entry)
    return list(distinct.values())[:_GAMES]


def game_pictures(result: MatchResult) -> list[Picture]:
    """Return games to look at: boards, with who played, how it ended, and the moves."""
    return [_picture(result, entry) for entry in games_to_see(result)]


def _picture(result: MatchResult, entry: GameToSee) -> Picture:
    game = result.pairs[entry.place][entry.turn]
    start, moves = game.begin(result.game), game.line
    return Picture(
        "Games to look at",
        lambda: boards_html(boards_of(start, moves, len(game.opening))),
        [_about(result, entry), transcript(start, moves)],
        entry.why,
        detail=True,
    )


def _about(result: MatchResult, entry: GameToSee) -> str:
    """Return who played a game, and how it ended; its number is that of `samuel games`."""
    game, names = result.pairs[entry.place][entry.turn], (result.a, result.b)
    sides, first = side_names(result.game), game.first
    end = _ENDS.get(game.ending, "{ending} at ply {ply}")
    end = end.format(ending=game.ending, ply=len(game.opening) + game.decided)
    note = f" ({game.note})" if game.note else ""
    return (
        f"Game {2 * entry.place + entry.turn + 1}: "
        f"{names[first]} ({sides[0]}) against {names[1 - first]} ({sides[1]}), {game.result:+zg} "
        f"for {result.a}; {end}{note}."
    )


def boards_of(start: Position, moves: Sequence[int], opening: int) -> dict[str, Position]:
    """Return positions of a game by their captions, evenly spaced from its opening to its end."""
    positions = [start]
    for move in moves:
        positions.append(positions[-1].play(move))
    boards = {}
    for ply in np.linspace(opening, len(moves), _BOARDS).round().astype(int).tolist():
        where = {len(moves): "at the end, ", opening: "after the opening, "}.get(ply, "")
        boards[f"{where}ply {ply}"] = positions[ply]  # a short game has fewer positions
    return boards
