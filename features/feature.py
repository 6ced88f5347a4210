"""What a feature is: numbers read off a position, defined once.

The same function fills the matrices that estimators are fitted to and runs inside the search.

    @feature(game="othello")
    def disc_difference(position):
        return popcount(position[0]) - popcount(position[1])

A feature of several numbers names them and fills a slice:

    @feature(game="othello", outputs=("player", "opponent"))
    def mobility(position, values):
        ...
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from samuel.errors import UserError, unknown
from samuel.features.squares import columns_of_bits, fill_squares, square_columns
from samuel.games.catalog import (
    Plugin,
    game_named,
    known_alone,
    known_game,
    load_sent,
    plugins_behind,
)
from samuel.games.interface import ROWS, Game, PositionsLike, Row
from samuel.games.possible import possible_rows
from samuel.games.random import random_positions
from samuel.kernels.compose import compose_later, made_ready
from samuel.kernels.jit import first_paragraph, jit
from samuel.kernels.pointers import FLOATS, WORDS, at, offset, view

EXTRACT = types.void(WORDS, FLOATS)
_VALUES = types.Array(types.float32, 2, "C")
_PROBES, _GUARD = 256, 256
LARGEST_FEATURE = 2.0**63
"""No feature is farther from 0: with that, models are known to give finite scores."""
_known: dict[tuple[str, str], Feature] = {}
_complete: dict[str, Game] = {}
"""The games, by name, whose features from the start are all known."""
_defining = threading.RLock()


@dataclass(frozen=True)
class Feature:
    """A named function of a position.

    Attributes
    ----------
    name
        unique in its game.
    columns
        the names of its numbers.
    function
        `function(position)` returns the number, or `function(position, values)` fills
        the numbers into a float32 slice; helpers under `jit`.
    scalar
        which of the two.
    ignores_chance
        whether a throw of the dice changes none of its numbers, nor the game's progress
        (Evaluator.ignores_chance).
    """

    name: str
    game: str
    columns: tuple[str, ...]
    function: Callable[..., Any]
    scalar: bool
    ignores_chance: bool = False

    @property
    def about(self) -> str:
        """The first paragraph of the function's docstring, in one line; empty where it has none."""
        return first_paragraph(self.function)

    def __copy__(self) -> Feature:
        return self

    def __deepcopy__(self, _memo: Any) -> Feature:
        return self  # it never changes

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it by its name, and a user's with the plugin that defines it."""
        plugins = plugins_behind(self.game, [self.function.__module__])
        is_elsewhere = is_of_the_package(self) or bool(plugins)
        if not is_elsewhere or _known.get((self.game, self.name)) is not self:
            raise known_alone(f"the feature {self.name}")
        return _sent_feature, (self.name, self.game, plugins)


def _sent_feature(name: str, game: str, plugins: Sequence[Plugin]) -> Feature:
    """Return a feature that was pickled."""
    load_sent(plugins)
    return features_named([name], game)[0]


def feature(
    *, game: str = "othello", outputs: Sequence[str] | None = None, ignores_chance: bool = False
) -> Any:
    """Make a function a feature of `game`, known by the function's name.

    Parameters
    ----------
    outputs
        None for `f(position)` that returns a number; else the names of the numbers
        that `f(position, values)` fills in.
    ignores_chance
        promises that it does not look at the dice (Feature), which makes searches of games
        with dice many times faster; `check_feature` checks it.

    Returns
    -------
    A decorator that returns the Feature, and raises UserError where the function takes other
    arguments, or the package has a feature of that name: its own models would read other numbers.
    """

    def decorate(function: Callable[..., Any]) -> Feature:
        name = function.__name__
        columns = (name,) if outputs is None else tuple(f"{name}_{o}" for o in outputs)
        rules, scalar = game_named(game), outputs is None
        _require_parameters(function, scalar)
        made = Feature(name, rules.name, columns, jit(function), scalar, ignores_chance)
        if not is_of_the_package(made) and made.name in _names_of_the_package(made.game):
            raise UserError(f"{made.game} has a feature {name} already; give yours another name")
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
            f"the feature {function.__name__} takes {found}: without outputs a feature takes "
            "(position) and returns its number; with outputs, the names of its numbers, it takes "
            "(position, values) and fills them in"
        ) from None


def is_of_the_package(made: Feature) -> bool:
    """Return whether a feature was defined in this folder."""
    return str(made.function.__module__).startswith(f"{__package__}.")


def _names_of_the_package(game: str) -> list[str]:
    """Return the names of the package's features of a game."""
    return [name for name in feature_names(game) if is_of_the_package(_known[game, name])]


def feature_names(game: Game | str = "othello") -> list[str]:
    """Return the names of a game's features, the user's own included.

    A user's game on a board has `squares` from the start.
    """
    rules = known_game(game) if isinstance(game, str) else game
    if _complete.get(rules.name) is not rules:
        with _defining:  # another thread may be at it: what is known by then is not all
            _define(rules)
    return [name for of_game, name in list(_known) if of_game == rules.name]


def _define(rules: Game) -> None:
    """Import or make the features that a game has from the start, unless that was done."""
    if _complete.get(rules.name) is rules:
        return
    if rules.defaults.features_in:
        module = importlib.import_module(rules.defaults.features_in)
        if hasattr(module, "define"):  # for each of a family of games, when it is asked for
            module.define(rules)
    known = list(_known.items())
    has_ours = any(of == rules.name and is_of_the_package(made) for (of, _), made in known)
    if rules.board is not None and not has_ours:  # a variant of a game of ours has not its features
        _known[rules.name, "squares"] = _squares_feature(rules)
    _complete[rules.name] = rules


def _squares_feature(game: Game) -> Feature:
    """Return what stands on each square as a feature of a game on a board."""
    names = square_columns(game)
    (columns, counts), n = columns_of_bits(game), len(names)

    def squares(position: Row, values: Any) -> None:
        """+1 for a piece of the player on the square, -1 for one of the opponent, by kind."""
        fill_squares(position, columns, counts, n, values)

    columns_of = tuple(f"squares_{name}" for name in names)
    return Feature("squares", game.name, columns_of, jit(squares), scalar=False)


def features_named(names: Sequence[str], game: str = "othello") -> tuple[Feature, ...]:
    """Return features by name.

    Raises
    ------
    UserError
        one is unknown; the message lists those there are.
    """
    known = feature_names(game)
    game = known_game(game).name
    if isinstance(names, str):
        raise UserError(f"features are a list of names, such as {names.split(',')}")
    if not names:
        raise UserError(f"name at least one feature of {game}: {', '.join(known)}")
    for name in names:
        if name not in known:
            more = "name the file of your own with --plugin FILE, or import it"
            raise unknown("feature", name, known, more, of=game)
    for name, times in Counter(names).items():
        if times > 1:
            raise UserError(f"the feature {name!r} is named {times} times; once is enough")
    return tuple(_known[game, name] for name in names)


def column_names(features: Sequence[Feature]) -> list[str]:
    """Return the names of all numbers of some features, in order."""
    return [column for f in features for column in f.columns]


@functools.lru_cache(maxsize=64)
def extractor(features: tuple[Feature, ...]) -> Any:
    """Return the compiled function `extract(position, values)` that fills all the features in.

    It takes pointers. The features are compiled into one function, so that what several of them
    compute is computed once.
    """
    words = known_game(features[0].game).words
    lines = ["def extract(position, values):", f"    row = view(position, {words})"]
    parts: dict[str, Any] = {"view": view, "offset": offset}
    column = 0
    for number, f in enumerate(features):
        parts[f"f{number}"] = f.function
        if f.scalar:
            lines.append(f"    values[{column}] = f{number}(row)")
        else:
            part = f"view(offset(values, {column}), {len(f.columns)})"
            lines.append(f"    f{number}(row, {part})")
        column += len(f.columns)
    return compose_later("extract", "\n".join(lines), parts, EXTRACT)


@jit(types.void(types.FunctionType(EXTRACT), ROWS, _VALUES))
def _fill(extract: Any, positions: Any, values: Any) -> None:
    for i in range(positions.shape[0]):
        extract(at(positions, i), at(values, i))


def extract(features: Sequence[Feature], positions: PositionsLike) -> NDArray[np.float32]:
    """Return the features of positions (n, K), or `Position` objects, as a matrix (n, columns).

    Raises
    ------
    UserError
        A feature fills in more or fewer numbers than it names, or far too large ones; or one of the
        positions is none of its game (games.possible.ImpossibleError).
    """
    features = tuple(features)
    _require_filled(features)
    rows = possible_rows(known_game(features[0].game), positions)
    values = np.zeros((len(rows), len(column_names(features))), np.float32)
    _fill(made_ready(extractor(features)), rows, values)
    return values


@functools.lru_cache(maxsize=64)
def _require_filled(features: tuple[Feature, ...]) -> None:
    """Try the features where writing too much does no harm, and nothing can be left out unseen."""
    names = column_names(features)
    positions = random_positions(known_game(features[0].game), 16, seed=1)
    for blank in (np.nan, 12345.0):
        values = np.full((16, len(names) + _GUARD), blank, np.float32)
        for row, position in zip(values, positions, strict=True):
            _fill(made_ready(extractor(features)), position[None], row[None])
        untouched = np.isnan(values) if np.isnan(blank) else values == np.float32(blank)
        if not untouched[:, len(names) :].all():
            raise UserError(f"{features[-1].name} fills in more numbers than it has outputs")
        left_out = untouched[:, : len(names)].all(axis=0)
        for name, most in zip(names, np.fmax.reduce(np.abs(values)), strict=False):
            if most > LARGEST_FEATURE:
                raise UserError(
                    f"{name} can be {most:.3g} from 0, and a model reads numbers up to "
                    f"{LARGEST_FEATURE:.3g}: give it in another unit"
                )
    if left_out.any():
        raise UserError(
            f"{names[int(np.argmax(left_out))]} is never filled in: a feature with outputs writes "
            "each of them into `values`"
        )


@functools.lru_cache(maxsize=64)
def features_digest(features: tuple[Feature, ...]) -> str:
    """Return a digest of what the features are: names, and values on fixed positions.

    Rewriting a feature so that it gives the same numbers leaves it the same, changing a number
    anywhere does not. Six digits count, since compilers may differ in the last one.
    """
    digest = hashlib.sha256(" ".join(column_names(features)).encode())
    positions = random_positions(known_game(features[0].game), _PROBES, seed=1959)
    for value in extract(features, positions).ravel():
        digest.update(f"{value:.6g} ".encode())
    return digest.hexdigest()[:16]
