"""Parameters that the slow tests alone try, as others show nearly the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def rarely(*values: Any, **more: Any) -> Any:
    """Return a parameter of a slow test."""
    return pytest.param(*values, marks=pytest.mark.slow, **more)


def rarely_but(values: Iterable[Any], *quick: str) -> list[Any]:
    """Return parameters that are slow but those of these names."""
    named = [(getattr(value, "name", value), value) for value in values]
    assert {*quick} <= {name for name, _ in named}
    return [value if name in quick else rarely(value) for name, value in named]
