"""Book moves: what could have been played in each position, and what was.

A. Samuel taught the tables and the polynomial of 1967 by the moves of good players ("Some studies
in machine learning using the game of checkers", II, IBM Journal 11, 1967): what is asked for is
only that the position after the move that was played is rated above those after the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa

from samuel.common.errors import UserError
from samuel.common.options import Argument
from samuel.common.public import public
from samuel.games.interface import Game
from samuel.games.rows import count_moves, successors
from samuel.selfplay.data.dataset import Dataset, Progress, no_progress, with_columns
from samuel.selfplay.data.derive import by_games, made_of, write_dataset
from samuel.selfplay.data.shard import columns_of, word_columns, words_in

_AT_ONCE = 200
"""Games."""


@public
def book(
    dataset: Annotated[Dataset, Argument()], out: Path | str, *, progress: Progress = no_progress
) -> Dataset:
    """Label the positions after all legal moves by the move that was played.

    The outcome is 1 after the played move and -1 after the others, which together have the weight
    of one row. A model fitted to this dataset predicts the moves of the players.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    out
        Folder of the new dataset.
    progress
        Called with the number of rows that are done.

    Returns
    -------
    Dataset
        New dataset.

    Raises
    ------
    UserError
        The game has dice, or the dataset is a book; the folder holds something else, or cannot be
        written.

    Notes
    -----
    A position with n + 1 legal moves becomes n + 1 rows, except those in which the game is over: of
    the move that was played with `outcome` 1 for who played it and `weight` n, of the others with
    -1 and 1, so that a mean of them is (A - D) / (A + D) with Samuel's A and D. Left out are
    positions with a single move, those whose move was random (`exploratory`), and those whose move
    ended the game. In a row `move` is the first legal one, for nothing was played there; `score`
    is NaN.

    Examples
    --------
    >>> import samuel
    >>> samuel.book("data/games", "data/book")
    Dataset('data/book': ... games of tic_tac_toe, ... positions)
    """
    game = dataset.game
    if is_book(dataset):
        raise UserError(f"{dataset.folder} is a book already; make a book from games")
    successors(game, np.array([game.start], np.uint64))  # dice are refused before any work
    made = made_of([dataset], "book", {})

    def tables(counts: dict[str, Any]) -> Iterator[pa.Table]:
        counts |= {"before": len(dataset), "positions": 0}
        for table in dataset.tables(columns_of(game), progress):
            for part in by_games(table, _AT_ONCE):
                yield _told_apart(part, game, counts)

    return write_dataset(out, made, tables)


def is_book(dataset: Dataset) -> bool:
    """Return whether a dataset was made by `book`: its moves are nobody's."""
    return bool(dataset.manifest["settings"].get("command") == "book")


def _told_apart(table: pa.Table, game: Game, counts: dict[str, Any]) -> pa.Table:
    rows = words_in(table, game)
    chosen = ~table["exploratory"].to_numpy() & (count_moves(game, rows) > 1)
    table, rows = table.filter(pa.array(chosen)), rows[chosen]
    counts["positions"] += len(rows)
    found = successors(game, rows)
    is_played = found.moves == table["move"].to_numpy()[found.parents]
    others = np.bincount(found.parents, ~is_played, len(rows))
    goes_on = count_moves(game, found.positions) > 0
    goes_on &= goes_on[is_played][found.parents]  # or the others would stand alone
    parents = found.parents[goes_on]
    children, signs, is_book = found.positions[goes_on], found.signs[goes_on], is_played[goes_on]
    side = table["side"].to_numpy()[parents]
    columns: dict[str, Any] = {name: children[:, k] for k, name in enumerate(word_columns(game))}
    nothing = np.full(len(parents), np.nan, np.float32)
    columns |= {
        "ply": table["ply"].to_numpy()[parents] + np.int16(1),
        "side": np.where(signs > 0, side, 1 - side).astype(np.int8),
        "score": nothing,
        "depth": np.zeros(len(parents), np.int8),
        "exact": np.zeros(len(parents), bool),
        "outcome": (signs * np.where(is_book, 1, -1)).astype(np.float32),
        "exploratory": np.zeros(len(parents), bool),
        "move": _first_moves(game, children),
        "weight": np.where(is_book, others[parents], 1).astype(np.float32),
    }
    return with_columns(table.take(pa.array(parents)), columns)


def _first_moves(game: Game, positions: Any) -> Any:
    found = successors(game, positions)
    starts = np.searchsorted(found.parents, np.arange(len(positions)))
    return found.moves[starts]
