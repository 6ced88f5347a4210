"""Models read from a folder: nothing in it is run, and what is not as it was written is refused."""

from __future__ import annotations

import contextlib
import functools
import reprlib
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.common.errors import PluginNeededError, UserError
from samuel.common.files import in_turn
from samuel.common.json_files import as_record
from samuel.games.catalog import known_game
from samuel.games.evaluator import Evaluator
from samuel.games.origins import game_from, unnamed
from samuel.games.wdl import WinDrawLoss
from samuel.models.compiled.forms import read_compiled
from samuel.models.compiled.model import CardError, CompiledModel, arrays_in, known_features
from samuel.models.evaluate import evaluate
from samuel.models.probcut import parameters_in
from samuel.models.saved.card import (
    CARD,
    ERRORS,
    ESTIMATOR,
    PROBCUT,
    REMEDY,
    SLOW,
    WARM_START,
    WEIGHTS,
    read_card,
    read_whole,
)

if TYPE_CHECKING:
    from samuel.models.weights import Weights

_LONGEST_ERROR = 1000


@dataclass(frozen=True)
class Model:
    """A saved model."""

    folder: Path
    card: dict[str, Any] = field(repr=False)  # model.json
    evaluator: Evaluator
    trusted: tuple[str, ...] = field(default=(), repr=False)  # names of types

    @functools.cached_property
    def estimator(self) -> Any:
        """The scikit-learn estimator, where it was saved; read when first asked for."""
        return _read_estimator(self.folder, self.card, self.trusted)

    def predict(self, positions: ArrayLike) -> NDArray[np.float32]:
        """Return the scores (n,) of positions (n, K), finished ones by their utility."""
        return evaluate(self.evaluator, known_game(self.evaluator.game), positions)


def load(folder: Path | str, *, trusted: Sequence[str] = ()) -> Evaluator:
    """Return the evaluator of a saved model; see `load_model`."""
    return load_model(folder, trusted=trusted).evaluator


def load_model(folder: Path | str, *, trusted: Sequence[str] = ()) -> Model:
    """Load a saved model with its estimator and card.

    Parameters
    ----------
    folder
        Folder of the saved model.
    trusted
        Names of further Python types to load from the saved estimator. Name only types whose author
        you trust.

    Returns
    -------
    Model
        Model with its estimator, evaluator and card.

    Raises
    ------
    UserError
        A file is missing, incomplete or changed, was written by a newer version, or the features of
        the model have changed.

    Examples
    --------
    >>> import samuel
    >>> model = samuel.load_model("runs/ridge")
    >>> model.evaluator.game
    'tic_tac_toe'
    """
    folder = Path(folder)
    with in_turn(folder, reading=True):
        card = _card_of(folder)
        if card["kind"] == SLOW:
            estimator = _read_estimator(folder, card, trusted)
            evaluator = _slow_evaluator(folder, card, estimator)
        else:
            evaluator = _read_weights(folder, card).evaluator(card["name"], str(folder))
        if PROBCUT in card["files"]:
            content = read_whole(folder, card, PROBCUT)
            with _reading(folder / PROBCUT):
                evaluator = replace(evaluator, probcut=parameters_in(content))
        if "wdl" in card:
            wdl = as_record(card["wdl"], WinDrawLoss, str(folder / CARD), REMEDY)
            evaluator = replace(evaluator, wdl=wdl)
        return Model(folder, card, evaluator, tuple(trusted))


def trust(names: Sequence[str]) -> None:
    """Let this process build further types from the files of estimators, as `--trust` does."""
    _trusted.update(names)


_trusted: set[str] = set()


def load_compiled(folder: Path | str) -> CompiledModel:
    """Return the compiled form of a saved model; errors are those of `load_model`."""
    folder = Path(folder)
    with in_turn(folder, reading=True):
        return _compiled(folder)


def _compiled(folder: Path) -> CompiledModel:
    card = _card_of(folder)
    if card["kind"] == SLOW:
        raise UserError(f"{folder} has no compiled form: its estimator runs in Python")
    return _read_weights(folder, card)


def load_weights(folder: Path | str) -> Weights | None:
    """Return the weights of a saved model, with what the fit tells of them.

    None where it is not linear in features; errors are those of `load_model`.
    """
    from samuel.models.weights import WeightFit, weights_in

    folder = Path(folder)
    with in_turn(folder, reading=True):
        card = read_card(folder)
        found = None if card["kind"] == SLOW else weights_in(_compiled(folder))
        if found is None or ERRORS not in card["files"]:
            return found
        content = read_whole(folder, card, ERRORS)
    with _reading(folder / ERRORS):
        return found._replace(fit=WeightFit.read(arrays_in(content), found.weights.shape))


def start_from(learner: Any, folder: Path | str) -> None:
    """Let an estimator of ours become what a saved model holds, with what a fit goes on from."""
    folder = Path(folder)
    with in_turn(folder, reading=True):
        form = _compiled(folder)
        content = read_whole(folder, read_card(folder), WARM_START)
    with _reading(folder / WARM_START):
        learner.start_from(form, arrays_in(content))


def _card_of(folder: Path) -> dict[str, Any]:
    """Return the card of a model whose game is known."""
    card = read_card(folder)
    game_from(str(folder), card["game"], card.get("plugins", []))
    return card


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn the error of a damaged file into a sentence."""
    try:
        yield
    except ValueError as error:
        path = path.with_name(CARD) if isinstance(error, CardError) else path
        raise UserError(f"{path} is damaged: {error}; {REMEDY}") from None


@contextlib.contextmanager
def _finding_features(folder: Path, card: dict[str, Any]) -> Iterator[None]:
    """Name the person's files where features are missing or have changed."""
    try:
        yield
    except UserError as error:
        files = unnamed(card.get("plugins", []))
        said = textwrap.shorten(str(error), _LONGEST_ERROR)
        raise PluginNeededError(f"{folder} cannot be used: {said}", files) from None


def _read_weights(folder: Path, card: dict[str, Any]) -> CompiledModel:
    content = read_whole(folder, card, WEIGHTS)
    with _reading(folder / WEIGHTS), _finding_features(folder, card):
        form = read_compiled(card, arrays_in(content))
        form.check()
        if form.game is not known_game(card["game"]):
            raise CardError(f"its parts are of {form.game.name}, and it is of {card['game']}")
    return form


def _read_estimator(folder: Path, card: dict[str, Any], trusted: Sequence[str]) -> Any:
    from samuel.models.saved.skops_file import read_estimator

    if ESTIMATOR not in card["files"]:
        raise UserError(
            f"{folder} was saved without its estimator; save(..., keep_estimator=True) includes it"
        )
    if "features_digest" in card:
        with _reading(folder / CARD), _finding_features(folder, card):
            known_features(card)
    content = read_whole(folder, card, ESTIMATOR)
    try:
        names = [*_trusted, *trusted]
        return read_estimator(content, str(folder / ESTIMATOR), names, card.get("versions"))
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
        raise UserError(f"{folder} is damaged: {CARD} and {ESTIMATOR} name two games; {REMEDY}")

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
            f"({type(error).__name__}: {reprlib.repr(str(error))}); {REMEDY}"
        ) from error
