"""Identifiers of positions: GNU Backgammon's of a position and of a match, and XGIDs.

A match ID is 9 bytes in base 64, from the lowest bit of the first on: bit 6 is who is on roll (1
for X), bits 15 to 17 and 18 to 20 are the dice, zeros before the throw (the manual of GNU
Backgammon, "A technical description of the Match ID"). Cube, score and offers are read over.

An XGID, as eXtreme Gammon writes it, is fields between colons: checkers on O's bar, the points 1
to 24 as X counts them, X's bar, `A` to `O` for 1 to 15 of X, `a` to `o` of O; then cube, its owner,
who is on roll (1 for X, -1 for O), the dice (`00` before the throw; `D`, `B`, `R` where the cube is
offered), and scores, match, and the cube's limit, which are read over.
"""

from __future__ import annotations

import base64
import binascii
import re
import reprlib
from collections.abc import Mapping

from samuel.common.errors import UserError
from samuel.games.backgammon.checkers import BAR, CHECKERS, DICE, OFF, THEIRS
from samuel.games.rules import Words

_BITS = 80
_ID = re.compile(r"[A-Za-z0-9+/]{14}")
_MATCH = re.compile(r"[A-Za-z0-9+/]{12}")
_XGID = re.compile(
    r"(?:XGID=)?([-A-Oa-o]{26}):\d+:-?[01]:(-?1):(00|[1-6]{2}|[DBR])(?::-?\d+){0,5}", re.IGNORECASE
)


def words_of(checkers: Mapping[int, int]) -> tuple[int, int]:
    """Return the words of a side with so many checkers at its places; the others are borne off."""
    counts = {**checkers, OFF: CHECKERS - sum(n for place, n in checkers.items() if place != OFF)}
    both = sum(n << 4 * place for place, n in counts.items())
    return both & (1 << 64) - 1, both >> 64


def checkers_of(low: int, high: int) -> list[int]:
    """Return how many checkers a side has at each of its places, 0 (off) to 25 (the bar)."""
    both = int(low) | int(high) << 64
    return [both >> 4 * place & 15 for place in range(BAR + 1)]


def position_id(words: Words) -> str:
    """Return GNU Backgammon's ID of a position."""
    bits = "".join(
        "1" * n + "0"
        for low in (THEIRS, 0)
        for n in checkers_of(words[low], words[low + 1])[OFF + 1 :]
    )
    number = int(bits[::-1], 2)
    return base64.b64encode(number.to_bytes(_BITS // 8, "little")).decode().rstrip("=")


def words_of_id(text: str) -> Words:
    """Return the words of a position by its ID, no dice thrown."""
    said = UserError(f"{text!r} is no position ID, which is 14 characters such as 4HPwATDgc/ABMA")
    if not _ID.fullmatch(text):
        raise said
    try:
        number = int.from_bytes(base64.b64decode(text + "=="), "little")
    except binascii.Error:
        raise said from None
    runs = f"{number:0{_BITS}b}"[::-1].split("0")
    counts = [len(run) for run in runs[: 2 * BAR]]
    if len(runs) <= 2 * BAR or any(runs[2 * BAR :]):
        raise said
    theirs, mine = (dict(enumerate(one, 1)) for one in (counts[:BAR], counts[BAR:]))
    for side in (theirs, mine):
        if sum(side.values()) > CHECKERS:
            raise UserError(f"in {text!r} a side has {sum(side.values())} checkers; the most is 15")
    if any(mine[point] and theirs[BAR - point] for point in range(1, BAR)):
        raise UserError(f"in {text!r} both sides have checkers on one point")
    return (*words_of(mine), *words_of(theirs), 0)


def read_match_id(text: str) -> tuple[Words, int]:
    """Return the position of an ID and a match's, such as 4HPwATDgc/ABMA:cAkAAAAAAAAA."""
    position, _, match = text.partition(":")
    words = words_of_id(position)
    if not _MATCH.fullmatch(match):
        raise UserError(
            f"{reprlib.repr(match)} is no match ID, which is 12 characters such as cAkAAAAAAAAA"
        )
    bits = int.from_bytes(base64.b64decode(match), "little")
    dice = sorted((bits >> 15 & 7, bits >> 18 & 7))
    if dice != [0, 0] and not 1 <= dice[0] <= dice[1] <= 6:
        raise UserError(f"the match ID {match!r} has dice that are not 1 to 6")
    return (*words[:DICE], dice[1] << 3 | dice[0]), 1 - (bits >> 6 & 1)


def read_xgid(text: str) -> tuple[Words, int]:
    """Return the position of an XGID; where the cube is offered, that before the throw."""
    found = _XGID.fullmatch(text)
    if found is None:
        raise UserError(
            f"{reprlib.repr(text)} is no XGID, which is like "
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
        )
    places, on_roll, thrown = found.groups()
    x, o = dict[int, int](), dict[int, int]()
    for k, letter in enumerate(places):
        if letter.isupper():
            x[k] = ord(letter) - ord("A") + 1
        elif letter.islower():
            o[BAR - k] = ord(letter) - ord("a") + 1
    for name, side in (("X", x), ("O", o)):
        if 0 in side:
            raise UserError(f"the XGID has checkers of {name} on the other side's bar")
        if sum(side.values()) > CHECKERS:
            raise UserError(f"in the XGID {name} has {sum(side.values())} checkers; the most is 15")
    mine, theirs = (x, o) if on_roll == "1" else (o, x)
    larger, smaller = sorted(map(int, thrown), reverse=True) if thrown.isdigit() else (0, 0)
    return (*words_of(mine), *words_of(theirs), larger << 3 | smaller), int(on_roll != "1")
