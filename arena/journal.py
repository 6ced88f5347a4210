"""The folder of an event: what is played there, and every pair as soon as it has ended.

    event.json      what decides the games: the players by their digests, settings, seed
    journal.jsonl   one line a pair, appended as it ends
    games.parquet   the games, written when the run ends (arena/records.py), and so are
    games.ggf       the same for other programs; games.txt where a game has no format of its own

A process that is killed loses the pairs it was playing, nothing else: a line that was cut off is
dropped, and the pairs that are missing are played by the next run.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NotRequired, TypedDict

import msgspec
from msgspec import Meta

from samuel.arena.records import GAMES, Pair, text_file, unfit
from samuel.arena.sequential.sprt import Sprt
from samuel.common.errors import UserError
from samuel.common.files import holding, require_alone, require_readable, writing
from samuel.common.json_files import as_record, read_record, write_json
from samuel.games.game import Game
from samuel.games.origins import Origin, game_from

EVENT, JOURNAL = "event.json", "journal.jsonl"
FORMAT, ABOUT = 1, "about"
_AGAIN = "give another folder (--out)"
_MOST_BYTES, _LONGEST_LINE, _AT_ONCE = 1 << 32, 1 << 20, 1000
"""Largest journal, longest line, and pairs that are checked at a time. A pair of games of Othello
takes about 1 kB, and there may be millions."""


class EventPlayer(TypedDict):
    """A player of an event."""

    name: str
    digest: str
    engine: str | None
    limits: str


class About(TypedDict):
    """Description of an event; `sprt` only in a match."""

    openings: NotRequired[str]
    plugins: NotRequired[list[Origin]]
    sprt: NotRequired[Sprt | None]


class Event(TypedDict):
    """Contents of `event.json` in every event; there is more that two runs must agree on."""

    kind: str
    game: str
    players: list[EventPlayer]
    adjudicate_from: NotRequired[Annotated[int, Meta(ge=0)]]
    epsilon: NotRequired[Annotated[float, Meta(ge=0, le=1)]]
    about: About


class Journal:
    """The pairs of an event that were played so far, in memory and, if it has one, in its file."""

    def __init__(self, folder: Path | None = None, file: BinaryIO | None = None) -> None:
        self.pairs: dict[tuple[int, int], Pair] = {}
        self.folder = folder
        self.follow: Callable[[Pair], None] | None = None
        self.event: dict[str, Any] = {}
        self.before: dict[str, Any] | None = None
        """The event as an earlier run of the folder has left it."""
        self._file = file

    def keep(self, pair: Pair) -> None:
        """Add a pair."""
        if self._file is not None and self.folder is not None:
            with writing(self.folder / JOURNAL):
                self._file.write(msgspec.json.encode(pair) + b"\n")
                self._file.flush()
        self.pairs[pair[0].key] = pair
        if self.follow is not None:
            self.follow(pair)

    def describe(self, about: dict[str, Any]) -> None:
        """Write the description of the event in place of an earlier one."""
        if self.folder is not None and self.event[ABOUT] != about:
            write_json(self.folder / EVENT, {**self.event, ABOUT: about})


@contextlib.contextmanager
def journal_of(folder: Path | None, game: Game, event: dict[str, Any]) -> Iterator[Journal]:
    """Yield the journal of an event, with what an earlier run left; nobody else may write there."""
    if folder is None:
        yield Journal()
        return
    require_alone(folder, EVENT, (EVENT, JOURNAL, GAMES, text_file(game)))
    with holding(folder):
        before = event_in(folder)
        begun = _begin(folder, event, before)
        path = folder / JOURNAL
        if path.exists():
            require_readable(path, _MOST_BYTES)
        with writing(path):
            file = open(path, "ab+")  # noqa: SIM115
        journal = Journal(folder, file)
        journal.event, journal.before = begun, before
        try:
            kept = 0
            for pair in _read(path, file, event):
                journal.pairs[pair[0].key] = pair
                kept += 1
            yield journal
        except UserError:
            if before is None and not journal.pairs:
                (folder / EVENT).unlink()
                path.unlink()
            elif before is not None and len(journal.pairs) == kept:
                write_json(folder / EVENT, before)
            raise
        finally:
            with writing(path):  # what a full disk did not take is tried again
                file.close()


def event_in(folder: Path | None) -> dict[str, Any] | None:
    """Return the event of a folder, if there is one."""
    return None if folder is None or not is_event(folder) else read_event(folder)


def is_event(folder: Path | str) -> bool:
    """Return whether a folder holds an event."""
    return (Path(folder) / EVENT).exists()


def require_event(folder: Path | str) -> None:
    """Raise UserError where a folder, which is the only player, has neither event nor model."""
    if (
        Path(folder).is_dir()
        and not is_event(folder)
        and not (Path(folder) / "model.json").exists()
    ):
        raise UserError(
            f"{folder} shows no tournament: {EVENT} is missing; a tournament with --out {folder} "
            "writes it"
        )


def read_event(folder: Path | str) -> dict[str, Any]:
    """Return what decides the games of a folder's event (arena.running.Event)."""
    path = Path(folder) / EVENT
    what = "the folder of a match or tournament"
    event = read_record(path, dict[str, Any], what, _AGAIN, format=FORMAT)
    as_record(event, Event, str(path), _AGAIN)
    return event


def game_of_event(folder: Path | str, event: dict[str, Any]) -> Game:
    """Return the game of an event that lies in a folder, or raise as `game_from` does."""
    return game_from(str(folder), event["game"], event[ABOUT].get("plugins", []))


def read_journal(folder: Path | str) -> tuple[dict[str, Any], list[Pair]]:
    """Return the event of a folder and its pairs so far, in the order in which they ended."""
    folder = Path(folder)
    event = read_event(folder)
    path = folder / JOURNAL
    if not path.exists():
        return event, []
    require_readable(path, _MOST_BYTES)
    try:
        with open(path, "rb") as file:
            return event, list(_parse(path, _lines(path, file), event))
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error})") from None


def _begin(folder: Path, event: dict[str, Any], theirs: dict[str, Any] | None) -> dict[str, Any]:
    """Write the event down and return it; one that is there may differ in what is said of it."""
    event = {"format": FORMAT, **json.loads(json.dumps(event))}
    path = folder / EVENT
    if theirs is None:
        write_json(path, event)
        return event
    players = len(theirs["players"])
    mine = {**event, "players": event["players"][:players]}
    for name in {**event, **theirs}:  # in the order in which they say most
        if name != ABOUT and theirs.get(name) != mine.get(name):
            raise UserError(
                f"{folder} contains another match, tournament or tuning run "
                f"({_difference(name, theirs, mine)}); choose another folder, or delete it"
            )
    if len(event["players"]) > players:
        theirs = {**theirs, "players": event["players"]}
        write_json(path, theirs)
    return theirs


def _difference(name: str, theirs: dict[str, Any], mine: dict[str, Any]) -> str:
    """Return the entry in which two events differ, as text."""
    there, here = theirs.get(name), mine.get(name)
    if isinstance(there, list) and isinstance(here, list):
        if len(there) != len(here):
            return f"{len(there)} {name}, not {len(here)}"
        return next(
            f"{one.get('name', one)}: {_entry(one, other)}" if isinstance(one, dict) else f"{name}"
            for one, other in zip(there, here, strict=True)
            if one != other
        )
    return f"{name} {there}, not {here}"


def _entry(there: dict[str, Any], here: dict[str, Any]) -> str:
    absent = object()
    name = next(k for k in {**there, **here} if there.get(k, absent) != here.get(k, absent))
    if name == "digest":
        return "its evaluator has changed since"
    return f"{name} {there.get(name)}, not {here.get(name)}"


def _read(path: Path, file: BinaryIO, event: dict[str, Any]) -> Iterator[Pair]:
    """Yield the pairs of a journal; drop a last line that was cut off from the file itself."""
    file.seek(0)
    whole = 0

    def lines() -> Iterator[bytes]:
        nonlocal whole
        for line in _lines(path, file):
            whole += len(line)
            yield line

    yield from _parse(path, lines(), event)
    if whole < os.fstat(file.fileno()).st_size:
        file.truncate(whole)


def _lines(path: Path, file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a journal that have an end; the last is empty, or cut off."""
    number = 0
    while (line := file.readline(_LONGEST_LINE)).endswith(b"\n"):
        yield line
        number += 1
    if len(line) == _LONGEST_LINE:
        raise _damaged(path, number + 1)


def _parse(path: Path, lines: Iterable[bytes], event: dict[str, Any]) -> Iterator[Pair]:
    """Yield the pairs that the lines of a journal hold."""
    game, known, done = game_of_event(path.parent, event), set[tuple[int, int]](), 0
    read, numbered = msgspec.json.Decoder(Pair), enumerate(lines, 1)
    while some := list(itertools.islice(numbered, _AT_ONCE)):
        pairs = []
        for number, line in some:
            try:
                pairs.append(read.decode(line))
            except (ValueError, RecursionError):
                raise _damaged(path, number) from None
            if (key := pairs[-1][0].key) in known:
                raise _damaged(path, number)
            known.add(key)
        for place in unfit(pairs, game)[:1]:
            raise _damaged(path, done + int(place) + 1)
        done += len(pairs)
        yield from pairs


def _damaged(path: Path, line: int) -> UserError:
    return UserError(
        f"line {line} of {path} is damaged; delete that line, and the pair is played again"
    )
