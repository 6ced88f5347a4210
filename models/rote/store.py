"""A store of positions with the scores that searches found: A. Samuel's rote learning.

"Some studies in machine learning using the game of checkers" (1959): the positions of games are
kept with their backed-up scores. A search that comes to one of them at its end takes that score for
the evaluation, and so sees as far again as the search went that found it.

Positions are seen by the side to move, and those that the board's symmetries make one another are
kept once. With each merge a position grows older, one that was of use becomes half as old, and one
that is too old is forgotten. Where there are too many, those searched least deep go first, of these
the oldest.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from samuel.common.errors import UserError, require_number
from samuel.common.files import read_bytes, whole
from samuel.games.catalog import known_game
from samuel.games.game import Game
from samuel.games.rows import are_possible, canonical
from samuel.models.compiled.model import arrays_bytes, arrays_in, taken
from samuel.models.game_of import STORE_SIGN

CAPACITY, MOST_POSITIONS = 200_000, 1 << 22
"""Usual and largest number of positions of a store; Samuel's had 53,000."""
AGE_LIMIT, MOST_AGES = 20, 10_000
DEEPEST = 1000


@dataclass(frozen=True)
class Entries:
    """Positions and what is known of them, a row each."""

    positions: NDArray[np.uint64]  # (n, K), canonical
    scores: NDArray[np.float32]  # for the side to move, in the game's unit
    depths: NDArray[np.int16]  # of the searches that found them
    ages: NDArray[np.int16]  # in merges, halved where they were of use

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, chosen: NDArray[np.int64] | NDArray[np.bool_]) -> Entries:
        """Return some of the rows."""
        return Entries(*(column[chosen] for column in vars(self).values()))

    def and_those(self, others: Entries) -> Entries:
        """Return these rows, and then others."""
        pairs = zip(vars(self).values(), vars(others).values(), strict=True)
        return Entries(*map(np.concatenate, pairs))


@dataclass(frozen=True)
class Store:
    """Positions that were learned by rote."""

    game: Game
    capacity: int = CAPACITY
    age_limit: int = AGE_LIMIT  # new positions begin half as old
    games: int = 0  # that it has learned from
    name: str = "rote"
    entries: Entries = field(default=None, repr=False)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        require_number("capacity", self.capacity, 1, MOST_POSITIONS)
        require_number("age_limit", self.age_limit, 2, MOST_AGES)
        if self.entries is None:
            small = (np.zeros(0, np.int16) for _ in range(2))
            rows = np.zeros((0, self.game.words), np.uint64)
            object.__setattr__(self, "entries", Entries(rows, np.zeros(0, np.float32), *small))

    def __len__(self) -> int:
        return len(self.entries)

    def merged(
        self,
        positions: ArrayLike,
        scores: ArrayLike,
        depths: ArrayLike,
        used: ArrayLike | None = None,
        games: int = 0,
    ) -> Store:
        """Return the store after a merge with positions (n, K) of so many more `games`.

        The deepest search of a position counts, the last of equally deep ones. A position that
        comes again is as one that was of use.
        """
        n, old = len(np.asarray(scores)), self.entries
        ages = np.where(np.zeros(len(old), bool) if used is None else used, old.ages // 2, old.ages)
        aged = replace(old, ages=(ages + 1).astype(np.int16))
        met = Entries(
            standard(self.game, positions),
            np.asarray(scores, np.float32),
            np.clip(depths, 0, DEEPEST).astype(np.int16),
            np.full(n, self.age_limit // 2, np.int16),
        )
        together = _each_once(aged.and_those(met), len(aged))
        young = together[together.ages < self.age_limit]
        if len(young) > self.capacity:
            kept = np.lexsort((young.ages, -young.depths))[: self.capacity]
            young = young[np.sort(kept)]
        return replace(self, entries=young, games=self.games + games)


def standard(game: Game, positions: ArrayLike) -> NDArray[np.uint64]:
    """Return positions (n, K) as they are kept: one for all that are alike to the side to move."""
    rows = canonical(game, positions)
    if game.turns.side_word is not None:
        rows[:, game.turns.side_word] = 0
    return rows


def _each_once(entries: Entries, stored: int) -> Entries:
    """Return each position once, in order of its first row; the first `stored` rows were known."""
    if not len(entries):
        return entries
    order = np.lexsort((np.arange(len(entries)), entries.depths, *entries.positions.T))
    rows = entries.positions[order]
    is_last = np.append((rows[1:] != rows[:-1]).any(axis=1), True)
    group = np.cumsum(is_last) - is_last
    best = order[is_last]
    first = np.full(len(best), len(entries))
    np.minimum.at(first, group, order)
    times = np.bincount(group)
    # what was known keeps its own age, and is younger where it was met again
    ages = entries.ages[first].copy()
    again = (first < stored) & (times > 1)
    ages[again] = (ages[again] + 1) // 2
    return replace(entries[best], ages=ages)[np.argsort(first)]


_LONGEST_NAME = 200
_AGAIN = "learn it again (samuel learn --algorithm rote), or copy it again from where it was made"


def save_store(store: Store, path: Path | str) -> None:
    """Write a store to a file, as a whole or not at all."""
    columns = vars(store.entries) | {"positions": store.entries.positions.view(np.int64)}
    numbers = np.array([store.capacity, store.age_limit, store.games], np.int64)
    names = {"game": _as_bytes(store.game.name), "name": _as_bytes(store.name)}
    with whole(path) as partial:
        partial.write_bytes(STORE_SIGN + arrays_bytes(columns | {"numbers": numbers} | names))


def load_store(path: Path | str, game: Game | None = None) -> Store:
    """Return the store of a file."""
    content = read_bytes(path)
    if not content.startswith(STORE_SIGN):
        raise UserError(
            f"{path} is not a store of rote learning; samuel learn --algorithm rote makes one"
        )
    try:
        arrays = arrays_in(content[len(STORE_SIGN) :])
        names = {key: _text_of(taken(arrays, key, np.int8)) for key in ("game", "name")}
        numbers = taken(arrays, "numbers", np.int64)
        capacity, age_limit, games = numbers.tolist()
        entries = Entries(
            taken(arrays, "positions", np.int64, 2).view(np.uint64),
            taken(arrays, "scores", np.float32),
            *(taken(arrays, name, np.int16) for name in ("depths", "ages")),
        )
    except ValueError as error:
        raise UserError(f"{path} is cut off or altered: {error}; {_AGAIN}") from None
    if game is None:
        game = known_game(names["game"])
    elif game.name != names["game"]:
        raise UserError(f"{path} contains positions of {names['game']}, not of {game.name}")
    try:
        store = Store(game, capacity, age_limit, games, names["name"], entries)
        _require_sound(store)
    except (UserError, ValueError) as error:
        raise UserError(f"{path} is cut off or altered: {error}; {_AGAIN}") from None
    return store


def _require_sound(store: Store) -> None:
    """Raise ValueError unless all could have been written here."""
    entries, n = store.entries, len(store)
    shapes = [column.shape for column in vars(entries).values()]
    if shapes != [(n, store.game.words), *[(n,)] * 3] or n > store.capacity:
        raise ValueError("it has more positions than its capacity, or data is missing for some")
    if not are_possible(store.game, entries.positions).all():
        raise ValueError(f"its positions are not positions of {store.game.name}")
    if not (
        np.abs(entries.scores) <= store.game.scores.max_utility
    ).all():  # False where one is NaN
        raise ValueError("a score is larger than any result of the game")


def _as_bytes(text: str) -> NDArray[np.int8]:
    return np.frombuffer(text.encode()[:_LONGEST_NAME], np.int8)


def _text_of(array: NDArray[Any]) -> str:
    text = array[: _LONGEST_NAME + 1].tobytes().decode()
    if not text or len(text) > _LONGEST_NAME or not text.isprintable():
        raise ValueError("a name in it is not valid")
    return text
