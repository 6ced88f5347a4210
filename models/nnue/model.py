"""Efficiently updatable networks (NNUE) inside the search.

An input is a piece on a square as a side sees it. The rows of the inputs that are there are added
up once as the side to move sees the board and once as the other side does; both halves are clipped
to [0, 1], squared or not, and small layers make a number of them:

    score = unit * layers(clip(bias + sum of rows of mine), clip(bias + sum of rows of theirs)).

(Y. Nasu, "Efficiently updatable neural-network-based evaluation functions for computer shogi",
2018; the two halves and the squares are Stockfish's.) In the search all is whole numbers: 16 bits
in the first layer, in steps of 1/255, and weights after it in steps of 1/256. The search keeps the
two halves for each ply and changes them by the pieces that a move changes.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numba import float32, int16, int32, int64, uint64
from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.games.board import MOVER
from samuel.games.catalog import known_game
from samuel.games.changes import ROOM, board_of, changes_of, codes_of, is_turned_in
from samuel.games.evaluator import Evaluator, Incremental
from samuel.games.interface import EVALUATE, EVALUATE_STATE, REFRESH, UPDATE, Game
from samuel.kernels.compose import compose, compose_later
from samuel.kernels.laid_out import laid_out, reading
from samuel.kernels.pointers import cast_to, offset, room_of, view
from samuel.kernels.records import array, declared, filled, number, record, room
from samuel.models.compiled.arrays import arrays_for, arrays_of
from samuel.models.compiled.layers import Layers
from samuel.models.compiled.model import LARGEST_SCORE, MOST_NUMBERS, CardError, described
from samuel.models.nnue.kernel import (
    ONE_UNIT,
    ONE_WEIGHT,
    as_score,
    clip_units,
    fill_half,
    last_layer,
    move_sums,
    small_layer,
    sum_of_units,
)

Activation = Literal["crelu", "screlu"]
LEAST_UNITS, MOST_UNITS = 16, 1024
"""Units of a half; a multiple of LEAST_UNITS."""
MOST_HIDDEN, MOST_SMALL = 2, 64
"""Small layers at most, and units of one."""
LARGEST_WEIGHT = 1000
"""No weight after the first layer is farther from 0, in whole numbers; sums fit 32 bits."""
LARGEST_UNIT = LARGEST_SCORE / 2**32
"""No unit of score is as large: the last sum is a number of so many units at most."""
_LARGEST_BIAS = 1 << 30
_PER_WORD = 4
"""Numbers of 16 bits in a word."""


@record
class HeldNnue(NamedTuple):
    """A network as the search holds it."""

    worth: float = number("of one in the last sum, in units of score", float32)
    row_of: Any = array(
        int32, ("4 * codes",), "the row of each code, seen by either side; where it mirrors, again"
    )
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


class Shape(NamedTuple):
    """Numbers that the code of a network depends on.

    Attributes
    ----------
    units
        Units of each half of the first layer.
    hidden
        Units of the small layers.
    buckets
        Stages that have layers of their own after the first.
    activation
        "crelu" for units clipped to [0, 1], "screlu" for their squares.
    king
        Sign of the piece by which a half mirrors the board: where the piece stands on the left,
        left and right are exchanged. Empty where no half does.
    """

    units: int
    hidden: tuple[int, ...]
    buckets: int
    activation: Activation
    king: str = ""

    @property
    def layers(self) -> Layers:
        """The list of layers after the first, which reads both halves."""
        return Layers((2 * self.units, *self.hidden, 1), self.activation)

    @property
    def is_possible(self) -> bool:
        """True if there is code for it."""
        return (
            LEAST_UNITS <= self.units <= MOST_UNITS
            and self.units % LEAST_UNITS == 0
            and len(self.hidden) <= MOST_HIDDEN
            and all(1 <= n <= MOST_SMALL for n in self.hidden)
            and self.buckets >= 1
            and self.activation in ("crelu", "screlu")
        )

    @property
    def n_weights(self) -> int:
        """Number of weights of the layers after the first, at one stage."""
        return sum(inputs * units for inputs, units in self.layers.pairs)

    @property
    def n_biases(self) -> int:
        """Number of their biases."""
        return sum(units for _, units in self.layers.pairs)


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


@functools.lru_cache(maxsize=64)
def _evaluate(game: Game, shape: Shape) -> Any:
    """Return the compiled function of networks of a shape, with the attribute `incremental`."""
    words, units = board_of(game).words, shape.units
    mine, theirs = (_on_the_left(masks) for masks in king_masks(game, shape.king))
    constants = {
        "words": words,
        "units": units,
        "codes": 64 * words,
        "mine": mine,
        "theirs": theirs,
    }
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
        "uint64": uint64,
        "fill_half": fill_half,
        "move_sums": move_sums,
        "sum_of_units": sum_of_units,
        "clip_units": clip_units,
        "small_layer": small_layer,
        "last_layer": last_layer,
        "as_score": as_score,
    }
    refresh = compose_later("refresh", _REFRESH.format(**constants), parts, REFRESH)
    own = parts | {"refresh": refresh}
    update = compose_later("update", _UPDATE.format(**constants), own, UPDATE)
    source = _EVALUATE_STATE.format(
        all_words=game.words,
        most=game.most_left,
        buckets=shape.buckets,
        counts=game.most_left + 1,
        weights=shape.n_weights,
        biases=shape.n_biases,
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


def inputs_of(game: Game) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the inputs of a game: of each kind on each square, and the same piece's for the other.

    Both are (kinds, squares): input `kind * squares + square`, kinds as in `Board.kept` and
    squares row by row from the top, and the input that it is from the other side.
    """
    mine, theirs = codes_of(game)
    own = np.arange(mine.size).reshape(mine.shape)
    by_code = dict(zip(mine.ravel().tolist(), own.ravel().tolist(), strict=True))
    return own, np.array([by_code[code] for code in theirs.ravel().tolist()]).reshape(own.shape)


def rows_by_code(game: Game) -> NDArray[np.int32]:
    """Return the input of each code, (4 * codes,).

    First as a half reads the board that does not mirror it, seen by the side to move and then by
    the other, and behind them as one that mirrors it. A bit that no square has is the input behind
    the last.
    """
    mine, _ = codes_of(game)
    own, other = inputs_of(game)
    squares = np.arange(own.shape[1]).reshape(board_of(game).shape)
    found = np.full((2, 2, 64 * board_of(game).words), own.size, np.int32)
    for mirrors, columns in enumerate((squares, squares[:, ::-1])):
        place = columns.ravel()
        found[mirrors, 0, mine] = own[:, place]
        kinds, on = np.divmod(other, squares.size)
        found[mirrors, 1, mine] = kinds * squares.size + place[on]
    return found.ravel()


def king_masks(game: Game, king: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return where a king on the left stands: pairs of a word and a mask, of either side's king.

    Both as the side to move has the words; a side's left is what it sees there.

    Raises
    ------
    UserError
        The board has no such piece.
    """
    board = board_of(game)
    if not king:
        return [], []
    kinds = [k for k, one in enumerate(board.kept) if one.whose == MOVER and one.signs[0] == king]
    if not kinds:
        signs = ", ".join(one.signs[0] for one in board.kept if one.whose == MOVER)
        raise UserError(
            f"king must be a sign of a piece of {game.name}: {signs} (got {king!r:.60})"
        )
    mine, theirs = codes_of(game)
    is_left = np.arange(mine.shape[1]) % board.columns < board.columns // 2
    (kind,), found = kinds, []
    for codes in (mine[kind][is_left], mine[np.isin(theirs, mine[kind][is_left])]):
        words = np.unique(codes // 64)
        masks = [sum(1 << int(c) % 64 for c in codes if c // 64 == word) for word in words]
        found.append(list(zip(map(int, words), masks, strict=True)))
    return found[0], found[1]


def mirrors_in(model: NnueModel, row: NDArray[np.uint64]) -> tuple[int, int]:
    """Return for each half of a network whether it mirrors the board in a position, 0 or 1."""
    words = row.tolist()
    mine, theirs = king_masks(model.game, model.king)
    return (
        int(any(words[word] & mask for word, mask in mine)),
        int(any(words[word] & mask for word, mask in theirs)),
    )


def _on_the_left(masks: list[tuple[int, int]]) -> str:
    """Return the text of whether a king stands on the left, as 0 or 1."""
    if not masks:
        return "0"
    tests = " | ".join(f"(position[{word}] & uint64({mask}))" for word, mask in masks)
    return f"(1 if {tests} else 0)"


@dataclass(frozen=True)
class _Described:
    """Entries of a card about a network."""

    game: str
    units: int
    activation: Activation
    hidden: list[int]
    buckets: int
    king: str


@dataclass(frozen=True, eq=False)
@declared
class NnueModel:
    """An efficiently updatable network, as it is compiled and saved: in whole numbers.

    With c counts of plies left and n buckets, r plies left are in bucket r * n // c.

    Attributes
    ----------
    game
        The game.
    activation
        Of all units but the last.
    hidden
        Units of the small layers.
    king
        Sign of the piece by which a half mirrors the board, or nothing.
    """

    game: Game
    activation: Activation
    hidden: tuple[int, ...]
    king: str
    rows: NDArray[np.int16] = array(int16, ("inputs", "units"), "of each input, in 255ths")
    biases: NDArray[np.int16] = array(int16, ("units",), "of the first layer, in 255ths")
    weights: NDArray[np.int16] = array(
        int16,
        ("buckets", "weights"),
        "of the layers after it, in 256ths, layer by layer a row a unit",
    )
    layer_biases: NDArray[np.int32] = array(
        int32, ("buckets", "layer_biases"), "of these layers, in parts of 255 * 256"
    )
    unit: float = number("score that 1 at the end stands for", float32)

    kind = "nnue"

    @property
    def shape(self) -> Shape:
        """Numbers that its code depends on."""
        return Shape(self.rows.shape[1], self.hidden, len(self.weights), self.activation, self.king)

    @property
    def parameters(self) -> int:
        """Number of learned numbers."""
        return int(self.rows.size + self.biases.size + self.weights.size + self.layer_biases.size)

    @property
    def is_sound(self) -> bool:
        """True if the search can run it without leaving its arrays."""
        shape = self.shape
        return bool(
            shape.is_possible
            and shape.buckets <= self.game.most_left + 1
            and self.game.board is not None
            and len(self.rows) == inputs_of(self.game)[0].size
            and self.rows.size < MOST_NUMBERS
            and self.biases.shape == (shape.units,)
            and self.weights.shape == (shape.buckets, shape.n_weights)
            and self.layer_biases.shape == (shape.buckets, shape.n_biases)
            and np.abs(self.weights.astype(int)).max() <= LARGEST_WEIGHT
            and np.abs(self.layer_biases.astype(int)).max() <= _LARGEST_BIAS
            and abs(self.unit) < LARGEST_UNIT  # nor is NaN
        )

    def described(self) -> dict[str, Any]:
        """Return what a card says of it; `arrays` has the rest."""
        return {
            "kind": self.kind,
            "game": self.game.name,
            "units": self.shape.units,
            "hidden": list(self.hidden),
            "activation": self.activation,
            "buckets": self.shape.buckets,
            "king": self.king,
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return its numbers by name."""
        return arrays_of(self)

    @classmethod
    def read(cls, card: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> NnueModel:
        """Return the model of a card and its arrays, which may be unsound.

        Raises
        ------
        ValueError
            The arrays are none of such a model; CardError where the card is none.
        """
        said = described(card, _Described)
        game = known_game(said.game)
        if game.board is None:
            raise CardError(f"{game.name} has no board, and a network of this kind reads one")
        hidden = tuple(said.hidden)
        if len(hidden) > MOST_HIDDEN or not all(1 <= n <= MOST_SMALL for n in hidden):
            raise CardError("its small layers are too many, or too large")
        try:
            king_masks(game, said.king)
        except UserError as error:
            raise CardError(str(error)) from None
        model = cls(game, said.activation, hidden, said.king, **arrays_for(cls, arrays))
        units, buckets = model.shape.units, model.shape.buckets
        if (said.units, said.buckets) != (units, buckets):
            raise CardError(
                f"it names {said.units} units and {said.buckets} buckets, and the arrays have "
                f"{units} and {buckets}"
            )
        return model

    @property
    def float_layers(self) -> NDArray[np.float32]:
        """The parameters of the layers after the first at each stage, as `Layers` has them."""
        parts, weight, bias = [], 0, 0
        for inputs, units in self.shape.layers.pairs:
            some = self.weights[:, weight : weight + inputs * units]
            matrix = some.reshape(-1, units, inputs).swapaxes(1, 2) / ONE_WEIGHT
            biases = self.layer_biases[:, bias : bias + units] / (ONE_UNIT * ONE_WEIGHT)
            parts.append((matrix, biases))
            weight, bias = weight + inputs * units, bias + units
        return self.shape.layers.joined(parts)

    def evaluator(self, name: str, origin: str = "") -> Evaluator:
        """Return it as an evaluator called `name`."""
        shape, rows = self.shape, self.rows
        values = {
            "worth": self.unit / (ONE_UNIT * ONE_UNIT * ONE_WEIGHT),
            "row_of": rows_by_code(self.game),
            "rows": np.concatenate([rows, np.zeros((1, shape.units), np.int16)]),
            "biases": self.biases,
            "weights": self.weights,
            "layer_biases": self.layer_biases,
            "state": np.zeros(state_size(shape.units), np.uint64),
            "values": np.zeros(2 * shape.units + sum(shape.hidden) + LEAST_UNITS, np.int16),
        }
        integers, floats = laid_out(filled(HeldNnue, values))
        return Evaluator(
            name=name,
            game=self.game.name,
            evaluate=_evaluate(self.game, shape),
            words=self.game.words,
            integers=integers,
            floats=floats,
            origin=origin,
            ignores_chance=True,
        )
