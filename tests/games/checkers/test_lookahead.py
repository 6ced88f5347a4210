"""Where A. Samuel's programs of 1959 looked on before they asked, and that every form does."""

from __future__ import annotations

import pytest

from samuel.errors import UserError
from samuel.games import Position, game_named
from samuel.games.interface import NO_MOVE
from samuel.games.playing import random_positions
from samuel.search import AlphaBeta, SearchOptions, search
from samuel.search.methods import method_named
from samuel.search.reference.node import PositionNode
from samuel.search.reference.reference import alphabeta_with_memory, negamax
from samuel.search.score import SCORE_UNIT
from samuel.testing.minimax import minimax
from tests.search.test_alphabeta import at, noise

GAME = game_named("checkers")
SAMUELS = GAME.with_quiescence("samuel")
START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
JUMP, STEP = (GAME.notation.read_move(text) for text in ("22x15", "11-15"))


@pytest.mark.parametrize(
    ("text", "move", "goes_on_at"),
    [
        (START, NO_MOVE, []),
        (START, STEP, []),
        pytest.param(START, JUMP, [0], id="the last move was a jump"),
        pytest.param("B:W22:B14,11", STEP, [0, 1], id="14-18 offers an exchange"),
        pytest.param("B:W22:B14", STEP, [], id="14-18 loses the man"),
        pytest.param("B:W18:B14", STEP, range(17), id="a jump"),
        pytest.param(
            "B:W18:B14,K1,K2,5", STEP, range(8), id="a jump, ahead by more than two kings"
        ),
        pytest.param("B:W18,29:B14,K1,K2", STEP, range(17), id="a jump, ahead by two kings"),
    ],
)
def test_the_conditions_of_1959(text: str, move: int, goes_on_at: list[int]) -> None:
    position = Position.parse(text, GAME)
    legal = GAME.moves_in(position.row).tolist()
    for beyond in range(20):
        listed, must = SAMUELS.noisy_in(position.row, move, beyond)
        expected = legal if beyond in goes_on_at else []
        assert listed.tolist() == expected
        assert must == bool(expected)


def test_every_form_goes_by_the_conditions() -> None:
    evaluator, differ = noise(GAME), 0
    for number, row in enumerate(random_positions(GAME, 24, seed=7)):
        depth = 1 + number % 3
        position = at(SAMUELS, row)
        expected = minimax(position, evaluator, depth)
        assert expected is not None
        root = PositionNode.root(position, evaluator)
        for algorithm in (negamax, alphabeta_with_memory):
            assert depth > 2 or algorithm(root, depth) == expected * SCORE_UNIT
        here = at(GAME, row)
        for switches in (SearchOptions(), SearchOptions.none()):
            method = AlphaBeta(switches=switches, quiescence="samuel")
            assert search(here, evaluator, depth=depth, method=method).score == expected
        scores = search(here, evaluator, depth=depth, method=method, all_moves=True).moves
        assert not scores or max(scores.values()) == expected
        differ += minimax(here, evaluator, depth) != expected
    assert differ > 5, "the conditions change nothing here"


def test_one_memory_serves_both_rules() -> None:
    evaluator, here = noise(GAME), Position.start(GAME)
    found = [
        search(here, evaluator, depth=7, method=method).score
        for method in (AlphaBeta(), AlphaBeta(quiescence="samuel"))
    ]
    memory = AlphaBeta().new_memory(GAME)
    for method, score in zip((AlphaBeta(), AlphaBeta(quiescence="samuel")), found, strict=True):
        assert search(here, evaluator, depth=7, method=method, memory=memory).score == score


def test_the_rule_is_named_on_the_command_line() -> None:
    assert method_named("alphabeta:quiescence=samuel") == AlphaBeta(quiescence="samuel")
    with pytest.raises(UserError, match="quiescence of alphabeta is a name, not '3'"):
        method_named("alphabeta:quiescence=3")
    for name in ("samuels", "x"):
        with pytest.raises(UserError, match="no rule of quiescence search called"):
            search(Position.start(GAME), noise(GAME), method=AlphaBeta(pending=name))
    othello = Position.start(game_named("othello"))
    with pytest.raises(UserError, match="othello"):
        search(othello, "zero", method=AlphaBeta(quiescence="samuel"))
