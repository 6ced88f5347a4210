"""Several datasets read as one, without a copy on disk, their scores brought to one unit."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samuel.learning.fitting.targets import LABEL_COLUMNS, score_scale
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.derive import columns_of_all, made_of, numbered_on, with_columns


@dataclass(frozen=True, repr=False)
class Joined(Dataset):
    """Datasets of one game as one, for fits in memory.

    The games are numbered on, so that they stay distinct. An evaluator need not count in the game's
    unit (`wpc` does not), and two need not agree: the scores of each dataset that are not exact are
    multiplied by what brings them nearest to its outcomes (learning.fitting.targets.score_scale).

    Attributes
    ----------
    scales
        What the scores of each are multiplied by.
    """

    parts: tuple[Dataset, ...]
    scales: tuple[float, ...]

    @classmethod
    def of(cls, parts: Sequence[Dataset]) -> Joined:
        """Join datasets.

        Raises
        ------
        UserError
            They are of several games, there is none, or one is damaged.
        """
        made = made_of(parts, "join", {})
        shards = {
            f"{number}/{name}": shard
            for number, part in enumerate(parts)
            for name, shard in part.manifest["shards"].items()
        }
        counts: dict[str, Any] = {
            "games": sum(part.games for part in parts),
            "positions": sum(map(len, parts)),
            "complete": all(part.manifest["complete"] for part in parts),
        }
        scales = tuple(score_scale(part.frame(LABEL_COLUMNS)) for part in parts)
        folder = parts[-1].folder
        return cls(folder, made | counts | {"shards": shards}, tuple(parts), scales)

    @functools.cached_property
    def columns(self) -> list[str]:
        """The names of the columns; `weight` is one of them where any part has it."""
        return columns_of_all(self.parts)

    @functools.cached_property
    def positions(self) -> NDArray[np.uint64]:
        """All positions, (n, K)."""
        return np.concatenate([part.positions for part in self.parts])

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the shards of all, as `Dataset.tables` does."""
        chosen = self.columns if columns is None else list(columns)
        helpers = {"game_id", *(["exact"] if "score" in chosen else [])} - set(chosen)
        for place, table in numbered_on(self.parts, [*chosen, *sorted(helpers)]):
            if "score" in chosen:
                score, exact = (table[name].to_numpy() for name in ("score", "exact"))
                scaled = np.where(exact, score, np.float32(self.scales[place]) * score)
                table = with_columns(table, {"score": scaled})
            yield table.select(chosen)
