"""A dataset as a file for other programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TextIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samuel.common.errors import UserError, unknown
from samuel.common.files import whole
from samuel.common.options import Argument
from samuel.common.public import public
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import GameRecord, Records
from samuel.games.transcripts import formats_of
from samuel.selfplay.data.dataset import Dataset, Progress, no_progress
from samuel.selfplay.data.positions.writing import Labelled, LineWriter, line_writers
from samuel.selfplay.data.replay import replay
from samuel.selfplay.data.shard import word_columns, words_in


@public
def export(
    dataset: Annotated[Dataset, Argument()],
    out: Path | str,
    format: str = "csv",
    *,
    progress: Progress = no_progress,
) -> int:
    """Export a dataset to a file: labelled positions, or whole games.

    Parameters
    ----------
    dataset
        Folder of a dataset.
    out
        File to write.
    format
        Format of positions (csv, epd, fen, bullet, plain, or egaroucid for Othello) or of games
        (transcripts, or one of the game's own).
    progress
        Called with the number of rows that are done.

    Returns
    -------
    int
        Number of games, or of positions without the labels of the format, that were left out.

    Raises
    ------
    UserError
        There is no such format, or not for this game; the file cannot be written.

    Notes
    -----
    - `csv`: one row per position, with its text instead of its words
    - `epd`, `fen`, `bullet`, `plain`, `egaroucid`: those of `samuel dataset import`, with scores in
      hundredths where the unit is pawns
    - `transcripts`: one game a line; where its rows do not begin at the initial position, the
      position's text and a colon come first
    - the formats of the game's own: `ggf` and `wthor` for Othello (WTHOR has only games from the
      initial position)

    `samuel dataset import` reads back the positions, moves and outcome of a game. Games with
    missing rows, or without their end, are exported to csv only.

    Examples
    --------
    >>> import samuel
    >>> samuel.export("data/games", "games.txt", "transcripts")
    0
    """
    written = {
        name: one for name, one in formats_of(dataset.game).items() if one.write or one.store
    }
    lines = line_writers(dataset.game)
    if format != "csv" and format not in {*written, *lines}:
        raise unknown("format", format, ["csv", *lines, *written], of=dataset.game.name)
    with whole(out) as partial:
        if format == "csv":
            return _write_csv(dataset, partial, progress)
        if format in lines:
            return _write_lines(dataset, partial, lines[format], progress)
        found = _WholeGames(dataset, progress)
        one = written[format]
        if one.store is not None:
            unsuitable = one.store(partial, iter(found), dataset.game)
        else:
            assert one.write is not None
            unsuitable = 0
            with open(partial, "w", encoding="utf-8", newline="") as file:
                file.writelines(one.write(played) + "\n" for played in found)
        if found.left_out + unsuitable == dataset.games:
            why = "no game from the initial position" if unsuitable else "no whole game"
            raise UserError(f"{dataset.folder} contains {why}; export its positions as csv")
    return found.left_out + unsuitable


def _write_csv(dataset: Dataset, path: Path, progress: Progress) -> int:
    with open(path, "w", encoding="utf-8", newline="") as file:
        for number, table in enumerate(dataset.arrow_tables(None, progress)):
            _write_rows(table, dataset.game, file, number == 0)
    return 0


def _write_lines(dataset: Dataset, path: Path, line: LineWriter, progress: Progress) -> int:
    """Write a line, or some, for each position that has the labels; return how many have not."""
    left_out, game = 0, dataset.game
    with open(path, "w", encoding="utf-8", newline="") as file:
        for table in dataset.arrow_tables(None, progress):
            frame = table.select(["ply", "side", "score", "outcome", "move"]).to_pandas()
            for words, row in zip(
                words_in(table, game).tolist(), frame.itertuples(index=False), strict=True
            ):
                text = line(Labelled((*words,), *row), game)
                left_out += text is None
                file.write(text or "")
    if left_out == len(dataset):
        raise UserError(f"no position of {dataset.folder} has the labels of this format")
    return left_out


def _write_rows(table: pa.Table, game: Game, file: TextIO, is_first: bool) -> None:
    frame = table.drop_columns(word_columns(game)).to_pandas()
    write, write_move = game.notation.write, game.notation.write_move
    texts = [
        write((*words,), side)
        for words, side in zip(words_in(table, game).tolist(), frame["side"], strict=True)
    ]
    frame.insert(0, "position", texts)
    frame["move"] = [write_move(move) for move in frame["move"]]
    if "visits" in frame:
        frame["visits"] = [" ".join(map(str, counts)) for counts in frame["visits"]]
    frame.to_csv(file, index=False, header=is_first)


class _WholeGames:
    """The games of a dataset that are whole; `left_out` counts the others."""

    def __init__(self, dataset: Dataset, progress: Progress) -> None:
        self.left_out, self._dataset, self._progress = 0, dataset, progress

    def __iter__(self) -> Iterator[GameRecord]:
        for table in self._dataset.arrow_tables(None, self._progress):
            yield from self._of(table, self._dataset.game)

    def _of(self, table: pa.Table, game: Game) -> Iterator[GameRecord]:
        frame = table.select(["game_id", "ply", "side", "move", "outcome", "source"]).to_pandas()
        words, numbers = words_in(table, game), frame["game_id"].to_numpy()
        starts = np.append(0, np.flatnonzero(np.diff(numbers)) + 1)
        ends = np.append(starts[1:], len(numbers))
        moves = frame["move"].to_numpy(np.int32, copy=True)
        plies = frame["ply"].to_numpy(np.int16)[starts]
        sides = frame["side"].to_numpy(np.int8)[starts]
        results = frame["outcome"].to_numpy(np.float32)[starts] * (1 - 2 * sides)
        records = Records(words[starts], plies, sides, moves, ends, results, {})
        sources = frame["source"].to_numpy(str)[starts]
        whole_games = np.flatnonzero(_are_whole(records, words, game)).tolist()
        self.left_out += len(records) - len(whole_games)
        for i in whole_games:
            start = Position(game, tuple(words[starts[i]].tolist()), int(sides[i]))
            line, names = moves[starts[i] : ends[i]].tolist(), (sources[i], sources[i])
            yield GameRecord(start, int(plies[i]), line, names, float(results[i]))


def _are_whole(records: Records, words: NDArray[np.uint64], game: Game) -> NDArray[np.bool_]:
    """Return which games have all rows, whose positions are `words`, from the first to the end."""
    buffer, rows, reasons = replay(game, records)
    given = np.diff(records.ends, prepend=0)
    of_game, played = np.repeat(np.arange(len(records)), given), buffer.game[:rows]
    whole_games: NDArray[np.bool_] = reasons == 0
    whole_games &= np.bincount(played, minlength=len(records)) == given
    here, there = whole_games[of_game], whole_games[played]
    differs = (words[here] != buffer.words[:rows][there]).any(axis=1)
    whole_games[of_game[here][differs]] = False
    return whole_games
