"""Models of patterns for other programs: numpy's arrays, a header in C, Edax's file of weights."""

from __future__ import annotations

from pathlib import Path

from samuel.errors import UserError, unknown
from samuel.files import whole
from samuel.games.interface import Game
from samuel.models.export.c_header import c_header
from samuel.models.export.edax import edax_bytes
from samuel.models.export.numbers import numbers_bytes
from samuel.models.learned import folder_of, learned_names
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel
from samuel.models.saved.loading import load_compiled

FORMATS = ("numpy", "c", "edax")


def export_model(model: str, game: Game, format: str, out: Path) -> int:
    """Write a pattern model to a file for other programs.

    docs/formats.md describes the files and how to compute a score from them.

    Parameters
    ----------
    model
        Folder of a pattern model, or the name of a learned one that comes with samuel.
    format
        Format of the file: numpy (.npz arrays), c (a header with a function), or edax (eval.dat,
        for patterns of Edax).
    out
        File to write.

    Returns
    -------
    int
        Number of bytes that are written.

    Raises
    ------
    UserError
        It is no model of patterns or one of another game, the format cannot hold it, or the file
        cannot be written.
    """
    if format not in FORMATS:
        raise unknown("format", format, FORMATS)
    folder = folder_of(model, game) if model in learned_names(game.name) else Path(model)
    if not folder.is_dir():
        raise UserError(f"{model} is hand-made; only models of patterns can be exported")
    compiled = load_compiled(folder)
    if not isinstance(compiled, PatternModel | NetworkModel):
        raise UserError(
            f"{model} has no patterns; train one on patterns, "
            "such as --model tuples3 (samuel models lists the names)"
        )
    theirs = (compiled.linear if isinstance(compiled, NetworkModel) else compiled).game
    if theirs.name != game.name:
        raise UserError(f"{model} evaluates {theirs.name}, not {game.name}; leave out --game")
    if format == "c":
        content = c_header(compiled, folder.resolve().name)
    elif format == "numpy":
        content = numbers_bytes(compiled)
    elif isinstance(compiled, PatternModel):
        content = edax_bytes(compiled)
    else:
        raise UserError(
            f"eval.dat stores pattern weights only, and {model} also has a network; use "
            "--format numpy or c"
        )
    with whole(out) as partial:
        partial.write_bytes(content)
    return len(content)
