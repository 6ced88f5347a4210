"""Checks of your games, features and evaluators against what the package expects of them.

`check_game`, `check_feature` and `check_evaluator` return where all is well, and else raise
`ContractError` with one sentence that names the position and the rule. They need no test runner,
and are ordinary assertions under one:

    from samuel.testing import check_game

    def test_my_game():
        check_game(MY_GAME)

`samuel models check FILE.py` calls them for all that a file registers.
"""

from samuel.testing.check import check
from samuel.testing.evaluators import check_evaluator
from samuel.testing.failure import ContractError
from samuel.testing.features import check_feature
from samuel.testing.games import check_game
from samuel.testing.playouts import Playout, random_playout

__all__ = [
    "ContractError",
    "Playout",
    "check",
    "check_evaluator",
    "check_feature",
    "check_game",
    "random_playout",
]
