"""Reports: results as tables and pictures, on pages and in notebooks; they only draw."""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "write_generations": "samuel.reports.generations.run",
    "write_page": "samuel.reports.html",
    "write_weights": "samuel.reports.weights",
}

__all__ = ["write_generations", "write_page", "write_weights"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:  # what draws takes a second to import
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
