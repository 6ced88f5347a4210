"""The games of the package keep to the contract, and the contract notices a broken game."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from games import game_named
from games.notation import GridNotation
from jit import jit
from tests.contract import check_game

TIC_TAC_TOE = game_named("tic_tac_toe")


@pytest.mark.parametrize("name", ["othello", "connect_four", "tic_tac_toe"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_games_of_the_package_keep_to_the_contract(name: str, seed: int) -> None:
    check_game(game_named(name), seed)
