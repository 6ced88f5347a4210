"""Lichess's file of evaluations: a position as JSON on each line, with its searches.

    {"fen": ..., "evals": [{"pvs": [{"cp": 311, "line": "g2e4 f7f5 ..."}], "knodes": 206765,
    "depth": 36}, ...]}

Source: https://database.lichess.org/#evals. A FEN has no counters; `cp`, or `mate` in its stead, is
for White; in a line the king takes its rook to castle. The deepest search counts, of equal depths
that of most nodes, and its first line, which is the best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import attrgetter
from pathlib import Path

import msgspec
import pyarrow as pa

from samuel.games.game import Game
from samuel.selfplay.data.positions.columns import Columns, lines_of, of_fields, that_count


class _Variation(msgspec.Struct, gc=False):
    cp: float | None = None
    mate: float | None = None
    line: str = ""


class _Search(msgspec.Struct, gc=False):
    pvs: list[_Variation]
    depth: float
    knodes: float = 0


class _Evaluated(msgspec.Struct, gc=False):
    fen: str
    evals: list[_Search]


_FIELDS = ("position", "score", "mate", "depth", "line")
_decode = msgspec.json.Decoder(_Evaluated).decode


def read_lichess(path: Path, game: Game, _columns: Mapping[str, str]) -> Iterator[Columns]:
    """Yield the deepest evaluation of each line."""
    for lines in lines_of(path):
        texts, numbers = that_count(lines)
        columns = zip(*map(_deepest, texts.to_pylist()), strict=True)
        by_field = {name: pa.array(one) for name, one in zip(_FIELDS, columns, strict=False)}
        if by_field:
            yield of_fields(by_field, numbers, path, game)


def _deepest(text: str) -> tuple[str | float | None, ...]:
    """Return position, score, mate, depth and best line of a text; None where it has none."""
    try:
        one = _decode(text)
    except (msgspec.DecodeError, RecursionError):
        return (None,) * len(_FIELDS)
    searches = [it for it in one.evals if it.pvs]
    if not searches:
        return one.fen, None, None, None, None
    best = max(searches, key=attrgetter("depth", "knodes"))
    first = best.pvs[0]
    return one.fen, first.cp, first.mate, best.depth, first.line
