"""Filters of imported games by their tags."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from samuel.common.errors import UserError

_BASE = re.compile(r"(?:\d+/)?(\d+)(?:\.\d+)?(?:[+:]|\Z)")
"""Seconds of the first period in a tag TimeControl: 300+3, 180, 40/9000:3600."""
_FROM = re.compile(r"(\d+)-(\d*)")


@dataclass(frozen=True)
class WantedGames:
    """Says by a game's tags why it is left out."""

    min_rating: int = 0  # least rating of both players; 0 for any
    # the tag's text, or seconds at the start, 180- or 180-900; nothing for any
    time_control: str = ""

    def __post_init__(self) -> None:
        found = _FROM.fullmatch(self.time_control)
        if found is not None and found[2] and int(found[1]) > int(found[2]):
            raise UserError(f"--time-control {self.time_control} begins after its end")

    @property
    def is_any(self) -> bool:
        """Return whether every game is wanted."""
        return not self.min_rating and not self.time_control

    def __call__(self, tags: Mapping[str, str]) -> str:
        """Return why a game is left out; nothing if it is wanted."""
        if self.min_rating:
            ratings = [tags.get(f"{side}elo", "").strip() for side in ("white", "black")]
            if not all(re.fullmatch(r"\d{1,5}", rating) for rating in ratings):
                return "without ratings"
            if min(map(int, ratings)) < self.min_rating:
                return f"rating below {self.min_rating}"
        if self.time_control and not self._is_timed(tags.get("timecontrol", "").strip()):
            return "another time control"
        return ""

    def _is_timed(self, told: str) -> bool:
        wanted = _FROM.fullmatch(self.time_control)
        if wanted is None:
            return told == self.time_control
        base = _BASE.match(told)
        if base is None:
            return False
        return int(wanted[1]) <= int(base[1]) <= (int(wanted[2]) if wanted[2] else int(base[1]))
