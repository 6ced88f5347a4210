"""`samuel dataset` and its own subcommands."""

from __future__ import annotations

from samuel.cli.dataset.group import app

__all__ = ["app"]
