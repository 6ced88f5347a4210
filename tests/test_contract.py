"""Games and evaluators of the package keep to the contract; broken ones are told so."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel.games import Evaluator, Game, game_named
from samuel.games.bits import ONE
from samuel.games.connect_four import GAME as CONNECT_FOUR
from samuel.games.notation import GridNotation
from samuel.games.othello import GAME as OTHELLO
from samuel.games.othello import GAME_4X4, GAME_6X6
from samuel.games.tic_tac_toe import GAME as TIC_TAC_TOE
from samuel.games.tic_tac_toe import SQUARES, has_line, legal_moves, play, remaining
from samuel.kernels.jit import jit
from samuel.models import handmade_names, load_evaluator
from tests.contract import check_evaluator, check_game

GAMES = (OTHELLO, GAME_6X6, GAME_4X4, CONNECT_FOUR, TIC_TAC_TOE)
EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_games_of_the_package_keep_to_the_contract(game: Game, seed: int) -> None:
    check_game(game, seed)


def test_the_example_of_an_own_game_keeps_to_the_contract() -> None:
    game = game_named(str(EXAMPLES / "custom_game.py"))
    check_game(game)
    check_evaluator(load_evaluator("zero", game), game)


@pytest.mark.parametrize(
    ("game", "name"),
    [(game, name) for game in GAMES for name in handmade_names(game.name)],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_the_handmade_evaluators_keep_to_the_contract(game: Game, name: str) -> None:
    check_evaluator(load_evaluator(name, game), game)


@jit
def over_by_lines_alone(position: Any) -> bool:
    return has_line(position[1])


@jit
def moves_with_one_twice(position: Any, moves: Any) -> int:
    n = legal_moves(position, moves)
    if n > 1:
        moves[1] = moves[0]
    return n


@jit
def play_that_leaves_its_mark(position: Any, move: int, child: Any) -> None:
    play(position, move, child)
    position[0] |= ONE


@jit
def growing_count(position: Any) -> int:
    return 9 - remaining(position)


@jit
def order_of_all_squares(position: Any, moves: Any, n: int, hints: Any) -> None:
    for i in range(9):
        hints[i] = i


@jit
def order_without_the_last(position: Any, moves: Any, n: int, hints: Any) -> None:
    for i in range(n - 1):
        hints[i] = i


@jit
def huge_utility(position: Any) -> float:
    return -3.0


class Forgetful(GridNotation):
    """Leaves out a stone of the side to move."""

    def write(self, words: Any, side: int) -> str:
        return super().write((words[0] & (words[0] - 1) if words[0] else 0, words[1]), side)


def permuted(*squares: int) -> Any:
    return np.array([*squares, *range(9, 64)], np.int8)


IDENTITY = permuted(*range(9))
SHIFTED = permuted(1, 2, 3, 4, 5, 6, 7, 8, 0)
SWAPPED = permuted(0, 1, 2, 4, 3, 5, 6, 7, 8)
BROKEN: dict[str, Any] = {
    "is_terminal is": {"is_terminal": over_by_lines_alone},
    "listed twice": {"legal_moves": moves_with_one_twice},
    "play changed": {"play": play_that_leaves_its_mark},
    "remaining grew": {"remaining": growing_count},
    "order wrote more": {"order": order_of_all_squares},
    "order left a hint out": {"order": order_without_the_last},
    "out of range": {"utility": huge_utility},
    "longer than max_plies": {"max_plies": 6},
    "does not read back": {"notation": Forgetful(3, 3, range(9), SQUARES)},
    "symmetries are no group": {"symmetries": np.stack([IDENTITY, SHIFTED])},
    "the first is the identity": {"symmetries": SHIFTED[None]},
    "differ in": {"symmetries": np.stack([IDENTITY, SWAPPED])},
}


@pytest.mark.parametrize("complaint", BROKEN)
def test_the_contract_names_what_is_broken_in_a_game(complaint: str) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_game(replace(TIC_TAC_TOE, **BROKEN[complaint]))


@jit
def not_a_number(position: Any, integers: Any, floats: Any) -> float:
    return np.nan


@jit
def counts_its_calls(position: Any, integers: Any, floats: Any) -> float:
    integers[0] += 1
    return integers[0]


@jit
def half(position: Any, integers: Any, floats: Any) -> float:
    return 0.5


class _Shared(Evaluator):
    """Hands the same arrays to every thread."""

    def evaluation(self) -> Any:
        return super().evaluation()._replace(floats=self.floats)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Evaluator("bad", "othello", not_a_number), "nan"),
        (lambda: Evaluator("bad", "othello", counts_its_calls), "other scores"),
        (lambda: _Shared("bad", "othello", half), "share floats"),
    ],
    ids=["not finite", "not the same twice", "shared arrays"],
)
def test_the_contract_names_what_is_broken_in_an_evaluator(
    make: Callable[[], Evaluator], complaint: str
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_evaluator(make(), OTHELLO)
