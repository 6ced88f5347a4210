"""Games of an event: as they are kept in a journal, as a table, as files for other programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Meta
from numpy.typing import NDArray

from samuel.arena.openings.kernel import AFTER_END, ILLEGAL
from samuel.arena.openings.lines import Starts, follow_line
from samuel.common.errors import UserError, one_line
from samuel.common.files import MOST_BYTES, require_readable, whole
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.records import GameRecord, RecordFormat
from samuel.games.rules import MAX_MOVE, PASS
from samuel.games.transcripts import formats_of, transcript

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
"""Most players of a tournament: the pairing of players i < j has number i * MOST_PLAYERS + j."""
Ending = Annotated[str, Meta(pattern=rf"^({'|'.join(ENDINGS)})\Z")]
Count = Annotated[int, Meta(ge=0, lt=1 << 62)]
Finite = Annotated[float, Meta(ge=-1e9, le=1e9)]
Move = Annotated[int, Meta(ge=PASS, le=MAX_MOVE)]


@dataclass(frozen=True, slots=True)
class Spent:
    """Cost of a game for a side: positions searched, seconds, moves."""

    nodes: Count = 0
    seconds: Annotated[float, Meta(ge=0, le=1e12)] = 0.0
    moves: Count = 0


class Thought(NamedTuple):
    """Score in the game's unit, depth and seconds that a side told of its move."""

    score: Finite | None = None
    depth: Count = 0
    seconds: Annotated[float, Meta(ge=0, le=1e12)] = 0.0


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game between A and B."""

    result: Finite
    moves: tuple[Move, ...]
    ending: Ending
    decided: Count
    fault: Annotated[int, Meta(ge=0, le=1)] | None
    note: str
    spent: tuple[Spent, Spent]
    thoughts: tuple[Thought, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayedPair:
    """An opening played twice: A moves first in the first game, B in the second."""

    pairing: Annotated[int, Meta(ge=0, lt=1 << 24)]
    number: Annotated[int, Meta(ge=0, lt=1 << 31)]
    opening: tuple[Move, ...]
    games: tuple[PlayedGame, PlayedGame]
    date: Annotated[str, Meta(pattern=r"^(\d{4}\.\d\d\.\d\d)?\Z")] = ""
    start: Annotated[str, Meta(max_length=_LONGEST_START)] = ""

    @property
    def key(self) -> tuple[int, int]:
        """Key that no other pair of the event shares."""
        return self.pairing, self.number

    @property
    def results(self) -> tuple[float, float]:
        """Both games' results for A."""
        return self.games[0].result, self.games[1].result

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it, without what is not kept."""
        told = asdict(self)
        for one in (told, *told["games"]):
            for name in ("date", "start", "thoughts"):
                if name in one and not one[name]:
                    del one[name]
        return told

    def begin(self, game: Game) -> Position:
        """Return the position before the opening's moves."""
        return start_position(game, self.start)


def unfit(pairs: Sequence[PlayedPair], game: Game) -> NDArray[np.int64]:
    """Return the places of pairs that cannot have been played."""
    lines = [(*pair.opening, *one.moves) for pair in pairs for one in pair.games]
    starts = Starts.parse(game, [pair.start for pair in pairs for _ in range(2)])
    is_wrong = np.isin(follow_line(game, lines, starts).faults, (ILLEGAL, AFTER_END))
    for k, one in enumerate(one for pair in pairs for one in pair.games):
        is_wrong[k] |= one.decided > len(one.moves)
        is_wrong[k] |= len(one.thoughts) not in (0, len(one.moves))
    results = np.array([pair.results for pair in pairs]).reshape(-1, 2)
    is_wrong = is_wrong.reshape(-1, 2) | (np.abs(results) > game.max_utility)
    return np.flatnonzero(is_wrong.any(axis=1))


def start_position(game: Game, text: str) -> Position:
    """Return the position that a text tells; the initial one where it is empty."""
    return Position.parse(text, game) if text else Position.start(game)


def movers_after_openings(pairs: Sequence[PlayedPair], game: Game) -> list[int]:
    """Return who is to move after the opening of each pair: 0 the first player, 1 the other."""
    starts = Starts.parse(game, [pair.start for pair in pairs])
    sides: list[int] = follow_line(game, [pair.opening for pair in pairs], starts).sides.tolist()
    return sides


def frame_of_games(
    pairs: Iterable[PlayedPair], game: Game, pairings: Mapping[int, tuple[str, str]]
) -> pd.DataFrame:
    """Return games as a table."""
    rows = []
    pairs = list(pairs)
    for pair, mover in zip(pairs, movers_after_openings(pairs, game), strict=True):
        names, start = pairings[pair.pairing], pair.begin(game)
        for number, played in enumerate(pair.games):
            first = (number + mover) % 2  # who has the move after the opening is A in game 0
            by = (played.spent[first], played.spent[1 - first])
            rows.append(
                {
                    "pairing": pair.pairing,
                    "pair": pair.number,
                    "game": number,
                    "first": names[first],
                    "second": names[1 - first],
                    "opening_plies": len(pair.opening),
                    "moves": transcript(start, (*pair.opening, *played.moves)),
                    "result": played.result * (1 - 2 * first),
                    "ending": played.ending,
                    "decided": len(pair.opening) + played.decided,
                    "fault": "" if played.fault is None else names[played.fault],
                    "note": played.note,
                    "nodes_first": by[0].nodes,
                    "seconds_first": by[0].seconds,
                    "nodes_second": by[1].nodes,
                    "seconds_second": by[1].seconds,
                }
            )
    return pd.DataFrame(rows)


def _text_format(game: Game) -> RecordFormat:
    """Return what games are written in for other programs."""
    return next(one for one in formats_of(game).values() if one.write)


def text_file(game: Game) -> str:
    """Return the name of the file of games for other programs."""
    return f"games.{_text_format(game).ending}"


def write_games(folder: Path, pairs: Sequence[PlayedPair], frame: pd.DataFrame, game: Game) -> None:
    """Write games into a folder: as Parquet, and for other programs in the game's own format."""
    with whole(folder / GAMES) as partial:
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), partial)
    played = [(pair.begin(game), pair.opening, one) for pair in pairs for one in pair.games]
    write = _text_format(game).write
    assert write is not None
    with (
        whole(folder / text_file(game)) as partial,
        open(partial, "w", encoding="utf-8") as file,
    ):
        columns = (frame[name].tolist() for name in ("first", "second", "result"))
        for (start, opening, one), first, second, result in zip(played, *columns, strict=True):
            forfeit = {"time": "t", AGREED: "s"}.get(one.ending, "" if one.fault is None else "r")
            moves = (*opening, *one.moves)
            file.write(write(GameRecord(start, 0, moves, (first, second), result, forfeit)) + "\n")


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
    if not path.exists():
        raise UserError(
            f"{folder} holds no games: {GAMES} is missing; it is written when a match or "
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
