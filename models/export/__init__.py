"""Models for other programs: numpy's arrays, headers in C, ONNX, tables, Edax's file of weights."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from samuel.common.errors import UserError, plain_name, unknown
from samuel.common.files import whole
from samuel.games.game import Game
from samuel.models.bullet_file import bullet_bytes
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.model import CompiledModel, arrays_bytes
from samuel.models.export.c import (
    column_arrays,
    column_header,
    pattern_arrays,
    pattern_header,
    piece_arrays,
    piece_header,
)
from samuel.models.export.edax import edax_bytes
from samuel.models.export.onnx import column_graph, piece_graph
from samuel.models.export.weights import weights_bytes
from samuel.models.game_of import game_for
from samuel.models.named import folder_of, handmade_model, learned_names
from samuel.models.saved.loading import load_compiled, load_weights
from samuel.models.weights import Weights, weights_in

FORMATS = ("numpy", "c", "edax", "bullet", "onnx", "json", "csv")
_OF_WEIGHTS = ("c", "json", "csv", "numpy")
_LONG = 20_000_000
"""Bytes of a header; gcc takes 15 seconds for 31 MB, and 50 and 2.3 GB of memory for 131 MB."""


def export_model(model: str, game: Game | str | None, format: str, out: Path | str) -> int:
    """Write a pattern model, a network or a linear model to a file for other programs.

    docs/exports.md describes the files and how to compute a score from them.

    Parameters
    ----------
    model
        Folder of a pattern model, a network or a linear model, or the name of one that comes with
        samuel.
    game
        Game, or its name. By default the game of the model.
    format
        Format of the file: c (a header), numpy (.npz arrays), edax (eval.dat, for patterns of
        Edax), onnx (for networks without patterns), bullet (quantised.bin, for chess networks),
        json or csv (for linear models).
    out
        File to write.

    Returns
    -------
    int
        Number of bytes that are written.

    Raises
    ------
    UserError
        It is no such model or one of another game, the format cannot hold it, or the file cannot
        be written.
    """
    if format not in FORMATS:
        raise unknown("format", format, FORMATS)
    content = _content(model, game_for(game, model), format)
    with whole(out) as partial:
        partial.write_bytes(content)
    if format == "c" and len(content) > _LONG:
        warnings.warn(
            f"include {out} in one source file only: compiling it needs minutes and gigabytes",
            stacklevel=2,
        )
    return len(content)


_WRITERS: dict[str, dict[str, Callable[[Any, str], bytes]]] = {
    "patterns": {
        "numpy": lambda model, _: arrays_bytes(pattern_arrays(model)),
        "c": pattern_header,
        "edax": lambda model, _: edax_bytes(model),
    },
    "pattern network": {
        "numpy": lambda model, _: arrays_bytes(pattern_arrays(model)),
        "c": pattern_header,
    },
    "mlp": {
        "numpy": lambda model, title: arrays_bytes(column_arrays(model, title)),
        "c": column_header,
        "onnx": column_graph,
    },
    "nnue": {
        "numpy": lambda model, _: arrays_bytes(piece_arrays(model)),
        "c": piece_header,
        "onnx": piece_graph,
        "bullet": lambda model, _: bullet_bytes(model),
    },
}
"""Functions of a model and its title by kind of model and format."""
_CALLED = {
    "patterns": "a model of patterns",
    "pattern network": "a network over patterns",
    "mlp": "a network over features",
    "nnue": "an efficiently updatable network",
}


def _content(model: str, game: Game, format: str) -> bytes:
    compiled = _compiled(model, game)
    name = plain_name(Path(model).resolve().name)
    if compiled.kind == "linear":
        if format not in _OF_WEIGHTS:
            raise UserError(f"{model} is linear; use --format c, json, csv or numpy")
        return weights_bytes(model_weights(model, game), format, name)
    if compiled.kind == "sum":
        raise UserError(
            f"{model} is a sum of models, and a file has room for one; train a model without a base"
        )
    if compiled.kind not in _WRITERS:
        raise UserError(
            f"{model} cannot be exported: it has no patterns, is not linear and is no network; "
            "train one of these, such as --model tuples3 (samuel models lists them)"
        )
    writers = _WRITERS[compiled.kind]
    if format not in writers:
        *others, last = sorted(writers, key=FORMATS.index)
        raise UserError(
            f"{model} is {_CALLED[compiled.kind]}; use --format {', '.join(others)} or {last}"
        )
    return writers[format](compiled, name)


def model_weights(model: str, game: Game) -> Weights:
    """Return the weights of a linear model: a folder, or the name of one that comes with samuel."""
    compiled = _compiled(model, game)
    saved = (
        load_weights(model)
        if isinstance(compiled, FeatureModel) and _is_folder(model, game)
        else None
    )
    found = saved or weights_in(compiled)
    if found is None:
        raise UserError(f"{model} is not linear in features, so it has no table of weights")
    return found


def _is_folder(model: str, game: Game) -> bool:
    return model not in learned_names(game.name) and Path(model).is_dir()


def _compiled(model: str, game: Game) -> CompiledModel:
    if model in learned_names(game.name):
        return load_compiled(folder_of(model, game))
    if _is_folder(model, game):
        found = load_compiled(Path(model))
        if found.game.name != game.name:
            raise UserError(
                f"{model} evaluates {found.game.name}, not {game.name}; leave out --game"
            )
        return found
    by_hand = handmade_model(model, game)
    if by_hand is None:
        raise UserError(f"{model} has no weights; give a linear model or one of patterns")
    return by_hand
