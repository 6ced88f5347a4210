"""Notation of backgammon: GNU Backgammon's position IDs, and plays such as `13/7 8/7*`.

A position is its ID, the side to move (X moves first) and the dice, unless they are to be thrown:
`4HPwATDgc/ABMA X 31`. The ID is 80 bits from the lowest of the first byte on, in base 64 without
padding: for the side that is not to move, then for the other one, a one for each checker on each of
its points 1 to 24 and on the bar, and a zero after each of these (the manual of GNU Backgammon, "A
technical description of the position ID"). Read, not written: XGIDs, and IDs with a match's.

A play has a word for each step, `bar` and `off` for places that are no points, `*` where it hits,
`(2)` where it is done twice. Where the position is known, steps of one checker may be one: `24/13`.
"""

from __future__ import annotations

import itertools
import re
import reprlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numba import boolean, int64, types
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.backgammon.checkers import (
    BAR,
    CHECKERS,
    DICE,
    FAR_AT,
    HITS_AT,
    OFF,
    POINTS,
    SECOND_AT,
    START_BITS,
    STEPS,
    end_of,
    hits,
    start_of,
)
from samuel.games.backgammon.identifiers import (
    checkers_of,
    position_id,
    read_match_id,
    read_xgid,
    words_of_id,
)
from samuel.games.notation import Notation
from samuel.games.rules import PASS, ROWS, Words
from samuel.games.scene import SIDES, Piece, Place, Scene
from samuel.kernels.jit import jit

_SIDES, _PLACES = "XO", {"bar": BAR, "off": OFF}
_THROW = re.compile(r"[1-6]-?[1-6]")
_WORD = re.compile(r"(bar|[0-9]{1,2})((?:/(?:off|[0-9]{1,2})\*?)+)(?:\(([1-4])\))?")
_FACES = 6


@jit(types.void(ROWS, boolean[::1]))
def _have_checkers(positions: Any, sound: Any) -> None:
    """Find which positions have 15 checkers a side, none beside the board, no point of both."""
    for i in range(positions.shape[0]):
        mine, theirs, held = 0, 0, True
        for place in range(32):
            word, shift = place // 16, place % 16 * 4
            other = BAR - place if 0 < place < BAR else 31
            own = int64(positions[i, word]) >> shift & 15
            facing = int64(positions[i, 2 + other // 16]) >> other % 16 * 4 & 15
            opposite = int64(positions[i, 2 + word]) >> shift & 15
            mine, theirs = mine + own, theirs + opposite
            held &= place <= BAR or own + opposite == 0
            held &= not 0 < place < BAR or own == 0 or facing == 0
        sound[i] = held and mine == CHECKERS and theirs == CHECKERS


class BackgammonNotation(Notation):
    """Positions as `4HPwATDgc/ABMA X 31`, plays as `8/5 6/5`, throws as `31`."""

    needs_position = True

    def holds(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of positions (n, 5) have 15 checkers a side, no point of both, two dice."""
        sound = np.zeros(len(positions), bool)
        _have_checkers(positions, sound)
        throws = [a << 3 | b for a in range(1, _FACES + 1) for b in range(1, a + 1)]
        return sound & np.isin(positions[:, DICE], np.array([0, *throws], np.uint64))

    def read(self, text: str) -> tuple[Words, int]:
        """Return the words, and the side to move (0 for X)."""
        parts = text.split()
        if len(parts) == 1 and ":" in text:
            return read_xgid(parts[0]) if text.count(":") > 1 else read_match_id(parts[0])
        if len(parts) not in (2, 3) or parts[1].upper() not in ("X", "O"):
            raise UserError(
                "a position must be its ID, the side to move (X or O) and the dice if they "
                "are thrown, as in 4HPwATDgc/ABMA X 31, an ID with its match as in "
                f"4HPwATDgc/ABMA:cAkAAAAAAAAA, or an XGID (got {reprlib.repr(text)})"
            )
        dice = _throw(parts[2]) if len(parts) == 3 else 0
        return (*words_of_id(parts[0])[:DICE], dice), _SIDES.index(parts[1].upper())

    def write(self, words: Words, side: int) -> str:
        """Return the text that `read` takes back."""
        dice = f" {self.write_move(words[DICE])}" if words[DICE] else ""
        return f"{position_id(words)} {_SIDES[side]}{dice}"

    def board(self, words: Words, side: int) -> str:
        """Return the board as the side to move sees it: how many checkers of whom on its points."""
        mine, theirs = checkers_of(words[0], words[1]), checkers_of(words[2], words[3])
        player, opponent = _SIDES[side], _SIDES[1 - side]

        def row(points: Sequence[int], texts: Mapping[int, str]) -> str:
            cells = [f"{texts[point]:>3}" for point in points]
            return "".join(cells[:6]) + " |" + "".join(cells[6:])

        on = {
            point: f"{player}{mine[point]}"
            if mine[point]
            else f"{opponent}{theirs[BAR - point]}"
            if theirs[BAR - point]
            else "."
            for point in range(1, POINTS + 1)
        }
        names = {point: str(point) for point in on}
        far, near = range(13, POINTS + 1), range(12, 0, -1)
        beside = [
            f"{name}: bar {counts[BAR]}, off {counts[OFF]}"
            for name, counts in ((player, mine), (opponent, theirs))
        ]
        dice = f" with {self.write_move(words[DICE])}" if words[DICE] else ""
        lines = [row(far, names), row(far, on), row(near, on), row(near, names)]
        return "\n".join([*lines, "; ".join(beside), f"{player} to move{dice}"])

    def scene(self, words: Words, side: int) -> Scene:
        """Return the board as players see it (games/scene.py)."""
        counts = [checkers_of(words[0], words[1]), checkers_of(words[2], words[3])]
        return scene(counts, side, self.write_move(words[DICE]) if words[DICE] else "")

    def paths(self, move: int, side: int) -> list[list[str]]:
        """Return the ways to click a play; none for a throw, or where nothing can be played."""
        is_play = move >= 1 << FAR_AT
        return paths([(a, b) for a, b, _ in _steps(move)], side) if is_play else []

    def read_move(self, text: str) -> int:
        """Return the play, or the throw, that `text` names; each step of a play stands in it."""
        plain = text.strip().lower()
        if plain in ("pass", "--", "no play"):
            return PASS
        if _THROW.fullmatch(plain):
            return _throw(plain)
        return _play_of(_segments(text))

    def write_move(self, move: int) -> str:
        """Return the play as people write it, a word for each step; or the throw, larger first."""
        if move == PASS:
            return "pass"
        if move < 1 << FAR_AT:
            return f"{move >> 3}{move & 7}"
        steps = [f"{_place(a)}/{_place(b)}" for a, b, _ in _steps(move)]
        hit = {name for name, (_, _, is_hit) in zip(steps, _steps(move), strict=True) if is_hit}
        times = Counter(steps)
        return " ".join(
            name + "*" * (name in hit) + (f"({n})" if n > 1 else "") for name, n in times.items()
        )

    def texts_of(self, transcript: str) -> list[str]:
        """Return the throws and plays of a transcript, as they stand there; `among` reads one."""
        words = itertools.groupby(transcript.split(), lambda word: "/" in word)
        return [
            text
            for is_play, several in words
            for text in ([" ".join(several)] if is_play else several)
        ]

    def among(self, text: str, moves: Sequence[int], words: Words = ()) -> int:
        """Return which of the legal moves `text` means, or what it is where it means none."""
        if "/" not in text:
            return self.read_move(text)
        segments = _segments(text)
        told = {end for _, end, is_hit in segments if is_hit}
        meant = _effect(segments)
        alike = [move for move in moves if move > 0 and _effect(_steps(move)) == meant]
        if not alike:
            return _play_of(segments)

        def difference(move: int) -> tuple[int, bool]:
            hit = {end for _, end, is_hit in _steps(move) if is_hit}
            return len(hit ^ told), _play_of(_steps(move)) != move

        return min(alike, key=difference)


def _throw(text: str) -> int:
    if not _THROW.fullmatch(text):
        raise UserError(f"{reprlib.repr(text)} is not a throw of two dice; write it like 31")
    larger, smaller = sorted((int(text[0]), int(text[-1])), reverse=True)
    return larger << 3 | smaller


def _place(place: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(place, str(place))


def _steps(play: int) -> list[tuple[int, int, bool]]:
    """Return the steps of a play: where each starts, where it ends, and whether it hits."""
    return [
        (int(start_of(play, k)), int(end_of(play, k)), bool(hits(play, k)))
        for k in range(STEPS)
        if start_of(play, k)
    ]


def _effect(segments: Sequence[tuple[int, int, bool]]) -> Counter[int]:
    """Return how many checkers more, or fewer, each place has after a play."""
    effect: Counter[int] = Counter()
    for start, end, _ in segments:
        effect[start] -= 1
        effect[end] += 1
    return Counter({place: n for place, n in effect.items() if n})


def _segments(text: str) -> list[tuple[int, int, bool]]:
    """Return what the words of a play say: (start, end, whether it hits there)."""
    segments: list[tuple[int, int, bool]] = []
    for word in text.lower().split() or [""]:
        found = _WORD.fullmatch(word)
        if found is None:
            raise UserError(
                f"{reprlib.repr(text)} is not a play; write plays like 13/7 8/7* or bar/20 6/off"
            )
        first, chain, times = found.groups()
        ends = chain.strip("/").split("/")
        path = list(zip([first, *ends], ends, strict=False))
        segments += list(_along(path)) * int(times or 1)
    for start, end, _ in segments:
        if not OFF <= end < start <= BAR:
            raise UserError(
                f"{reprlib.repr(text)} is not a play: checkers move from 24 down to 1, and off"
            )
    return segments


def _along(path: Sequence[tuple[str, str]]) -> Iterator[tuple[int, int, bool]]:
    for start, end in path:
        places = [_PLACES.get(one.rstrip("*")) for one in (start, end)]
        a, b = (
            int(one.rstrip("*")) if place is None else place
            for one, place in zip((start, end), places, strict=True)
        )
        yield a, b, end.endswith("*")


def _play_of(segments: Sequence[tuple[int, int, bool]]) -> int:
    """Return the number of a play whose steps are given one by one."""
    steps = sorted(segments, key=lambda step: (-step[0], step[1]))
    far = [start - end for start, end, _ in steps]
    dice = {d for d, (_, end, _) in zip(far, steps, strict=True) if end != OFF}
    if len(steps) > 2 and not dice:
        dice = {max(far)}
    is_double = len(dice) == 1 and all(d <= min(dice) for d in far)
    if len(steps) > STEPS or max(far) > _FACES or (len(steps) > 2 and not is_double):
        words = " ".join(f"{_place(start)}/{_place(end)}" for start, end, _ in segments)
        raise UserError(
            f"no throw of the dice gives the steps {words!r}; write each step by itself, as in "
            "24/18/13"
        )
    hit, reached = {end for _, end, is_hit in steps if is_hit}, set()
    play = (min(max(dice), steps[0][0]) if len(steps) > 2 else far[0]) << FAR_AT
    if len(steps) == 2:
        play |= far[1] << SECOND_AT
    for k, (start, end, _) in enumerate(steps):
        play |= start << START_BITS * k
        play |= (end in hit and end not in reached) << HITS_AT + k
        reached.add(end)
    return play


_HIGH, _HALF, _MIDDLE = 11.0, 5.0, 6
"""The height of the board and of a point, and how many points stand left of the bar."""
_BAR_AT, _TRAY_AT, _WIDTH = 6.0, 13.0, 14.0


def place_name(place: int, side: int) -> str:
    """Return the name of a side's place: points as the first player counts them."""
    if place in (BAR, OFF):
        return f"{'bar' if place == BAR else 'off'}-{SIDES[side]}"
    return str(place if side == 0 else BAR - place)


def scene(counts: Sequence[Sequence[int]], side: int, dice: str) -> Scene:
    """Return the picture of a position."""
    places = tuple(_places())
    pieces = []
    for who, held in zip((side, 1 - side), counts, strict=True):
        pieces += [
            Piece(place_name(place, who), SIDES[who], "", count)
            for place, count in enumerate(held)
            if count
        ]
    labels = []
    for place in places:
        if place.name.isdecimal():
            y = -0.5 if place.shape == "down" else _HIGH + 0.5
            labels.append((place.x + 0.5, y, place.name))
    caption = f"dice: {dice[0]} and {dice[1]}" if dice else "the dice are to be thrown"
    return Scene(_WIDTH, _HIGH, places, tuple(pieces), labels=tuple(labels), caption=caption)


def _places() -> Iterator[Place]:
    for point in range(1, POINTS + 1):
        column = POINTS // 2 - point if point <= POINTS // 2 else point - POINTS // 2 - 1
        x = float(column + (column >= _MIDDLE))
        if point <= POINTS // 2:
            yield Place(str(point), x, _HIGH - _HALF, 1, _HALF, "up")
        else:
            yield Place(str(point), x, 0, 1, _HALF, "down")
    for who, y in zip(SIDES, (_HIGH - _HALF, 0.0), strict=True):
        yield Place(f"bar-{who}", _BAR_AT, y, 1, _HALF, "tray")
        yield Place(f"off-{who}", _TRAY_AT, y, 1, _HALF, "tray")


def paths(steps: Sequence[tuple[int, int]], side: int) -> list[list[str]]:
    """Return the ways to click a play: its steps in every order."""
    named = [(place_name(a, side), place_name(b, side)) for a, b in steps]
    orders = dict.fromkeys(itertools.permutations(named))
    return [list(itertools.chain.from_iterable(order)) for order in orders]
