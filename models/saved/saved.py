"""Models on disk: a folder with a card, the compiled parameters and the estimator.

    model.json       the card; written last, it names the SHA-256 of the other files
    weights.npz      the arrays of its form (models/forms/form.py); absent where the estimator has
                     no compiled form
    estimator.skops  the fitted scikit-learn estimator; absent where skops cannot write it
    probcut.npy      parameters of ProbCut; absent where none were fitted

Loading runs no code from these files, nor code that they name: their game and features are looked
up among those that this process knows. The compiled form needs no scikit-learn.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import platform
import reprlib
import tempfile
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.errors import PluginNeededError, UserError
from samuel.features import Feature, features_named
from samuel.features.terms import Terms
from samuel.files import (
    PARTIAL,
    as_record,
    but_is,
    in_turn,
    json_bytes,
    read_bytes,
    record_in,
    require_name,
    require_own,
    whole,
    write_json,
    writing,
)
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.interface import Game
from samuel.games.origins import Origin, game_from, origins_of, unnamed
from samuel.models.evaluate import evaluate
from samuel.models.forms.arrays import arrays_bytes, arrays_in
from samuel.models.forms.form import Form
from samuel.models.forms.kinds import CardError, described_features, known_features
from samuel.models.probcut import parameters_in, probcut_bytes
from samuel.models.saved.forms import ENTRIES, read_form

FORMAT = 1
"""Raised when a folder written from then on cannot be read by the code before."""

CARD, WEIGHTS, ESTIMATOR = "model.json", "weights.npz", "estimator.skops"
PROBCUT = "probcut.npy"
SLOW = "slow"
"""The kind of a model without a compiled form."""

_LONGEST_NAME = 200
_LONGEST_ERROR = 1000


@dataclass(frozen=True)
class _Described:
    """What every card says, and what is read of it where it does: by reports, and `_versions`."""

    format: int
    name: str
    game: str
    kind: str
    files: dict[str, str]
    scale: float | None = None
    seed: int | None = None
    held_out: float | None = None
    seconds: float | None = None
    data: dict[str, Any] | None = None
    versions: dict[str, str] | None = None
    plugins: list[Origin] = field(default_factory=list)


@dataclass(frozen=True)
class Model:
    """A saved model.

    Attributes
    ----------
    folder
        Where it lies.
    card
        What `model.json` says of it.
    evaluator
        What the search runs.
    trusted
        Types that its estimator may hold besides those known to be harmless.
    """

    folder: Path
    card: dict[str, Any] = field(repr=False)
    evaluator: Evaluator
    trusted: tuple[str, ...] = field(default=(), repr=False)

    @functools.cached_property
    def estimator(self) -> Any:
        """The scikit-learn estimator, read when first asked for."""
        return _read_estimator(self.folder, self.card, self.trusted)

    def predict(self, positions: ArrayLike) -> NDArray[np.float32]:
        """Return the scores (n,) of positions (n, K), finished ones by their utility."""
        return evaluate(self.evaluator, known_game(self.evaluator.game), positions)


def save(
    folder: Path | str,
    estimator: Any,
    *,
    name: str,
    scale: float | None = None,
    card: dict[str, Any] | None = None,
) -> None:
    """Write a fitted estimator and its compiled form to a folder; see `compile_model`.

    Parameters
    ----------
    folder
        A new or empty folder, or that of a model, which is replaced.
    estimator
        A fitted estimator over positions; see `compile_model`.
    name
        What reports call it.
    scale
        Of a classifier: units of score per logit.
    card
        Further entries for `model.json`, such as the training data and metrics.

    Raises
    ------
    UserError
        The folder holds something else or cannot be written, or the estimator has no compiled
        form and cannot be saved itself.

    Warns
    -----
    UserWarning
        Only the compiled form can be saved, since skops cannot write the estimator; or a model
        without one holds types that are only read where they are trusted by name.
    """
    from samuel.models.convert import compiled_model, title_of
    from samuel.models.saved.skops_file import estimator_bytes, modules_in

    folder = Path(folder)
    require_room(folder)
    if not _is_name(name):
        raise UserError(
            f"a model's name is a line of at most {_LONGEST_NAME} characters, not "
            f"{reprlib.repr(name)}"
        )
    model = compiled_model(estimator, scale)
    contents = {} if model is None else {WEIGHTS: arrays_bytes(model.arrays())}
    modules: set[str] = set()
    try:
        contents[ESTIMATOR] = estimator_bytes(estimator)
        modules = modules_in(contents[ESTIMATOR])
        if model is None:
            _warn_of_strange(contents[ESTIMATOR])
    except UserError as error:
        if model is None:
            raise
        warnings.warn(f"{error}; the evaluator is saved without it", stacklevel=2)
    own = {
        "format": FORMAT,
        "name": name,
        "model": title_of(estimator),
        **(_slow_description(estimator) if model is None else model.described()),
        "scale": scale,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
        "files": {file: _digest(content) for file, content in contents.items()},
    }
    modules |= {str(read.function.__module__) for read in _features_read(estimator, own)}
    own["plugins"] = origins_of(own["game"], modules)
    own |= {k: v for k, v in (card or {}).items() if k not in own and k not in ENTRIES}
    contents[CARD] = json_bytes(own, folder / CARD)
    _write(folder, contents)


def _write(folder: Path, contents: dict[str, bytes]) -> None:
    """Write the files of a model in place of one that is there; what else is there stays."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with in_turn(folder):
        with contextlib.ExitStack() as renamed_at_the_end:
            # all is written before anything is renamed, and the card, entered first, comes last:
            # a full disk leaves the model that was here before as it was
            for file in sorted(contents, key=lambda file: file != CARD):
                renamed_at_the_end.enter_context(whole(folder / file)).write_bytes(contents[file])
        for file in {WEIGHTS, ESTIMATOR, PROBCUT} - set(contents):
            (folder / file).unlink(missing_ok=True)  # of the model that was here before


def load(folder: Path | str, *, trusted: Sequence[str] = ()) -> Evaluator:
    """Return the evaluator of a saved model; see `load_model`."""
    return load_model(folder, trusted=trusted).evaluator


def load_model(folder: Path | str, *, trusted: Sequence[str] = ()) -> Model:
    """Return a saved model.

    Parameters
    ----------
    folder
        Where `save` wrote it.
    trusted
        Names of further types that may be built from the estimator's file: name only types
        whose code you would run.

    Raises
    ------
    UserError
        A file is missing, cut off or altered, was written by a newer version, or was made for
        features that are not these.
    """
    folder = Path(folder)
    with in_turn(folder, reading=True):
        card = _read_card(folder)
        game_from(str(folder), card["game"], card.get("plugins", []))
        if card["kind"] == SLOW:
            _require_known_features(folder, card)
            estimator = _read_estimator(folder, card, trusted)
            evaluator = _slow_evaluator(folder, card, estimator)
        else:
            evaluator = _read_weights(folder, card).evaluator(card["name"], str(folder))
        if PROBCUT in card["files"]:
            evaluator = replace(evaluator, probcut=_read_probcut(folder, card))
        return Model(folder, card, evaluator, tuple(trusted))


def save_probcut(
    folder: Path | str, parameters: NDArray[np.float32], about: dict[str, Any] | None = None
) -> None:
    """Write parameters of ProbCut into the folder of a model, which is else left as it is.

    Parameters
    ----------
    folder
        Where `save` wrote the model.
    parameters
        As Evaluator.probcut.
    about
        What the entry `probcut` of the card is to say of them.

    Raises
    ------
    UserError
        There is no whole model in the folder, it cannot be written or leads out of itself, or no
        search could use the parameters.
    """
    folder = Path(folder)
    with in_turn(folder):
        card = _read_card(folder)
        require_own(folder)
        content = probcut_bytes(parameters)
        if card["files"].pop(PROBCUT, None):
            write_json(folder / CARD, card)  # interrupted from here on, the model is whole without
        with whole(folder / PROBCUT) as partial:
            partial.write_bytes(content)
        card["files"][PROBCUT] = _digest(content)
        write_json(folder / CARD, card | {"probcut": about or {}})


def copy_model(folder: Path | str, target: Path) -> None:
    """Copy the files that a model is made of, and nothing else that lies there.

    Parameters
    ----------
    folder
        Of the model.
    target
        A new or empty folder, or that of a model, which is replaced.

    Raises
    ------
    UserError
        The model is not whole, or the target holds something else or cannot be written.
    """
    folder = Path(folder)
    require_room(target)
    with in_turn(folder, reading=True):
        card = _read_card(folder)
        contents = {CARD: read_bytes(folder / CARD)}
        for file in (WEIGHTS, ESTIMATOR, PROBCUT):
            if file in card["files"]:
                contents[file] = _read_whole(folder, card, file)
    _write(target, contents)


def require_writable(folder: Path | str) -> None:
    """Raise UserError unless the folder holds a model and can be added to."""
    _read_card(Path(folder))
    require_own(Path(folder))
    with writing(Path(folder) / PROBCUT), tempfile.TemporaryFile(dir=folder):
        pass


def require_room(folder: Path) -> None:
    """Raise UserError where something other than a model lies in the folder, or it has no name."""
    require_name(folder)
    if not folder.is_dir():
        return  # a file in the way is refused when writing
    names = {entry.name for entry in folder.iterdir() if not entry.name.endswith(PARTIAL)}
    if "manifest.json" in names:
        raise UserError(f"{folder} holds a dataset; choose another folder for the model")
    if CARD not in names and names - {WEIGHTS, ESTIMATOR, PROBCUT}:
        raise UserError(
            f"{folder} holds something that is no model ({sorted(names - {CARD})[0]}); "
            "choose another folder"
        )
    require_own(folder)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in ("samuel-learning", "numpy", "scikit-learn", "skops"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from its sources
            continue
    return found


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read_card(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise UserError(f"there is no model in {folder}: no such folder")
    path = folder / CARD
    if not path.exists():
        raise UserError(
            f"{path} is missing: {folder} is not the folder of a model, or its writing was "
            f"interrupted{but_is(folder)}"
        )
    card = record_in(read_bytes(path), dict[str, Any], str(path), _REMEDY, format=FORMAT)
    described = as_record(card, _Described, str(path), _REMEDY)
    for entry in ("name", "game", "kind"):
        if not _is_name(getattr(described, entry)):
            raise UserError(
                f"{path} is damaged: its {entry} is no line of at most {_LONGEST_NAME} "
                f"characters; {_REMEDY}"
            )
    return card


def _is_name(name: str) -> bool:
    """Return whether a name can be shown on a line of a terminal, and is not absurdly long."""
    return name.isprintable() and len(name) <= _LONGEST_NAME


_REMEDY = "train the model again, or copy it anew from where it was made"


def _slow_description(estimator: Any) -> dict[str, Any]:
    from samuel.models.convert import game_of
    from samuel.models.forms.log_odds import steps_of

    game = game_of(estimator)
    first = steps_of(estimator.stages_[0] if hasattr(estimator, "stages_") else estimator)[0]
    known = features_named(first.features, game) if hasattr(first, "features") else ()
    return {"kind": SLOW, "game": game, **(described_features(known) if known else {})}


def _warn_of_strange(content: bytes) -> None:
    from samuel.models.saved.skops_file import strange_types

    strange = strange_types(content)
    if strange:
        warnings.warn(
            f"this model loads in Python alone, by load_model(..., trusted={strange}); define what "
            "is your own as an estimator (a class with fit, and predict or transform) in a file of "
            "its own, load that with --plugin FILE (in Python, load_plugin) and train again, and "
            "it loads wherever that file is named",
            stacklevel=3,
        )


def _features_read(estimator: Any, description: dict[str, Any]) -> Iterator[Feature]:
    """Yield the features that the compiled form reads, or, where there is none, the estimator."""
    from samuel.features import Features  # needs scikit-learn, as what follows
    from samuel.models.saved.estimator_checks import all_in

    is_slow = description["kind"] == SLOW
    for part in all_in(estimator if is_slow else description):
        if isinstance(part, Features):
            yield from features_named(part.features, part.game)
        elif isinstance(part, Terms):
            yield from part.features
        elif not is_slow and isinstance(part, dict) and "features" in part:
            yield from features_named(part["features"], description["game"])


def game_of_model(folder: Path | str) -> Game:
    """Return the game of a saved model.

    Raises
    ------
    UserError
        There is no model, or its game is not known here.
    """
    card = _read_card(Path(folder))
    return game_from(str(folder), card["game"], card.get("plugins", []))


def _read_whole(folder: Path, card: dict[str, Any], file: str) -> bytes:
    """Return the content of a file that must be as the card says."""
    path = folder / file
    if not path.is_file():
        raise UserError(f"{path} is missing; {_REMEDY}")
    content = read_bytes(path)
    if _digest(content) != card["files"].get(file):
        raise UserError(
            f"{path} is cut off or altered: it is not the file that {CARD} names; {_REMEDY}"
        )
    return content


def _require_known_features(folder: Path, card: dict[str, Any]) -> None:
    try:
        if "features_digest" in card:
            known_features(card)
    except CardError as error:
        raise UserError(f"{folder / CARD} is damaged: {error}; {_REMEDY}") from None
    except UserError as error:
        raise _unusable(folder, card, error) from None


def _unusable(folder: Path, card: dict[str, Any], error: UserError) -> UserError:
    files = unnamed(card.get("plugins", []))
    said = textwrap.shorten(str(error), _LONGEST_ERROR)
    return PluginNeededError(f"{folder} cannot be used: {said}", files)


def _read_weights(folder: Path, card: dict[str, Any]) -> Form:
    content = _read_whole(folder, card, WEIGHTS)
    try:
        arrays = arrays_in(content)
        form = read_form(card, arrays)
    except UserError as error:
        raise _unusable(folder, card, error) from None
    except CardError as error:
        raise UserError(f"{folder / CARD} is damaged: {error}; {_REMEDY}") from None
    except ValueError as error:
        raise UserError(f"{folder / WEIGHTS} is damaged: {error}; {_REMEDY}") from None
    is_whole = set(form.arrays()) == set(arrays)
    if not (is_whole and form.is_sound and form.game is known_game(card["game"])):
        raise UserError(
            f"{folder / WEIGHTS} is damaged: its arrays are not those of a model of the kind "
            f"{card['kind']} that {CARD} describes; {_REMEDY}"
        )
    return form


def _read_probcut(folder: Path, card: dict[str, Any]) -> NDArray[np.float32]:
    content = _read_whole(folder, card, PROBCUT)
    try:
        return parameters_in(content)
    except ValueError as error:
        raise UserError(f"{folder / PROBCUT} is damaged: {error}; {_REMEDY}") from None


def _read_estimator(folder: Path, card: dict[str, Any], trusted: Sequence[str]) -> Any:
    from samuel.models.saved.skops_file import read_estimator

    if ESTIMATOR not in card["files"]:
        raise UserError(f"{folder} was saved without its estimator, which skops could not write")
    content = _read_whole(folder, card, ESTIMATOR)
    try:
        return read_estimator(content, str(folder / ESTIMATOR), trusted, card.get("versions"))
    except PluginNeededError:
        raise
    except UserError as error:  # it may quote the file, which may hold anything
        raise UserError(textwrap.shorten(str(error), _LONGEST_ERROR)) from error


def _slow_evaluator(folder: Path, card: dict[str, Any], estimator: Any) -> Evaluator:
    from samuel.models.convert import compile_model

    with _its_own_failures(folder):
        evaluator = compile_model(
            estimator, card["name"], scale=card.get("scale"), origin=str(folder)
        )
    if evaluator.game != card["game"]:
        raise UserError(f"{folder} is damaged: {CARD} and {ESTIMATOR} name two games; {_REMEDY}")

    def check() -> None:
        with _its_own_failures(folder):
            evaluator.check()

    return replace(evaluator, check=check)


@contextlib.contextmanager
def _its_own_failures(folder: Path) -> Iterator[None]:
    """Turn whatever somebody else's estimator raises, with what a file gave it, into a sentence."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        raise UserError(
            f"{folder / ESTIMATOR} cannot be used: the estimator fails at a position "
            f"({type(error).__name__}: {reprlib.repr(str(error))}); {_REMEDY}"
        ) from error
