"""Models written to a folder, added to and copied; what lies in one, models/saved/card.py says."""

from __future__ import annotations

import contextlib
import platform
import reprlib
import tempfile
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.common.files import (
    MOST_OF_JSON,
    PARTIAL,
    in_turn,
    read_bytes,
    require_name,
    require_own,
    whole,
    writing,
)
from samuel.common.json_files import json_bytes
from samuel.common.versions import version_of
from samuel.features import Feature, features_named
from samuel.games.evaluator import Evaluator
from samuel.games.origins import origins_of
from samuel.models.compiled.forms import ENTRIES
from samuel.models.compiled.model import arrays_bytes, described_features
from samuel.models.probcut import probcut_bytes
from samuel.models.saved.card import (
    CARD,
    ERRORS,
    ESTIMATOR,
    FILES,
    FORMAT,
    LONGEST_NAME,
    PROBCUT,
    SLOW,
    WARM_START,
    WEIGHTS,
    digest,
    is_name,
    read_card,
    read_whole,
)


def save(
    folder: Path | str,
    estimator: Any,
    *,
    name: str,
    scale: float | None = None,
    card: dict[str, Any] | None = None,
    keep_estimator: bool = False,
) -> None:
    """Save the compiled form of a fitted estimator to a folder; see `compile_model`.

    The estimator itself is saved too if it has no compiled form, or if it has `warm_start` and
    cannot continue without.

    Parameters
    ----------
    folder
        New or empty folder, or the folder of a model. That model is replaced without a question.
    estimator
        A fitted estimator over positions; see `compile_model`.
    name
        Name in reports.
    scale
        Score per logit of a classifier.
    card
        Further entries for `model.json`, such as the training data and metrics.
    keep_estimator
        Save the estimator too, for `load_model(folder).estimator`.

    Raises
    ------
    UserError
        The folder contains something else or cannot be written, or the estimator has no compiled
        form and cannot be saved itself.

    Warns
    -----
    UserWarning
        Only the compiled form can be saved, since skops cannot write the estimator; or that is
        only read where types in it are trusted by name.

    Examples
    --------
    >>> import samuel
    >>> trained = samuel.train("data/games", "ridge")
    >>> samuel.save("runs/mine", trained.estimator, name="mine")
    >>> samuel.load_evaluator("runs/mine").game
    'tic_tac_toe'
    """
    from samuel.models.convert import compiled_model, reads_of, title_of

    folder = Path(folder)
    require_room(folder)
    if not is_name(name):
        raise UserError(
            f"the name of a model must be one line of at most {LONGEST_NAME} characters (got "
            f"{reprlib.repr(name)})"
        )
    if isinstance(estimator, Evaluator):
        raise UserError(
            f"save takes a fitted estimator, not the evaluator {estimator.name}; an evaluator "
            "of yours stays in the file that defines it"
        )
    model = compiled_model(estimator, scale)
    contents = {} if model is None else {WEIGHTS: arrays_bytes(model.arrays())}
    learner, modules = learner_of(estimator), set[str]()
    goes_on = model is not None and getattr(learner, "warm_start", False)
    if goes_on and hasattr(learner, "warm_start_arrays"):
        contents[WARM_START] = arrays_bytes(learner.warm_start_arrays())
    if model is not None and hasattr(learner, "weight_fit"):
        contents[ERRORS] = arrays_bytes(learner.weight_fit().arrays())
    if model is None or keep_estimator or (goes_on and WARM_START not in contents):
        from samuel.models.saved.skops_file import estimator_bytes, modules_in, untrusted_types

        try:
            contents[ESTIMATOR] = estimator_bytes(estimator)
            modules = modules_in(contents[ESTIMATOR])
            if untrusted := untrusted_types(contents[ESTIMATOR]):
                _warn_of(untrusted)
        except UserError as error:
            if model is None:
                raise
            warnings.warn(f"{error}; the evaluator is saved without it", stacklevel=2)
    own = {
        "format": FORMAT,
        "name": name,
        "model": title_of(estimator),
        **(_slow_description(estimator) if model is None else model.described()),
        "reads": reads_of(estimator),
        "scale": scale,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
        **({"made_of": made_of(estimator)} if WARM_START in contents else {}),
        "files": {file: digest(content) for file, content in contents.items()},
    }
    modules |= {str(read.function.__module__) for read in _features_read(estimator, own)}
    own["plugins"] = origins_of(own["game"], modules)
    own |= {k: v for k, v in (card or {}).items() if k not in own and k not in ENTRIES}
    contents[CARD] = json_bytes(own, folder / CARD)
    _write(folder, contents)


def learner_of(estimator: Any) -> Any:
    """Return the part that learns: the last step of a pipeline, of that of each stage."""
    from sklearn.pipeline import Pipeline

    from samuel.models.staged import Staged

    inner = estimator.estimator if isinstance(estimator, Staged) else estimator
    return inner.steps[-1][1] if isinstance(inner, Pipeline) and inner.steps else inner


def made_of(estimator: Any) -> dict[str, str]:
    """Return what an estimator and its parts are made with that later fits must not change."""
    may_change = ("steps", "random_state", "n_jobs", "verbose")
    may_change += tuple(getattr(learner_of(estimator), "between_fits", ()))
    return {
        name: repr(given)
        for name, given in estimator.get_params().items()
        if not name.endswith(may_change) and not hasattr(given, "get_params")
    }


def _write(folder: Path, contents: dict[str, bytes]) -> None:
    """Write the files of a model in place of one that is there; what else is there stays."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with in_turn(folder):
        _replace(folder, contents)
        for file in set(FILES) - set(contents):
            (folder / file).unlink(missing_ok=True)  # of the model that was here before


def _replace(folder: Path, contents: dict[str, bytes]) -> None:
    with contextlib.ExitStack() as renamed_at_the_end:
        # all is written before anything is renamed, and the card, entered first, comes last:
        # a full disk leaves the model that was here before as it was
        for file in sorted(contents, key=lambda file: file != CARD):
            renamed_at_the_end.enter_context(whole(folder / file)).write_bytes(contents[file])


def save_probcut(
    folder: Path | str, parameters: NDArray[np.float32], about: dict[str, Any] | None = None
) -> None:
    """Write parameters of ProbCut into the folder of a model, which is else left as it is."""
    folder = Path(folder)
    with in_turn(folder):
        card, content = read_card(folder), probcut_bytes(parameters)
        require_own(folder)
        if card["files"].pop(PROBCUT, None):  # killed from here on, the model is whole without
            _replace(folder, {CARD: json_bytes(card, folder / CARD)})
        card["files"][PROBCUT] = digest(content)
        card["probcut"] = about or {}
        _replace(folder, {CARD: json_bytes(card, folder / CARD), PROBCUT: content})


def save_wdl(folder: Path | str, found: dict[str, Any]) -> None:
    """Write chances of a win, a draw and a loss (`WdlFit.as_dict`) into the card of a model."""
    folder = Path(folder)
    with in_turn(folder):
        card = read_card(folder) | {"wdl": found}
        require_own(folder)
        _replace(folder, {CARD: json_bytes(card, folder / CARD)})


def copy_model(folder: Path | str, target: Path) -> None:
    """Copy the files that a model is made of, and nothing else that lies there."""
    folder = Path(folder)
    require_room(target)
    with in_turn(folder, reading=True):
        card = read_card(folder)
        contents = {file: read_whole(folder, card, file) for file in FILES if file in card["files"]}
        contents[CARD] = read_bytes(folder / CARD, MOST_OF_JSON)
    _write(target, contents)


def require_writable(folder: Path | str) -> None:
    """Raise UserError unless the folder holds a model and can be added to."""
    read_card(Path(folder))
    require_own(Path(folder))
    with writing(Path(folder) / CARD), tempfile.TemporaryFile(dir=folder):
        pass


def require_room(folder: Path) -> None:
    """Raise UserError where something other than a model lies in the folder, or it has no name."""
    require_name(folder)
    if not folder.is_dir():
        return  # a file in the way is refused when writing
    names = {entry.name for entry in folder.iterdir() if not entry.name.endswith(PARTIAL)}
    if "manifest.json" in names:
        raise UserError(f"{folder} contains a dataset; choose another folder for the model")
    strays = names - set(FILES)
    if CARD not in names and strays:
        raise UserError(
            f"{folder} contains other files than a model ({min(strays)}); choose another folder"
        )
    require_own(folder)


def _versions() -> dict[str, str]:
    packages = ("samuel-learning", "numpy", "scikit-learn", "skops")
    found = {"python": platform.python_version()} | {name: version_of(name) for name in packages}
    return {name: version for name, version in found.items() if version is not None}


def _slow_description(estimator: Any) -> dict[str, Any]:
    from samuel.models.compiled.log_odds import steps_of
    from samuel.models.convert import game_of

    game = game_of(estimator)
    first = steps_of(estimator.stages_[0] if hasattr(estimator, "stages_") else estimator)[0]
    known = features_named(first.features, game) if hasattr(first, "features") else ()
    return {"kind": SLOW, "game": game, **(described_features(known) if known else {})}


def _warn_of(untrusted: list[str]) -> None:
    warnings.warn(
        f"the estimator of this model is read only if you trust {', '.join(untrusted)} by "
        "name (--trust, in Python trusted=); a class of yours with fit and predict or "
        "transform is read if its file is given with --plugin FILE",
        stacklevel=3,
    )


def _features_read(estimator: Any, description: dict[str, Any]) -> Iterator[Feature]:
    """Yield the features that the compiled form reads, or, where there is none, the estimator."""
    from samuel.features import Features  # needs scikit-learn

    if description["kind"] == SLOW:
        for part in estimator.get_params().values():
            if isinstance(part, Features):
                yield from features_named(part.features, part.game)
    if "features" in description:
        yield from features_named(description["features"], description["game"])
    for part in (*description.get("parts", ()), *filter(None, [description.get("linear")])):
        yield from _features_read(estimator, part)
