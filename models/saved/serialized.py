"""Games and evaluators that travel to other processes, and to other machines.

Compiled code does not pickle. An evaluator travels as the call that makes it again: by its name, of
its compiled form, or of the content of the files of a saved model, which the receiving process
loads with all the usual checks: no disk need be shared. Names of a user's own games, features and
evaluators mean nothing elsewhere, so workers load the plugins that this process has loaded, from
the same paths. With the name of such an evaluator its numbers travel.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import tempfile
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from samuel.common.errors import UserError
from samuel.games.catalog import is_of_the_package, known_alone, known_game
from samuel.games.evaluator import Derivation, Evaluator, SharingEvaluator
from samuel.games.game import Game
from samuel.games.plugins import Plugin, install_plugins, load_sent, loaded_plugins
from samuel.models import comes_with_samuel, find_evaluator, named_evaluator, registered_with
from samuel.models.compiled.model import CompiledModel
from samuel.models.compiled.slow import SlowEvaluatorWarning
from samuel.models.saved.card import CARD, ESTIMATOR, PROBCUT, SLOW, WEIGHTS

T = TypeVar("T")
Call = tuple[Callable[..., Evaluator], tuple[Any, ...], dict[str, Any]]
"""Function and arguments that make an evaluator again, and the attributes to replace then."""
_ATTRIBUTES = ("name", "origin", "words", "wdl", "ignores_chance")
_MOST_KEPT = 32
"""Values that a process keeps of what arrived."""


class Serialized(Generic[T]):
    """A value for the calls of workers, such as a game, or a game with an evaluator.

    In the process where it was made `value` is the very object. In another it is unpickled once, at
    its first use, and shared by all that arrive alike: names of games and features then mean what
    they meant where it was made, and a plugin that fails is an error of the call.
    """

    def __init__(self, value: T) -> None:
        self._plugins, self._content, self._made = loaded_plugins(), b"", [value]

    @property
    def value(self) -> T:
        """The value."""
        if not self._made:
            self._made.append(_arrived.get(_key(self._plugins, self._content), self._load))
        return self._made[0]

    def _load(self) -> T:
        install_plugins(self._plugins)
        value: T = pickle.loads(self._content)
        return value

    def __getstate__(self) -> tuple[tuple[Plugin, ...], bytes]:
        if not self._content:
            self._content = pickle.dumps(self.value)
            _arrived.keep(_key(self._plugins, self._content), self.value)
        return self._plugins, self._content

    def __setstate__(self, state: tuple[tuple[Plugin, ...], bytes]) -> None:
        self._plugins, self._content = state
        self._made = []


def reduced(evaluator: Evaluator) -> tuple[Any, ...]:
    """Pickle an evaluator as the call that makes it again."""
    if evaluator.game == "any":  # none with a name is
        raise known_alone(f"the evaluator {evaluator.name}")
    game = known_game(evaluator.game)
    call = function, _, changes = _call_of(evaluator, game)
    is_ours = function is named_evaluator and not changes and is_of_the_package(game.name)
    return _sent, (() if is_ours else loaded_plugins(), pickle.dumps(call))


def _sent(plugins: tuple[Plugin, ...], content: bytes) -> Evaluator:
    """Return an evaluator that was pickled; those that arrive alike are one."""

    def make() -> Evaluator:
        function, arguments, changes = pickle.loads(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SlowEvaluatorWarning)  # it was said where it is from
            made: Evaluator = function(*arguments)
        return replace(made, **changes) if changes else made

    load_sent(plugins)
    return _arrived.get(_key(plugins, content), make)


def _call_of(evaluator: Evaluator, game: Game) -> Call:
    """Return what makes an evaluator again, with its attributes, which it may not share."""
    if isinstance(evaluator, SharingEvaluator):
        raise known_alone(f"the evaluator {evaluator.name}")
    source, attributes = evaluator.source, {name: getattr(evaluator, name) for name in _ATTRIBUTES}
    own = registered_with(evaluator, game)
    # another process has another address of the estimator: a call is made there again
    if own is not None and not isinstance(source, Derivation):
        numbers = {name: getattr(evaluator, name) for name in ("integers", "floats", "probcut")}
        return named_evaluator, (own, game), attributes | numbers
    if comes_with_samuel(evaluator, game):
        named = named_evaluator(evaluator.name, game)
        changes = {k: v for k, v in attributes.items() if v != getattr(named, k)}
        return named_evaluator, (named.name, game), changes
    attributes["probcut"] = evaluator.probcut
    if source is not None:
        made = source.evaluator if isinstance(source, Derivation) else source.evaluator("")
        if not replace(made, probcut=None).is_like(replace(evaluator, probcut=None)):
            raise UserError(f"{evaluator.name} has changed since it was compiled; save the model")
        if isinstance(source, Derivation):
            return source.function, source.arguments, attributes
        return _of_form, (source,), attributes
    folder = Path(evaluator.origin or "no folder")
    if not folder.is_dir():
        raise UserError(
            f"{evaluator.name} exists only in this process, so other processes cannot load "
            "it: save a model (samuel.save) and give its folder, register the evaluator in a "
            "plugin file (register_evaluator), or use threads"
        )
    if not evaluator.is_like(find_evaluator(folder, game)):
        raise UserError(
            f"{evaluator.name} differs from the model in {folder}; give the folder instead of "
            "the evaluator"
        )
    name = str(folder.absolute())
    return _of_files, (name, _files_in(folder), game), attributes | {"origin": name}


def _of_form(form: CompiledModel) -> Evaluator:
    return replace(form.evaluator(""), source=form)


def _files_in(folder: Path) -> dict[str, bytes]:
    """Return the files of a saved model that an evaluator is made of; loading checks them."""
    try:
        card = (folder / CARD).read_bytes()
        described = json.loads(card)
        needed = {WEIGHTS, PROBCUT} | ({ESTIMATOR} if described["kind"] == SLOW else set())
        names = sorted(needed & set(described["files"]))
        return {CARD: card} | {name: (folder / name).read_bytes() for name in names}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"the model in {folder} was changed while it was in use") from error


def _of_files(name: str, files: Mapping[str, bytes], game: Game) -> Evaluator:
    """Return the evaluator of a saved model, from the content of its files."""
    from samuel.models.saved.loading import load

    with tempfile.TemporaryDirectory(prefix="samuel-") as folder:
        for file, content in files.items():
            (Path(folder) / file).write_bytes(content)
        try:
            evaluator = load(folder)
            evaluator.require_game(game)
        except UserError as error:
            raise UserError(f"on a worker: {str(error).replace(folder, name)}") from None
    return evaluator


class _Kept:
    """The things that were used or kept last, by key; each is made by only one thread."""

    def __init__(self) -> None:
        self._things: OrderedDict[Hashable, Any] = OrderedDict()
        self._making = threading.RLock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the object of a key; make it if it is missing."""
        with self._making:
            if key not in self._things:
                self.keep(key, make())
            self._things.move_to_end(key)
            thing: T = self._things[key]
            return thing

    def keep(self, key: Hashable, thing: Any) -> None:
        """Keep an object, unless the key is taken."""
        with self._making:
            self._things.setdefault(key, thing)
            while len(self._things) > _MOST_KEPT:
                self._things.popitem(last=False)


_arrived = _Kept()


def _key(plugins: Sequence[Plugin], content: bytes) -> Hashable:
    return tuple(plugin.digest for plugin in plugins), hashlib.sha256(content).digest()
