"""Games as files have them, the formats that people write them down in, and what readers share.

A reader looks at a part of a text once, however long it is.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import plain_name
from samuel.games.game import Game
from samuel.games.position import Position
from samuel.games.rules import Words

Text = TypeVar("Text")
GAMES_AT_ONCE = 4096
"""Games that a file's reader hands on in one go."""
Unwanted: TypeAlias = Callable[[Mapping[str, str]], str]
"""Returns why a game of these tags, named in small letters, is left out; nothing if it is not."""


def all_wanted(tags: Mapping[str, str]) -> str:
    """Leave out no game."""
    return ""


class Start(NamedTuple):
    """Beginning of a game: the position, the plies before it, and who is to move (0 or 1)."""

    words: Words
    ply: int
    side: int


@dataclass(frozen=True)
class Records:
    """Games as files have them, or positions, each with one move: its best one, or NO_MOVE."""

    starts: NDArray[np.uint64]
    plies: NDArray[np.int16]
    sides: NDArray[np.int8]
    moves: NDArray[np.int32]
    ends: NDArray[np.int64]
    results: NDArray[np.float32]
    refused: dict[str, int]
    may_stop: bool = False
    lines: Sequence[int] = ()
    first_refused: Mapping[str, int] = field(default_factory=dict)
    place: str = "line"
    scores: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    are_positions: bool = False

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.moves):
            object.__setattr__(self, "scores", np.full(len(self.moves), np.nan, np.float32))

    def __len__(self) -> int:
        return len(self.ends)


_SHOWN = 24
"""Characters of a token in a reason."""
TERMINATIONS = {"t": "time forfeit", "r": "abandoned", "s": "adjudication"}
"""Words of PGN and PDN for the ends of games, by `GameRecord.forfeit`."""


class GameRecord(NamedTuple):
    """A game to write down."""

    start: Position
    ply: int
    moves: Sequence[int]
    names: tuple[str, str]
    result: float
    forfeit: str = ""
    tags: Mapping[str, str] = MappingProxyType({})
    comments: Sequence[str] = ()


@dataclass(frozen=True)
class RecordFormat:
    """A way to write games down; a game names those of its own (`Defaults.formats_in`)."""

    name: str
    ending: str
    is_one: Callable[[bytes], bool]
    read: Callable[[Path, Game], Iterator[Records]]
    write: Callable[[GameRecord], str] | None = None
    store: Callable[[Path, Iterator[GameRecord], Game], int] | None = None
    select: Callable[[Path, Game, Unwanted], Iterator[Records]] | None = None
    # units of its scores per unit of the game; 0 where its reader converts them
    score_unit: float = 0.0


def not_understood(token: str) -> str:
    """Return the reason to leave out a game for a token that is nothing known."""
    text = plain_name(token[: _SHOWN + 1])
    return f"not understood: {text[:_SHOWN]}{'...' * (len(text) > _SHOWN)}"


class RefusedError(Exception):
    """A game is left out; the message is the reason."""


def result_told(tag: float, end: float) -> float:
    """Return the result of a game by its tag and its terminator, each NaN where it has none."""
    if not math.isnan(tag) and not math.isnan(end) and tag != end:
        raise RefusedError("tag and terminator have different results")
    return tag if math.isnan(end) else end


class ReadGame(NamedTuple):
    """Record of a game as a file tells it; where no start is told, it is the initial position."""

    moves: Sequence[int]
    start: Start | None = None
    result: float = math.nan
    scores: Sequence[float] = ()


def records_of(
    game: Game,
    games: Sequence[ReadGame],
    refused: Refusals,
    *,
    may_stop: bool = False,
    lines: Sequence[int] = (),
    place: str = "line",
) -> Records:
    """Return records of games."""
    starts = [told.start or first_of(game) for told in games]
    return Records(
        np.array([start.words for start in starts], np.uint64).reshape(-1, game.words),
        np.array([start.ply for start in starts], np.int16),
        np.array([start.side for start in starts], np.int8),
        np.array([move for told in games for move in told.moves], np.int32),
        np.cumsum([len(told.moves) for told in games], dtype=np.int64),
        np.array([told.result for told in games], np.float32),
        dict(refused.counts),
        may_stop,
        lines,
        refused.first,
        place,
        np.array(
            [s for told in games for s in told.scores or (math.nan,) * len(told.moves)], np.float32
        ),
    )


def read_games(
    game: Game,
    texts: Iterable[tuple[int, Text]],
    read: Callable[[Text], ReadGame | None],
    settle: Callable[[list[ReadGame]], list[ReadGame]] = lambda games: games,
    *,
    may_stop: bool = False,
) -> Iterator[Records]:
    """Yield records of the games of a file, many at once."""
    waiting = iter(texts)
    while some := list(itertools.islice(waiting, GAMES_AT_ONCE)):
        refused, found, lines = Refusals(), [], []
        for line, text in some:
            try:
                told = read(text)
                if told is not None and not told.moves and _is_first(told.start, game):
                    raise RefusedError("no moves")
            except RefusedError as error:
                refused.add(str(error), line)
            else:
                if told is not None:
                    found.append(told)
                    lines.append(line)
        yield records_of(game, settle(found), refused, may_stop=may_stop, lines=lines)


class Refusals:
    """Number of games of a file that could not be read, by reason, and the place of the first."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.first: dict[str, int] = {}

    def add(self, reason: str, line: int, number: int = 1) -> None:
        """Count games, the first of which begins on a line."""
        self.counts[reason] += number
        self.first.setdefault(reason, line)


def _is_first(start: Start | None, game: Game) -> bool:
    return start is None or start.words == game.start


def first_of(game: Game) -> Start:
    """Return where games begin."""
    return Start(game.start, 0, 0)


def start_of(position: Position) -> Start:
    """Return a position with a ply for it: the squares filled, and a pass where sides alternate."""
    game = position.game
    ply = game.most_left - game.left_in(position.row)
    passed = (ply + position.side) % 2 if game.alternates else 0
    return Start(position.words, ply + passed, position.side)


DASH = "-\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d"
"""Characters that people and their programs write for a minus or a hyphen."""
DASHES = str.maketrans(DASH, "-" * len(DASH))
