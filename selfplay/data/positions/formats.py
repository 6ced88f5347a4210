"""Files of labelled positions, as authors of other programs exchange them.

    epd         FEN or EPD, and a result as the operand of c9: ... c0 "game 12"; c9 "1/2-1/2";
    fen         FEN and a result: FEN; [0.5], FEN [0.5], FEN 0.5
    bullet      FEN | score | result
    plain       lines fen, move, score, ply, result, e (Stockfish's)
    egaroucid   64 characters, a blank and the final difference of discs, both for the side to move
    obf         a position; then moves with their scores, best first
    csv         columns named in the first line
    parquet     columns by their names
    lichess     JSON with evaluations of a position on each line (lichess_files.py)

A reader gives columns of text and numbers. Results of `epd`, `fen` and `bullet` are White's, the
first player's; so are scores there and in
`csv`, `parquet` and `lichess`, and the others' are those of the side to move.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from samuel.common.errors import UserError
from samuel.common.text_files import start_of_text
from samuel.games.game import Game
from samuel.games.obf import parse_problem
from samuel.selfplay.data.positions.columns import (
    Columns,
    Lines,
    Numbers,
    at_least_0,
    lines_of,
    numbers_in,
    results_in,
    that_count,
)
from samuel.selfplay.data.positions.lichess_files import read_lichess
from samuel.selfplay.data.positions.table_files import MAGIC, read_csv, read_parquet

FIRST, MOVER = "first", "mover"
"""Side for which scores and results are told: the first player, or the side to move."""
_SPELLED = r"1-0|0-1|1/2-1/2|1\.0|0\.5|0\.0"
_RESULT = r"1-0|0-1|1/2-1/2|1/2|[-+]?\d+(?:\.\d+)?|\.\d+"
"""Results, and numbers that are none, for which a file is refused."""
_FEN = r"(?P<position>\S+ +[wb]\b(?: +[-KQkqA-Ha-h]+)?(?: +(?:-|[a-h][1-8]))?(?: +\d+ +\d+)?)"
_OPERANDS = r'(?:[^"]|"[^"]*")*?\b'
_OPERATIONS = r'\s+(?:[a-z]\w+\s[^;"]*(?:"[^"]*"[^;"]*)*;\s*)*'
"""Operations of EPD before the one that is looked for, behind a FEN and behind another text."""
_MARK, _MARKED = r"\s*;?\s*[\[( ]\s*", r"\s*[;\[(]\s*[\[(]?\s*"
"""Signs between a FEN and its result; behind another text, which may be a game, one is needed."""
_TEXT = r"(?P<position>[^;|]+?)"
_SHORTEST_BOARD = 9
"""Characters of a board, so that moves are taken for none."""


@dataclass(frozen=True)
class PositionFormat:
    """Format of files of positions."""

    name: str  # name for `--format`
    # whether a file of a game that begins with these bytes is one
    is_one: Callable[[str, Game], bool]
    # yields what the lines of a file tell
    read: Callable[[Path, Game, Mapping[str, str]], Iterator[Columns]]
    # result_for, score_for: side for which results and scores are told, FIRST or MOVER
    result_for: str = FIRST
    score_for: str = FIRST
    place: str = "line"  # what numbers of positions in messages count


def _for_game(pattern: str, game: Game) -> str:
    """Return a pattern whose position is FEN, or any text where a game's positions are no FEN."""
    start = game.notation.write(game.start, 0)
    if re.match(_FEN, start):
        return pattern
    text = pattern.replace(_FEN + _OPERANDS, _TEXT + _OPERATIONS).replace(
        _FEN + _MARK, _TEXT + _MARKED
    )
    return text.replace(_FEN, _TEXT)


def _matched(pattern: str) -> Callable[[Path, Game, Mapping[str, str]], Iterator[Columns]]:
    """Return a reader of lines that each tell a position, by a pattern with named groups."""

    def read(path: Path, game: Game, _columns: Mapping[str, str]) -> Iterator[Columns]:
        for lines in lines_of(path):
            texts, numbers = that_count(lines)
            found = pc.extract_regex(texts, _for_game(pattern, game))
            names = {f.name for f in found.type}
            parts = {name: pc.struct_field(found, name) for name in names}
            yield Columns(
                parts["position"],
                numbers,
                numbers_in(parts["score"]) if "score" in names else None,
                results_in(parts["result"], numbers, path, game) if "result" in names else None,
                numbers_in(parts["outcome"]) if "outcome" in names else None,
            )

    return read


_NO_SCORE = 32002
"""Stockfish's VALUE_NONE."""


def _read_epd(path: Path, game: Game, _columns: Mapping[str, str]) -> Iterator[Columns]:
    """Yield positions of EPD: the result in `c9`, else in another comment that is one."""
    for lines in lines_of(path):
        texts, numbers = that_count(lines)
        ninth, others = (pc.extract_regex(texts, _for_game(one, game)) for one in (_NINTH, _OTHERS))
        told = pc.struct_field(ninth, "result")
        told = pc.if_else(pc.match_substring_regex(told, f"^(?:{_RESULT})$"), told, None)
        yield Columns(
            pc.coalesce(*(pc.struct_field(one, "position") for one in (ninth, others))),
            numbers,
            result=results_in(
                pc.coalesce(told, pc.struct_field(others, "result")), numbers, path, game
            ),
            game=pc.struct_field(pc.extract_regex(texts, _GAME), "game"),
        )


_PLAIN = ("fen", "move", "score", "ply", "result")


def _read_plain(path: Path, game: Game, _columns: Mapping[str, str]) -> Iterator[Columns]:
    """Yield positions of Stockfish's plain format: a line for each field, and `e` after each."""
    rest = Lines(1, pa.array([], pa.string()))
    for lines in lines_of(path):
        texts = pa.concat_arrays([rest.texts, lines.texts])
        ends = np.flatnonzero(pc.equal(texts, "e").to_numpy(zero_copy_only=False))
        cut = int(ends[-1]) + 1 if len(ends) else len(texts)  # a file without ends stays bounded
        yield _plain_columns(Lines(rest.first, texts[:cut]), path, game)
        rest = Lines(rest.first + cut, texts[cut:])
    yield _plain_columns(rest, path, game)


def _plain_columns(lines: Lines, path: Path, game: Game) -> Columns:
    texts, numbers = that_count(lines)
    found = pc.extract_regex(texts, r"^(?P<name>\S+)\s*(?P<value>.*)$")
    names = pc.struct_field(found, "name").to_numpy(zero_copy_only=False).astype(object)
    values = pc.struct_field(found, "value")
    begins = names == "fen"
    if len(names) and not begins[0]:  # lines before any position are one that cannot be read
        begins[0] = True
        names[0] = ""
    record = np.cumsum(begins) - 1
    of_name = {}
    for name in _PLAIN:
        places = np.flatnonzero(names == name)
        taken = np.full(int(begins.sum()), -1, np.int64)
        taken[record[places]] = places
        of_name[name] = values.take(pa.array(taken, mask=taken < 0))
    scores, unclear = numbers_in(of_name["score"])
    return Columns(
        of_name["fen"],
        numbers[begins],
        Numbers(np.where(np.abs(scores) == _NO_SCORE, np.nan, scores), unclear),
        results_in(of_name["result"], numbers[begins], path, game, signed=True),
        move=of_name["move"],
        ply=at_least_0(numbers_in(of_name["ply"])),
    )


def _read_obf(path: Path, game: Game, _columns: Mapping[str, str]) -> Iterator[Columns]:
    """Yield positions of OBF: the best move, and its score in the game's unit for its side."""
    for lines in lines_of(path):
        texts, numbers = that_count(lines)
        positions: list[str | None] = []
        moves: list[str | None] = []
        scores = np.full(len(numbers), np.nan)
        for k, text in enumerate(texts.to_pylist()):
            try:
                problem = parse_problem(text, game)
            except UserError:
                positions.append(None)
                moves.append(None)
                continue
            best = problem.best_score
            positions.append(problem.position.text)
            moves.append(problem.best_moves[0] if problem.scores else None)
            scores[k] = np.nan if best is None else best
        move = pa.array(moves, pa.string())
        outcome = Numbers(scores, np.zeros(len(scores), bool))
        yield Columns(pa.array(positions, pa.string()), numbers, outcome=outcome, move=move)


def _begins(pattern: str) -> Callable[[str, Game], bool]:
    """Return what says whether the first line that counts matches a pattern, of a game of FEN."""

    def is_one(start: str, game: Game) -> bool:
        lines = (line.strip() for line in start.split("\n"))
        first = next((line for line in lines if line and not line.startswith("#")), "")
        return bool(pc.match_substring_regex(pa.scalar(first), _for_game(pattern, game)).as_py())

    return is_one


_BULLET = rf"^{_FEN}\s*\|\s*(?P<score>[-+]?\d+(?:\.\d+)?)\s*\|\s*(?P<result>{_RESULT})\s*$"
_FEN_RESULT = rf"^{_FEN}{_MARK}(?P<result>{_RESULT})\s*[\])]?;?$"
_EPD = rf'^{_FEN}{_OPERANDS}c(?:9\s+"|\d\s+"(?:{_SPELLED})")'
_NINTH = rf'^{_FEN}{_OPERANDS}c9\s+"(?P<result>[^"]*)"'
_OTHERS = rf'^{_FEN}{_OPERANDS}c\d\s+"(?P<result>{_SPELLED})"'
_GAME = r'(?i)\bc\d\s+"game\s*[:#]?\s*(?P<game>\w+)"'
_EGAROUCID = r"^(?P<position>[-.XO0xo*]{64})\s+(?P<outcome>[-+]?\d+)$"
FORMATS = {
    one.name: one
    for one in (
        PositionFormat("plain", _begins("^fen "), _read_plain, MOVER, MOVER),
        PositionFormat("bullet", _begins(_BULLET), _matched(_BULLET)),
        PositionFormat("epd", _begins(_EPD), _read_epd),
        PositionFormat("fen", _begins(_FEN_RESULT), _matched(_FEN_RESULT)),
        PositionFormat("egaroucid", _begins(_EGAROUCID), _matched(_EGAROUCID), MOVER),
        PositionFormat("obf", _begins(r"^[^;]+;\s*\w+:[-+]?\d"), _read_obf, MOVER, MOVER),
        PositionFormat(
            "csv", _begins(r"(?i)^[^\w\[]*(\w+\W*,)*\W*(position|fen|epd|board)\W*(,|$)"), read_csv
        ),
        PositionFormat("parquet", _begins(f"^{MAGIC}"), read_parquet, place="row"),
        PositionFormat("lichess", _begins(r'^\{\s*"(fen|evals)"\s*:'), read_lichess),
    )
}


def format_of(path: Path, game: Game) -> PositionFormat | None:
    """Return the format that a file begins in, of those of positions; None for another one."""
    start = start_of_text(path)
    return next((one for one in FORMATS.values() if one.is_one(start, game)), None)


_FOUR = r"(?P<position>\S+ +[wb] +[-KQkqA-Ha-h]+ +(?:-|[a-h][1-8])(?: +\d+ +\d+)?)"
_FEWER = r"(?P<position>\S+ +[wb](?: +[-KQkqA-Ha-h]+)?)"
_REST = r"\s*(?:[;|].*)?$"
_ALONE = (rf"^{_FOUR}(?:\s*[;|].*|\s+[A-Za-z]\w*\b.*)?$", f"^{_FEWER}{_REST}")
_TEXT_ALONE = (rf"^(?P<position>[^;|]*[^;|\s]){_REST}",)


def patterns_alone(game: Game) -> tuple[str, ...]:
    """Return patterns of a line that holds a position, whatever stands behind it, the first first.

    The operations of EPD stand behind four fields of a FEN.
    """
    return _ALONE if re.match(_FEN, game.notation.write(game.start, 0)) else _TEXT_ALONE


def holds_positions(path: Path, game: Game) -> bool:
    """Return whether the first line of a file that counts is a position, and no moves."""
    start = start_of_text(path)
    lines = (line.strip() for line in start.split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    found = next(filter(None, (re.match(one, first) for one in patterns_alone(game))), None)
    if found is None:
        return False
    with contextlib.suppress(UserError):
        game.notation.read_moves(first)
        return False
    with contextlib.suppress(UserError):
        game.notation.read(found["position"])
        return True
    return _looks_like(found["position"], game.notation.write(game.start, 0))


def _looks_like(text: str, position: str) -> bool:
    """Return whether a text has as many words as a position, and a board of about its length."""
    words, known = text.split(), position.split()
    if re.match(_FEN, position):
        return "/" in words[0]
    long = len(known[0]) // 2
    return len(words) == len(known) and len(words[0]) >= max(long, _SHORTEST_BOARD)
