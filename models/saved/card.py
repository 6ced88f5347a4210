"""Models on disk: a folder with a card and arrays.

    model.json       the card; written last, it names the SHA-256 of the other files
    weights.npz      the arrays of its compiled model; absent where the estimator has none
    warm_start.npz   what a fit that goes on from this one needs besides, which may be nothing;
                     absent where none will
    estimator.skops  the fitted scikit-learn estimator where there is no compiled form, or where
                     the person wants it back
    probcut.npy      parameters of ProbCut; absent where none were fitted
    errors.npz       standard errors of the weights, and what they were before the fit; absent
                     where the fit tells none

Loading runs no code from these files, nor code that they name: their game and features are looked
up among those that this process knows. The compiled form needs no scikit-learn.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samuel.common.errors import UserError
from samuel.common.files import MOST_OF_JSON, but_is, read_bytes
from samuel.common.json_files import as_record, record_in
from samuel.games.game import Game
from samuel.games.origins import Origin, game_from

FORMAT = 1
"""Raised when a folder written from then on cannot be read by the code before."""
CARD, WEIGHTS, ESTIMATOR = "model.json", "weights.npz", "estimator.skops"
WARM_START, PROBCUT, ERRORS = "warm_start.npz", "probcut.npy", "errors.npz"
FILES = (WEIGHTS, WARM_START, ESTIMATOR, PROBCUT, ERRORS)
"""All that a card may name."""
SLOW = "slow"
"""The kind of a model without a compiled form."""
LONGEST_NAME = 200
_MOST_LISTED = 8


@dataclass(frozen=True)
class _Described:
    """Entries of every card; reports and `versions` read some of them where they are."""

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


def digest(content: bytes) -> str:
    """Return the digest of a file's content, as cards have it."""
    return hashlib.sha256(content).hexdigest()


def read_card(folder: Path) -> dict[str, Any]:
    """Return the card of a model; UserError where there is none, or a damaged one."""
    if not folder.is_dir():
        raise UserError(f"folder {folder} does not exist, so there is no model in it")
    path = folder / CARD
    if not path.exists():
        raise UserError(
            f"{path} is missing: {folder} is not a model folder, or writing it was "
            f"interrupted{but_is(folder) or _models_inside(folder)}"
        )
    content = read_bytes(path, MOST_OF_JSON)
    card = record_in(content, dict[str, Any], str(path), REMEDY, format=FORMAT)
    described = as_record(card, _Described, str(path), REMEDY)
    for entry in ("name", "game", "kind"):
        if not is_name(getattr(described, entry)):
            raise UserError(
                f"{path} is damaged: its {entry} is not one line of at most {LONGEST_NAME} "
                f"characters; {REMEDY}"
            )
    return card


def _models_inside(folder: Path) -> str:
    """Return which models lie in a folder, as the end of a sentence; "" where none does."""
    found = sorted(
        str(path.parent) for inside in ("*", "*/*") for path in folder.glob(f"{inside}/{CARD}")
    )
    listed = ", ".join(found[:_MOST_LISTED]) + ", ..." * (len(found) > _MOST_LISTED)
    return f"; models in it: {listed}" if found else ""


def is_name(name: str) -> bool:
    """Return whether a name can be shown on a line of a terminal, and is not absurdly long."""
    return name.isprintable() and len(name) <= LONGEST_NAME


REMEDY = "train the model again, or copy it again from where it was made"


def game_of_model(folder: Path | str) -> Game:
    """Return the game of a saved model."""
    card = read_card(Path(folder))
    return game_from(str(folder), card["game"], card.get("plugins", []))


def read_whole(folder: Path, card: dict[str, Any], file: str) -> bytes:
    """Return the content of a file that must be as the card says."""
    path = folder / file
    if not path.is_file():
        raise UserError(f"{path} is missing; {REMEDY}")
    content = read_bytes(path)
    if digest(content) != card["files"].get(file):
        raise UserError(
            f"{path} is cut off or altered: it is not the file that {CARD} names; {REMEDY}"
        )
    return content
