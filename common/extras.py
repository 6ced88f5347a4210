"""Packages that not everybody needs, and that are imported when asked for."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

from samuel.common.errors import UserError

EXTRAS = {
    "dask": ("dask", "distributed"),
    "openspiel": ("open_spiel",),
    "optuna": ("optuna", "cmaes"),
    "web": ("starlette", "uvicorn", "websockets"),
}
"""The packages of the extras that commands ask for, as pyproject.toml has them."""


def lacking(name: str) -> str:
    """Return the first package of an extra that is not installed, or nothing."""
    found = (package for package in EXTRAS[name] if importlib.util.find_spec(package) is None)
    return next(found, "")


def require_extra(name: str, what: str) -> None:
    """Raise UserError where an extra is not installed; nothing is imported."""
    if package := lacking(name):
        raise UserError(f"{what} needs {package}, which is not installed: {installing(name)}")


def extra(package: str, what: str, *, of: str = "") -> ModuleType:
    """Return a package that an extra of ours installs, of its own name or named by `of`."""
    require_extra(of or package, what)
    try:
        return importlib.import_module(package)
    except ImportError as error:
        if (error.name or "").startswith("samuel"):
            raise
        raise UserError(
            f"{what} needs {error.name or package}, which is not installed: "
            f"{installing(of or package)}"
        ) from None


def installing(name: str) -> str:
    """Return what to type to install an extra of ours: where this is a clone, from there."""
    root = Path(__file__).parents[1]
    pip = typed("pip") or "pip"
    if not (root / "pyproject.toml").is_file():
        return f"{pip} install {' '.join(EXTRAS[name])}"
    where = "." if root == Path.cwd() else str(root)
    return f"{pip} install -e '{where}[{name}]'"


def typed(program: str) -> str:
    """Return what to type for a program that lies beside this Python; nothing where none does."""
    own = Path(sys.executable).parent / program
    found = shutil.which(program)
    if found and Path(found) == own:
        return program
    if not own.is_file():
        return ""
    return str(own.relative_to(Path.cwd()) if own.is_relative_to(Path.cwd()) else own)


def command() -> str:
    """Return what to type for the command `samuel` of this Python."""
    python = typed(Path(sys.executable).name) or sys.executable
    return typed("samuel") or f"{python} -m samuel"
