"""What the subcommands of `samuel dataset` share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samuel.cli.common import emit

if TYPE_CHECKING:
    from samuel.selfplay import Dataset

FolderArgument = Annotated[str, typer.Argument(help="The folder of a dataset.")]
OutOption = Annotated[str, typer.Option("--out", help="Folder of the new dataset.")]


def dataset_in(folder: str) -> Dataset:
    """Return the dataset in a folder."""
    from samuel.selfplay import Dataset

    return Dataset.open(folder)


def emit_made(dataset: Dataset, began: float, json: bool, more: str = "") -> None:
    """Say what a dataset holds that was begun at `began`; `more` goes to people alone."""
    counts = dataset.manifest.get("counts", {})
    content: dict[str, Any] = {
        **numbers_of(dataset),
        **{name: counts[name] for name in counts if name not in ("games", "positions")},
        "seconds": round(time.perf_counter() - began, 3),
        "out": str(dataset.folder),
    }
    emit(content, json, lambda console: console.print(f"{holds(dataset)}{more}"))


def numbers_of(dataset: Dataset) -> dict[str, int]:
    """Return how many games and positions a dataset holds."""
    return {"games": dataset.games, "positions": len(dataset)}


def holds(dataset: Dataset) -> str:
    """Return in words what a dataset holds."""
    return f"{dataset.games:,} games, {len(dataset):,} positions in {dataset.folder}"
