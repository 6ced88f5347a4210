"""Defaults that depend on the game, and options that depend on the algorithm, as help shows them.

Words before `--help` may name a game and algorithms, as in `samuel learn --game chess --algorithm
samuel --help`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from samuel.cli.typed import TypedOption, shown_default
from samuel.common.errors import UserError
from samuel.common.options import fields_of, names_in
from samuel.learning.algorithms import GENERATIONS

if TYPE_CHECKING:
    from samuel.games import Game


_OF_THE_GAME = re.compile(r"(twice )?the game's (?:own|usual|hand-made)\b")
USUAL_ALGORITHMS = ("tdlambda", "tdleaf", "rootstrap", "treestrap")
"""Algorithms that `samuel learn compare` compares where none are named."""


def word_after(flag: str, words: Sequence[str]) -> str:
    """Return the value of an option among words; "" if it is not among them."""
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == flag:
            return value if equals else next(iter(words[place + 1 : place + 2]), "")
    return ""


def game_of(words: Sequence[str]) -> Game:
    """Return the game that words name; else Othello."""
    from samuel.games import game_named

    with contextlib.suppress(UserError):
        return game_named(word_after("--game", words) or "othello")
    return game_named("othello")


def with_defaults(options: Sequence[TypedOption], words: Sequence[str]) -> list[TypedOption]:
    """Return options with the values of the defaults that depend on the game."""
    game = game_of(words)
    return [_with_default(one, game) for one in options]


def _with_default(option: TypedOption, game: Game) -> TypedOption:
    from samuel.models.named import usual_evaluator, usual_opponent

    found = _OF_THE_GAME.search(option.about)
    if found is None:
        return option
    own = game.defaults
    if option.name == "evaluator":
        return _of_game(option, game, usual_evaluator(game))
    if option.name == "baseline":
        return _of_game(option, game, usual_opponent(game))
    values: dict[str, Any] = {
        "depth": own.depth * (2 if found[1] else 1),
        "opening_plies": own.opening_plies,
        "generations": own.generations,
        "exact_from": game.solver.exact_from,
        "target": own.target,
    }
    return _of_game(option, game, values.get(option.name))


class LearnHelp:
    """Help of `samuel learn`: options that the algorithms use, with their values in the game.

    Parameters
    ----------
    options
        Options of the command.
    words
        Words of the command line.
    """

    def __init__(self, options: Sequence[TypedOption], words: Sequence[str]) -> None:
        from samuel.learning.generations.experiment import PLAIN
        from samuel.learning.options import LearnOptions

        self._fields = fields_of(LearnOptions)
        self._options, self._game = options, game_of(words)
        compares = any(one.name == "algorithms" for one in options)
        typed = names_in(word_after("--algorithms" if compares else "--algorithm", words))
        names = typed or (USUAL_ALGORITHMS if compares else [GENERATIONS])
        given: Any = {"game": self._game.name, **(PLAIN if compares else {})}
        self._runs = [LearnOptions(**given, algorithm=name) for name in names]
        for one in self._runs:
            _ = one.chooser  # it refuses unknown names
        self.is_short = not typed

    def groups(self) -> dict[str, str]:
        """Return the flags of groups that the short help does not describe."""
        found: dict[str, list[str]] = {}
        for one in self._options:
            if self.is_short and self._is_of_group(one):
                found.setdefault(one.group, []).append(one.flag)
        return {title: ", ".join(flags) for title, flags in found.items()}

    def described(self) -> list[TypedOption]:
        """Return the options that the help describes."""
        return [self._with_value(one) for one in self._options if self._is_described(one)]

    def _is_of_group(self, option: TypedOption) -> bool:
        return option.name in self._fields and "." in str(self._fields[option.name].field)

    def _is_described(self, option: TypedOption) -> bool:
        if self.is_short or option.name not in self._fields:
            return not self._is_of_group(option)
        return any(run.reads(option.name) for run in self._runs)

    def _with_value(self, option: TypedOption) -> TypedOption:
        """Return an option with its value, where all algorithms have one and the same."""
        from samuel.learning.options import OF_THE_GAME

        if option.name not in self._fields or option.name == "algorithm":
            return _with_default(option, self._game)
        values = [run.flat()[option.name] for run in self._runs]
        if any(value != values[0] for value in values):
            return option
        if option.name in OF_THE_GAME:
            return _of_game(option, self._game, values[0])
        return replace(option, default=shown_default(values[0]))


def _of_game(option: TypedOption, game: Game, value: Any) -> TypedOption:
    """Return an option with a note of the default that it has in a game."""
    shown = shown_default(value)
    if shown in (None, ""):
        return option
    shown = ("off", "on")[shown] if isinstance(shown, bool) else shown
    title = game.name.replace("_", " ").capitalize()
    return replace(option, in_game=f"{title}: {shown}")
