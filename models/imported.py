"""Models that other programs have trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from samuel.common.options import Argument
from samuel.models import save
from samuel.models.bullet_file import read_bullet
from samuel.models.nnue.estimators import NNUERegressor


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
