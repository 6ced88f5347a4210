"""What a game suggests to those who learn it and talk of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Defaults:
    """So that no other folder lists games by name; a user's game need not say any of it.

    Attributes
    ----------
    title
        what programs of other people call the game, whatever its board's size; its name where
        empty.
    features_in
        the module whose import defines its features.
    features
        the names of those that recipes read; all of them where empty.
    recipe
        what generations are fitted by; where empty the largest set of patterns if the game has no
        features, else `ridge`.
    labels_from
        self-play of generations solves from this many plies on; from as many as a search does
        where None.
    """

    title: str = ""
    features_in: str = ""
    features: tuple[str, ...] = ()
    recipe: str = ""
    labels_from: int | None = None
