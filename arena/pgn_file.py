"""The games of a match in a file of PGN, to which each pair goes as soon as it has ended."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from samuel.arena.records import GameRow, Pair
from samuel.common.errors import UserError, plain_name
from samuel.common.files import require_file, require_free, writing
from samuel.games.game import Game
from samuel.games.records import TERMINATIONS, GameRecord
from samuel.games.transcripts import formats_of
from samuel.search.limits import Limits
from samuel.search.score import SCORE_UNIT
from samuel.search.score import limits as score_limits

_PGN = "pgn"
_TERMINATIONS = {"time": "t", "crash": "r", "no answer": "r", "agreed": "s"}
_RULES = ("illegal move", "protocol")


class Matched(NamedTuple):
    """A match as PGN tells of it: its game, the names of A and B, and their limits."""

    game: Game
    names: tuple[str, str]
    limits: tuple[Limits, Limits]

    @property
    def event(self) -> str:
        """The tag Event."""
        return plain_name(f"{self.names[0]} against {self.names[1]}")

    def text(self, pair: Pair) -> str:
        """Return a pair in PGN."""
        write = formats_of(self.game)[_PGN].write
        assert write is not None
        return "".join(f"{write(self._record(one, k))}\n" for k, one in enumerate(pair, 1))

    def _record(self, played: GameRow, number: int) -> GameRecord:
        """Return the first or second game of a pair."""
        first, second = played.first, 1 - played.first
        times = [_time_control(self.limits[side]) for side in (first, second)]
        tags = {"Event": self.event, "Site": "?", "Date": played.date or "????.??.??"}
        tags["Round"] = f"{played.number + 1}.{number}"
        if times[0] == times[1]:
            tags["TimeControl"] = times[0]
        else:
            tags |= {"WhiteTimeControl": times[0], "BlackTimeControl": times[1]}
        tags["Termination"] = _termination(played)
        comments = ["book"] * len(played.opening)
        told = zip(played.scores, played.depths, played.times, strict=True)
        comments += [comment_of(*one, self.game) for one in told]
        return GameRecord(
            played.begin(self.game),
            0,
            played.line,
            (self.names[first], self.names[second]),
            played.for_first,
            tags=tags,
            comments=comments,
        )


def _termination(played: GameRow) -> str:
    if played.ending in _RULES:
        return "rules infraction"
    return TERMINATIONS.get(_TERMINATIONS.get(played.ending, ""), "normal")


def _time_control(limits: Limits) -> str:
    """Return limits as the tag TimeControl has them; those of depth and nodes are not of time."""
    if limits.clock is not None:
        return f"{limits.clock:g}" + (f"+{limits.added:g}" if limits.added else "")
    return "-" if limits.seconds is None else f"{limits.seconds:g}/move"


def comment_of(score: float | None, depth: int, seconds: float, game: Game) -> str:
    """Return what a comment tells of a move: `+0.31/12 0.500s`, `-M6/20 1.200s`, or nothing."""
    took = f"{seconds:.3f}s"
    if score is None:
        return took if seconds else ""
    sign = "+" if score > 0 else "-" if score < 0 else ""
    plies = round((game.scores.max_utility - abs(score)) * SCORE_UNIT)
    is_mate = abs(score) * SCORE_UNIT >= score_limits(game)[0] and plies > 0
    told = f"M{plies}" if is_mate else f"{abs(score):.2f}"
    return f"{sign}{told}/{depth} {took}"


@contextlib.contextmanager
def pgn_file(
    path: Path, matched: Matched, pairs: Sequence[Pair]
) -> Iterator[Callable[[Pair], None]]:
    """Yield what adds a pair to a file, which begins with those that were played before."""
    require_pgn(path, matched.game)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "a", encoding="utf-8")  # noqa: SIM115
    with writing(path), file:
        if path.is_file():
            require_free(file, path)
            _require_ours(path, f'[Event "{matched.event}"]\n' if pairs else None)
            file.truncate(0)

        def add(pair: Pair) -> None:
            with writing(path):
                file.write(matched.text(pair))
                file.flush()

        for pair in pairs:
            add(pair)
        yield add


def require_pgn(path: Path, game: Game) -> None:
    """Raise UserError where a game is not written in PGN, or `path` can be no file of it."""
    if _PGN not in formats_of(game):
        raise UserError(f"--pgn is for chess; {game.name} is not written in PGN")
    require_file(path)


def _require_ours(path: Path, first: str | None) -> None:
    """Raise UserError where a file holds anything but games of a match that begins so."""
    if not path.exists() or path.stat().st_size == 0:
        return
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        if first is not None and file.readline(len(first)) == first:
            return
    raise UserError(
        f"{path} contains other games; give another name, or delete it (with --out FOLDER an "
        "interrupted match goes on in its file)"
    )
