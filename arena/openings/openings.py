"""Openings in an order: what the games of a match begin with; random ones, and those of a file."""

from __future__ import annotations

import functools
import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samuel.arena.openings.book import follow_line
from samuel.arena.openings.kernel import FINISHED, ILLEGAL, draw_lines, mix_all
from samuel.errors import UserError, nearest
from samuel.games.interface import PASS, Game
from samuel.games.playing import new_game_state
from samuel.games.position import Position
from samuel.games.records import RecordFormat
from samuel.games.symmetry import canonical_keys
from samuel.games.transcripts import (
    FORMAT,
    formats_of,
    is_comment,
    plain_transcript,
    transcript,
)
from samuel.packed import start_of_file
from samuel.text_files import read_text


@dataclass(frozen=True, eq=False, repr=False)
class Openings:
    """Openings in the order in which a match uses them.

    Attributes
    ----------
    game
        Game of the openings.
    name
        Name in tables, such as "balanced book, 8 plies, scores up to 0.9 discs".
    moves
        Moves of each opening from the initial position, forced passes included.
    positions
        Positions after the moves, uint64 (n, K), from the side to move.

    Examples
    --------
    >>> import samuel
    >>> openings = samuel.openings_for("tic_tac_toe", "random", pairs=3)
    >>> len(openings), openings.positions.shape
    (3, (3, 2))
    """

    game: Game
    name: str
    moves: tuple[tuple[int, ...], ...]
    positions: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.moves)

    def __repr__(self) -> str:
        return f"Openings({self.game.name}, {self.name!r}, {len(self)})"

    def __getitem__(self, part: slice) -> Openings:
        return Openings(self.game, self.name, self.moves[part], self.positions[part])

    def take(self, places: Sequence[int] | NDArray[np.int64]) -> Openings:
        """Return the openings at given places, in the order of the places.

        Parameters
        ----------
        places
            Places of the openings, from 0.

        Returns
        -------
        Openings
            Chosen openings, in this order.
        """
        chosen = np.asarray(places, np.int64)
        moves = tuple(self.moves[place] for place in chosen)
        return Openings(self.game, self.name, moves, self.positions[chosen])

    @functools.cached_property
    def digest(self) -> str:
        """16 hexadecimal digits of the game and the lines, in their order; not of the name."""
        lines = ";".join(" ".join(map(str, line)) for line in self.moves)
        return hashlib.sha256(f"{self.game.name}:{lines}".encode()).hexdigest()[:16]

    def transcripts(self) -> list[str]:
        """Return the openings as transcripts; a pass is written only as the last move.

        Returns
        -------
        list[str]
            One transcript per opening.
        """
        return [
            transcript(self.game, line) + (" pass" if line and line[-1] == PASS else "")
            for line in self.moves
        ]


def shuffled(openings: Openings, seed: int, *, first: Openings | None = None) -> Openings:
    """Return the openings in an order that the seed gives; that of two depends on no third.

    Those that are among `first`, where it is given, come before all others.
    """
    keys = canonical_keys(openings.game, openings.positions)
    mixed = np.zeros_like(keys)
    mix_all(np.uint64(seed % (1 << 64)), keys, mixed)
    later = np.zeros(len(keys), np.bool_)
    if first is not None:
        later = ~np.isin(keys, canonical_keys(first.game, first.positions))
    return openings.take(np.lexsort((mixed, later)))


_FRUITLESS_ROUNDS = 8
_LEAST_DRAWN = 4096
"""Lines of a round: so many that what eight rounds do not show is as good as not there."""
_MOST_DRAWN = 1 << 18
_PATIENCE = 10_000
"""Random games in a row that end too soon, before the search for openings is given up."""


def random_openings(
    game: Game, n: int, plies: int, seed: int = 0, *, fewer: bool = False
) -> Openings:
    """Return n openings of `plies` uniformly random moves, all different up to symmetry.

    Where dice make the games differ anyway, openings may be alike: these come before each move.
    More openings of the same seed begin with these. Where there are not so many, all that were
    found are returned if `fewer`, with a warning.

    Raises
    ------
    UserError
        There are fewer than n such openings, or so it seems after many tries.
    """
    lines: list[tuple[int, ...]] = []
    positions, keys = np.zeros((0, game.words), np.uint64), np.zeros(0, np.uint64)
    drawn = fruitless = 0
    # where there are dice, each line has room for a whole game
    size = min(_MOST_DRAWN if game.outcomes is None else _LEAST_DRAWN, max(_LEAST_DRAWN, n))
    while len(lines) < n and fruitless < _FRUITLESS_ROUNDS:
        more, places = _drawn(game, plies, seed, drawn, size)
        drawn += size
        both = np.concatenate([keys, canonical_keys(game, places)])
        first = np.arange(len(both))
        if game.outcomes is None:
            first = np.sort(np.unique(both, return_index=True)[1])
        fruitless = fruitless + 1 if len(first) == len(keys) else 0
        keys = both[first]
        lines += more
        lines = [lines[k] for k in first]
        positions = np.concatenate([positions, places])[first]
        if not len(lines) and drawn >= _PATIENCE:
            raise UserError(
                f"random games of {game.name} rarely last {plies} plies or more; give fewer "
                "opening plies"
            )
    if fewer and len(lines) < n:
        warnings.warn(f"only {len(lines)} different openings of {plies} plies exist", stacklevel=3)
    elif len(lines) < n:
        raise UserError(
            f"only {len(lines)} different openings of {plies} plies were found, not {n}; "
            f"play at most {len(lines)} pairs, or from more opening plies"
        )
    return Openings(game, f"random, {plies} plies", tuple(lines[:n]), positions[:n])


def _drawn(
    game: Game, plies: int, seed: int, first: int, n: int
) -> tuple[list[tuple[int, ...]], NDArray[np.uint64]]:
    """Return the lines with the numbers from `first` to `first + n`, and the positions after."""
    longest = plies if game.outcomes is None else game.max_plies
    lines, lengths = np.zeros((n, longest), np.int32), np.zeros(n, np.int64)
    positions = np.zeros((n, game.words), np.uint64)
    found = draw_lines(
        game.rules_of_play,
        game.row(game.start),
        np.uint64(seed % (1 << 64)),
        first,
        plies,
        new_game_state(game),
        lines,
        lengths,
        positions,
    )
    pairs = zip(lines, lengths[:found].tolist(), strict=False)
    return [tuple(line[:length].tolist()) for line, length in pairs], positions[:found]


def read_openings(path: Path | str, game: Game) -> Openings:
    """Read transcripts from the initial position, one a line, or a file of games, such as PGN.

    Forced passes may be missing.

    Raises
    ------
    UserError
        The file is missing or no text; a line is no transcript, plays an illegal move or finishes
        the game.

    Warns
    -----
    UserWarning
        Openings are alike up to symmetry: all but the first are left out.
    """
    path = Path(path)
    if not path.is_file():
        hint = "".join(
            f"did you mean {one}? " for one in nearest(str(path), ("balanced", "random", "start"))
        )
        raise UserError(
            f"file {path} does not exist; {hint}openings must be balanced, random, start or a file"
        )
    start = start_of_file(path, 4096)
    own = [one for one in formats_of(game).values() if one.name != FORMAT.name]
    ending = path.suffix.lower().lstrip(".")
    one = next((one for one in own if one.ending == ending or one.is_one(start)), None)
    if one is not None:
        return _openings_of_games(path, one, game)
    numbered = enumerate(_text(path).split("\n"), 1)
    lines = [(k, line) for k, line in numbered if line.strip() and not is_comment(line)]
    if not lines:
        raise UserError(f"{path} holds no openings; write one transcript a line")
    lines = [(k, _plain(line, game)) for k, line in lines]
    given = [_moves_in(line, game, f"{path}, line {number}") for number, line in lines]
    moves, positions, _, faults = follow_line(game, given)
    for place in np.flatnonzero(faults)[:1]:
        number, line = lines[place]
        raise UserError(f"{path}, line {number}: {_what_is_wrong(faults[place], line, game)}")
    return _different(path, game, moves, positions)


def _different(
    path: Path, game: Game, moves: Sequence[tuple[int, ...]], positions: NDArray[np.uint64]
) -> Openings:
    """Return the openings of a file, without those that equal others up to symmetry."""
    first = np.sort(np.unique(canonical_keys(game, positions), return_index=True)[1])
    if len(first) < len(moves):
        warnings.warn(
            f"{path}: {len(moves) - len(first)} of {len(moves)} openings equal others up to "
            "symmetry and are left out",
            stacklevel=3,
        )
    return Openings(game, path.name, tuple(moves[k] for k in first), positions[first])


def _openings_of_games(path: Path, one: RecordFormat, game: Game) -> Openings:
    """Return the games of a file as openings, from the initial position."""
    given: list[list[int]] = []
    lines: list[int] = []
    place = "line"
    for records in one.read(path, game):
        place = records.place
        for reason, at in records.first_refused.items():
            raise UserError(f"{path}, {place} {at}: {reason}; an opening must be legal moves")
        elsewhere = np.flatnonzero((records.starts != game.row(game.start)).any(axis=1))
        for k in elsewhere[:1]:
            raise UserError(
                f"{path}, {place} {records.lines[k]}: openings start from the initial position; "
                "give the moves"
            )
        given += [part.tolist() for part in np.split(records.moves, records.ends[:-1])]
        lines += records.lines
    if not given:
        raise UserError(f"{path} holds no openings")
    moves, positions, _, faults = follow_line(game, given)
    for k in np.flatnonzero(faults)[:1]:
        what = "the game is over after its moves" if faults[k] == FINISHED else "illegal move"
        raise UserError(f"{path}, {place} {lines[k]}: {what}; an opening leaves something to play")
    return _different(path, game, moves, positions)


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except UserError:
        raise UserError(
            f"{path} is not a text file; write one opening per line, as a transcript"
        ) from None


def _plain(line: str, game: Game) -> str:
    """Return a line, without its numbers and commas where it is not read as it stands."""
    try:
        game.notation.read_moves(line)
    except UserError:
        return plain_transcript(line)
    return line


def _moves_in(line: str, game: Game, where: str) -> list[int]:
    if ":" in line:
        raise UserError(f"{where}: openings start from the initial position; give the moves")
    try:
        return game.notation.read_moves(line)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None


def _what_is_wrong(fault: int, line: str, game: Game) -> str:
    if fault == FINISHED:
        return f"the game is over after {line.strip()!r}; an opening leaves something to play"
    assert fault == ILLEGAL
    try:
        Position.from_transcript(line, game)
    except UserError as error:
        return str(error)
    return f"{line.strip()!r} is not legal"
