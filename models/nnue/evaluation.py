"""Functions of an efficiently updatable network (NNUE) that the search calls, made for its shape.

The loops are those of kernel.py; the texts here put them together.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from numba import float32, int16, int32, int64, uint64

from samuel.games.changes import ROOM, board_of, changes_of, is_turned_in
from samuel.games.evaluator import Incremental
from samuel.games.game import Game
from samuel.games.rules import EVALUATE, EVALUATE_STATE, REFRESH, UPDATE
from samuel.kernels.laid_out import reading
from samuel.kernels.pointers import cast_to, compose, compose_later, offset, room_of, view
from samuel.kernels.records import array, number, record, room
from samuel.models.nnue.inputs import kings_of
from samuel.models.nnue.kernel import (
    as_score,
    clip_units,
    fill_half,
    last_layer,
    move_sums,
    small_layer,
    sum_of_units,
    view_in,
)
from samuel.models.nnue.shape import ONE_UNIT, Shape

_PER_WORD = 4
"""Numbers of 16 bits in a word."""


@record
class HeldNnue(NamedTuple):
    """A network as the search holds it."""

    worth: float = number("of one in the last sum, in units of score", float32)
    row_of: Any = array(
        int32, ("2 * views * codes",), "the row of each code, by view and side (rows_by_code)"
    )
    views: Any = array(int32, ("2 * bits",), "how either half sees the board, by its king's bit")
    rows: Any = array(int16, ("inputs + 1", "units"), "of each input, and one of zeros")
    biases: Any = array(int16, ("units",), "of the first layer")
    weights: Any = array(int16, ("buckets", "weights"), "of the layers after it, a row a unit")
    layer_biases: Any = array(int32, ("buckets", "biases"), "of the layers after it")
    state: Any = room(uint64, ("state",), "both halves, where nothing follows the line")
    values: Any = room(int16, ("values",), "what layers make")


_REFRESH = """
def refresh(position, integers, floats, state):
    its, sums = held(integers, floats), shorts(state, 0)
    rows, row_of, biases = its.rows, its.row_of, its.biases
    mine, theirs = {mine}, {theirs}
    fill_half(position, rows, offset(row_of, 2 * mine * {codes}), biases, sums, {words}, {units})
    row_of = offset(row_of, (2 * theirs + 1) * {codes})
    fill_half(position, rows, row_of, biases, offset(sums, {units}), {words}, {units})
"""
_UPDATE = """
def update(position, child, integers, floats, state, child_state):
    its, found = held(integers, floats), changed()
    counts = changes(position, child, found)
    if counts < 0:
        refresh(child, integers, floats, child_state)
        return
    rows, row_of, biases = its.rows, its.row_of, its.biases
    sums, moved = shorts(state, 0), shorts(child_state, 0)
    mine, theirs = {mine}, {theirs}
    turned = 1 if is_turned_in(counts) else 0
    position = child
    new, other = {mine}, {theirs}
    if turned:
        new, other = other, new
    target = offset(moved, {units} * turned)
    if new == mine:
        table = offset(row_of, 2 * mine * {codes})
        move_sums(sums, target, rows, table, found, counts, {units})
    else:
        table = offset(row_of, (2 * new + turned) * {codes})
        fill_half(child, rows, table, biases, target, {words}, {units})
    target = offset(moved, {units} * (1 - turned))
    if other == theirs:
        table = offset(row_of, (2 * theirs + 1) * {codes})
        move_sums(offset(sums, {units}), target, rows, table, found, counts, {units})
    else:
        table = offset(row_of, (2 * other + 1 - turned) * {codes})
        fill_half(child, rows, table, biases, target, {words}, {units})
"""
_EVALUATE_STATE = """
def evaluate_state(position, integers, floats, state):
    its, sums = held(integers, floats), shorts(state, 0)
    left = min(max(game_left(view(position, {all_words})), 0), {most})
    bucket = left * {buckets} // {counts}
    weights = offset(its.weights, bucket * {weights})
    biases = offset(its.layer_biases, bucket * {biases})
    {layers}
    return as_score(total, its.worth)
"""
_EVALUATE = """
def evaluate(position, integers, floats):
    state = held(integers, floats).state
    refresh(position, integers, floats, state)
    return evaluate_state(position, integers, floats, state)
"""


@functools.lru_cache(maxsize=64)
def evaluation_of(game: Game, shape: Shape) -> Any:
    """Return the compiled function of networks of a shape, with the attribute `incremental`."""
    words, units = board_of(game).words, shape.units
    mine, theirs = _view_texts(game, shape.king)
    sizes = {"words": words, "units": units, "codes": 64 * words}
    parts = {
        "held": reading(HeldNnue),
        "shorts": cast_to(int16),
        "changed": room_of(ROOM),
        "changes": changes_of(game),
        "is_turned_in": is_turned_in,
        "game_left": game.left,
        "view": view,
        "offset": offset,
        "int64": int64,
        "fill_half": fill_half,
        "move_sums": move_sums,
        "sum_of_units": sum_of_units,
        "clip_units": clip_units,
        "small_layer": small_layer,
        "last_layer": last_layer,
        "as_score": as_score,
        "view_in": view_in,
    }
    refresh = compose_later(
        "refresh", _REFRESH.format(mine=mine, theirs=theirs, **sizes), parts, REFRESH
    )
    own = parts | {"refresh": refresh}
    update = compose_later("update", _UPDATE.format(mine=mine, theirs=theirs, **sizes), own, UPDATE)
    source = _EVALUATE_STATE.format(
        all_words=game.words,
        most=game.most_left,
        buckets=shape.buckets,
        counts=game.most_left + 1,
        weights=shape.layers.size - sum(shape.layers.widths[1:]),
        biases=sum(shape.layers.widths[1:]),
        layers=_layers_source(shape),
    )
    of_state = compose_later("evaluate_state", source, parts, EVALUATE_STATE)
    own = {"held": parts["held"], "refresh": refresh, "evaluate_state": of_state}
    evaluate = compose("evaluate", _EVALUATE, own, EVALUATE)
    evaluate.incremental = Incremental(refresh, update, of_state, state_size(units))
    return evaluate


def state_size(units: int) -> int:
    """Return the words of a state: both halves."""
    return -(-2 * units // _PER_WORD)


def _layers_source(shape: Shape) -> str:
    """Return the lines that make `total` of both halves."""
    squared, inputs = shape.activation == "screlu", 2 * shape.units
    if not shape.hidden:
        return (
            f"total = sum_of_units(sums, weights, {inputs}, {squared}) "
            f"+ int64(biases[0]) * {ONE_UNIT}"
        )
    lines = [f"values = its.values; clip_units(sums, values, {inputs}, {squared})"]
    place = weight = bias = 0
    for layer, (n_inputs, units) in enumerate(shape.layers.pairs):
        source, behind = f"offset(values, {place})", place + n_inputs
        its = f"offset(weights, {weight})"
        if layer == len(shape.hidden):
            lines.append(f"total = last_layer({source}, {its}, int64(biases[{bias}]), {n_inputs})")
        else:
            lines.append(
                f"small_layer({source}, {its}, offset(biases, {bias}), offset(values, {behind}), "
                f"{n_inputs}, {units}, {squared})"
            )
        place, weight, bias = behind, weight + n_inputs * units, bias + units
    return "\n    ".join(lines)


def _view_texts(game: Game, king: str) -> tuple[str, str]:
    """Return the texts of how the halves see the board, of the side to move first."""
    kings, each = kings_of(game, king), board_of(game).words_each
    if kings is None:
        return "0", "0"
    mine, theirs = kings.words
    return (
        f"view_in(position, {mine}, {each}, its.views)",
        f"view_in(position, {theirs}, {each}, offset(its.views, {64 * each}))",
    )
