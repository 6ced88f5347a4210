"""Games that the scores of both sides end: the count, games of evaluators, games with engines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from samuel.arena.choice import Choice
from samuel.arena.engine_game import EngineGame
from samuel.arena.match import match
from samuel.common.errors import UserError
from samuel.games import Position, game_named
from samuel.search.limits import Limits
from samuel.selfplay.agreement import (
    DRAWN,
    FIRST_WINS,
    GOES_ON,
    SECOND_WINS,
    Agreement,
    agreed,
    draw_terms_in,
    win_terms_in,
)


def decisions(agreement: Agreement, scores: list[float], first_ply: int = 0) -> list[int]:
    """Return what is decided after each score, of the sides in turn, for the first side."""
    counts, count = np.zeros((2, 2), np.int64), getattr(agreed, "py_func", agreed)
    return [
        count(agreement.terms, counts, k % 2, score, first_ply + k + 1)
        for k, score in enumerate(scores)
    ]


@pytest.mark.parametrize(("sign", "winner"), [(1, FIRST_WINS), (-1, SECOND_WINS)])
def test_a_win_needs_both_sides_for_as_many_moves(sign: int, winner: int) -> None:
    won = Agreement(win=(4, 2))
    scores = [5, 5, 5, 3.9, 5, 4, 5, 4, 5]
    assert decisions(won, [sign * x for x in scores]) == [GOES_ON] * 7 + [winner] * 2
    assert set(decisions(won, [9 * sign, -9 * sign] * 5)) == {GOES_ON}
    assert set(decisions(won, [9, 9, -9, -9] * 3)) == {GOES_ON}


def test_a_draw_needs_small_scores_and_a_ply() -> None:
    drawn = Agreement(draw=(0.1, 2, 6))
    assert decisions(drawn, [0.1, 0, -0.1, 0, 0, 0]) == [GOES_ON] * 5 + [DRAWN]
    assert decisions(drawn, [0, 0.2, 0, 0, 0, 0], 9) == [GOES_ON] * 5 + [DRAWN]
    assert set(decisions(Agreement(), [0.0] * 9)) == {GOES_ON}


@pytest.mark.parametrize("text", ["4", "4,x", "4,3,2", ""])
def test_terms_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        win_terms_in(text)
    assert win_terms_in("4,3") == (4, 3) and draw_terms_in("0.1,8") == (0.1, 8, 0)
    wrong: list[Any] = [{"win": (0, 3)}, {"win": (4, 0)}, {"win": (math.inf, 3)}]
    wrong += [{"win": (math.nan, 3)}, {"win": (4, 10**400)}, {"draw": (math.inf, 3, 0)}]
    for terms in (*wrong, {"draw": (-1, 3, 0)}, {"draw": (1, 0, 0)}):
        with pytest.raises(UserError, match="needs"):
            Agreement(**terms)


@pytest.mark.parametrize("game", ["othello"])
def test_games_end_early_and_begin_as_without(game: str) -> None:
    options: dict[str, Any] = {"game": game, "pairs": 3, "depth": 2, "seed": 2}
    if game == "othello":
        options["exact_from"] = 0
    whole = match("classic", "classic", **options)
    assert whole.agreed == 0
    early = match("classic", "classic", **options, resign=(3, 2), draw=(0.05, 2, 10))
    assert early.agreed > 0 and early.as_dict()["agreed"] == early.agreed
    for one, other in zip(early.pairs, whole.pairs, strict=True):
        for short, long in zip(one, other, strict=True):
            assert short.moves == long.moves[: len(short.moves)]
            if short.ending == "agreed":
                assert short.decided == len(short.moves) and short.fault is None
                most = game_named(game).scores.max_utility
                assert short.result in (-most, 0, most)


class Scripted:
    """Plays the first legal move, and says of each a score."""

    knows_fractions = True

    def __init__(self, score: float | None) -> None:
        self._score = score

    def begin(self, start: Position, opening: Sequence[int]) -> None:
        pass

    def move(self, position: Position, *_: Any) -> Choice:
        return Choice(int(position.game.moves_in(position.row)[0]), self._score)

    def see(self, move: int) -> None:
        pass


@pytest.mark.parametrize(
    ("scores", "result", "moves"),
    [((2, -3), 1, 4), ((-2, 2), -1, 4), ((2, 2), None, 7), ((2, None), None, 7), ((0, 0), 0, 5)],
)
def test_games_with_engines_end_by_the_same_count(
    scores: tuple[float, float], result: float | None, moves: int
) -> None:
    start, limits = Position.start(game_named("tic_tac_toe")), (Limits(1), Limits(1))
    agreement = Agreement((2, 2), (0, 2, 5))
    current = EngineGame(start, 0, limits, agreement=agreement)
    current.lead([Scripted(score) for score in scores], 0)
    assert (current.agreed, len(current.moves)) == (result, moves)
