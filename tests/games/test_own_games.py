"""Games of other shapes than the package's: one word a position, or three; no squares at all.

What an evaluator does with the arrays it is given.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samuel.arena.match import match
from samuel.common.errors import UserError
from samuel.games import (
    Board,
    Evaluator,
    Game,
    GridNotation,
    Notation,
    Position,
    Progress,
    Solver,
    register_game,
)
from samuel.games.groups import Defaults
from samuel.games.playing import random_positions
from samuel.games.rules import Words
from samuel.games.tic_tac_toe.rules import GAME as TIC_TAC_TOE
from samuel.games.tic_tac_toe.rules import (
    SQUARES,
    is_terminal,
    legal_moves,
    play,
    plies_left,
    utility,
)
from samuel.kernels.bits import popcount
from samuel.kernels.jit import jit
from samuel.models import load_evaluator
from samuel.search import analyse, solve
from samuel.search.limits import Limits
from samuel.selfplay.generate import generate
from samuel.selfplay.plan import SelfplayPlan
from samuel.testing import check_evaluator, check_game
from tests.toys.notation import PlainNotation

HEAPS, MOST = 3, 5
_8, _255 = np.uint64(8), np.uint64(255)


@jit
def heap_of(position: Any, heap: int) -> int:
    return np.int64((position[0] >> (_8 * np.uint64(heap))) & _255)


@jit
def nim_remaining(position: Any) -> int:
    return heap_of(position, 0) + heap_of(position, 1) + heap_of(position, 2)


@jit
def nim_is_terminal(position: Any) -> bool:
    return position[0] == np.uint64(0)


@jit
def nim_moves(position: Any, moves: Any) -> int:
    n = 0
    for heap in range(HEAPS):
        for taken in range(1, heap_of(position, heap) + 1):
            moves[n] = 10 * heap + taken
            n += 1
    return n


@jit
def nim_play(position: Any, move: int, child: Any) -> None:
    heap, taken = move // 10, move % 10
    child[0] = position[0] - (np.uint64(taken) << (_8 * np.uint64(heap)))


@jit
def nim_utility(position: Any) -> float:
    return -1.0  # who cannot take has lost


class NimNotation(Notation):
    """Positions such as `3/4/5 X`, moves such as `a2`: two off the first heap."""

    def read(self, text: str) -> tuple[Words, int]:
        try:
            heaps, side = text.split()
            sizes = [int(size) for size in heaps.split("/")]
            return (sum(size << 8 * k for k, size in enumerate(sizes)),), "XO".index(side)
        except ValueError:
            raise UserError(f"{text!r} is no position of three heaps") from None

    def write(self, words: Words, side: int) -> str:
        return "/".join(str(words[0] >> 8 * k & 255) for k in range(HEAPS)) + " " + "XO"[side]

    def board(self, words: Words, side: int) -> str:
        return "\n".join("o" * (words[0] >> 8 * k & 255) or "-" for k in range(HEAPS))

    def read_move(self, text: str) -> int:
        if len(text) == 2 and text[0] in "abc" and text[1].isdigit():
            return 10 * "abc".index(text[0]) + int(text[1])
        raise UserError(f"{text!r} is no move of nim")

    def write_move(self, move: int) -> str:
        return "abc"[move // 10] + str(move % 10)


def nim_words(*heaps: int) -> Words:
    return (sum(size << 8 * k for k, size in enumerate(heaps)),)


NIM = register_game(
    Game(
        name="three_heaps",
        start=nim_words(3, 4, MOST),
        legal_moves=nim_moves,
        play=nim_play,
        is_terminal=nim_is_terminal,
        utility=nim_utility,
        plies_left=nim_remaining,
        notation=NimNotation(),
        max_moves=HEAPS * MOST,
        max_plies=3 + 4 + MOST,
        defaults=Defaults(opening_plies=1),
    )
)


@jit
def counted_play(position: Any, move: int, child: Any) -> None:
    play(position, move, child)
    child[2] = position[2] + np.uint64(1)


class CountedNotation(GridNotation):
    """Tic-tac-toe's, with the number of moves as a third word."""

    def read(self, text: str) -> tuple[Words, int]:
        words, side = super().read(text)
        return (*words, (words[0] | words[1]).bit_count()), side

    def write(self, words: Words, side: int) -> str:
        return super().write(words[:2], side)


COUNTED = register_game(
    replace(
        TIC_TAC_TOE,
        name="counted_tic_tac_toe",
        start=(0, 0, 0),
        legal_moves=legal_moves,
        play=counted_play,
        is_terminal=is_terminal,
        utility=utility,
        plies_left=plies_left,
        notation=CountedNotation(Board(3, 3, symmetric="all"), SQUARES),
    )
)
OWN = [NIM, COUNTED]


@jit
def count_of_stones(position: Any, integers: Any, floats: Any) -> float:
    return np.float32(0.01) * popcount(position[0])


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(NIM, id="nim", marks=pytest.mark.slow),
        pytest.param(COUNTED, id="counted", marks=pytest.mark.slow),
    ],
)
def test_they_keep_to_the_contract(game: Game) -> None:
    check_game(game)
    check_evaluator(load_evaluator("zero", game), game)
    check_evaluator(Evaluator("stones", game.name, count_of_stones, game.words), game)


@pytest.mark.parametrize("heaps", list(itertools.product(range(4), repeat=HEAPS)), ids=str)
def test_nim_is_won_as_the_sum_of_its_heaps_says(heaps: tuple[int, ...]) -> None:
    # C. Bouton, 1901: the second player wins if and only if the heaps' exclusive or is 0
    position = Position(NIM, nim_words(*heaps))
    lost = heaps[0] ^ heaps[1] ^ heaps[2] == 0
    for result in (
        solve(position, load_evaluator("zero", NIM), table_bits=8),
        analyse(position, load_evaluator("zero", NIM), depth=12, table_bits=8),
    ):
        assert (result.score < 0) == lost
        assert abs(result.score) == pytest.approx(1 - len(result.pv) / 1000)


@pytest.mark.parametrize("game", OWN, ids=lambda game: game.name)
def test_they_are_played_and_kept(game: Game, tmp_path: Path) -> None:
    plan = SelfplayPlan(game=game.name, evaluator="zero", depth=2, epsilon=0.3, seed=2)
    dataset = generate(plan, 50, tmp_path / "data")
    assert dataset.positions.shape[1] == game.words
    assert dataset.game is game
    for words in dataset.positions[:50]:
        assert not game.is_over(words)
    result = match("zero", "zero", game=game, pairs=4, limits=Limits(3))
    assert result.statistics.score == 0.5


@jit
def half_full(position: Any) -> int:
    return (popcount(position[0] | position[1]) + 1) // 5


def test_progress_is_not_counted_in_plies(tmp_path: Path) -> None:
    """A game without a bound, told in two parts, lasts as many plies as before."""
    changes = {"plies_left": None, "progress": Progress(half_full, 2), "solver": Solver(5)}
    game = register_game(replace(TIC_TAC_TOE, name="halves", **changes))
    assert (game.most_left, game.most_plies) == (2, 9)
    stones = np.bitwise_count(random_positions(game, 60, seed=2)).sum(axis=1)
    assert stones.min() == 0 and stones.max() > 4
    plan = SelfplayPlan(game="halves", evaluator="zero", depth=1, opening_plies=4).checked()
    assert (plan.opening_plies, plan.exact_from) == (4, 5)
    assert len(generate(plan, 5, tmp_path / "halves"))


def sum_of_two(position: Any, integers: Any, floats: Any) -> float:
    return floats[0] + integers[0]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"integers": [1.5]}, "integers must be integers in one row"),
        ({"integers": [1 << 40]}, "integers are stored as int32, and some values do not fit"),
        ({"floats": [[1.0]]}, "floats must be numbers in one row"),
        ({"floats": ["a"]}, "floats must be numbers in one row"),
        ({"floats": [1e300]}, "floats are stored as float32, and some values do not fit"),
        ({"evaluate": functools.partial(sum_of_two)}, "got partial"),
        ({"evaluate": "classic"}, "got str"),
        (
            {"evaluate": lambda position: 0.0},
            "<lambda> must take three arguments: position, integers",
        ),
    ],
)
def test_what_cannot_be_compiled_is_refused_at_once(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises((TypeError, ValueError), match=complaint):
        Evaluator(**{"name": "a", "game": "othello", "evaluate": sum_of_two} | given)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"chance": nim_moves}, r"chance of three_heaps must be Chance\(outcomes, total\)"),
        ({"progress": nim_remaining}, r"progress of three_heaps must be Progress\(rule, most\)"),
        ({"scores": "discs"}, r"scores .* must be Scores\(.*\(got str\)"),
        ({"search": None}, r"search .* must be SearchRules\("),
        ({"notation": object()}, "notation .* a class that inherits from Notation"),
    ],
)
def test_a_field_of_another_kind_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        replace(NIM, **change)


@jit
def may_stay_moves(position: Any, moves: Any) -> int:
    moves[0], moves[1] = 0, 1
    return 0 if position[0] >= np.uint64(8) else 2


@jit
def count_up(position: Any, move: int, child: Any) -> None:
    child[0] = position[0] + np.uint64(move)


@jit
def is_counted(position: Any) -> bool:
    return position[0] >= np.uint64(8)


@jit
def uncounted(position: Any) -> int:
    return 8 - np.int64(position[0])


def test_a_game_whose_moves_may_change_nothing_is_checked() -> None:
    names = {0: "stay", 1: "up"}
    game = Game(
        *("may_stay", (0,), may_stay_moves, count_up, is_counted, nim_utility, uncounted),
        *(PlainNotation(1, names), 2, 400),
    )
    check_game(game)
