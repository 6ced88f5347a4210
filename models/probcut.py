"""Parameters of ProbCut as files: in a model's folder, and for the evaluators of the package.

A file is one array, as Evaluator.probcut, in numpy's own format.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.evaluator import Evaluator, probcut_is_sound
from samuel.models.compiled.model import array_in

_SHIPPED = Path(__file__).parent / "shipped"


def probcut_bytes(parameters: NDArray[np.float32]) -> bytes:
    """Return the content of a file of parameters."""
    if not probcut_is_sound(parameters):
        raise UserError(
            "parameters of ProbCut must be finite: each pair needs a shallow depth below the "
            "deep one, a positive slope and a sigma of at least 0"
        )
    file = io.BytesIO()
    np.save(file, parameters, allow_pickle=False)
    return file.getvalue()


def parameters_in(content: bytes) -> NDArray[np.float32]:
    """Return the parameters of a file."""
    parameters = array_in(content)
    if not probcut_is_sound(parameters):
        raise ValueError("not the parameters of ProbCut")
    return np.ascontiguousarray(parameters)


def shipped_file(name: str, game: str) -> Path:
    """Return where the parameters of an evaluator of the package lie, if it has any."""
    return _SHIPPED / f"{game}-{name}.npy"


def shipped_probcut(evaluator: Evaluator) -> NDArray[np.float32] | None:
    """Return the parameters that come with an evaluator of the package, or None."""
    try:
        content = shipped_file(evaluator.name, evaluator.game).read_bytes()
    except FileNotFoundError:
        return None
    return parameters_in(content)
