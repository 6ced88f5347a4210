"""Evaluators by name: learned, made by hand, or knowing nothing; and a user's own.

Evaluators that were learned and come with samuel: folders of models without their estimators.

They are in shipped/GAME/NAME, with the settings of the runs that made them (recipe-1.toml and so
on, each from the best model of the run before) and their results (results.toml).
"""

from __future__ import annotations

import contextlib
import functools
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import numpy as np
from msgspec import Meta
from numba import float32, int64

from samuel.common.errors import UserError, nearest, require_plain_name, unknown
from samuel.common.files import what_is
from samuel.common.json_files import as_record
from samuel.common.text_files import read_toml
from samuel.features import Feature, column_names, features_named
from samuel.features.terms import even_knots
from samuel.games.catalog import is_known_elsewhere, is_of_the_package, known_game
from samuel.games.evaluator import HAND_MADE, Evaluator, zero_evaluator
from samuel.games.game import Game
from samuel.games.plugins import loading, own_evaluators
from samuel.games.rules import Row
from samuel.kernels.bits import ZERO, mix
from samuel.kernels.jit import jit
from samuel.models.compiled.features import FeatureModel, linear_block
from samuel.models.probcut import shipped_probcut

FOLDER = Path(__file__).parent / "shipped"


class MatchScore(TypedDict):
    """A match: the score, from 0 to 1, with its interval of 95 % confidence."""

    against: str
    limit: str
    score: float
    score_low: float
    score_high: float
    games: int
    after: NotRequired[str]


class Worth(TypedDict):
    """Games, time and matches of a learned evaluator, also in docs/results."""

    data: str
    time: str
    note: str
    curve: Annotated[list[MatchScore], Meta(min_length=1)]
    match: Annotated[list[MatchScore], Meta(min_length=1)]


@functools.lru_cache(maxsize=64)
def learned_names(game: str) -> dict[str, str]:
    """Return those of a game, each with a line about it."""
    from samuel.models.saved.card import CARD, read_card

    folders = sorted(card.parent for card in (FOLDER / game).glob(f"*/{CARD}"))
    return {folder.name: str(read_card(folder)["about"]) for folder in folders}


@functools.lru_cache(maxsize=8)
def learned_evaluator(name: str, game: Game) -> Evaluator:
    """Return one of `learned_names`."""
    from samuel.models.saved.loading import load

    return load(folder_of(name, game))


def folder_of(name: str, game: Game) -> Path:
    """Return the folder of one of `learned_names`."""
    return FOLDER / game.name / name


def recipes_of(name: str, game: Game) -> list[Path]:
    """Return the settings files of the runs that made one of `learned_names`, in their order."""
    return sorted(folder_of(name, game).glob("recipe-*.toml"))


def settings_path(path: str) -> Path:
    """Return the path of a settings file: a file of the user, or GAME/NAME/FILE of samuel."""
    shipped = FOLDER / path
    return shipped if shipped.is_file() and not Path(path).exists() else Path(path)


def worth_of(name: str, game: Game) -> Worth:
    """Return what one of `learned_names` is worth; UserError where its file is damaged."""
    path = folder_of(name, game) / "results.toml"
    return as_record(read_toml(path), Worth, str(path), "reinstall samuel")


def register_evaluator(evaluator: Evaluator) -> Evaluator:
    """Register your own evaluator, so that its name works everywhere.

    The name comes before any folder of this name: in commands with `--plugin FILE`, in plans of
    self-play, and in worker processes. (In `compare` and `train`, recipes come first.) An evaluator
    of this name that was registered before is replaced.

    Parameters
    ----------
    evaluator
        Evaluator with a name that no other evaluator has.

    Returns
    -------
    Evaluator
        The evaluator that was given.

    Raises
    ------
    UserError
        The object is no evaluator, its game is not known, the game has an evaluator of this name,
        or the name is not valid.

    Examples
    --------
    >>> import samuel
    >>> def nothing(position, integers, floats):
    ...     return 0.0
    >>> samuel.register_evaluator(samuel.Evaluator("nothing", "tic_tac_toe", nothing))
    Evaluator('nothing', tic_tac_toe, hand-made)
    """
    if not isinstance(evaluator, Evaluator):
        raise UserError(
            f"register_evaluator takes an Evaluator(name, game, function) (got {evaluator!r})"
        )
    rules, name = known_game(evaluator.game), evaluator.name
    if rules.name != evaluator.game:
        raise UserError(
            f"evaluator {name} is for {evaluator.game!r}; write {rules.name!r}, its full name"
        )
    require_plain_name("an evaluator", name)
    if name in _names_of_the_game(rules):
        raise UserError(f"{rules.name} already has an evaluator {name!r}; give yours another name")
    own_evaluators[rules.name, name] = evaluator
    return evaluator


def games_of_own(name: str) -> list[str]:
    """Return the games that have a user's evaluator of that name."""
    return [game for game, own in list(own_evaluators) if own == name]


def registered_with(evaluator: Evaluator, game: Game) -> str | None:
    """Return the name of a plugin's evaluator that differs at most in its numbers, if there is one.

    Other processes that load the plugin know it by that name.
    """
    for (of, name), own in list(own_evaluators.items()):
        alike = (own.function, own.check) == (evaluator.function, evaluator.check)
        if of == game.name and alike and is_known_elsewhere(own):
            return name
    return None


def _names_of_the_game(rules: Game) -> dict[str, str]:
    learned = learned_names(rules.name) if is_of_the_package(rules.name) else {}
    return learned | handmade_names(rules)


def evaluator_names(game: Game | str = "othello") -> dict[str, str]:
    """Return the evaluators of a game, each with a line about it; the usual one first."""
    rules = known_game(game) if isinstance(game, str) else game
    known = list(own_evaluators.items())  # a plugin's thread may register more
    own = {name: one.about for (of, name), one in known if of == rules.name}
    return _names_of_the_game(rules) | own


def named_evaluator(name: str, game: Game) -> Evaluator:
    """Return an evaluator by its name."""
    if name not in evaluator_names(game):
        raise no_evaluator(name, game)
    if (game.name, name) in own_evaluators:
        return own_evaluators[game.name, name]
    with loading:  # else two threads would be given two, neither of which is like the other
        make = handmade if name in handmade_names(game) else learned_evaluator
        return make(name, game)


def comes_with_samuel(evaluator: Evaluator, game: Game) -> bool:
    """Return whether an evaluator is one that every installation has by its name."""
    name = evaluator.name
    if name not in evaluator_names(game) or (game.name, name) in own_evaluators:
        return False
    return evaluator.is_like(named_evaluator(name, game))


def usual_evaluator(game: Game) -> str:
    """Return the name of the evaluator that is meant where none is named."""
    return next(iter(evaluator_names(game)))


def usual_opponent(game: Game) -> str:
    """Return the name of the evaluator that others are held against: the first made by hand."""
    return next(iter(handmade_names(game)))


def no_evaluator(name: str, game: Game) -> UserError:
    """Return the error that no evaluator of a game has this name; it may have been a folder's."""
    beside: dict[str, str] = {}
    with contextlib.suppress(OSError, ValueError):
        folders = [one for one in Path(name).parent.iterdir() if (one / "model.json").is_file()]
        beside = {one.name: str(one) for one in folders}
    if ".py" in Path(name).name:
        return UserError(
            f"{name} is no evaluator, but a file of code: load it with --plugin, and give the name "
            "of an evaluator that it registers (samuel.register_evaluator)"
        )
    near = [beside[one] for one in nearest(Path(name).name, beside)]
    if len(Path(name).parts) > 1:
        hint = f"; did you mean {near[0]}?" if near else ""
        if Path(name).name == "best" and (what := what_is(Path(name).parent)):
            hint = f"; {Path(name).parent} is {what}"
        return UserError(f"there is no folder {name!r} of a model{hint}")
    known = [*evaluator_names(game), *near]
    if games := games_of_own(name):
        more = f"one of that name is for {' and '.join(games)} (--game)"
    else:
        more = "or give the folder of a model of yours, or with --plugin the file that registers it"
    return unknown("evaluator", name, known, more, of=game.name)


_TO_24_BITS, _HALF_OF_24_BITS = np.uint64(40), np.float32(1 << 23)
"""A number of 24 bits is one in single precision."""


@jit
def _at_random(position: Row, integers: Any, floats: Any) -> float:
    """Return a number in [-1, 1) that the position's words decide; integers[0] is how many."""
    key = ZERO
    for k in range(integers[0]):
        key = mix(key, position[k])
    return float32(int64(key >> _TO_24_BITS)) / _HALF_OF_24_BITS - float32(1)


def handmade_names(game: Game) -> dict[str, str]:
    """Return the hand-made evaluators of a game, each with a line about it; the usual one first."""
    about = {name: made.about for name, made in game.defaults.evaluators.items()}
    return about | {
        "zero": "0 everywhere: the search sees only finished games",
        "random": "a number drawn for each position: at depth 1 random moves, or a win at once",
    }


def handmade(name: str, game: Game) -> Evaluator:
    """Return a hand-made evaluator, one of `handmade_names`."""
    made = game.defaults.evaluators.get(name)
    return _handmade(name, game, () if made is None else features_named(made.features, game.name))


@functools.lru_cache(maxsize=32)
def _handmade(name: str, game: Game, _features: tuple[Feature, ...]) -> Evaluator:
    """Make a hand-made evaluator once for what its features are now."""
    if name == "zero":
        return zero_evaluator(game)
    if name == "random":
        words = np.array([game.words], np.int32)
        return Evaluator("random", game.name, _at_random, game.words, words)
    form = handmade_model(name, game)
    assert form is not None
    evaluator = form.evaluator(name, HAND_MADE)
    wdl = game.defaults.evaluators[name].wdl
    return replace(evaluator, probcut=shipped_probcut(evaluator), wdl=wdl)


def handmade_model(name: str, game: Game) -> FeatureModel | None:
    """Return the linear model of a hand-made evaluator; None for those that know nothing."""
    made = game.defaults.evaluators.get(name)
    if made is None:
        return None
    features = features_named(made.features, game.name)
    weights = [made.weights[column] for column in column_names(features)]
    blocks = tuple(linear_block(of_stage) for of_stage in np.transpose(weights))
    return FeatureModel("linear", game, features, blocks, even_knots(len(blocks), game.most_left))
