"""Labelled positions of a file, read by the notation of the game and checked."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from samuel.common.errors import UserError
from samuel.games.game import Game
from samuel.games.rows import are_legal, are_possible, count_moves
from samuel.games.rules import NO_MOVE
from samuel.search.score import score_of_mate
from samuel.selfplay.data.positions.columns import Columns
from samuel.selfplay.data.positions.formats import FIRST, MOVER, PositionFormat
from samuel.selfplay.data.positions.writing import centi
from samuel.selfplay.kernel import PositionBuffer, new_position_buffer

NOT_READ, FINISHED, NO_LABEL = "not in the format", "finished games", "neither score nor result"


class Block(NamedTuple):
    """Checked positions of a file, and what was left out."""

    buffer: PositionBuffer  # for the side to move; NaN, NO_MOVE and depth 0 where unknown
    # names (n,) of the positions' games, None where a position has none; None in files without
    games: list[str | None] | None
    # refused, first: numbers of positions left out by reason, and the line of the first of each
    refused: Counter[str]
    first: dict[str, int]


def read_positions(
    path: Path,
    game: Game,
    one: PositionFormat,
    *,
    scores_for: str = "",
    score_unit: float | None = None,
    columns: Mapping[str, str] = {},
) -> Iterator[Block]:
    """Yield the checked positions of a file."""
    for told in one.read(path, game, columns):
        if len(told.lines):
            if not score_unit and centi(game) > 1:
                _require_integers(told, path, one.place)
            unit = score_unit or centi(game)
            yield _checked(told, game, one, scores_for or one.score_for, unit)


def _require_integers(told: Columns, path: Path, place: str) -> None:
    """Raise UserError where scores have fractions: they may be pawns, and not centipawns."""
    if told.score is None or told.is_own:
        return
    scores = told.score.values
    is_part = np.isfinite(scores) & (scores != np.round(scores))
    if is_part.any():
        at = int(np.argmax(is_part))
        raise UserError(
            f"{path}, {place} {told.lines[at]}: {scores[at]:g} may be pawns or centipawns; add "
            "--score-unit 1 for pawns or --score-unit 100 for centipawns"
        )


def _checked(
    told: Columns, game: Game, one: PositionFormat, scores_for: str, score_unit: float
) -> Block:
    n = len(told.lines)
    unread = told.position.is_null().to_numpy(zero_copy_only=False)
    rows, sides, plies, faults, reasons = positions_in(told.position.fill_null(""), game)
    refused: Counter[str] = Counter()
    first: dict[str, int] = {}
    fine = np.ones(n, bool)

    def refuse(those: NDArray[np.bool_], reason: str) -> None:
        those = those & fine
        if those.any():
            refused[reason] += int(those.sum())
            first[reason] = int(told.lines[int(np.argmax(those))])
            fine[those] = False

    refuse(unread, NOT_READ)
    for number in np.unique(faults[fine]).tolist():
        if number:
            refuse(faults == number, reasons[number])
    counted = (("mate", told.mate), ("depth", told.depth), ("ply", told.ply))
    for name, numbers in (("score", told.score), ("score", told.outcome), *counted):
        if numbers is not None:
            refuse(numbers.unclear, f"{name} not understood")
    over = np.zeros(n, bool)
    over[fine] = count_moves(game, rows[fine]) == 0
    refuse(over, FINISHED)
    white = np.where(sides == 0, 1.0, -1.0)
    result_for = MOVER if told.is_own else one.result_for
    if told.is_own:
        scores_for, score_unit = MOVER, 1.0
    nothing = np.full(n, np.nan)
    sign = white if scores_for == FIRST else 1.0
    scores = nothing if told.score is None else told.score.values / score_unit * sign
    if told.mate is not None:
        mates = told.mate.values * sign
        scores = np.where(np.isnan(mates), scores, score_of_mate(mates, game))
    most = game.scores.max_utility
    outcomes = nothing if told.result is None else (2 * told.result - 1) * most
    outcomes = outcomes if told.outcome is None else told.outcome.values
    outcomes = outcomes * (white if result_for == FIRST else 1)
    outcomes = np.where(np.abs(outcomes) <= most, outcomes, np.nan)
    scores = np.clip(scores, -most, most)
    if one.name == "obf":
        scores, outcomes = outcomes, nothing
    refuse(np.isnan(scores) & np.isnan(outcomes), NO_LABEL)
    depths = np.zeros(n) if told.depth is None else np.nan_to_num(told.depth.values)
    depths = np.clip(np.where(np.isnan(scores), 0, depths), 0, np.iinfo(np.int8).max)
    if told.ply is not None:
        plies = np.minimum(told.ply.values, np.iinfo(np.int16).max).astype(np.int16)
    kept = np.flatnonzero(fine)
    buffer = new_position_buffer(len(kept), game.words)
    buffer.words[:], buffer.side[:], buffer.ply[:] = rows[kept], sides[kept], plies[kept]
    buffer.score[:], buffer.outcome[:] = scores[kept], outcomes[kept]
    buffer.depth[:], buffer.exact[:], buffer.exploratory[:] = depths[kept], False, False
    buffer.move[:] = NO_MOVE if told.move is None else _read_moves(told.move, game, rows, kept)
    games = None if told.game is None else told.game.take(pa.array(kept)).to_pylist()
    return Block(buffer, games, refused, first)


def _read_moves(
    texts: pa.Array, game: Game, rows: NDArray[np.uint64], kept: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return the moves (k,) that texts name in the kept rows; NO_MOVE where none is legal."""
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    coded = texts.take(pa.array(kept)).fill_null("").dictionary_encode()
    names, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy()
    positions, moves = rows[kept], np.full(len(kept), NO_MOVE, np.int32)
    notation = game.notation
    meanings = [_meanings_of(name, game) for name in names]
    for k in range(max((len(one or ()) for one in meanings), default=0)):
        known = np.array([one[k] if one and k < len(one) else NO_MOVE for one in meanings])
        left = np.flatnonzero((moves == NO_MOVE) & (known[codes] != NO_MOVE))
        found = known[codes[left]]
        legal = are_legal(game, positions[left], found)
        moves[left[legal]] = found[legal]
    by_position = np.array([one is None for one in meanings], bool)
    for k in np.flatnonzero((moves == NO_MOVE) & by_position[codes]).tolist():
        with contextlib.suppress(UserError):
            listed = game.moves_in(positions[k]).tolist()
            meant = notation.among(names[codes[k]], listed, tuple(positions[k].tolist()))
            moves[k] = meant if meant in listed else NO_MOVE
    return moves


def _meanings_of(text: str, game: Game) -> list[int] | None:
    """Return the moves that a text may mean; None where only the position tells."""
    try:
        return game.notation.meanings(text) if text else []
    except UserError:
        return []  # no move in any position


def positions_in(
    texts: pa.Array, game: Game
) -> tuple[
    NDArray[np.uint64], NDArray[np.int8], NDArray[np.int16], NDArray[np.int8], tuple[str, ...]
]:
    """Return words, sides, plies and faults of texts, and the reasons by number of a fault."""
    notation = game.notation
    if notation.faults:
        texts = pa.concat_arrays([texts]) if texts.offset else texts
        if isinstance(texts, pa.ChunkedArray):
            texts = texts.combine_chunks()
        offsets = np.frombuffer(texts.buffers()[1], np.int32)[: len(texts) + 1].astype(np.int64)
        data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)
        rows, faults, plies = notation.read_many(np.require(data, np.uint8, ["C", "W"]), offsets)
        word = game.turns.side_word
        sides = (plies % 2 if word is None else rows[:, word]).astype(np.int8)
        return rows, sides, plies, faults, notation.faults
    return _one_by_one(texts, game)


def _one_by_one(
    texts: pa.Array, game: Game
) -> tuple[
    NDArray[np.uint64], NDArray[np.int8], NDArray[np.int16], NDArray[np.int8], tuple[str, ...]
]:
    n = len(texts)
    rows, sides = np.zeros((n, game.words), np.uint64), np.zeros(n, np.int8)
    faults = np.zeros(n, np.int8)
    first = (game.notation.players or "X")[0]
    for k, text in enumerate(texts.to_pylist()):
        for written in (text, f"{text} {first}"):  # Egaroucid's boards have no side
            try:
                words, sides[k] = game.notation.read(written)
            except UserError:
                faults[k] = 1
                continue
            rows[k], faults[k] = np.array(words, np.uint64), 0
            break
    faults[(faults == 0) & ~are_possible(game, rows)] = 2
    rows[faults != 0] = np.array(game.start, np.uint64)
    reasons = ("", "not positions of the game", "impossible positions")
    return rows, sides, np.zeros(n, np.int16), faults, reasons
