"""Models: evaluators made by hand, compiled from scikit-learn estimators, or read from disk.

A fitted pipeline becomes an evaluator (`compile_model`), is kept as a folder (`save`) and comes
back by its path (`load_evaluator`, `load_model`). Modules that need scikit-learn are imported when
asked for: it takes a second.
"""

from __future__ import annotations

import copyreg
import functools
import importlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samuel.common.errors import PluginNeededError, UserError
from samuel.common.files import MOST_OF_JSON, read_bytes
from samuel.games.evaluator import Evaluator, SharingEvaluator, of_another_game
from samuel.games.feature import own_features
from samuel.games.game import Game
from samuel.games.plugins import own_games, renew_plugins
from samuel.models.evaluate import evaluate
from samuel.models.game_of import evaluator_alone, game_for, game_of_folder, is_store, name_and_file
from samuel.models.named import (
    comes_with_samuel,
    evaluator_names,
    named_evaluator,
    no_evaluator,
    register_evaluator,
    registered_with,
    usual_evaluator,
    usual_opponent,
)

__all__ = [
    "comes_with_samuel",
    "evaluate",
    "evaluator_names",
    "game_for",
    "game_of_folder",
    "load_evaluator",
    "named_evaluator",
    "register_evaluator",
    "registered_with",
    "usual_evaluator",
    "usual_opponent",
]

_LAZY = {
    "NNUEClassifier": "samuel.models.nnue.estimators",
    "NNUERegressor": "samuel.models.nnue.estimators",
    "OutcomeNetworks": "samuel.models.outcome_networks",
    "PatternClassifier": "samuel.models.patterns.estimators",
    "PatternNetwork": "samuel.models.patterns.network_fit",
    "PatternRegressor": "samuel.models.patterns.estimators",
    "SparseNetwork": "samuel.models.sparse_network",
    "TaperedLogistic": "samuel.models.tapered",
    "Staged": "samuel.models.staged",
    "compile_model": "samuel.models.convert",
    "load_model": "samuel.models.saved.loading",
    "save": "samuel.models.saved.saving",
}


def load_evaluator(
    name_or_path: Any, game: Game | str | None = None, *, trusted: Sequence[str] = ()
) -> Evaluator:
    """Load an evaluator by its name, or from the folder of a model.

    If you have loaded a Python file that defines the evaluator or its game, and edited it since, it
    is run again.

    A plus sign and a file of positions stored by rote learning (`samuel learn --algorithm rote`)
    may follow.

    An object with an evaluator, such as a Model or the result of `train`, is accepted too.
    Without a game, it is the game of the saved model, or the only game for which the name is
    registered, or Othello.

    Parameters
    ----------
    name_or_path
        Name of an evaluator, folder of a model, or an object with an evaluator.
    game
        Game, or its name. By default that of the model, or Othello.
    trusted
        Names of Python types to load from the estimator of the model. Name only types whose author
        you trust.

    Returns
    -------
    Evaluator
        Evaluator for the game.

    Raises
    ------
    UserError
        There is no such evaluator, the model is damaged, or it is for another game. Or the object
        has no evaluator, such as an estimator that is not compiled.

    Examples
    --------
    >>> import samuel
    >>> samuel.load_evaluator("classic").game
    'othello'
    """
    named = getattr(name_or_path, "evaluator", name_or_path)
    if isinstance(named, str | Path):
        of = game_for(game, named).name
        renew_plugins(of, evaluator_alone(str(named)))
    return find_evaluator(name_or_path, game, trusted)


def find_evaluator(
    name_or_path: Any, game: Game | str | None = None, trusted: Sequence[str] = ()
) -> Evaluator:
    """Load an evaluator in the course of a run: nothing of a user's is run again."""
    held = getattr(name_or_path, "evaluator", name_or_path)
    if isinstance(held, Evaluator) and game is None:
        return held
    if not isinstance(held, str | Path | Evaluator):
        made = "compile_model(it, NAME)" if hasattr(held, "predict") else "Evaluator(...)"
        raise UserError(
            f"{type(held).__name__} is neither an evaluator nor its name or folder; give "
            f"samuel.{made} instead"
        )
    game = game_for(game, held)
    if isinstance(held, Evaluator):
        held.require_game(game)
        return held
    text = str(name_or_path)
    if text in evaluator_names(game):
        return named_evaluator(text, game)
    if not os.path.isdir(text):  # False for what cannot be a name, too
        base, file = name_and_file(text)
        if not file or not is_store(file):
            raise no_evaluator(text, game)
        from samuel.models.rote.front import in_front_of
        from samuel.models.rote.store import load_store

        return in_front_of(find_evaluator(base, game, trusted), load_store(file, game))
    try:
        own = *own_games.values(), *own_features()
        evaluator = _load(text, _content_of_card(text), tuple(trusted), own)
    except PluginNeededError:
        of = game_of_folder(text)
        if of in (None, game.name):
            raise
        raise of_another_game(text, of, game) from None  # a plugin would not help
    evaluator.require_game(game)
    return evaluator


@functools.lru_cache(maxsize=32)
def _load(folder: str, _card: bytes, trusted: tuple[str, ...], _own: tuple[Any, ...]) -> Evaluator:
    """Load a model once for each content of its card, and for what names of a user's mean now.

    The card names the digests of the model's files.
    """
    from samuel.models.saved.loading import load

    return load(folder, trusted=trusted)


def _content_of_card(folder: str) -> bytes:
    from samuel.models.saved.card import CARD

    try:
        return read_bytes(Path(folder) / CARD, MOST_OF_JSON)
    except UserError:  # loading says what is wrong
        return b""


def _reduced(evaluator: Evaluator) -> tuple[Any, ...]:
    from samuel.models.saved.serialized import reduced

    return reduced(evaluator)


for _kind in (Evaluator, SharingEvaluator):
    copyreg.pickle(_kind, _reduced)


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
