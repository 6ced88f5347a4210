"""Options that are declared once, as annotations and docstrings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import pytest

from samuel.common.errors import OptionError, UserError
from samuel.common.options import (
    Also,
    OptionClass,
    Range,
    Suffix,
    Text,
    counts_in,
    names_in,
    range_in,
)
from samuel.common.public import INFERRED, options_of, public
from samuel.games import Game, game_named
from samuel.games.evaluator import Evaluator
from samuel.models import load_evaluator
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.generate import generate


def numbers_in(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("-")))


@dataclass(frozen=True)
class Food(OptionClass):
    """What is eaten.

    Attributes
    ----------
    pieces, grams
        How much.
    plies
        When.
    """

    pieces: Annotated[int | None, Range(1, 9)] = None
    grams: Annotated[float, Range(0, 100), Also("kilos", 1000, "In kilos.")] = 1.0
    plies: Annotated[tuple[int, ...] | None, Text(numbers_in, "10-40")] = None


@public
def eat(
    who: str,
    *,
    food: Food = Food(),
    food_b: Annotated[Food | None, Suffix("_b")] = None,
    fast: bool = False,
) -> tuple[object, ...]:
    """Eat.

    Parameters
    ----------
    who
        The eater.
    food
        What.
    """
    return who, food, food_b, fast


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pieces": 0}, r"pieces must be an integer from 1 to 9 \(got 0\)"),
        ({"pieces": 2.5}, r"pieces must be .*\(got 2.5\)"),
        ({"pieces": "2,4"}, r"pieces must be an integer from 1 to 9 \(got 2,4\)"),
        ({"grams": 101}, r"grams must be a number from 0 to 100 \(got 101\)"),
        ({"kilos": 0.101}, r"kilos must be a number from 0 to 0.1 \(got 0.101\)"),
        ({"grams_b": float("nan")}, r"grams_b must be .*\(got nan\)"),
        ({"kilos_b": -0.001}, r"kilos_b must be a number from 0 to 0.1 \(got -0.001\)"),
        ({"plies": "a-b"}, "plies cannot be 'a-b'; write it like 10-40"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=f"^{message}"):
        eat("x", **given)


def test_an_option_class_takes_other_names_and_texts() -> None:
    assert Food(2, kilos=0.05, plies="1-2") == Food(2, 50.0, (1, 2))  # type: ignore[call-arg, arg-type]
    assert replace(Food(2), kilos=0.05) == Food(2, 50.0)  # type: ignore[call-arg]
    with pytest.raises(OptionError, match=r"kilos must be .*\(got 1\)"):
        Food(kilos=1)  # type: ignore[call-arg]
    with pytest.raises(OptionError, match="plies cannot be 'x'; write it like 10-40"):
        Food(plies="x")  # type: ignore[arg-type]


def test_texts_are_lists_and_ranges() -> None:
    assert names_in(" a,b , ") == ["a", "b"] and counts_in("3, 0") == [3, 0]
    assert (range_in("4-9"), range_in("4")) == ((4, 9), (4, 4))
    for read, text in ((counts_in, "1,x"), (counts_in, "-1"), (range_in, "9-4"), (range_in, "x")):
        with pytest.raises(ValueError):
            read(text)


def test_an_option_is_what_annotation_and_docstring_say() -> None:
    options = options_of(eat)
    assert list(options) == [
        *("who", "pieces", "grams", "plies", "pieces_b", "grams_b", "plies_b", "fast")
    ]
    pieces = options["pieces_b"]
    assert (pieces.about, pieces.default, pieces.parameter) == ("How much.", None, "food_b")
    assert options["grams"].default == 1.0 and options["who"].about == "The eater."


@public
def look(evaluator: Evaluator, other: Evaluator | None = None, *, game: Game = INFERRED) -> object:
    """Look."""
    return evaluator, other, game


def test_texts_stand_for_objects_of_the_game_that_is_meant() -> None:
    four = game_named("connect_four")
    classic = load_evaluator("classic", four)
    assert look("classic", game="connect four") == (classic, None, four)
    assert look(classic) == look(classic, game=four) == (classic, None, four)
    assert look("zero", classic) == (load_evaluator("zero", four), classic, four)
    assert look("classic")[2] == game_named("othello")
    with pytest.raises(UserError, match="no evaluator called 'nobody'"):
        look("nobody")
    with pytest.raises(UserError, match="object is neither an evaluator nor its name or folder"):
        look(object())
    with pytest.raises(UserError, match=r"is for connect_four and .* for checkers"):
        look(classic, load_evaluator("classic", game_named("checkers")))


def test_a_folder_stands_for_a_dataset_which_says_the_game(tmp_path: Path) -> None:
    @public
    def learn(dataset: Dataset, game: Game = INFERRED) -> object:
        """Learn."""
        return dataset.folder, game.name

    @public
    def sure(dataset: Dataset, game: Game | None = None) -> object:
        """Make sure."""
        return game and game.name

    generate(game="tic_tac_toe", evaluator="zero", games=2, out=tmp_path, depth=1)
    assert learn(tmp_path) == learn(Dataset.open(tmp_path)) == (tmp_path, "tic_tac_toe")
    assert sure(str(tmp_path)) is None, "a game that may be None stays so"
    assert sure(tmp_path, game="othello") == "othello"
    with pytest.raises(UserError, match="there is no dataset at nowhere"):
        learn("nowhere")
    (file := tmp_path / "positions.txt").touch()
    with pytest.raises(UserError, match=r"is a file, .* samuel dataset import"):
        learn(str(file))


def test_two_names_of_one_option_are_refused() -> None:
    with pytest.raises(OptionError, match=r"^(grams|kilos) cannot be given together with"):
        eat("x", grams=1.0, kilos=1)
