"""Packs an evaluator to ship: python docs/make_shipped.py FOLDER GAME NAME --about TEXT.

The model that the runs of a recipe end with goes into the folder of the recipe: its weights on the
grid that the search holds them on, its rows on every other step of theirs (an eighth less to pack,
0.3 % more of the squared error), its parameters of ProbCut, and the card without its places.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from cyclopts import run

from samuel.common.json_files import json_bytes
from samuel.models.compiled.forms import ENTRIES
from samuel.models.compiled.model import arrays_bytes, arrays_in
from samuel.models.named import FOLDER
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel
from samuel.models.saved.card import (
    CARD,
    PROBCUT,
    WARM_START,
    WEIGHTS,
    digest,
    read_card,
    read_whole,
)

_KEPT = ("format", "model", "kind", "game", *ENTRIES, "scale", "unit", "wdl", "versions", "plugins")
_FINEST = 1024
"""A weight of patterns is held in steps of one part in so many."""


def main(folder: Path, game: str, name: str, *, about: str) -> None:
    """Put the model of a folder beside the recipe that made it.

    Parameters
    ----------
    about
        A line that describes the model.
    """
    pack(folder, name, about, FOLDER / game / name)


def pack(folder: Path, name: str, about: str, target: Path) -> None:
    """Write the model of a folder to another, as small as it can be; see above."""
    card = read_card(folder)
    arrays = arrays_in(read_whole(folder, card, WEIGHTS))
    if card["kind"] in (PatternModel.kind, NetworkModel.kind):
        arrays["weights"] = (np.round(arrays["weights"] * _FINEST) / _FINEST).astype(np.float32)
    if card["kind"] == NetworkModel.kind:
        arrays["rows"] = 2 * np.clip(np.round(arrays["rows"] / 2), -63, 63).astype(np.int8)
    contents = {WEIGHTS: arrays_bytes(arrays)}
    if PROBCUT in card["files"]:
        contents[PROBCUT] = read_whole(folder, card, PROBCUT)
    own = {key: card[key] for key in _KEPT if key in card} | {"name": name, "about": about}
    if WARM_START in card["files"] and not arrays_in(again := read_whole(folder, card, WARM_START)):
        contents[WARM_START], own["made_of"] = again, card["made_of"]  # weights say it all
    own["files"] = {file: digest(content) for file, content in contents.items()}
    contents[CARD] = json_bytes(own, target / CARD)
    target.mkdir(parents=True, exist_ok=True)
    for file, content in contents.items():
        (target / file).write_bytes(content)
        print(f"{target / file}: {len(content):,} bytes")


if __name__ == "__main__":
    run(main)
