"""The best lines of a position: the moves, scores and lines that single searches find."""

from __future__ import annotations

from itertools import pairwise

import pytest

from samuel.games import Game, Position, game_named
from samuel.games.playing import random_positions
from samuel.models import load_evaluator
from samuel.search import AlphaBeta, Limits, Result, analyse, new_memory
from samuel.search.lines import best_lines
from tests.search.test_alphabeta import GAMES, at

CHESS = game_named("chess")


def lines(position: Position, count: int, limits: Limits) -> list[list[Result]]:
    memory, evaluator = new_memory(position.game, 12), load_evaluator("classic", position.game)
    settings = {"limits": limits, "method": AlphaBeta(), "memory": memory}
    return list(best_lines(position, evaluator, count, **settings))  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_scores_are_those_of_all_moves(game: Game) -> None:
    for row in random_positions(game, 8, seed=5):
        position = at(game, row)
        *_, found = lines(position, 3, Limits(depth=4))
        depth = found[0].depth  # where all is decided it ends before
        every = analyse(position, "classic", depth=depth, exact_from=0, all_moves=True).moves or {}
        assert [one.score for one in found] == list(every.values())[:3]
        assert all(every[one.move or ""] == one.score for one in found)


def test_each_line_begins_with_its_own_move_and_can_be_played() -> None:
    found = lines(Position.start(CHESS), 5, Limits(depth=5))
    assert [each[0].depth for each in found] == [1, 2, 3, 4, 5]
    for each in found:
        assert len({one.move for one in each}) == 5
        assert all(a.score >= b.score for a, b in pairwise(each))
        for one in each:
            position = Position.start(CHESS)
            for move in one.pv:
                position = position.play(move)
            assert one.pv[0] == one.move


def test_mates_end_the_search_once_all_lines_are_forced() -> None:
    position = Position.parse("6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1", CHESS)
    assert lines(position, 1, Limits())[-1][0].pv == ["e1e8"]
    *_, two = lines(position, 2, Limits(depth=4))
    assert two[0].score > 99 > two[1].score
