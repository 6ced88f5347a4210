"""Games and evaluators of the package keep to the contract; broken ones are told so."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import int64

from samuel.common.errors import UserError
from samuel.features import Feature, feature_names, features_named
from samuel.games import Chance, DrawRules, Evaluator, Game, SearchRules, Turns, game_named
from samuel.games.board import Board
from samuel.games.connect_four.rules import GAME as CONNECT_FOUR
from samuel.games.grid_notation import GridNotation
from samuel.games.nim.rules import GAME as NIM
from samuel.games.nim.rules import GAME_MISERE
from samuel.games.othello.rules import GAME as OTHELLO
from samuel.games.othello.rules import GAME_4X4, GAME_6X6
from samuel.games.pig.rules import pig
from samuel.games.rules import CHANCE, EVALUATE, EVALUATE_WITHIN, OTHER, PASS, REVERSIBLE, SAME
from samuel.games.tic_tac_toe.rules import GAME as TIC_TAC_TOE
from samuel.games.tic_tac_toe.rules import SQUARES, has_line, legal_moves, play, plies_left
from samuel.kernels.bits import ONE, popcount
from samuel.kernels.jit import jit
from samuel.models import evaluator_names, load_evaluator
from samuel.testing import ContractError, check_evaluator, check_feature, check_game
from samuel.testing.playouts import never_met
from tests.rarely import rarely
from tests.toys import DOTS_AND_BOXES, PIG, retreat
from tests.toys import pig as short_pig
from tests.toys.retreat import RETREAT

GAMES = (OTHELLO, GAME_6X6, GAME_4X4, CONNECT_FOUR, TIC_TAC_TOE, NIM, GAME_MISERE, pig(20))
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=[pytest.mark.slow] * (game in (GAME_6X6, GAME_MISERE)))
        for game in GAMES
    ],
    ids=lambda game: game.name,
)
@pytest.mark.parametrize("seed", [0, rarely(1)])
def test_the_games_of_the_package_keep_to_the_contract(game: Game, seed: int) -> None:
    check_game(game, seed)


def test_the_example_of_an_own_game_keeps_to_the_contract() -> None:
    game = game_named(str(EXAMPLES / "custom_game.py"))
    check_game(game)
    check_evaluator(load_evaluator("zero", game), game)


@jit
def filled(position: Any) -> int:
    return popcount(position[0] | position[1])


@pytest.mark.parametrize(
    ("game", "name"),
    [
        pytest.param(game, name, marks=[pytest.mark.slow] * (name == "random" and game != NIM))
        for game in GAMES
        for name in evaluator_names(game)
    ],
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
def play_of_one_word(position: Any, move: int, child: Any) -> None:
    child[0] = position[1]


@jit
def play_that_reads_the_child(position: Any, move: int, child: Any) -> None:
    kept = child[1]
    play(position, move, child)
    child[1] |= kept


@jit
def growing_count(position: Any) -> int:
    return 10 - plies_left(position)


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


def on_board(*symmetries: Any) -> GridNotation:
    return replace(TIC_TAC_TOE.notation, grid=Board(3, 3, symmetric=symmetries))


IDENTITY = range(9)
SHIFTED = (1, 2, 3, 4, 5, 6, 7, 8, 0)
SWAPPED = (0, 1, 2, 4, 3, 5, 6, 7, 8)


@jit
def of_two_arguments(position: Any, depth: Any) -> float:
    return 1.0


class Failing(GridNotation):
    """Knows eight squares."""

    def write_move(self, move: int) -> str:
        return SQUARES[:8][move]


@jit
def _lopsided(position: Any, listed: Any, weights: Any) -> int:
    n = short_pig.outcomes(position, listed, weights)
    weights[0] = 2
    return n


@jit
def _forgetful(position: Any, move: int, child: Any) -> int:
    return short_pig.play(position, move, child) & SAME


@jit
def _turned(position: Any, move: int, child: Any) -> int:
    return short_pig.play(position, move, child) + 16


@jit
def _throwing(position: Any, move: int, child: Any) -> int:
    play(position, move, child)
    return CHANCE


@jit
def _only_passes(position: Any, moves: Any) -> int:
    moves[0] = PASS
    return 1


@jit
def _hands_over(position: Any, move: int, child: Any) -> int:
    child[0], child[1] = position[1], position[0]
    return OTHER


@jit
def _never_quiet(position: Any, move: int, child: Any) -> int:
    return retreat.play(position, move, child) & ~REVERSIBLE


@jit
def _plays_three(position: Any, move: int, child: Any) -> None:
    play(position, move, child)
    child[2] = position[2]


@jit
def noisy_at_the_end(position: Any, move: int, beyond: int, moves: Any) -> int:
    """List a square where the game is over."""
    moves[0] = 0
    return int64(has_line(position[1]))


@jit
def _now_and_then(position: Any, move: int, child: Any) -> Any:
    play(position, move, child)
    if move == 4:
        return SAME


@jit
def _no_count(position: Any) -> Any:
    if position[0]:
        return 3


BROKEN: list[tuple[Game, dict[str, Any], str]] = [
    (
        TIC_TAC_TOE,
        {"is_terminal": over_by_lines_alone},
        r"lists only PASS \(samuel.games.PASS\), and the notation has passes=True",
    ),
    (TIC_TAC_TOE, {"legal_moves": moves_with_one_twice}, "listed twice"),
    (TIC_TAC_TOE, {"play": play_that_leaves_its_mark}, "play changes the position"),
    (TIC_TAC_TOE, {"play": play_of_one_word}, "does not write child.1., which"),
    (TIC_TAC_TOE, {"play": play_that_reads_the_child}, "play of move . does not write child.1."),
    (
        TIC_TAC_TOE,
        {"plies_left": growing_count},
        r"plies_left grows from .* give Game\(\.\.\., plies_left=None, progress=",
    ),
    (TIC_TAC_TOE, {"search": SearchRules(order=order_of_all_squares)}, "order writes more"),
    (TIC_TAC_TOE, {"search": SearchRules(order=order_without_the_last)}, "order leaves a hint out"),
    (
        TIC_TAC_TOE,
        {"search": SearchRules(noisy=noisy_at_the_end)},
        "noisy lists moves that are not legal",
    ),
    (
        TIC_TAC_TOE,
        {"utility": huge_utility},
        r"max_utility 1.* give Game\(\.\.\., scores=Scores\(unit, 3\)\)",
    ),
    (
        TIC_TAC_TOE,
        {"max_plies": 6},
        "max_plies = 6 plies .*; or plies_left, still 3 here, does not fall",
    ),
    (TIC_TAC_TOE, {"max_moves": 8}, r"give Game\(\.\.\., max_moves="),
    (TIC_TAC_TOE, {"notation": Forgetful(Board(3, 3), SQUARES)}, "does not read back"),
    (
        TIC_TAC_TOE,
        {"start": (0, 0, 1), "play": _plays_three},
        "write and read of the notation must include the others",
    ),
    (
        TIC_TAC_TOE,
        {"legal_moves": _only_passes, "play": _hands_over},
        r"reads no pass: give GridNotation\(board, move_names, passes=True\)",
    ),
    (TIC_TAC_TOE, {"notation": on_board(IDENTITY, SWAPPED)}, "differs in"),
    (PIG, {"chance": Chance(_lopsided, 6)}, "the weights .2, 3, 2. are none, or not 6 in all"),
    (PIG, {"play": _forgetful}, "play of move 0 and outcomes disagree whether chance is to move"),
    (PIG, {"play": _turned}, "play of move 0 returns 19, which is not a turn"),
    (PIG, {"max_plies": 5}, "max_plies = 5 plies are played"),
    (PIG, {"max_moves": 1}, "more than max_moves = 1 moves"),
    (
        PIG,
        {"chance": None, "turns": Turns(alternates=False)},
        r"where dice are thrown, give Game\(\.\.\., chance=Chance\(outcomes, total",
    ),
    (
        DOTS_AND_BOXES,
        {"turns": Turns()},
        r"returns SAME,.* give Game\(\.\.\., turns=Turns\(alternates=False\)\)$",
    ),
    (TIC_TAC_TOE, {"play": _throwing}, r"returns CHANCE,.* give Game\(\.\.\., chance="),
    (
        RETREAT,
        {"draws": DrawRules(), "max_plies": 20},
        r"give draws=DrawRules\(repetitions=3\), and join REVERSIBLE to what play returns",
    ),
    (RETREAT, {"play": _never_quiet}, r"\(OTHER \| REVERSIBLE\) for moves that lose nothing"),
]
UNPLACED: list[tuple[dict[str, Any], str]] = [
    ({"notation": on_board(IDENTITY, SHIFTED)}, "they are no group"),
    ({"notation": on_board(SHIFTED)}, "the first is the identity"),
    ({"play": play, "turns": Turns(alternates=False)}, "play .* a return of OTHER or SAME$"),
    (
        {"play": _now_and_then, "turns": Turns(alternates=False)},
        "play .* a return of OTHER or SAME$",
    ),
    ({"plies_left": _no_count}, "plies_left .* not every path .* a return of a number$"),
    (
        {"notation": Failing(Board(3, 3), SQUARES)},
        r"write_move\(8\) raises IndexError: tuple index",
    ),
    (
        {"utility": of_two_arguments},
        r"of_two_arguments cannot be compiled: it takes \(position.*, depth.*\), and is called",
    ),
]
"""Broken games of which the message names no position."""


@pytest.mark.parametrize(("game", "change", "complaint"), BROKEN)
def test_the_contract_names_what_is_broken_in_a_game_and_where(
    game: Game, change: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ContractError, match=complaint) as failure:
        check_game(replace(game, **change))
    told = str(failure.value)
    assert "\n" not in told and (
        game != TIC_TAC_TOE or re.search("tic_tac_toe.* [XO-]{9} [XO]", told)
    )


@pytest.mark.parametrize(("change", "complaint"), UNPLACED)
def test_the_contract_names_what_is_broken_in_a_game(
    change: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UserError, match=complaint) as failure:
        check_game(replace(TIC_TAC_TOE, **change))
    assert "\n" not in str(failure.value)


@jit
def not_a_number(position: Any, integers: Any, floats: Any) -> float:
    return np.nan


@jit
def counts_its_calls(position: Any, integers: Any, floats: Any) -> float:
    integers[0] += 1
    return integers[0]


def swaps(position: Any, integers: Any, floats: Any) -> float:
    position[0], position[1] = position[1], position[0]
    return 1.0


def at_random(position: Any, integers: Any, floats: Any) -> float:
    return np.random.random()


@jit
def half(position: Any, integers: Any, floats: Any) -> float:
    return 0.5


def within_is(*, wrong_side: bool) -> Evaluator:
    """Return an evaluator of discs whose `within` does not keep its promise."""

    @jit(EVALUATE)
    def evaluate(position: Any, integers: Any, floats: Any) -> float:
        return popcount(position[0]) - popcount(position[1])

    @jit(EVALUATE_WITHIN)
    def within(position: Any, integers: Any, floats: Any, low: float, high: float) -> float:
        score = popcount(position[0]) - popcount(position[1])
        if wrong_side:
            return score - 1 if score <= low else score
        return low + (high - low) / 2 if low < score < high else score

    evaluate.within = within
    return Evaluator("bad", "othello", evaluate)


def from_the_end(position: Any, integers: Any, floats: Any) -> float:
    return floats[-1]


def one_too_far(position: Any, integers: Any, floats: Any) -> float:
    return integers[len(position) // 2]


def how_many(position: Any, integers: Any, floats: Any) -> float:
    return 1 / len(floats)


def nothing_at_times(position: Any, integers: Any, floats: Any) -> Any:
    if position[0] > position[1]:
        return 1.0


class _Shared(Evaluator):
    """Hands the same arrays to every thread."""

    def evaluation(self) -> Any:
        return super().evaluation()._replace(floats=self.floats)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (
            lambda: Evaluator("bad", "othello", not_a_number),
            "the score is nan, not a finite number",
        ),
        (lambda: Evaluator("bad", "othello", counts_its_calls), "it changes its integers"),
        (lambda: Evaluator("bad", "othello", swaps), "it changes the position|at first and"),
        (
            lambda: Evaluator("bad", "othello", at_random),
            "scores .* at first and .* at a second call",
        ),
        (lambda: _Shared("bad", "othello", half), "share floats"),
        (lambda: Evaluator("bad", "othello", from_the_end), "reads outside its integers or floats"),
        (lambda: Evaluator("bad", "othello", how_many), "reads outside its integers or floats"),
        (lambda: Evaluator("bad", "othello", one_too_far), "reads outside its integers or floats"),
        (lambda: Evaluator("bad", "othello", nothing_at_times), "not every path .* of a number"),
        (lambda: within_is(wrong_side=True), "within .* though the score is"),
        (lambda: within_is(wrong_side=False), "within .* though the score is"),
    ],
)
def test_the_contract_names_what_is_broken_in_an_evaluator(
    make: Callable[[], Evaluator], complaint: str
) -> None:
    with pytest.raises(AssertionError, match=complaint):
        check_evaluator(make(), OTHELLO)


def feature_of(function: Callable[..., Any], outputs: tuple[str, ...] | None = None) -> Feature:
    columns = tuple(f"{function.__name__}_{name}" for name in outputs or ("",))
    return Feature(function.__name__, "tic_tac_toe", columns, jit(function), outputs is None)


def stones(position: Any) -> float:
    return popcount(position[0])


def share(position: Any) -> float:
    return np.float32(1) / np.float32(popcount(position[0]) - 1) if position[0] else np.float32(0)


def left_out(position: Any, values: Any) -> None:
    values[0] = popcount(position[0])


def enormous(position: Any) -> float:
    return 1e30 * popcount(position[0])


def taking(position: Any) -> float:
    position[0] &= position[0] - ONE
    return 1


def test_a_feature_keeps_to_the_contract() -> None:
    check_feature(feature_of(stones))
    for game in ("tic_tac_toe", "nim", "pig_20"):
        for name in feature_names(game):
            check_feature(features_named([name], game)[0])


@pytest.mark.parametrize(
    ("feature", "complaint"),
    [
        (feature_of(share), "share: feature share_ is infinite at "),
        (
            feature_of(left_out, ("player", "opponent")),
            "left_out: feature left_out_opponent is never set: a",
        ),
        (feature_of(enormous), "enormous: feature enormous_ reaches 4e"),
        (feature_of(taking), "taking, tic_tac_toe: .*X.* changes the position"),
    ],
    ids=lambda value: value.name if isinstance(value, Feature) else "",
)
def test_the_contract_names_what_is_broken_in_a_feature(feature: Feature, complaint: str) -> None:
    with pytest.raises(ContractError, match=complaint):
        check_feature(feature)


@jit
def _with_turn(position: Any, move: int, child: Any) -> int:
    play(position, move, child)
    return OTHER


@jit
def _shared(position: Any) -> float:
    return 0.0


def test_what_random_games_do_not_meet_is_known() -> None:
    assert never_met(GAME_4X4) == []  # passes and draws are common on so small a board
    assert never_met(TIC_TAC_TOE) == []
    again = replace(TIC_TAC_TOE, play=_with_turn, turns=Turns(alternates=False))
    assert never_met(again) == ["a side that moves again"]
    shared = replace(TIC_TAC_TOE, utility=_shared)
    assert never_met(shared) == ["a win (every game was a draw)"]
    may_pass = replace(TIC_TAC_TOE, notation=replace(TIC_TAC_TOE.notation, passes=True))
    assert never_met(may_pass) == ["a pass"]

    @jit
    def keeps_sides(position: Any, move: Any, child: Any) -> None:
        child[0], child[1] = position[0] | (ONE << np.uint64(move)), position[1]

    unmet = " ".join(never_met(replace(TIC_TAC_TOE, play=keeps_sides)))
    assert "pieces of both sides on one board (does play swap" in unmet
    assert "a throw of dice" not in never_met(PIG)
    assert "a side that moves again" not in never_met(DOTS_AND_BOXES)
