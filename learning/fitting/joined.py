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
from samuel.selfplay.data.derive import made_of, with_columns
from samuel.selfplay.data.shard import columns_of


@dataclass(frozen=True, repr=False)
class Joined(Dataset):
    """Datasets of one game as one, for fits in memory.

    The games are numbered on, so that they stay distinct. An evaluator need not count in the game's
    unit (`wpc` does not), and two need not agree: the scores of each dataset that are not exact are
    multiplied by what brings them nearest to its outcomes (learning.targets.score_scale).

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
        weight = ["weight"] if any("weight" in part.columns for part in self.parts) else []
        return [*columns_of(self.game), *weight]

    @functools.cached_property
    def positions(self) -> NDArray[np.uint64]:
        """All positions, (n, K)."""
        return np.concatenate([part.positions for part in self.parts])

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the shards of all, as `Dataset.tables` does."""
        chosen = self.columns if columns is None else list(columns)
        helpers = ["exact"] if "score" in chosen and "exact" not in chosen else []
        first = 0
        for part, scale in zip(self.parts, self.scales, strict=True):
            past = first
            for table in part.tables([*chosen, *helpers]):
                changed = {}
                if "game_id" in chosen:
                    changed["game_id"] = table["game_id"].to_numpy() + first
                    past = max(past, int(changed["game_id"].max(initial=-1)) + 1)
                if "score" in chosen:
                    score = table["score"].to_numpy()
                    exact = table["exact"].to_numpy()
                    changed["score"] = np.where(exact, score, np.float32(scale) * score)
                yield with_columns(table, changed).select(chosen)
            first = past
