"""Versions of the packages that are installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def version_of(package: str) -> str | None:
    """Return a package's version, or None where it is not installed, as when run from sources."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
