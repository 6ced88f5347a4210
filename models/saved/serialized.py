"""Games and evaluators that travel to other processes, and to other machines.

Compiled code does not pickle. An evaluator of samuel travels as its name, a saved model as the
content of its files, which the receiving process loads with all the usual checks: no disk need be
shared, and loading runs no code from the files. Names of a user's own games, features and
evaluators mean nothing elsewhere, so workers load the plugins that this process has loaded, from
the same paths. With the name of such an evaluator its numbers travel.
"""

from __future__ import annotations

import json
import pickle
import tempfile
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from samuel.common.errors import UserError
from samuel.common.json_files import json_bytes
from samuel.games.catalog import is_known_elsewhere, is_of_the_package, known_alone, known_game
from samuel.games.evaluator import Derivation, Evaluator, SharingEvaluator
from samuel.games.game import Game
from samuel.games.plugins import Plugin, install_plugins, load_sent, loaded_plugins
from samuel.models import comes_with_samuel, find_evaluator, named_evaluator, registered_with
from samuel.models.compiled.arrays import arrays_bytes, arrays_in
from samuel.models.compiled.slow import SlowEvaluatorWarning
from samuel.models.probcut import parameters_in, probcut_bytes
from samuel.models.saved.card import CARD, PROBCUT, WEIGHTS
from samuel.models.saved.forms import read_compiled
from samuel.models.saved.payloads import Payload

T = TypeVar("T")

_NUMBERS = "numbers.npz"
"""In place of the files of a model: the parameters of a user's evaluator, and those of ProbCut."""
_FORM, _CALL = "form.json", "call.pickle"
"""Files of an evaluator without a name or a folder: its form, or the call that made it."""
_REST, _ATTRIBUTES = "attributes.json", ("name", "origin", "words", "ignores_chance")
_MOST_KEPT = 32
"""Games, and evaluators, that a process keeps of what arrived."""


class SerializedGame:
    """A game for the calls of workers; where it was made, `game` is the very object it was made of.

    A Game pickles by itself, and loads its plugins when it arrives. This one loads them when the
    call asks for the game, so that a plugin that fails there is an error of the call.
    """

    def __init__(self, game: Game) -> None:
        self._name, self._plugins = game.name, loaded_plugins()
        self._game: Game | None = game

    @property
    def game(self) -> Game:
        """The game, found in this process when first asked for."""
        if self._game is None:
            self._game = _games.get(self._key, self._find)
        return self._game

    def install(self) -> None:
        """See to it that names of games and features mean what they meant where this was made."""
        install_plugins(self._plugins)

    def _find(self) -> Game:
        if not is_of_the_package(self._name):
            self.install()
        return known_game(self._name)

    @property
    def _key(self) -> Hashable:
        own = () if is_of_the_package(self._name) else tuple(p.digest for p in self._plugins)
        return self._name, own

    def __getstate__(self) -> tuple[str, tuple[Plugin, ...]]:
        if self._game is not None:
            if not is_known_elsewhere(self._game):
                raise known_alone(f"the game {self._name}")
            _games.keep(self._key, self._game)
        return self._name, self._plugins

    def __setstate__(self, state: tuple[str, tuple[Plugin, ...]]) -> None:
        self._name, self._plugins = state
        self._game = None


class SerializedEvaluator:
    """An evaluator, with its game, that pickles.

    In the process where it was made `evaluator` and `game` are the very objects; in another they
    are made once, when first asked for, and shared by all that arrive alike.
    """

    def __init__(self, evaluator: str | Path | Evaluator, game: Game) -> None:
        if isinstance(evaluator, Evaluator):
            evaluator.require_game(game)
        else:
            evaluator = find_evaluator(evaluator, game)
        self._of_game = SerializedGame(game)
        self._evaluator: Evaluator | None = evaluator
        self._payload: Payload | None = None

    @property
    def game(self) -> Game:
        """The game; raises as SerializedGame.game."""
        return self._of_game.game

    @property
    def evaluator(self) -> Evaluator:
        """The evaluator."""
        if self._evaluator is None:
            self._evaluator = _evaluators.get(self._key, self._load)
        return self._evaluator

    def _load(self) -> Evaluator:
        self._of_game.install()
        return _opened(self._packed, self.game)

    @property
    def _packed(self) -> Payload:
        if self._payload is None:
            self._payload = _payload_of(self.evaluator, self.game)
            _evaluators.keep(self._key, self.evaluator)
        return self._payload

    @property
    def _key(self) -> Hashable:
        plugins = tuple(plugin.digest for plugin in self._of_game._plugins)
        return self._of_game._name, plugins, self._packed.digest

    def __getstate__(self) -> tuple[SerializedGame, Payload]:
        return self._of_game, self._packed

    def __setstate__(self, state: tuple[SerializedGame, Payload]) -> None:
        self._of_game, self._payload = state
        self._evaluator = None


def _payload_of(evaluator: Evaluator, game: Game) -> Payload:
    """Return what an evaluator is made of again, with its attributes, which it may not share."""
    if isinstance(evaluator, SharingEvaluator):
        raise known_alone(f"the evaluator {evaluator.name}")
    own = registered_with(evaluator, game)
    # another process has another address of the estimator: a call is made there again
    if own is not None and not isinstance(evaluator.source, Derivation):
        return _with_attributes(own, {_NUMBERS: _numbers_of(evaluator)}, evaluator)
    if comes_with_samuel(evaluator, game):
        named = named_evaluator(evaluator.name, game)
        is_same = _attributes_of(evaluator) == _attributes_of(named)
        return Payload(named.name) if is_same else _with_attributes(named.name, {}, evaluator)
    if evaluator.source is not None:
        return _with_attributes(evaluator.name, _files_of_source(evaluator), evaluator)
    folder = evaluator.origin
    if not folder or not Path(folder).is_dir():
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
    name = str(Path(folder).absolute())
    return _with_attributes(name, _files_in(Path(folder)), replace(evaluator, origin=name))


def _attributes_of(evaluator: Evaluator) -> dict[str, Any]:
    """Return what `replace` can change of an evaluator beside its code and its numbers."""
    return {name: getattr(evaluator, name) for name in _ATTRIBUTES}


def _with_attributes(name: str, files: dict[str, bytes], evaluator: Evaluator) -> Payload:
    return Payload(name, files | {_REST: json_bytes(_attributes_of(evaluator), _REST)})


def _files_of_source(evaluator: Evaluator) -> dict[str, bytes]:
    """Return what an evaluator that was made in this process was made from."""
    source = evaluator.source
    made = source.evaluator if isinstance(source, Derivation) else source.evaluator("")
    if not replace(made, probcut=None).is_like(replace(evaluator, probcut=None)):
        raise UserError(f"{evaluator.name} has changed since it was compiled; save the model")
    if isinstance(source, Derivation):
        files = {_CALL: pickle.dumps((source.function, source.arguments))}
    else:
        files = {
            _FORM: json_bytes(source.described(), _FORM),
            WEIGHTS: arrays_bytes(source.arrays()),
        }
    if evaluator.probcut is not None:
        files[PROBCUT] = probcut_bytes(evaluator.probcut)
    return files


def _made_again(files: Mapping[str, bytes]) -> Evaluator:
    """Return the evaluator of `_files_of_source`."""
    if _CALL in files:
        function, arguments = pickle.loads(files[_CALL])
        evaluator: Evaluator = function(*arguments)
    else:
        form = read_compiled(json.loads(files[_FORM]), arrays_in(files[WEIGHTS]))
        evaluator = replace(form.evaluator(""), source=form)
    return replace(evaluator, probcut=parameters_in(files[PROBCUT]) if PROBCUT in files else None)


def reduced(evaluator: Evaluator) -> tuple[Any, ...]:
    """Pickle an evaluator by its name, its folder's files or what it was compiled from."""
    if evaluator.game == "any":  # none with a name is
        raise known_alone(f"the evaluator {evaluator.name}")
    game = known_game(evaluator.game)
    payload = _payload_of(evaluator, game)
    is_named = payload.files is None and is_of_the_package(game.name)
    return _sent, (game.name, () if is_named else loaded_plugins(), payload)


def _sent(name: str, plugins: tuple[Plugin, ...], payload: Payload) -> Evaluator:
    """Return an evaluator that was pickled; those that arrive alike are one."""
    load_sent(plugins)
    key = name, tuple(plugin.digest for plugin in plugins), payload.digest
    return _evaluators.get(key, lambda: _opened(payload, known_game(name)))


def _numbers_of(evaluator: Evaluator) -> bytes:
    arrays = {"integers": evaluator.integers, "floats": evaluator.floats}
    if evaluator.probcut is not None:
        arrays["probcut"] = evaluator.probcut
    return arrays_bytes(arrays)


def _files_in(folder: Path) -> dict[str, bytes]:
    """Return the files of a saved model that an evaluator is made of; loading checks them."""
    from samuel.models.saved.card import ESTIMATOR, SLOW

    try:
        card = (folder / CARD).read_bytes()
        described = json.loads(card)
        needed = {WEIGHTS, PROBCUT} | ({ESTIMATOR} if described["kind"] == SLOW else set())
        names = sorted(needed & set(described["files"]))
        return {CARD: card} | {name: (folder / name).read_bytes() for name in names}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"the model in {folder} was changed while it was in use") from error


def _opened(payload: Payload, game: Game) -> Evaluator:
    """Return the evaluator of a payload that arrived."""
    if payload.files is None:
        return find_evaluator(payload.name, game)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowEvaluatorWarning)  # it was said where it is from
        evaluator = _without_attributes(payload.name, payload.files, game)
    return replace(evaluator, **json.loads(payload.files[_REST]))


def _without_attributes(name: str, files: Mapping[str, bytes], game: Game) -> Evaluator:
    if _NUMBERS in files:
        numbers: dict[str, Any] = {"probcut": None, **arrays_in(files[_NUMBERS])}
        return replace(named_evaluator(name, game), **numbers)
    if _FORM in files or _CALL in files:
        return _made_again(files)
    if CARD not in files:
        return named_evaluator(name, game)
    from samuel.models.saved.loading import load

    with tempfile.TemporaryDirectory(prefix="samuel-") as folder:
        for file in files.keys() - {_REST}:
            (Path(folder) / file).write_bytes(files[file])
        try:
            evaluator = load(folder)
            evaluator.require_game(game)
        except UserError as error:
            raise UserError(f"on a worker: {str(error).replace(folder, name)}") from None
    return evaluator


class _Kept:
    """The things that were asked for or kept last, by key; each is made by one thread alone."""

    def __init__(self) -> None:
        self._things: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the object of a key; make it if it is missing."""
        with _making:
            if key not in self._things:
                self.keep(key, make())
            self._things.move_to_end(key)
            thing: T = self._things[key]
            return thing

    def keep(self, key: Hashable, thing: Any) -> None:
        """Keep an object, unless the key is taken."""
        with _making:
            self._things.setdefault(key, thing)
            while len(self._things) > _MOST_KEPT:
                self._things.popitem(last=False)


_making = threading.RLock()
_games, _evaluators = _Kept(), _Kept()
