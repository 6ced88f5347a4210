"""`quantised.bin` of bullet's simple networks of chess, read and written.

The file is numbers of 16 bits, the lower byte first: a row of the H units for each of 768 inputs,
the biases of the units, 2 H weights of the score (the side to move's half first) and its bias. It
is filled up to a multiple of 64 bytes. Rows and biases are in 255ths, weights in 64ths, the last
bias in parts of 255 * 64; 1 at the end is 400 centipawns (examples/simple.rs of bullet).

Models that other programs have trained.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError, unknown
from samuel.common.files import read_bytes
from samuel.common.options import Argument
from samuel.games.catalog import known_game
from samuel.games.changes import board_of
from samuel.models import save
from samuel.models.nnue.estimators import NNUERegressor, regressor_of
from samuel.models.nnue.inputs import inputs_of
from samuel.models.nnue.model import NnueModel
from samuel.models.nnue.shape import LEAST_UNITS, MOST_UNITS, ONE_WEIGHT, Activation, Shape

GAME = "chess"
SCALE = 4.0
"""Pawns that 1 at the end stands for."""
_ONE_WEIGHT = 64
_FINER = ONE_WEIGHT // _ONE_WEIGHT
_INPUTS, _OF_A_SIDE, _SQUARES = 768, 384, 64
_FILL, _BLOCK = b"bullet", 64
_NUMBERS = np.dtype("<i2")
_LARGEST = np.iinfo(np.int16).max


def _size(units: int) -> int:
    size = _NUMBERS.itemsize * ((_INPUTS + 3) * units + 1)
    return -(-size // _BLOCK) * _BLOCK


def _places() -> NDArray[np.int64]:
    """Return where the file has the row of each input; its view of the other side is ours."""
    game = known_game(GAME)
    own, _ = inputs_of(game)
    kinds = np.arange(len(own))[:, None]
    bits = np.array(board_of(game).bits)
    return (_OF_A_SIDE * (kinds % 2) + _SQUARES * (kinds // 2) + bits).ravel()


def read_bullet(path: Path | str, activation: Activation = "screlu") -> NNUERegressor:
    """Return the network of chess of a `quantised.bin` as a fitted estimator over positions.

    Its scores are in pawns, 4 for 1 at the end of the network. The file does not name the
    activation.
    """
    if activation not in ("screlu", "crelu"):
        raise unknown("activation", activation, ("screlu", "crelu"))
    content = read_bytes(path, _size(MOST_UNITS))
    sizes = {_size(units): units for units in range(LEAST_UNITS, MOST_UNITS + 1, LEAST_UNITS)}
    units = sizes.get(len(content))
    if units is None:
        raise UserError(
            f"{path} has {len(content):,} bytes, so it is not a whole quantised.bin of a network "
            f"with 768 inputs and one output: with 16 units that has {_size(16):,} bytes, with "
            f"256 {_size(256):,}"
        )
    numbers = np.frombuffer(content, _NUMBERS, (_INPUTS + 3) * units + 1).astype(np.int16)
    ends = np.cumsum([_INPUTS * units, units, 2 * units])
    rows, biases, weights, bias = np.split(numbers, ends)
    form = NnueModel(
        known_game(GAME),
        Shape(units, (), 1, activation),
        np.ascontiguousarray(rows.reshape(_INPUTS, units)[_places()]),
        biases,
        _FINER * np.concatenate([bias, weights]).astype(np.int32)[None],
        SCALE,
    )
    try:
        form.check()
    except ValueError as error:
        raise UserError(
            f"{path} cannot be read: {error}; it may be of another kind of network, or train it "
            "with smaller weights"
        ) from None
    return regressor_of(form)


def bullet_bytes(model: NnueModel) -> bytes:
    """Return a network as the content of a `quantised.bin`.

    Weights behind the first layer are scaled to 4 pawns for 1, and rounded to 64ths.
    """
    shape = model.shape
    faults = {
        f"is of {model.game.name}": model.game.name != GAME,
        "has small layers": bool(shape.hidden),
        f"has {shape.buckets} buckets": shape.buckets > 1,
        f"mirrors the board by {shape.king}": bool(shape.king),
        f"has {shape.n_areas} areas": shape.n_areas > 1,
    }
    if found := [fault for fault, is_there in faults.items() if is_there]:
        raise UserError(
            "quantised.bin can only hold a network of chess with hidden=(), buckets=1 and king=''; "
            f"this one {' and '.join(found)}: use --format c or numpy"
        )
    factor = model.unit / SCALE / _FINER
    ((weights, bias),) = shape.layers.parts(model.layers[0])
    last = [np.rint(factor * part.ravel()) for part in (weights, bias)]
    if max(float(np.abs(part).max()) for part in last) > _LARGEST:
        raise UserError(
            "a number behind the first layer is too large for the 16 bits of quantised.bin; use "
            "--format c or numpy"
        )
    rows = np.empty_like(model.rows)
    rows[_places()] = model.rows
    parts = (rows.ravel(), model.biases, *last)
    content = b"".join(part.astype(_NUMBERS).tobytes() for part in parts)
    fill = _size(shape.units) - len(content)
    return content + (_FILL * (fill // len(_FILL) + 1))[:fill]


def import_model(
    path: Annotated[Path | str, Argument()], *, out: Path | str, activation: str = "screlu"
) -> NNUERegressor:
    """Import a network of chess that bullet has trained as a model.

    The file is a quantised.bin of a network with 768 inputs, two halves and one output.

    Parameters
    ----------
    path
        File to import.
    out
        Folder of the model.
    activation
        Activation that the network was trained with: screlu or crelu.

    Returns
    -------
    NNUERegressor
        Network as a fitted estimator.

    Raises
    ------
    UserError
        The file is missing, or is not such a network.
    """
    network = read_bullet(path, activation)  # type: ignore[arg-type]  # it looks at the name
    save(out, network, name=Path(out).name, card={"imported": Path(path).name})
    return network
