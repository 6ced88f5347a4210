"""The folder of an event: what is played there, and every pair as soon as it has ended.

    event.json      what decides the games: the players by their digests, settings, seed
    journal.jsonl   one line a pair, appended as it ends
    games.parquet   the games, written when the run ends (arena/records.py), and so are
    games.ggf       the same for other programs; games.txt where the game is not Othello

A process that is killed loses the pairs it was playing, nothing else: a line that was cut off is
dropped, and the pairs that are missing are played by the next run.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from samuel.arena.records import GAMES, GGF, TRANSCRIPTS, PlayedPair, pair_from
from samuel.errors import UserError
from samuel.files import LOCK, PARTIAL, holding, read_json, write_json, writing

EVENT, JOURNAL = "event.json", "journal.jsonl"
FORMAT, ABOUT = 1, "about"
_OWN = {EVENT, JOURNAL, GAMES, GGF, TRANSCRIPTS, LOCK}


class Journal:
    """The pairs of an event that were played so far, in memory and, if it has one, in its file.

    Attributes
    ----------
    pairs
        By pairing and number.
    folder
        Of the event, or None.
    """

    def __init__(self, folder: Path | None = None, file: BinaryIO | None = None) -> None:
        self.pairs: dict[tuple[int, int], PlayedPair] = {}
        self.folder = folder
        self._file = file

    def keep(self, pair: PlayedPair) -> None:
        """Add a pair.

        Raises
        ------
        UserError
            The disk is full.
        """
        if self._file is not None and self.folder is not None:
            line = json.dumps(pair.as_dict(), separators=(",", ":")) + "\n"
            with writing(self.folder / JOURNAL):
                self._file.write(line.encode())
                self._file.flush()
        self.pairs[pair.key] = pair

    def describe(self, about: dict[str, Any]) -> None:
        """Write down what is to be said of the event, in place of what an earlier run said."""
        if self.folder is not None:
            event = read_event(self.folder)
            if event[ABOUT] != about:
                write_json(self.folder / EVENT, {**event, ABOUT: about})


@contextlib.contextmanager
def journal_of(folder: Path | None, event: dict[str, Any]) -> Iterator[Journal]:
    """Yield the journal of an event, with what an earlier run left; nobody else may write there.

    Parameters
    ----------
    folder
        Its folder; None to keep the games in memory alone.
    event
        All that decides the games, as JSON has it.

    Raises
    ------
    UserError
        The folder holds another event, or something else; it is damaged, cannot be written, or
        another process writes to it.
    """
    if folder is None:
        yield Journal()
        return
    _require_room(folder)
    with holding(folder):
        _begin(folder, event)
        _clear_leftovers(folder)
        path = folder / JOURNAL
        with writing(path):
            file = open(path, "ab+")  # noqa: SIM115
        try:
            journal = Journal(folder, file)
            for pair in _read(path, file):
                journal.pairs[pair.key] = pair
            yield journal
        finally:
            with writing(path):  # what a full disk did not take is tried again
                file.close()


def read_event(folder: Path | str) -> dict[str, Any]:
    """Return what decides the games of a folder's event (arena.event.event_of).

    Raises
    ------
    UserError
        It is the folder of no event, or damaged.
    """
    path = Path(folder) / EVENT
    event = read_json(path, "the folder of a match or tournament")
    kinds = {"kind": str, "game": str, "players": list, ABOUT: dict}
    for name, kind in kinds.items():
        if not isinstance(event.get(name), kind):
            raise UserError(f"{path} is damaged: {name!r} is missing or wrong; play anew elsewhere")
    return event


def read_journal(folder: Path | str) -> tuple[dict[str, Any], list[PlayedPair]]:
    """Return the event of a folder and its pairs so far, in the order in which they ended.

    Raises
    ------
    UserError
        It is the folder of no event, or damaged.
    """
    folder = Path(folder)
    event = read_event(folder)
    path = folder / JOURNAL
    if not path.exists():
        return event, []
    with open(path, "rb") as file:
        return event, list(_parse(path, file.read()))


def _require_room(folder: Path) -> None:
    if not folder.is_dir() or (folder / EVENT).exists():
        return  # a file in the way is refused when writing
    others = [
        file.name
        for file in folder.iterdir()
        if file.name not in _OWN and not file.name.endswith(PARTIAL)
    ]
    if others:
        raise UserError(f"{folder} holds other files ({others[0]}, ...); choose another folder")


def _clear_leftovers(folder: Path) -> None:
    """Delete what a run that was killed was writing."""
    for name in _OWN:
        for partial in folder.glob(f"{name}.*{PARTIAL}"):
            partial.unlink(missing_ok=True)


def _begin(folder: Path, event: dict[str, Any]) -> None:
    """Write the event down; where there is one it must be the same but for what is said of it."""
    event = {"format": FORMAT, **json.loads(json.dumps(event))}
    path = folder / EVENT
    if not path.exists():
        write_json(path, event)
        return
    theirs = read_event(folder)
    for name in {**event, **theirs}:  # in the order in which they say most
        if name != ABOUT and theirs.get(name) != event.get(name):
            raise UserError(
                f"{folder} holds another event ({_difference(name, theirs, event)}); "
                "choose another folder, or delete it"
            )


def _difference(name: str, theirs: dict[str, Any], mine: dict[str, Any]) -> str:
    """Say in which entry two events differ."""
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
    name = next(key for key in {**there, **here} if there.get(key) != here.get(key))
    if name == "digest":
        return "it was another evaluator then"
    return f"{name} {there.get(name)}, not {here.get(name)}"


def _read(path: Path, file: BinaryIO) -> Iterator[PlayedPair]:
    """Yield the pairs of a journal; drop a last line that was cut off from the file itself."""
    file.seek(0)
    content = file.read()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        file.truncate(whole)
    yield from _parse(path, content)


def _parse(path: Path, content: bytes) -> Iterator[PlayedPair]:
    lines = content.split(b"\n")
    for number, line in enumerate(lines[:-1], 1):  # the last is empty, or cut off
        try:
            yield pair_from(json.loads(line))
        except (ValueError, KeyError, TypeError):
            raise UserError(
                f"line {number} of {path} is damaged; "
                "delete that line, and the pair is played again"
            ) from None
