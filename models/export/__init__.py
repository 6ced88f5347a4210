"""Models of patterns for other programs: numpy's arrays, a header in C, Edax's file of weights."""

from __future__ import annotations

from pathlib import Path

from samuel.errors import UserError
from samuel.files import whole
from samuel.games.interface import Game
from samuel.models.export.c_header import c_header
from samuel.models.export.edax import edax_bytes
from samuel.models.export.numbers import numbers_bytes
from samuel.models.learned import folder_of, learned_names
from samuel.models.patterns.forms import PatternForm
from samuel.models.patterns.network import NetworkForm
from samuel.models.saved.loading import load_form


def written(model: str, game: Game, format: str, out: Path) -> int:
    """Write a model of patterns to a file, whole or not at all; return how many bytes it has.

    Parameters
    ----------
    model
        The folder of a model, or the name of a learned one of the package.
    format
        numpy, c or edax.

    Raises
    ------
    UserError
        It is no model of patterns or one of another game, the format cannot hold it, or the file
        cannot be written.
    """
    folder = folder_of(model, game) if model in learned_names(game.name) else Path(model)
    if not folder.is_dir():
        raise UserError(f"{model} was made by hand: what is exported are models of patterns")
    form = load_form(folder)
    if not isinstance(form, PatternForm | NetworkForm):
        raise UserError(f"{model} has no patterns; train one on a set of shapes: samuel models")
    theirs = (form.linear if isinstance(form, NetworkForm) else form).game
    if theirs.name != game.name:
        raise UserError(f"{model} evaluates {theirs.name}, not {game.name}; leave --game out")
    if format == "c":
        content = c_header(form, folder.resolve().name)
    elif format == "numpy":
        content = numbers_bytes(form)
    elif isinstance(form, PatternForm):
        content = edax_bytes(form)
    else:
        raise UserError(
            f"eval.dat holds sums of weights alone, and {model} has a network beside them; "
            "--format numpy and c hold it"
        )
    with whole(out) as partial:
        partial.write_bytes(content)
    return len(content)
