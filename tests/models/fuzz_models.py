"""Models with changes that no training makes, read as from somebody else.

`python -m tests.models.fuzz_models FIRST COUNT` makes a small model of each kind, reads it, changes
copies of them (each change from a seed of its own, FIRST and on), reads those, and lets those that
are accepted score positions. What a change meets depends on the day, too: dates and numbers of
objects stand in the files. It prints a line a change and ends with status 1 at a traceback; what
ends the process itself, or never ends, whoever started it sees.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import io
import json
import resource
import shutil
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from samuel.errors import UserError
from samuel.features import Features
from samuel.games import game_named
from samuel.games.playing import random_positions
from samuel.models import Corrected, PatternNetwork, PatternRegressor, Staged, load_model, save
from samuel.models.compiled.arrays import arrays_bytes
from samuel.models.saved.card import CARD, ESTIMATOR, PROBCUT, WARM_START, WEIGHTS
from samuel.models.saved.loading import start_from
from samuel.models.saved.saving import save_probcut

GAME = "othello_4x4"
POSITIONS = random_positions(game_named(GAME), 150, seed=1)
PROBES = POSITIONS[:10]
_DISCS = np.bitwise_count(POSITIONS).astype(float) @ [1.0, -1.0]
_MOST_MEMORY = 12 << 30
"""Bytes of addresses, of which the compiler and the linear algebra take several billions."""

NUMBERS = [0, -1, 1, 2, 3, 2**15, 2**31 - 1, 2**31, -(2**31), 2**32, 2**63 - 1, 10**30]
REALS = [float("nan"), float("inf"), -float("inf"), 3e38, -3e38, 1e308, 5e-324, 1e-45, 0.5]
TEXTS = [
    "",
    "\x1b[2J",
    "a\nb",
    "\udc00",
    "x" * 100_000,
    "../../x",
    "x.py",
    "patterns",
    "sum",
    "slow",
]
_DEEP: Any = functools.reduce(lambda inner, _: [inner], range(90), [])
OTHERS = [None, True, [], {}, _DEEP, [[[]]], {"kind": "sum", "parts": []}]


def _over_features(*steps: Any) -> Any:
    return make_pipeline(Features(["mobility", "corners"], GAME), *steps)


def _probcut() -> np.ndarray:
    parameters = np.zeros((2, 8, 2, 4), np.float32)
    parameters[:, 4:, 0] = (2, 1, 0, 3)
    return parameters


MODELS: dict[str, Callable[[], Any]] = {
    "linear": lambda: Staged(_over_features(StandardScaler(), Ridge()), (0, 6, 12), GAME),
    "mlp": lambda: _over_features(MLPRegressor(hidden_layer_sizes=(5, 3), max_iter=3)),
    "trees": lambda: _over_features(RandomForestRegressor(3, max_depth=4)),
    "histogram": lambda: _over_features(HistGradientBoostingRegressor(max_iter=3)),
    "patterns": lambda: PatternRegressor(
        ["a1 b1 c1", "b2 c3"],
        GAME,
        stages=3,
        max_iter=5,
        tables=["mobility_player"],
        warm_start=True,
    ),
    "network": lambda: PatternNetwork(shapes=["a1 b1", "b2"], game=GAME, epochs=1),
    "sum": lambda: Corrected(
        PatternRegressor(["a1 b1"], GAME, max_iter=3), _over_features(Ridge())
    ),
    "slow": lambda: _over_features(StandardScaler(), KernelRidge(kernel="rbf")),
}


def make(kind: str, folder: Path) -> None:
    """Write a sound model of a kind."""
    save(folder, MODELS[kind]().fit(POSITIONS, _DISCS), name=kind)
    if kind == "linear":
        save_probcut(folder, _probcut())


def read(folder: Path) -> str:
    """Return what came of reading a model: "refused", or "accepted" and used."""
    try:
        model = load_model(folder)
        scores = model.predict(PROBES)
        if WARM_START in model.card["files"]:
            start_from(MODELS["patterns"](), folder)
    except UserError as error:
        text = str(error)
        assert "\n" not in text, text
        assert len(text) < 2000, text[:2000]
        return "refused"
    assert np.isfinite(scores).all(), scores
    return "accepted"


def change(folder: Path, random: np.random.Generator) -> str:
    """Change a model somewhere, mostly with digests made right; return how."""
    files = sorted(path.name for path in folder.iterdir())
    how = random.choice(["bytes", "card", "card", "arrays", "arrays", "estimator", "inside", "cut"])
    if how == "bytes" or how == "cut":
        file = folder / str(random.choice(files))
        file.write_bytes(_altered(file.read_bytes(), random, how))
        return f"{how} of {file.name}"
    if how == "card":
        return _change_card(folder, random)
    if how == "arrays" and (folder / WEIGHTS).exists():
        return _change_arrays(folder, random)
    if how == "estimator" and (folder / ESTIMATOR).exists():
        return _change_estimator(folder, random)
    name = str(random.choice([file for file in files if file != CARD]))
    _replace(folder, name, _altered((folder / name).read_bytes(), random, "bytes"))
    return f"bytes of {name}, with its digest"


def _altered(content: bytes, random: np.random.Generator, how: str) -> bytes:
    if how == "cut":
        return content[: int(random.integers(len(content)))]
    altered = bytearray(content)
    for place in random.integers(len(content), size=random.integers(1, 6)):
        altered[place] = random.integers(256)
    return bytes(altered)


def _replace(folder: Path, name: str, content: bytes) -> None:
    """Replace a file, and its digest on the card."""
    (folder / name).write_bytes(content)
    card = json.loads((folder / CARD).read_bytes())
    card["files"][name] = hashlib.sha256(content).hexdigest()
    (folder / CARD).write_text(json.dumps(card))


def _places(part: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the holder and the key of everything in nested lists and objects."""
    items = part.items() if isinstance(part, dict) else enumerate(part)
    for key, value in list(items):
        yield part, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _change_json(found: Any, random: np.random.Generator) -> str:
    places = list(_places(found))
    holder, key = places[int(random.integers(len(places)))]
    how = random.choice(["value", "value", "sibling", "gone", "twice"])
    if how == "gone":
        del holder[key]
    elif how == "twice" and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    elif how == "sibling":
        other, place = places[int(random.integers(len(places)))]
        holder[key] = copy.deepcopy(other.get(place) if isinstance(other, dict) else None)
    else:
        values = [*NUMBERS, *REALS, *TEXTS, *OTHERS]
        holder[key] = copy.deepcopy(values[int(random.integers(len(values)))])
    return f"{how} of {str(key)[:40]}"


def _change_card(folder: Path, random: np.random.Generator) -> str:
    card = json.loads((folder / CARD).read_bytes())
    how = _change_json(card, random)
    text = json.dumps(card)
    (folder / CARD).write_bytes(text.encode("utf-8", "surrogatepass"))
    return f"card: {how}"


def _changed_array(array: np.ndarray, random: np.random.Generator) -> np.ndarray:
    how = random.choice(["number", "number", "number", "type", "shape", "cut", "longer", "order"])
    array = array.copy()
    if how == "type":
        return array.astype(random.choice(["f4", "f8", "i2", "i4", "i8", "u1", "U3", ">f4", "c8"]))
    if how == "shape":
        return random.choice(np.array([array.ravel(), array[None], array.T, array[:0]], object))
    if how == "cut":
        return array[:-1]
    if how == "longer":
        return np.concatenate([array, array])
    if how == "order":
        return np.asfortranarray(array[::-1])
    whole = array.dtype.kind == "i"
    for place in random.integers(array.size, size=random.integers(1, 4)) if array.size else ():
        number = random.choice(np.array([*NUMBERS[:9], array.size] if whole else REALS))
        if whole:
            most = np.iinfo(array.dtype)
            number = max(most.min, min(most.max, int(number)))
        if array.dtype.kind in "if":
            array.ravel()[place : place + 1] = number
            array.flat[place] = number
    return array


def _change_arrays(folder: Path, random: np.random.Generator) -> str:
    if (folder / PROBCUT).exists() and random.random() < 0.2:
        file = io.BytesIO()
        np.save(file, _changed_array(np.load(folder / PROBCUT), random))
        _replace(folder, PROBCUT, file.getvalue())
        return "parameters of ProbCut"
    here = [file for file in (WEIGHTS, WARM_START) if (folder / file).exists()]
    chosen = str(random.choice(here))
    with np.load(folder / chosen) as found:
        arrays = dict(found)
    name = str(random.choice(sorted(arrays)))
    how = random.choice(["changed", "changed", "changed", "changed", "gone", "other", "more"])
    if how == "gone":
        del arrays[name]
    elif how == "other":
        arrays[name] = arrays[str(random.choice(sorted(arrays)))]
    elif how == "more":
        arrays[f"{name}_1"] = arrays[name]
    else:
        arrays[name] = _changed_array(arrays[name], random)
    _replace(folder, chosen, arrays_bytes(arrays))
    return f"array {name} of {chosen} {how}"


def _change_estimator(folder: Path, random: np.random.Generator) -> str:
    """Change the schema or a member of the estimator's file."""
    with zipfile.ZipFile(folder / ESTIMATOR) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = str(random.choice(["schema.json", *sorted(members)]))
    if name == "schema.json":
        schema = json.loads(members[name])
        how = _change_json(schema, random)
        members[name] = json.dumps(schema).encode("utf-8", "surrogatepass")
    else:
        members[name], how = _altered(members[name], random, "bytes"), "bytes"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    _replace(folder, ESTIMATOR, file.getvalue())
    return f"estimator: {name}, {how}"


def main(first: int, count: int) -> None:
    """Change and read models, of each kind in turn."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as made:
        for kind in MODELS:
            make(kind, Path(made) / kind)
            assert read(Path(made) / kind) == "accepted", kind
        copied = Path(made) / "copy"
        for seed in range(first, first + count):
            random = np.random.default_rng(seed)
            kind = list(MODELS)[seed % len(MODELS)]
            shutil.copytree(Path(made) / kind, copied)
            how = change(copied, random)
            print(json.dumps([seed, kind, how]), end=" ", flush=True)
            print(read(copied), flush=True)
            shutil.rmtree(copied)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
