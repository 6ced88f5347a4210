"""Games from files of other makers into a dataset."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pyarrow as pa

from samuel.common.errors import UserError, unknown
from samuel.common.options import Argument, Ends, Range
from samuel.common.public import INFERRED, public
from samuel.common.text_files import ending_of, not_text, start_of_file, watched
from samuel.games.game import Game
from samuel.games.records import RecordFormat, Records
from samuel.games.transcripts import formats_of
from samuel.selfplay.data.dataset import Dataset, within
from samuel.selfplay.data.derive import SHARD_ROWS, by_rows, made_of_files, write_dataset
from samuel.selfplay.data.positions.columns import columns_in
from samuel.selfplay.data.positions.formats import FIRST, FORMATS, MOVER, PositionFormat, format_of
from samuel.selfplay.data.positions.reading import read_positions
from samuel.selfplay.data.replay import REASONS, replay
from samuel.selfplay.data.shard import table_of
from samuel.selfplay.data.wanted import WantedGames

_MOST_REASONS = 12
"""Reasons that are counted one by one: those with a token of the file have no end."""


@public
def import_games(
    files: Annotated[Sequence[Path | str], Argument()],
    out: Path | str,
    *,
    game: Game = INFERRED,
    format: str = "auto",
    scores_for: str = "",
    score_unit: Annotated[float | None, Range(1e-9)] = None,
    columns: str = "",
    min_rating: Annotated[int, Range(0)] = 0,
    time_control: str = "",
    plies: Ends = None,
    progress: Callable[[int, int, int], None] = lambda read, games, rows: None,
) -> Dataset:
    """Import games or labelled positions from files as a dataset.

    Formats of games: transcripts (one per line) for all games; WTHOR and GGF for Othello, PDN for
    checkers, PGN, binpack and viriformat for chess, mat for backgammon. Formats of positions: epd,
    fen, bullet, plain, csv, parquet, obf, egaroucid for Othello; bin, bulletformat and lichess (its
    file of evaluations) for chess. Text is in UTF-8. Files may be packed by gzip, Zstandard, or zip
    with one file per archive.

    The rules check every move and position. The output reports how many were left out, and why.
    Scores in comments of PGN are imported; `samuel dataset relabel` adds scores to other games.

    Parameters
    ----------
    files
        Files of games or positions, in one or several formats; of a folder, its Parquet files.
    out
        Folder of the new dataset.
    game
        Game: a name, or a Python file that registers one. Default: Othello.
    format
        Name of the format of all files, in small letters. The default auto examines each file.
    scores_for
        Side of the scores in a text file: first (White) or mover (the side to move). By default
        mover for plain and obf, else first.
    score_unit
        Units of the file's scores per unit of the game. By default 100 for chess (centipawns), else
        1. Chess scores with fractions need this option.
    columns
        Columns of a CSV or Parquet file, such as position=fen,score=cp,result=wdl,move=best,
        ply=n,game=id. The names of other columns are guessed.
    min_rating
        Minimum rating of both players in PGN (WhiteElo, BlackElo). Default: 0, any.
    time_control
        Time control in PGN: a text such as 300+3, or seconds at the start: 180- (at least 180) or
        180-900. By default any.
    plies
        Plies to keep, such as 16-200. By default all.
    progress
        Called with the bytes read, the games found and the rows so far.

    Returns
    -------
    Dataset
        New dataset.

    Raises
    ------
    UserError
        A file is missing or cut off, or none of the games can be imported; the folder has
        something else.

    Notes
    -----
    The score of a row of a game is NaN where its file has none, its depth 0, its source the name
    of its file without ending. Each position is one game, so that splits by game are splits
    by position, unless the file names its game: in a column game or game_id of csv, or as
    `c0 "game 12"` in epd. A game that the rules do not allow, that is not finished, or ends
    otherwise than in its file, is left out; the counts of the dataset's manifest are games, those
    found, imported, left_out, how many for which reason, first_left_out, where the first of those
    begins, and other_plies, the rows beyond `plies`.

    Examples
    --------
    >>> import samuel
    >>> from pathlib import Path
    >>> _ = Path("won.txt").write_text("a1b1a2b2a3")
    >>> samuel.import_games(["won.txt"], "data/won", game="tic_tac_toe")
    Dataset('data/won': ...)
    """
    formats = formats_of(game)
    if format != "auto" and format not in {*formats, *FORMATS}:
        raise unknown("format", format, ["auto", *formats, *FORMATS], of=game.name)
    if scores_for not in ("", FIRST, MOVER):
        raise unknown("side", scores_for, (FIRST, MOVER))
    named, wanted = columns_in(columns), WantedGames(min_rating, time_control)
    paths = [part for file in files for part in _files_of(Path(file))]
    of_games = {"min_rating": min_rating, "time_control": time_control}
    told = {"scores_for": scores_for, "columns": named, "score_unit": score_unit}
    settings = told | of_games | {"plies": plies and list(plies)}
    given = {"format": format} | {name: value for name, value in settings.items() if value}
    made = made_of_files(paths, game, "import", given)
    so_far = [0, 0, 0]

    def tell(read: int = 0, games: int = 0, rows: int = 0) -> None:
        so_far[:] = so_far[0] + read, max(so_far[1], games), so_far[2] + rows
        progress(*so_far)

    def parts(path: Path, counts: dict[str, Any]) -> tuple[str, Iterator[_Part]]:
        of_positions = format_of(path, game) if format == "auto" else FORMATS.get(format)
        if of_positions is not None:
            return of_positions.name, _positions_in(path, game, of_positions, told, counts)
        one = _format_of(path, formats) if format == "auto" else formats[format]
        return one.name, _games_in(path, game, one, wanted, score_unit, counts)

    def tables(counts: dict[str, Any]) -> Iterator[pa.Table]:
        counts |= {"games": 0, "imported": 0, "left_out": Counter(), "first_left_out": {}}
        read_as: list[str] = []
        for path in paths:
            name, found = parts(path, counts)
            read_as.append(name)
            for part in _naming(path, found):
                _count(part, path, counts)
                table = part.table
                if plies is not None:
                    table = table.filter(pa.array(within(table["ply"].to_numpy(), plies)))
                    others = len(part.table) - len(table)
                    counts["other_plies"] = counts.get("other_plies", 0) + others
                tell(0, counts["games"], len(table))
                yield table
        if not counts["imported"]:
            raise UserError(_why_nothing(counts, game, paths, read_as))

    with watched(tell):
        return write_dataset(out, made, tables)


def _files_of(path: Path) -> list[Path]:
    """Return a file, or the Parquet files of a folder; raise UserError where it is neither."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    for one in files or [path]:
        if not one.is_file():
            what = "is a folder without Parquet files" if one.is_dir() else "is no regular file"
            raise UserError(f"file {one} {what if one.exists() else 'does not exist'}")
    return files


class _Part(NamedTuple):
    """Part of a file: rows, number of games, refused games and first place by reason."""

    table: pa.Table
    found: int
    refused: Counter[str]
    first: dict[str, str]
    are_positions: bool


def _naming(path: Path, parts: Iterator[_Part]) -> Iterator[_Part]:
    """Yield the parts of a file; the error of one that is no text says how to name its format."""
    try:
        yield from parts
    except UserError as error:
        if str(error) == str(not_text(path)):
            said = f"{error}; name its game and format, such as --game chess --format binpack"
            raise UserError(said) from None
        raise


def _count(part: _Part, path: Path, counts: dict[str, Any]) -> None:
    """Count the games of a part, and those of them that are left out, by reason."""
    left_out, first = counts["left_out"], counts["first_left_out"]
    for reason, number in part.refused.items():
        known = reason in left_out or len(left_out) < _MOST_REASONS
        counted = reason if known else "other reasons"
        left_out[counted] += number
        first.setdefault(counted, f"{path.name}, {part.first[reason]}")
    counts["games"] += part.found
    if part.are_positions:
        counts["of_positions"] = counts.get("of_positions", 0) + part.found
    counts["imported"] = counts["games"] - left_out.total()


def _positions_in(
    path: Path, game: Game, one: PositionFormat, told: Mapping[str, Any], counts: dict[str, Any]
) -> Iterator[_Part]:
    """Yield the parts of a file of positions, each a game where the file names none."""
    numbers: dict[str, int] = {}
    waiting: list[pa.Table] = []
    for block in read_positions(path, game, one, **told):
        rows, games = len(block.buffer.game), block.buffer.game
        found = rows + block.refused.total()
        games[:] = counts["imported"] + np.arange(rows)
        for k, name in enumerate(block.games or ()):
            if name:
                games[k] = numbers.setdefault(name, int(games[k]))
        table = table_of(block.buffer, rows, game, path.stem)
        first = {reason: f"{one.place} {line}" for reason, line in block.first.items()}
        if numbers or waiting:  # until all rows of a game are known
            waiting.append(table)
        yield _Part(table.slice(0, 0 if waiting else None), found, block.refused, first, True)
    if waiting:
        table = pa.concat_tables(waiting).unify_dictionaries().combine_chunks()
        order = np.argsort(table["game_id"].to_numpy(), kind="stable")
        for part in by_rows(table.take(pa.array(order)), SHARD_ROWS):
            yield _Part(part, 0, Counter(), {}, True)


def _games_in(
    path: Path,
    game: Game,
    one: RecordFormat,
    wanted: WantedGames,
    score_unit: float | None,
    counts: dict[str, Any],
) -> Iterator[_Part]:
    """Yield the parts of a file of games, or of positions in the game's own format."""
    most = game.scores.max_utility
    for records in _records(one, path, game, wanted):
        if one.score_unit:
            scores = np.clip(records.scores / (score_unit or one.score_unit), -most, most)
            records = replace(records, scores=scores.astype(np.float32))
        found = len(records) + sum(records.refused.values())
        table, refused, lines = _table(records, game, path.stem, counts["imported"])
        first = {reason: f"{records.place} {line}" for reason, line in lines.items()}
        yield _Part(table, found, refused, first, records.are_positions)


def _records(one: RecordFormat, path: Path, game: Game, wanted: WantedGames) -> Iterator[Records]:
    if wanted.is_any:
        return one.read(path, game)
    if one.select is None:
        raise UserError(
            f"{path} has no ratings and time controls ({one.name}); --min-rating and "
            "--time-control need PGN"
        )
    return one.select(path, game, wanted)


def _table(
    records: Records, game: Game, source: str, first: int
) -> tuple[pa.Table, Counter[str], dict[str, int]]:
    """Return the rows of records, their games numbered from `first` on, and what is left out."""
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
    """Return what a file is by how it begins, and its ending; transcripts are the last."""
    start, ending = start_of_file(path, 4096), ending_of(path)
    fitting = [one for one in formats.values() if one.is_one(start)]
    named = [one for one in formats.values() if one.ending == ending and ending != "txt"]
    both = [one for one in named if one in fitting]
    return [*both, *fitting[:-1], *named, *fitting][0]


def _why_nothing(
    counts: dict[str, Any], game: Game, paths: Sequence[Path], formats: Iterable[str]
) -> str:
    read_as = " and ".join(dict.fromkeys(formats))
    hint = f"read as {read_as} of {game.name} (others: --format NAME, --game NAME)"
    which = str(paths[0]) if len(paths) == 1 else "the files"
    if not counts["games"]:
        verb = "contains" if len(paths) == 1 else "contain"
        return f"{which} {verb} no games or positions, {hint}"
    reasons = ", ".join(
        f"{n:,} {reason} ({counts['first_left_out'][reason]})"
        for reason, n in counts["left_out"].items()
    )
    what = "position" if counts["games"] == counts.get("of_positions") else "game"
    number = "the only" if counts["games"] == 1 else f"none of the {counts['games']:,}"
    verb = "cannot" if counts["games"] == 1 else "can"
    plural, pronoun = ("", "it was") if counts["games"] == 1 else ("s", "they were")
    return f"{number} {what}{plural} {verb} be imported: {reasons}; {pronoun} {hint}"
