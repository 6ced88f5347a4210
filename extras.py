"""Packages that not everybody needs, and that are imported when asked for."""

from __future__ import annotations

import importlib
from types import ModuleType

from samuel.errors import UserError


def extra(package: str, what: str, *, of: str = "") -> ModuleType:
    """Return a package that an extra of ours installs, of its own name or named by `of`.

    Parameters
    ----------
    what
        What needs it, for people.

    Raises
    ------
    UserError
        It is not installed.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        if (error.name or "").startswith("samuel"):
            raise
        raise UserError(
            f"{what} needs {error.name or package}, which is not installed: "
            f"pip install 'samuel-learning[{of or package}]'"
        ) from None
