"""Features: numbers read off a position, each defined once."""

from __future__ import annotations

import importlib
import inspect
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError, require_plain_name, unknown
from samuel.games.board import OPPONENT
from samuel.games.catalog import game_named, known_alone, known_game
from samuel.games.changes import board_of
from samuel.games.game import Game, Unchanging
from samuel.games.plugins import Plugin, known_features, load_sent, plugins_behind
from samuel.games.rules import Row
from samuel.kernels.bits import ONE, trailing_zeros
from samuel.kernels.jit import first_paragraph, jit


def square_columns(game: Game) -> tuple[str, ...]:
    """Return the name of each number: the square, and but for the first kind the kind's sign."""
    board = board_of(game)
    kinds = ["", *(f"{signs[0]}_" for signs in board.pieces[1:])]
    return tuple(kind + square for kind in kinds for square in board.squares)


def columns_of_bits(game: Game) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each bit of the board's words its column (words, 64), and its sign (words,)."""
    board = board_of(game)
    columns, counts = np.zeros((board.words, 64), np.int64), np.ones(board.words, np.int64)
    size, kind = len(board.bits), -1
    for content in board.kept:
        assert content.word is not None
        if content.whose == OPPONENT:
            counts[content.word : content.word + board.words_each] = -1
        else:
            kind += 1
        for square, bit in enumerate(board.bits):
            columns[content.word + bit // 64, bit % 64] = kind * size + square
    return columns, counts


@jit
def fill_squares(position: Row, columns: Any, counts: Any, n: int, values: Any) -> None:
    """Fill in the n numbers of all squares; `columns` and `counts` are those of the board."""
    for k in range(n):
        values[k] = 0
    for word in range(columns.shape[0]):
        pieces = position[word]
        while pieces:
            values[columns[word, trailing_zeros(pieces)]] = counts[word]
            pieces &= pieces - ONE


LARGEST_FEATURE = 2.0**63
"""No feature is farther from 0: with that, models are known to give finite scores."""
_known: dict[tuple[str, str], Feature] = known_features
_complete: dict[str, Game] = {}
"""The games, by name, whose features from the start are all known."""
_defining = threading.RLock()


@dataclass(frozen=True)
class Feature(Unchanging):
    """Named function of a position that returns one or more numbers.

    Attributes
    ----------
    name
        Name, unique in its game.
    game
        Name of the game.
    columns
        Names of its numbers.
    function
        `function(position)` returns the number, or `function(position, values)` fills the numbers
        into a float32 slice. Helper functions are under `jit`.
    scalar
        True for `function(position)`.
    ignores_chance
        True if a throw of the dice changes none of its numbers, nor the game's progress
        (Evaluator.ignores_chance).
    summed
        `summed(position, weights)` returns the sum of its numbers, each times its weight, faster
        than by filling all of them in: most are 0. None if there is no such function.

    Examples
    --------
    >>> import samuel
    >>> @samuel.feature(game="tic_tac_toe", outputs=("mine", "theirs"))
    ... def centre(position, values):
    ...     values[0] = (position[0] >> 4) & 1
    ...     values[1] = (position[1] >> 4) & 1
    >>> centre.columns
    ('centre_mine', 'centre_theirs')
    """

    name: str
    game: str
    columns: tuple[str, ...]
    function: Callable[..., Any]
    scalar: bool
    ignores_chance: bool = False
    summed: Callable[..., Any] | None = None

    @property
    def about(self) -> str:
        """First paragraph of the function's docstring, in one line, or empty text."""
        return first_paragraph(self.function)

    @property
    def is_of_the_package(self) -> bool:
        """True if the feature comes with samuel."""
        return str(self.function.__module__).startswith("samuel.games.")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it by its name, and a user's with the plugin that defines it."""
        plugins = plugins_behind(self.game, [self.function.__module__])
        is_elsewhere = self.is_of_the_package or bool(plugins)
        if not is_elsewhere or _known.get((self.game, self.name)) is not self:
            raise known_alone(f"the feature {self.name}")
        return _sent_feature, (self.name, self.game, plugins)


def _sent_feature(name: str, game: str, plugins: Sequence[Plugin]) -> Feature:
    load_sent(plugins)
    return features_named([name], game)[0]


def feature(
    *,
    game: str = "othello",
    outputs: Sequence[str] | None = None,
    ignores_chance: bool = False,
    summed: Callable[..., Any] | None = None,
) -> Any:
    """Register a function as a feature of a game, under the function's name.

    Parameters
    ----------
    game
        Game, or its name.
    outputs
        Names of the numbers that `f(position, values)` fills in. None for `f(position)`, which
        returns one number.
    ignores_chance
        Promise that the feature does not depend on the dice, which makes searches of games with
        dice many times faster. `check_feature` checks it.
    summed
        `summed(position, weights)`, which returns the sum of the numbers, each times its weight.
        Linear models use it in the search; give it for many numbers of which most are 0.

    Returns
    -------
    Any
        Decorator that returns the Feature. It raises UserError if the function takes other
        arguments, or the package has a feature of this name.

    Examples
    --------
    >>> import samuel
    >>> @samuel.feature(game="tic_tac_toe")
    ... def has_centre(position):
    ...     return (position[0] >> 4) & 1
    >>> has_centre.name
    'has_centre'
    """

    def decorate(function: Callable[..., Any]) -> Feature:
        name = function.__name__
        columns = (name,) if outputs is None else tuple(f"{name}_{o}" for o in outputs)
        rules, scalar = game_named(game), outputs is None
        for one in (name, *(outputs or ())):
            require_plain_name("a feature", one)
        _require_parameters(function, scalar)
        fast = None if summed is None else jit(summed)
        made = Feature(name, rules.name, columns, jit(function), scalar, ignores_chance, fast)
        is_taken = not made.is_of_the_package and name in feature_names(made.game)
        if is_taken and _known[made.game, name].is_of_the_package:
            raise UserError(f"{made.game} already has a feature {name!r}; give yours another name")
        _known[made.game, name] = made
        return made

    return decorate


def _require_parameters(function: Callable[..., Any], scalar: bool) -> None:
    """Raise UserError where a function does not take what a feature of its kind is given."""
    found = inspect.signature(getattr(function, "py_func", function))
    try:
        found.bind(*("position", "values")[: 1 if scalar else 2])
    except TypeError:
        raise UserError(
            f"feature {function.__name__} takes {found}: without outputs a feature must take "
            "(position) and returns its number; with outputs (names of its numbers) it must take "
            "(position, values) and write them into values"
        ) from None


def own_features() -> list[Feature]:
    """Return the features of all games that do not come with samuel."""
    return [made for made in list(_known.values()) if not made.is_of_the_package]


def feature_names(game: Game | str = "othello") -> list[str]:
    """Return the names of a game's features, your own included.

    Your own game with a board has the feature `squares` from the start.

    Parameters
    ----------
    game
        Game, or its name.

    Returns
    -------
    list[str]
        Names such as `mobility`.

    Examples
    --------
    >>> import samuel
    >>> "mobility" in samuel.feature_names("othello")
    True
    """
    rules = known_game(game) if isinstance(game, str) else game
    if _complete.get(rules.name) is not rules:
        with _defining:  # another thread may be at it: what is known by then is not all
            _define(rules)
    return [name for of, name in list(_known) if of == rules.name]


def _define(rules: Game) -> None:
    """Import or make the features that a game has from the start, unless that was done."""
    if _complete.get(rules.name) is rules:
        return
    if rules.defaults.features_in:
        module = importlib.import_module(rules.defaults.features_in)
        if hasattr(module, "define"):  # for each of a family of games, when it is asked for
            module.define(rules)
    known = list(_known.items())
    has_ours = any(of == rules.name and made.is_of_the_package for (of, _), made in known)
    if rules.board is not None and not has_ours:  # a variant of a game of ours has not its features
        define_squares(rules)
    _complete[rules.name] = rules


def define_squares(game: Game) -> None:
    """Define what stands on each square as a feature of a game on a board, `squares`."""
    names = square_columns(game)
    (columns, counts), n = columns_of_bits(game), len(names)

    def squares(position: Row, values: Any) -> None:
        """Piece on each square, by kind: +1 for the player's, -1 for the opponent's, else 0."""
        fill_squares(position, columns, counts, n, values)

    columns_of = tuple(f"squares_{name}" for name in names)
    made = Feature("squares", game.name, columns_of, jit(squares), scalar=False)
    _known[game.name, made.name] = made


def features_named(names: Sequence[str], game: str = "othello") -> tuple[Feature, ...]:
    """Return features by name."""
    known = feature_names(game)
    game = known_game(game).name
    if isinstance(names, str):
        raise UserError(f"features must be a list of names, such as {names.split(',')}")
    if not names:
        raise UserError(f"give at least one feature of {game}: {', '.join(known)}")
    for name in names:
        if name not in known:
            more = "for your own feature add --plugin FILE, or import the file"
            raise unknown("feature", name, known, more, of=game)
    for name, times in Counter(names).items():
        if times > 1:
            raise UserError(f"feature {name!r} is given {times} times; give it once")
    return tuple(_known[game, name] for name in names)


def column_names(features: Sequence[Feature]) -> list[str]:
    """Return the names of all numbers of some features, in order."""
    return [column for f in features for column in f.columns]
