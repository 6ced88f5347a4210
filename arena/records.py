"""Games of an event: as they are kept in a journal, as a table, as files for other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Meta
from numpy.typing import NDArray

from samuel.common.errors import UserError, one_line
from samuel.common.files import MOST_BYTES, require_readable, whole
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import GameRecord, RecordFormat
from samuel.games.rules import MAX_MOVE, PASS
from samuel.games.transcripts import formats_of, transcript
from samuel.selfplay.openings.kernel import AFTER_END, ILLEGAL
from samuel.selfplay.openings.openings import Starts, follow_line

GAMES = "games.parquet"

ENDINGS = (
    "played",
    "solved",
    "time",
    "no answer",
    "illegal move",
    "crash",
    "protocol",
    "resigned",
    "agreed",
)
"""Ways in which a game was decided: at its end, by the exact solver, by a fault of one side, or by
the scores of both. The side exceeded its time, or gave no answer where it had no clock; played an
illegal move; ended; answered what its protocol does not allow; gave up."""

SOLVED, AGREED = "solved", "agreed"
_LONGEST_START = 1 << 10
MOST_PLAYERS = 1 << 12
"""Most players of an event: the pairing of players i < j has number i * MOST_PLAYERS + j."""
Ending = Annotated[str, Meta(pattern=rf"^({'|'.join(ENDINGS)})\Z")]
Count = Annotated[int, Meta(ge=0, lt=1 << 62)]
Finite = Annotated[float, Meta(ge=-1e9, le=1e9)]
Move = Annotated[int, Meta(ge=PASS, le=MAX_MOVE)]


Seconds = Annotated[float, Meta(ge=0, le=1e12)]
Side = Annotated[int, Meta(ge=0, le=1)]


class GameRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A game between A and B: a row of an event's table.

    Two rows with one opening are a pair, in the first of which A has the move after the opening.
    Numbers of both sides are (A, B). Scores, depths and times, one per move, are kept where a file
    of PGN is written.
    """

    pairing: Annotated[int, Meta(ge=0, lt=1 << 24)]
    number: Annotated[int, Meta(ge=0, lt=1 << 31)]
    opening: tuple[Move, ...]
    first: Side
    moves: tuple[Move, ...]
    result: Finite
    ending: Ending
    decided: Count
    nodes: tuple[Count, Count] = (0, 0)
    seconds: tuple[Seconds, Seconds] = (0.0, 0.0)
    turns: tuple[Count, Count] = (0, 0)
    fault: Side | None = None
    note: str = ""
    start: Annotated[str, Meta(max_length=_LONGEST_START)] = ""
    date: Annotated[str, Meta(pattern=r"^(\d{4}\.\d\d\.\d\d)?\Z")] = ""
    scores: tuple[Finite | None, ...] = ()
    depths: tuple[Count, ...] = ()
    times: tuple[Seconds, ...] = ()

    @property
    def key(self) -> tuple[int, int]:
        """Key that no other pair of the event shares."""
        return self.pairing, self.number

    @property
    def line(self) -> tuple[int, ...]:
        """All moves, those of the opening first."""
        return (*self.opening, *self.moves)

    @property
    def for_first(self) -> float:
        """Result for the game's first player."""
        return self.result if self.first == 0 else -self.result

    def begin(self, game: Game) -> Position:
        """Return the position before the opening's moves."""
        return start_position(game, self.start)


Pair: TypeAlias = tuple[GameRow, GameRow]


def sides_of(pairing: int) -> tuple[int, int]:
    """Return the places of both players of a pairing."""
    return divmod(pairing, MOST_PLAYERS)


def column(pairs: Sequence[Pair], name: str) -> NDArray[Any]:
    """Return a column of the games, (pairs, 2, ...)."""
    return np.array([[getattr(game, name) for game in pair] for pair in pairs])


def results_of(pairs: Sequence[Pair]) -> NDArray[np.float32]:
    """Return the results of the games for A, float32 (pairs, 2)."""
    return column(pairs, "result").astype(np.float32).reshape(-1, 2)


def faults_of(pairs: Iterable[Pair]) -> tuple[Counter[str], Counter[str]]:
    """Return the games that A and B lost by faults of their own, by kind."""
    faults = [(one.fault, one.ending) for pair in pairs for one in pair if one.fault is not None]
    a, b = (Counter(ending for side, ending in faults if side == own) for own in (0, 1))
    return a, b


def unfit(pairs: Sequence[Pair], game: Game) -> NDArray[np.int64]:
    """Return the places of pairs that cannot have been played."""
    games = [one for pair in pairs for one in pair]
    try:
        starts = Starts.parse(game, [one.start for one in games])
    except UserError:
        if len(pairs) == 1:
            return np.zeros(1, np.int64)
        return np.array([k for k, pair in enumerate(pairs) if len(unfit([pair], game))], np.int64)
    faults = follow_line(game, [one.line for one in games], starts).faults
    is_wrong = np.isin(faults, (ILLEGAL, AFTER_END)).reshape(-1, 2).any(axis=1)
    is_wrong |= (np.abs(column(pairs, "result")) > game.scores.max_utility).any(axis=1)
    for k, (one, other) in enumerate(pairs):
        is_wrong[k] |= (one.key, one.opening, one.start) != (other.key, other.opening, other.start)
        is_wrong[k] |= one.first == other.first
        for row in (one, other):
            is_wrong[k] |= row.decided > len(row.moves)
            is_wrong[k] |= {len(row.scores), len(row.depths), len(row.times)} not in (
                {0},
                {len(row.moves)},
            )
    return np.flatnonzero(is_wrong)


def start_position(game: Game, text: str) -> Position:
    """Return the position that a text tells; the initial one where it is empty."""
    return Position.parse(text, game) if text else Position.start(game)


def frame_of_games(pairs: Iterable[Pair], game: Game, players: Sequence[str]) -> pd.DataFrame:
    """Return games as a table; pairings are numbers of two players (MOST_PLAYERS)."""
    rows = []
    for pair in pairs:
        names = [players[side] for side in sides_of(pair[0].pairing)]
        start = pair[0].begin(game)
        for number, one in enumerate(pair):
            first, second = one.first, 1 - one.first
            rows.append(
                {
                    "pairing": one.pairing,
                    "pair": one.number,
                    "game": number,
                    "first": names[first],
                    "second": names[second],
                    "opening_plies": len(one.opening),
                    "moves": transcript(start, one.line),
                    "result": one.for_first,
                    "ending": one.ending,
                    "decided": len(one.opening) + one.decided,
                    "fault": "" if one.fault is None else names[one.fault],
                    "note": one.note,
                    "nodes_first": one.nodes[first],
                    "seconds_first": one.seconds[first],
                    "nodes_second": one.nodes[second],
                    "seconds_second": one.seconds[second],
                }
            )
    return pd.DataFrame(rows)


def _text_format(game: Game) -> RecordFormat:
    """Return what games are written in for other programs."""
    return next(one for one in formats_of(game).values() if one.write)


def text_file(game: Game) -> str:
    """Return the name of the file of games for other programs."""
    return f"games.{_text_format(game).ending}"


def write_games(folder: Path, pairs: Sequence[Pair], players: Sequence[str], game: Game) -> None:
    """Write games into a folder: as Parquet, and for other programs in the game's own format."""
    frame = frame_of_games(pairs, game, players)
    with whole(folder / GAMES) as partial:
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), partial)
    write = _text_format(game).write
    assert write is not None
    with whole(folder / text_file(game)) as partial, open(partial, "w", encoding="utf-8") as file:
        games = (one for pair in pairs for one in pair)
        names = zip(frame["first"].tolist(), frame["second"].tolist(), strict=True)
        for one, both in zip(games, names, strict=True):
            forfeit = {"time": "t", AGREED: "s"}.get(one.ending, "" if one.fault is None else "r")
            record = GameRecord(one.begin(game), 0, one.line, both, one.for_first, forfeit)
            file.write(write(record) + "\n")


_SCHEMA = pa.schema(
    [
        *[(name, pa.int64()) for name in ("pairing", "pair", "game")],
        *[(name, pa.string()) for name in ("first", "second")],
        *[("opening_plies", pa.int64()), ("moves", pa.string()), ("result", pa.float64())],
        *[("ending", pa.string()), ("decided", pa.int64())],
        *[("fault", pa.string()), ("note", pa.string())],
        *[("nodes_first", pa.int64()), ("seconds_first", pa.float64())],
        *[("nodes_second", pa.int64()), ("seconds_second", pa.float64())],
    ]
)
"""The columns of `frame_of_games`."""


def read_games(folder: Path | str) -> pd.DataFrame:
    """Return the games of an event's folder, as `frame_of_games` describes them."""
    path = Path(folder) / GAMES
    if not Path(folder).is_dir():
        raise UserError(f"there is no folder {folder}")
    if not path.exists():
        raise UserError(
            f"{folder} contains no games: {GAMES} is missing; it is written when a match or "
            "tournament ends or is interrupted"
        )
    require_readable(path)
    try:
        with pq.ParquetFile(path) as file:
            about = file.metadata
            parts = [about.row_group(k).total_byte_size for k in range(about.num_row_groups)]
            if not 0 <= max(sum(parts), about.num_rows) <= MOST_BYTES:
                raise pa.ArrowInvalid("it would not fit in memory")
            table = file.read().cast(_SCHEMA)
        table.validate(full=True)
        if any(column.null_count for column in table.columns):
            raise pa.ArrowInvalid("a value is missing")
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UserError(f"{path} is damaged ({one_line(error)}); run the match again") from None
    return table.to_pandas()
