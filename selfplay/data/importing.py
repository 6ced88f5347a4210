"""Games from files of other makers into a dataset."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa

from samuel.errors import UserError, unknown
from samuel.games.interface import Game
from samuel.games.records import RecordFormat, Records
from samuel.games.transcripts import formats_of
from samuel.options import INFERRED, Argument, public
from samuel.selfplay.data.dataset import Dataset
from samuel.selfplay.data.derive import made_of_files, write_dataset
from samuel.selfplay.data.replay import REASONS, replay
from samuel.selfplay.data.shard import table_of


@public
def import_games(
    files: Annotated[Sequence[Path | str], Argument()],
    out: Path | str,
    *,
    game: Game = INFERRED,
    format: str = "auto",
    progress: Callable[[int, int], None] = lambda games, rows: None,
) -> Dataset:
    """Import games from files as a dataset: transcripts, or the game's own format.

    Formats: transcripts (one per line) for all games; WTHOR and GGF for Othello, PDN for checkers,
    psq for five in a row.

    Every move is checked by the rules, and forced passes are inserted. Games are left out if they
    have an illegal move, are not finished, or end otherwise than their file says; the number of
    each is reported. Positions get no scores; `samuel dataset relabel` adds them.

    Parameters
    ----------
    files
        Files of games, in one or several formats.
    out
        Folder of the new dataset.
    game
        Game: a name, or a Python file that registers one. Default: Othello.
    format
        Format: transcripts, or one of the game's own (wthor, ggf, pdn, psq). The default auto looks
        into each file.
    progress
        Called with the games found and the rows so far.

    Returns
    -------
    Dataset
        New dataset.

    Raises
    ------
    UserError
        A file is missing or cut off, or none of the games can be imported; the folder holds
        something else.

    Notes
    -----
    The score of a row is NaN, its depth 0, its source the name of its file without ending. A game
    that the rules do not allow, that is not finished, or ends otherwise than its file says, is left
    out; the counts of the dataset's manifest are games, those found, imported, left_out, how many
    for which reason, and first_left_out, where the first of those begins.

    Examples
    --------
    >>> import samuel
    >>> from pathlib import Path
    >>> _ = Path("won.txt").write_text("a1b1a2b2a3")
    >>> samuel.import_games(["won.txt"], "data/won", game="tic_tac_toe")
    Dataset('data/won': ...)
    """
    formats = formats_of(game)
    if format != "auto" and format not in formats:
        raise unknown("format", format, ["auto", *formats], of=game.name)
    paths = [Path(file) for file in files]
    for path in paths:
        if not path.is_file():
            raise UserError(f"file {path} does not exist")
    made = made_of_files(paths, game, "import", {"format": format})

    def tables(counts: dict[str, Any]) -> Iterator[pa.Table]:
        left_out: Counter[str] = Counter()
        first: dict[str, str] = {}
        counts |= {"games": 0, "imported": 0, "left_out": left_out, "first_left_out": first}
        rows = 0
        for path in paths:
            one = _format_of(path, formats) if format == "auto" else formats[format]
            for records in one.read(path, game):
                table, refused, lines = _table(records, game, path.stem, counts["imported"])
                left_out.update(refused)
                for reason, line in lines.items():
                    first.setdefault(reason, f"{path.name}, {records.place} {line}")
                counts["games"] += len(records) + sum(records.refused.values())
                counts["imported"] = counts["games"] - left_out.total()
                progress(counts["games"], rows := rows + len(table))
                yield table
        if not counts["imported"]:
            raise UserError(_why_nothing(counts))

    return write_dataset(out, made, tables)


def _table(
    records: Records, game: Game, source: str, first: int
) -> tuple[pa.Table, Counter[str], dict[str, int]]:
    """Return the rows of records, their games numbered from `first` on, and what is left out.

    That is how many games for which reason, and the line of the first.
    """
    buffer, rows, reasons = replay(game, records)
    numbers = first + np.cumsum(reasons == 0) - 1
    buffer.game[:rows] = numbers[buffer.game[:rows]]
    refused, lines = Counter(records.refused), dict(records.first_refused)
    for k, reason in enumerate(REASONS[1:], 1):
        found = np.flatnonzero(reasons == k)
        if len(found):
            refused[reason] += len(found)
            lines[reason] = min(lines.get(reason, sys.maxsize), int(records.lines[found[0]]))
    return table_of(buffer, rows, game, source), refused, lines


def _format_of(path: Path, formats: Mapping[str, RecordFormat]) -> RecordFormat:
    """Return what a file is by its ending, else by how it begins; transcripts are the last."""
    with open(path, "rb") as file:
        start = file.read(4096)
    ending = path.suffix.lower().lstrip(".")
    named = [one for one in formats.values() if one.ending == ending and ending != "txt"]
    return next(one for one in (*named, *formats.values()) if one in named or one.is_one(start))


def _why_nothing(counts: dict[str, Any]) -> str:
    if not counts["games"]:
        return "the files hold no games"
    reasons = ", ".join(
        f"{n:,} {reason} ({counts['first_left_out'][reason]})"
        for reason, n in counts["left_out"].items()
    )
    return f"none of the {counts['games']:,} games can be imported: {reasons}"
