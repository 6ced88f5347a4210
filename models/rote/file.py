"""A store as a file: whole or not there, and no number in it is believed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.files import read_bytes, whole
from samuel.games.catalog import known_game
from samuel.games.interface import MOST_PLIES, Game
from samuel.models.added import STORE_SIGN
from samuel.models.compiled.arrays import arrays_bytes, arrays_in, taken
from samuel.models.rote.store import DEEPEST, Entries, Store, standard

_LONGEST_NAME = 200
_MOST_GAMES = 1 << 48
_AGAIN = "learn it anew (samuel learn --method rote), or copy it anew from where it was made"


def save_store(store: Store, path: Path | str) -> None:
    """Write a store to a file, as a whole or not at all.

    Raises
    ------
    UserError
        It cannot be written.
    """
    columns = vars(store.entries) | {"positions": store.entries.positions.view(np.int64)}
    numbers = np.array([store.capacity, store.age_limit, store.games], np.int64)
    names = {"game": _as_bytes(store.game.name), "name": _as_bytes(store.name)}
    with whole(path) as partial:
        partial.write_bytes(STORE_SIGN + arrays_bytes(columns | {"numbers": numbers} | names))


def load_store(path: Path | str, game: Game | None = None) -> Store:
    """Return the store of a file.

    Parameters
    ----------
    game
        What it has to be of; None for any game that is known here.

    Raises
    ------
    UserError
        There is no file, it is no store, cut off or altered, or of another game.
    """
    content = read_bytes(path)
    if not content.startswith(STORE_SIGN):
        raise UserError(
            f"{path} holds no positions learned by rote; samuel learn --method rote makes such a "
            "file"
        )
    try:
        arrays = arrays_in(content[len(STORE_SIGN) :])
        names = {key: _text_of(taken(arrays, key, np.int8)) for key in ("game", "name")}
        numbers = taken(arrays, "numbers", np.int64)
        if len(numbers) != 3 or not 0 <= numbers[2] < _MOST_GAMES:
            raise ValueError("its numbers are out of their ranges")
        entries = Entries(
            taken(arrays, "positions", np.int64, 2).view(np.uint64),
            taken(arrays, "scores", np.float32),
            *(taken(arrays, name, np.int16) for name in ("depths", "ages", "plies")),
        )
    except ValueError as error:
        raise UserError(f"{path} is cut off or altered: {error}; {_AGAIN}") from None
    if game is None:
        game = known_game(names["game"])
    elif game.name != names["game"]:
        raise UserError(f"{path} holds positions of {names['game']}, not of {game.name}")
    capacity, age_limit, games = numbers.tolist()
    try:
        store = Store(game, capacity, age_limit, games, names["name"], entries)
        _require_sound(store)
    except (UserError, ValueError) as error:
        raise UserError(f"{path} is cut off or altered: {error}; {_AGAIN}") from None
    return store


def _require_sound(store: Store) -> None:
    """Raise ValueError unless all could have been written here."""
    entries, n = store.entries, len(store)
    if entries.positions.shape[1] != store.game.words:
        raise ValueError(f"its positions are not such as {store.game.name} has")
    if any(len(column) != n for column in vars(entries).values()) or n > store.capacity:
        raise ValueError("it has more positions than room for them, or not what belongs to each")
    if not (np.abs(entries.scores) <= store.game.max_utility).all():  # False where one is NaN
        raise ValueError("a score is beyond what a game can bring")
    ranges = ((entries.depths, DEEPEST + 1), (entries.plies, MOST_PLIES + 1))
    for column, end in (*ranges, (entries.ages, store.age_limit)):
        if not ((column >= 0) & (column < end)).all():
            raise ValueError("a depth, an age or a ply is out of its range")
    if not np.array_equal(standard(store.game, entries.positions), entries.positions):
        raise ValueError("a position does not stand as positions are kept")
    if len(np.unique(entries.positions, axis=0)) < n:
        raise ValueError("a position stands in it twice")


def _as_bytes(text: str) -> NDArray[np.int8]:
    return np.frombuffer(text.encode()[:_LONGEST_NAME], np.int8)


def _text_of(array: NDArray[Any]) -> str:
    text = array[: _LONGEST_NAME + 1].tobytes().decode()
    if not text or len(text) > _LONGEST_NAME or not text.isprintable():
        raise ValueError("a name in it is none")
    return text
