"""noisy moves are looked at before the evaluator is asked, by each form of the search."""

from dataclasses import replace
from typing import Any

import pytest
from numba import int64

from samuel.errors import UserError
from samuel.games import Game, Position
from samuel.games.connect_four.rules import GAME as CONNECT_FOUR
from samuel.games.playing import random_positions
from samuel.kernels.jit import jit
from samuel.search import AlphaBeta, SearchOptions, search
from samuel.search.reference.node import PositionNode
from samuel.search.reference.reference import alphabeta_with_memory, minimax, pvs
from samuel.search.score import SCORE_UNIT
from samuel.testing import check_game
from samuel.testing.failure import ContractError
from samuel.testing.minimax import minimax as oracle
from tests.search.test_alphabeta import at, noise
from tests.search.toys import noise_within
from tests.toys import PIG

_legal_moves = CONNECT_FOUR.legal_moves


@jit
def even_columns(position: Any, move: int, beyond: int, moves: Any) -> int:
    """List what falls into every other column; all there is where all others are full."""
    n = _legal_moves(position, moves)
    kept = int64(0)
    for i in range(n):
        if moves[i] % 2 == 0:
            moves[kept] = moves[i]
            kept += 1
    return -n if kept == n else kept


@jit
def what_is_not_legal(position: Any, move: int, beyond: int, moves: Any) -> int:
    moves[0] = 1 << 12
    return 1


@jit
def no_choice(position: Any, move: int, beyond: int, moves: Any) -> int:
    return -min(1, _legal_moves(position, moves))


EVEN = replace(CONNECT_FOUR, name="even", noisy=even_columns)


def late_positions(game: Game, number: int) -> list[Position]:
    rows = [row for row in random_positions(game, 40 * number, seed=3) if game.left_in(row) <= 12]
    return [at(game, row) for row in rows[:number]]


def test_every_form_looks_at_noisy_moves() -> None:
    evaluator, forced, differ = noise(EVEN), 0, 0
    for number, position in enumerate(late_positions(EVEN, 45)):
        depth = 1 + number % 4
        expected = oracle(position, evaluator, depth)
        forced += EVEN.noisy_in(position.row)[1]
        for switches in (SearchOptions(), SearchOptions.none()):
            found = search(position, evaluator, depth=depth, exact_from=0, switches=switches)
            assert found.score == expected
        node = PositionNode.root(position, evaluator)
        for algorithm in (minimax, alphabeta_with_memory, pvs):
            assert algorithm(node, depth) / SCORE_UNIT == expected
        plain = Position(CONNECT_FOUR, position.words, position.side)
        differ += oracle(plain, noise(CONNECT_FOUR), depth) != expected
    assert differ > 5, "noisy moves decides nothing here"
    assert forced > 0


def test_noisy_moves_is_judged_within_the_window() -> None:
    knows = noise_within(EVEN)
    for number, position in enumerate(late_positions(EVEN, 40)):
        depth = 1 + number % 4
        found = search(position, knows, depth=depth, exact_from=0)
        assert found.score == oracle(position, knows, depth)


def test_corrections_are_learned_with_noisy_moves() -> None:
    evaluator, method = noise(EVEN), AlphaBeta(switches=SearchOptions(correction=True))
    for position in late_positions(EVEN, 5):
        deep = search(position, evaluator, depth=12, exact_from=0, method=method)
        assert deep.score == oracle(position, evaluator, 12), "to the end nothing is estimated"
        assert search(position, evaluator, depth=2, exact_from=0, method=method).depth == 2


def test_the_contract_checks_noisy_moves() -> None:
    check_game(EVEN)
    with pytest.raises(ContractError, match="noisy lists moves that are not legal"):
        check_game(replace(CONNECT_FOUR, noisy=what_is_not_legal))
    with pytest.raises(ContractError, match="noisy returns -1"):
        check_game(replace(CONNECT_FOUR, noisy=no_choice))


def test_dice_and_noisy_moves_do_not_go_together() -> None:
    with pytest.raises(UserError, match="no noisy goes through dice"):
        replace(PIG, noisy=even_columns)
