"""EinStein würfelt nicht! against counts and a value known from elsewhere."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from samuel.common.errors import UserError
from samuel.features import extract, features_named
from samuel.games import Game, Position, game_named
from samuel.games.einstein.features import expected_turns
from samuel.games.interface import SAME
from samuel.games.perft import perft
from samuel.games.playing import random_positions
from samuel.games.rows import are_possible
from samuel.games.symmetry import images
from samuel.models import evaluate, load_evaluator
from samuel.search import search
from samuel.testing import check_evaluator, check_game
from tests.rarely import rarely

EINSTEIN, SMALL = game_named("einstein"), game_named("einstein_3x3")
# By a program written for the purpose; the first three also by open_spiel's einstein_wurfelt_nicht
# from the same arrangement.
LEAVES = [18, 324, 6162, 117369]
# 3 by 3, three stones and a die of three: sequences of so many moves, the positions before the die,
# and the chance of the first player, all by a program written for the purpose.
SMALL_SEQUENCES = [9, 84, 727, 5934, 40847]
SMALL_POSITIONS = 10198
SMALL_CHANCE = 0.6995884773662552


def at(text: str, game: Game = EINSTEIN) -> Position:
    return Position.parse(text, game)


def moves_at(text: str, game: Game = EINSTEIN) -> list[str]:
    position = at(text, game)
    return sorted(map(game.notation.write_move, game.moves_in(position.row).tolist()))


@pytest.mark.parametrize("game", [EINSTEIN, rarely(SMALL)], ids=lambda game: game.name)
def test_the_rules_agree_with_what_the_game_says_of_itself(game: Game) -> None:
    check_game(game)


@pytest.mark.parametrize(("depth", "leaves"), list(enumerate(LEAVES, 1)))
def test_perft(depth: int, leaves: int) -> None:
    assert perft(Position.start(EINSTEIN), depth) == leaves


def games_by_length(row: np.ndarray, left: int, played: int = 0) -> np.ndarray:
    """Return how many games of the small form end after so many moves, up to `left` of them."""
    ended = np.zeros(left + 1, int)
    if SMALL.is_over(row):
        ended[played] = 1
    elif played < left:
        for die in SMALL.outcomes_in(row)[0]:
            thrown = SMALL.child_of(row, int(die))
            for move in SMALL.moves_in(thrown):
                ended += games_by_length(SMALL.child_of(thrown, int(move)), left, played + 1)
    return ended


def test_perft_of_the_small_form_counts_games_that_ended_before_if_asked() -> None:
    ended = games_by_length(SMALL.row(SMALL.start), left=4)
    counting = replace(SMALL, perft_counts_ended=True)
    for depth, sequences in enumerate(SMALL_SEQUENCES, 1):
        assert perft(Position.start(SMALL), depth) == sequences
        assert perft(Position.start(counting), depth) == sequences + ended[:depth].sum()
    assert ended.sum() > 0


def test_the_search_solves_the_small_form() -> None:
    found = search(Position.start(SMALL), load_evaluator("zero", SMALL), exact_from=20)
    # means are rounded to a thousandth at every throw
    assert found.exact and found.score == pytest.approx(2 * SMALL_CHANCE - 1, abs=0.002)


@pytest.mark.slow
def test_the_value_of_the_small_form_is_known() -> None:
    values: dict[bytes, Fraction] = {}

    def after(row: np.ndarray, move: int) -> Fraction:
        child, turn = SMALL.after(row, int(move))
        return value(child) if turn & SAME else -value(child)

    def value(row: np.ndarray) -> Fraction:
        """Return the expected result of a position before the die."""
        key = row.tobytes()
        if key not in values:
            dice = SMALL.outcomes_in(row)[0]
            thrown = [SMALL.child_of(row, int(die)) for die in dice]
            best = [max(after(place, move) for move in SMALL.moves_in(place)) for place in thrown]
            known = sum(best, Fraction(0)) / 3 if best else Fraction(int(SMALL.utility_of(row)))
            values[key] = known
        return values[key]

    found = value(SMALL.row(SMALL.start))
    assert found == Fraction(97, 243)
    assert float((1 + found) / 2) == SMALL_CHANCE
    positions = np.array([np.frombuffer(key, np.uint64) for key in values])
    assert sum(not SMALL.is_over(row) for row in positions) == SMALL_POSITIONS


def test_the_stone_of_the_die_moves_or_its_neighbours_in_number() -> None:
    start = "123--45---6---F---ED--CBA X"
    assert moves_at(start) == []
    assert moves_at(f"{start} 4") == ["a4a3", "a4b3", "a4b4"]
    both = ["a4a3", "a4b3", "a4b4", "a5a4", "a5b4", "a5b5"]
    assert moves_at("1----5---------F--------- X 3") == both
    assert moves_at("1----5---------F--------- X 6") == ["a4a3", "a4b3", "a4b4"]
    assert moves_at("1----5---------F--------- X 5") == ["a4a3", "a4b3", "a4b4"]


def test_a_stone_takes_whatever_stands_there_and_the_board_is_turned() -> None:
    assert at("123--45---6---F---ED--CBA X 4").play("a4b4").text == "123---4---6---F---ED--CBA O"
    assert at("----------1---B---------- O 2").play("a3b3").text == "----------1--B----------- X"
    assert at("---------A1---B---------- O 2").play("a3a2").text == "---------B1-------------- X"
    assert at("--------3-1---B---------- O 2").play("a3b2").text == "--------B-1-------------- X"


def test_the_far_corner_wins_and_so_does_the_last_stone() -> None:
    for text, move in (
        ("-A----------------1------ X 3", "d2e1"),
        ("------1A----------------- X 3", "b4c4"),
        ("------1A----------------- O 3", "c2d2"),
    ):
        over = at(text).play(move)
        assert over.is_terminal and not over.is_chance
        assert EINSTEIN.utility_of(over.row) == -1.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("123--45---6---F---ED--CBA X 7", "the die must show 1 to 6"),
        ("123--45---6---F---ED--CCA X", "stone C stands on two squares"),
        ("123--45---6---F---ED--CBA Z", "the side to move must be X or O"),
        ("123--45---6---F---ED--CBA", "a position must be 25 characters"),
        ("123--45---6---F---ED--CBX X", "is not allowed in a position: use 1, A, 2, B, 3, C, 4, D"),
    ],
)
def test_a_position_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        at(text)


def test_words_that_no_game_has_are_told() -> None:
    rows = np.repeat(random_positions(EINSTEIN, 1, seed=1), 4, axis=0)
    rows[1, -1] = 7
    rows[2, 0] = 6
    rows[3, 0] = rows[3, 1] = 1
    assert are_possible(EINSTEIN, rows).tolist() == [True, False, False, False]


def test_expected_turns() -> None:
    turns = expected_turns(3, 3).reshape(4, 4, 4)  # the third stone's place comes first
    assert turns[3, 3, 3] == 9 and turns[3, 0, 2] == 0
    assert (turns[3, 3, 2], turns[1, 1, 1], turns[2, 2, 2]) == (2, 1, pytest.approx(26 / 9))
    # the second stone is gone: its number lets either move
    assert turns[2, 3, 1] == pytest.approx(1 + 1 / 3)
    assert expected_turns(5, 6).reshape(6, 6, 6, 6, 6, 6)[5, 5, 5, 5, 5, 4] == 4


def test_features() -> None:
    names = ["turns", "race", "stones_left", "nearest", "threats"]
    squares = "1----5---------F---------"
    rows = [at(f"{squares} {turn}").row for turn in ("X 3", "O")]
    values = extract(features_named(names, "einstein"), np.array(rows))
    one, two = values.tolist()
    assert one[3:7] == [2, 1, 4, 3] and two[3:7] == [1, 2, 3, 4]
    assert two[0] == 3 == one[1] and 4 < one[0] < two[1]
    near = at("-------------------BA1--- X 6").row
    assert extract(features_named(["threats"], "einstein"), near[None]).tolist() == [[0, 0]]
    near = at("------------1B----------- X 6").row
    assert extract(features_named(["threats"], "einstein"), near[None]).tolist() == [[1, 1]]


@pytest.mark.parametrize("name", ["classic", "race"])
def test_evaluators_are_results_and_the_same_for_both_images(name: str) -> None:
    evaluator = load_evaluator(name, EINSTEIN)
    rows = random_positions(EINSTEIN, 400, seed=2)
    scores = evaluate(evaluator, EINSTEIN, rows)
    assert (np.abs(scores) <= 1).all() and scores.std() > 0.1
    mirrored = np.stack([images(EINSTEIN, row)[1] for row in rows])
    assert (evaluate(evaluator, EINSTEIN, mirrored) == scores).all()


def test_the_classic_evaluator_keeps_the_contract() -> None:
    check_evaluator(load_evaluator("classic", EINSTEIN), EINSTEIN)
