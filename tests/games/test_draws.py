"""Draws by rule: what positions know of their past, and what games may say."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numba import float64, int64, types

from samuel.common.errors import UserError
from samuel.games import DrawRules, Position
from samuel.games.perft import divide, perft
from samuel.games.playing import (
    GAME_STATE,
    advance,
    begin,
    is_over,
    new_game_state,
    result_of,
)
from samuel.games.rules import OTHER, ROW, RULES
from samuel.kernels.jit import jit
from samuel.kernels.pointers import at
from samuel.kernels.records import to_pointers
from samuel.search import analyse
from samuel.testing import ContractError, check_game
from tests.toys import CHECKED_RETREAT, PIG, RETREAT, retreat

ROUND = ["a1a2", "a1a2", "a2a1", "a2a1"]
"""Both go and come back; the second player sees its own board mirrored."""


def after(position: Position, moves: list[str]) -> Position:
    for move in moves:
        position = position.play(move)
    return position


@pytest.fixture
def kings() -> Position:
    position = Position(RETREAT, (0, 0, 1, 1 << 16))
    assert position.legal_moves() and not position.is_terminal
    return position


def test_the_third_time_is_a_draw(kings: Position) -> None:
    once = after(kings, ROUND)
    assert once == kings and len(once.past) == 4 and not once.is_terminal
    assert hash(once) == hash(kings) and once.text == kings.text
    twice = after(once, ROUND)
    assert twice.is_terminal and twice.is_drawn and twice.legal_moves() == []
    assert twice.utility() == 0 and twice == kings
    assert not RETREAT.is_over(twice.row)
    with pytest.raises(UserError, match="the game is over"):
        twice.play("a1a2")
    assert not replace(twice, past=()).is_terminal
    assert pickle.loads(pickle.dumps(twice.past)) == twice.past
    assert perft(twice, 2) == sum(divide(twice, 2).values()) > 1  # which take no notice


@pytest.mark.parametrize(
    ("moves", "end"),
    [
        (["a1a2", "b1b2", "a2a1", "b2b1"], -1),  # column a: the first side's are checks alone
        (["b1b2", "a1a2", "b2b1", "a2a1"], 1),
        (["a1a2", "c1c2", "a2a1", "c2c1"], 0),  # both sides'
        (["b1b2", "b1b2", "b2b1", "b2b1"], 0),
        (["c1d1", "b1b2", "d1c1", "b2b1"], 0),  # not all of them
    ],
)
def test_who_gives_nothing_but_checks_loses(moves: list[str], end: int) -> None:
    """The third time that a position stands; and so a game is played at a state, and in a tree."""
    kings = Position(CHECKED_RETREAT, (0, 0, 0b0111, 0b0111 << 16))
    position = after(kings, [*moves, *moves])
    assert position == kings and position.is_terminal and position.utility() == end
    assert position.is_drawn == (end == 0) and position.legal_moves() == []
    assert not after(kings, [*moves, *moves[:-1]]).is_terminal
    read = CHECKED_RETREAT.notation.read_move
    assert played_at_a_table(kings, [*map(read, [*moves, *moves])]) == end
    last = after(kings, [*moves, *moves[:-1]])
    for method in ("alphabeta", "uct", "montecarlo"):
        limits: Any = {"depth": 1} if method == "alphabeta" else {"nodes": 20_000}
        found = analyse(last, "zero", method=method, all_moves=True, **limits)
        assert found.moves is not None
        assert np.sign(round(found.moves[moves[-1]], 1)) == -end


@jit(float64(RULES, ROW, types.Array(int64, 1, "C"), GAME_STATE))
def _result_at_a_table(rules: Any, start: Any, moves: Any, arrays: Any) -> float:
    state = to_pointers(arrays)
    begin(rules, state, at(start, 0), int64(0))
    for move in moves:
        if is_over(rules, state):
            return 2.0
        advance(rules, state, move)
    return float64(result_of(rules, state)) if is_over(rules, state) else 3.0


def played_at_a_table(position: Position, moves: list[int]) -> float:
    """Return the result of a game for who began; 2 where it ended too soon, 3 where it has not."""
    game = position.game
    room = new_game_state(game)
    return float(
        _result_at_a_table(game.rules_of_play, position.row, np.array(moves, np.int64), room)
    )


def test_quiet_plies_are_counted() -> None:
    game = replace(RETREAT, name="retreat_by_plies", draws=DrawRules(0, 6))
    position = after(Position(game, (0, 0, 1, 1 << 16)), [*ROUND, "a1a2"])
    assert len(position.past) == 5 and not position.is_terminal
    position = position.play("a1a2")
    assert position.is_drawn and position.utility() == 0


def test_an_end_by_the_position_comes_first() -> None:
    game = replace(RETREAT, name="retreat_at_once", draws=DrawRules(3, 1))
    position = Position(game, (0, 0, 1, 0), 0, (17,))
    child = Position(game, (0, 1, 0, 0), 0, (17,))
    assert position.is_drawn
    assert child.is_terminal and not child.is_drawn and child.utility() == -1


def test_what_a_game_may_say() -> None:
    with pytest.raises(UserError, match="repetitions of retreat must be at least 2, or 0 for no"):
        replace(RETREAT, draws=DrawRules(1))
    with pytest.raises(UserError, match="retreat has draws by rule, so positions repeat: it can"):
        replace(RETREAT, plies_left=retreat.progress)
    with pytest.raises(UserError, match="no chance"):
        replace(PIG, draws=DrawRules(3))


@jit
def play_quiet_forward(position: Any, move: int, child: Any) -> int:
    turn = retreat.play(position, move, child)
    return turn if move % retreat.SIZE > move // retreat.SIZE else OTHER


def test_the_contract() -> None:
    check_game(RETREAT)
    with pytest.raises(ContractError, match=r"not all moves since are REVERSIBLE|max_plies"):
        check_game(replace(RETREAT, name="retreat_loud", play=play_quiet_forward))
