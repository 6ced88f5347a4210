"""What ratings are relative to: a player, or the mean of some or all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samuel.arena.rating.bradley_terry import Floats
from samuel.errors import UserError, unknown


def require_anchor(names: Sequence[str], anchor: str | Sequence[str] | None) -> None:
    """Raise UserError where an anchor, as `rate` takes it, is none of the players."""
    chosen = _anchors(names, anchor)
    if not chosen:
        raise UserError(f"an anchor is one of the players: {', '.join(names)}")
    for name in chosen:
        if name not in names:
            raise unknown("player", name, names, "the anchor is one of them")


def _anchors(names: Sequence[str], anchor: str | Sequence[str] | None) -> Sequence[str]:
    """Return the players whose mean rating the others are relative to."""
    return list(names) if anchor is None else [anchor] if isinstance(anchor, str) else anchor


def anchor_weights(names: Sequence[str], anchor: str | Sequence[str] | None) -> Floats:
    """Return what each rating (n,) counts in that mean."""
    chosen = _anchors(names, anchor)
    return np.array([name in chosen for name in names]) / len(set(chosen))


def anchor_words(anchor: str | Sequence[str] | None, elo: float) -> str:
    """Return what ratings are relative to, for tables."""
    if isinstance(anchor, str):
        return f"{anchor} at {elo:g}"
    return f"the mean of {'all' if anchor is None else ', '.join(anchor)} at {elo:g}"
