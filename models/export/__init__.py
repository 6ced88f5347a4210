"""Models for other programs: numpy's arrays, headers in C, ONNX, tables, Edax's file of weights."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from samuel.common.errors import UserError, plain_name, unknown
from samuel.common.files import whole
from samuel.games.game import Game
from samuel.models.bullet_file import bullet_bytes
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.sums import SumModel
from samuel.models.export import feature_network
from samuel.models.export.c_header import c_header
from samuel.models.export.edax import edax_bytes
from samuel.models.export.nnue import nnue_bytes, nnue_header
from samuel.models.export.nnue_onnx import onnx_bytes
from samuel.models.export.numbers import numbers_bytes
from samuel.models.export.weights import weights_bytes
from samuel.models.learned import folder_of, learned_names
from samuel.models.named import handmade_model
from samuel.models.nnue.model import NnueModel
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel
from samuel.models.saved.loading import load_compiled, load_weights
from samuel.models.weights import Weights, weights_in

FORMATS = ("numpy", "c", "edax", "bullet", "onnx", "json", "csv")
OF_NETWORKS = ("bullet", "onnx")
"""Formats of networks without patterns."""
_LONG = 20_000_000
"""Bytes of a header; gcc takes 15 seconds for 31 MB, and 50 and 2.3 GB of memory for 131 MB."""


def export_model(model: str, game: Game, format: str, out: Path) -> int:
    """Write a pattern model, a network or a linear model to a file for other programs.

    docs/exports.md describes the files and how to compute a score from them.

    Parameters
    ----------
    model
        Folder of a pattern model, a network or a linear model, or the name of one that comes with
        samuel.
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
    content = _content(model, game, format)
    with whole(out) as partial:
        partial.write_bytes(content)
    if format == "c" and len(content) > _LONG:
        warnings.warn(
            f"include {out} in one source file only: compiling it needs minutes and gigabytes",
            stacklevel=2,
        )
    return len(content)


def _content(model: str, game: Game, format: str) -> bytes:
    """Return the content of a file."""
    compiled = _compiled(model, game)
    name = plain_name(Path(model).resolve().name)
    if isinstance(compiled, FeatureModel) and compiled.kind == "linear":
        if format in ("edax", *OF_NETWORKS):
            raise UserError(f"{model} is linear; use --format c, json, csv or numpy")
        return weights_bytes(model_weights(model, game), format, name)
    if isinstance(compiled, FeatureModel) and compiled.kind == "mlp":
        if format not in feature_network.WRITERS:
            raise UserError(f"{model} is a network over features; use --format c, numpy or onnx")
        return feature_network.WRITERS[format](compiled, name)
    if isinstance(compiled, NnueModel):
        _require_game(model, compiled.game, game)
        return _of_nnue(compiled, model, format, name)
    if isinstance(compiled, SumModel):
        raise UserError(
            f"{model} is a sum of models, and a file holds one; train a model without a base"
        )
    if not isinstance(compiled, PatternModel | NetworkModel):
        raise UserError(
            f"{model} cannot be exported: it has no patterns, is not linear and is no network; "
            "train one of these, such as --model tuples3 (samuel models lists them)"
        )
    theirs = (compiled.linear if isinstance(compiled, NetworkModel) else compiled).game
    _require_game(model, theirs, game)
    if format in ("json", "csv"):
        raise UserError(f"{format} is for linear models, and {model} has patterns; use numpy or c")
    if format in OF_NETWORKS:
        raise UserError(
            f"{format} is for networks without patterns, and {model} has some; use numpy or c"
        )
    if format == "c":
        return c_header(compiled, name)
    if format == "numpy":
        return numbers_bytes(compiled)
    if isinstance(compiled, PatternModel):
        return edax_bytes(compiled)
    raise UserError(
        f"eval.dat stores pattern weights only, and {model} also has a network; use "
        "--format numpy or c"
    )


def _of_nnue(network: NnueModel, model: str, format: str, name: str) -> bytes:
    """Return the content of a file of an efficiently updatable network."""
    if format == "c":
        return nnue_header(network, name)
    if format == "numpy":
        return nnue_bytes(network)
    if format == "bullet":
        return bullet_bytes(network)
    if format == "onnx":
        return onnx_bytes(network, name)
    raise UserError(
        f"{model} is an efficiently updatable network; use --format c, numpy, onnx or bullet"
    )


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


def _compiled(model: str, game: Game) -> Any:
    """Return the compiled model of a folder or a name."""
    if model in learned_names(game.name):
        return load_compiled(folder_of(model, game))
    if _is_folder(model, game):
        found = load_compiled(Path(model))
        if isinstance(found, FeatureModel):
            _require_game(model, found.game, game)
        return found
    by_hand = handmade_model(model, game)
    if by_hand is None:
        raise UserError(f"{model} has no weights; give a linear model or one of patterns")
    return by_hand


def _require_game(model: str, theirs: Game, game: Game) -> None:
    if theirs.name != game.name:
        raise UserError(f"{model} evaluates {theirs.name}, not {game.name}; leave out --game")
