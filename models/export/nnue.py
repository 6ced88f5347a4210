"""An efficiently updatable network for other programs: numpy's arrays, and a header in C99."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import c_comment
from samuel.games.board import MOVER, OPPONENT
from samuel.games.changes import board_of
from samuel.games.game import Game
from samuel.models.compiled.arrays import arrays_bytes
from samuel.models.export.c_header import array_text, left_text, name_in_c
from samuel.models.export.numbers import NOWHERE
from samuel.models.nnue.inputs import kings_of, rows_by_code
from samuel.models.nnue.kernel import ONE_UNIT, ONE_WEIGHT
from samuel.models.nnue.model import NnueModel

_SEEN = {
    "same": "as the side to move does",
    "mirrored": "upside down: top and bottom exchanged",
    "rotated": "turned by half a turn",
}
_HEADER = """/* {title}: an efficiently updatable network (NNUE) of {game}, written by samuel
   (https://pypi.org/project/samuel-learning).

   float {name}_score(int left, const unsigned long long *words);

   The score for the side to move, in {unit}. `left`: {left}, 0 to {most}.
   `words`: {n_words} numbers of 64 bits, the pieces of the board as the side to move sees it:
{words}
   The bit of each square, row by row from the top:
{squares}
   The other side sees the board {seen}.
   Squares here are what the side to move sees: if the second player is to move, turn them so first.

   The arrays are static: include it in one file alone. */

#ifndef {guard}_H
#define {guard}_H

{arrays}

{view}static int {name}_half(const unsigned long long *words, const int *row_of, int *values)
{{
    for (int u = 0; u < {units}; u++)
        values[u] = {name}_biases[u];
    for (int code = 0; code < {codes}; code++)
        if (words[code / 64] >> code % 64 & 1)
            for (int u = 0; u < {units}; u++)
                values[u] += {name}_rows[row_of[code]][u];
    for (int u = 0; u < {units}; u++) {{
        int sum = (values[u] + 32768) & 65535; /* sums have 16 bits and wrap */
        sum -= 32768;
        values[u] = sum < 0 ? 0 : sum > {one} ? {one} : sum;
    }}
    return {units};
}}

static float {name}_score(int left, const unsigned long long *words)
{{
    int values[{n_values}], *inputs = values;
    int mine = {mine}; /* how the half of the side to move sees the board */
    int theirs = {theirs};
    int bucket = (left < 0 ? 0 : left > {most} ? {most} : left) * {buckets} / {counts};
    const short *weights = {name}_weights[bucket];
    const int *biases = {name}_layer_biases[bucket];
    long long total;
    inputs += {name}_half(words, {name}_row_of[2 * mine], inputs);
    inputs += {name}_half(words, {name}_row_of[2 * theirs + 1], inputs);
    inputs = values;
{layers}    return (float)total * {worth}f; /* {worth_text} */
}}

#endif
"""
_VIEW = """static int {name}_view(const unsigned long long *words, const int *views)
{{
    int view = 0;
    for (int bit = 0; bit < {bits}; bit++)
        if (words[bit / 64] >> bit % 64 & 1 && views[bit] > view)
            view = views[bit];
    return view;
}}

"""
_ONE_LAYER = """    total = (long long)biases[0] * {one};
    for (int u = 0; u < {inputs}; u++)
        total += (long long)(inputs[u]{squared}) * weights[u]{times};
"""
_SQUARES = """    for (int u = 0; u < {inputs}; u++)
        inputs[u] = inputs[u] * inputs[u] / {one};
"""
_LAYER = """    for (int v = 0; v < {units}; v++) {{
        int sum = *biases++;
        for (int u = 0; u < {inputs}; u++)
            sum += inputs[u] * *weights++;
        sum = sum < 0 ? 0 : sum / {weight};
        sum = sum > {one} ? {one} : sum;
        inputs[{inputs} + v] = {made};
    }}
    inputs += {inputs};
"""
_LAST = """    total = *biases;
    for (int u = 0; u < {inputs}; u++)
        total += inputs[u] * *weights++;
    total *= {one};
"""


def nnue_arrays(model: NnueModel) -> dict[str, NDArray[Any]]:
    """Return the arrays of a network for numpy, by name.

    Besides those of the model: `activation`, `hidden`; `counts`, one more than the most that is
    left of a game; `digits` the sign of each content of a square, in order; `inputs` int32
    (views, 2, contents, squares), the row of a content on a square by how a half sees the board, as
    the side to move sees it and as the other, NOWHERE for none; `kings` (2,), the content that
    chooses the view of each half, and `views` (2, squares), which it chooses on a square.
    """
    game, board = model.game, board_of(model.game)
    bits, contents = np.array(board.bits), board.contents
    tables = rows_by_code(game, model.shape.n_areas)
    inputs = np.full((len(tables), 2, len(contents), len(bits)), NOWHERE, np.int32)
    digits, views = np.full(2, NOWHERE), np.zeros((2, len(bits)), np.int32)
    for digit, content in enumerate(contents):
        if content.word is not None:
            inputs[:, :, digit] = tables[:, :, 64 * content.word + bits]
    if (kings := kings_of(game, model.shape.king, model.shape.king_areas)) is not None:
        words = [content.word for content in contents]
        digits[:] = [words.index(word) for word in kings.words]
        views = kings.views[:, bits]
    return model.arrays() | {
        "activation": np.array(model.shape.activation),
        "hidden": np.array(model.shape.hidden, np.int32),
        "counts": np.array([game.most_left + 1]),
        "digits": np.array([content.signs[0] for content in contents]),
        "inputs": inputs,
        "kings": digits,
        "views": views,
    }


def nnue_bytes(model: NnueModel) -> bytes:
    """Return the content of a file of numpy's, an .npz: `nnue_arrays`."""
    return arrays_bytes(nnue_arrays(model))


def nnue_header(model: NnueModel, title: str) -> bytes:
    """Return the content of a header in C99; `title` is what the model is called."""
    name, game, board, shape = name_in_c(title), model.game, board_of(model.game), model.shape
    codes, tables = 64 * board.words, rows_by_code(game, shape.n_areas)
    rows = np.concatenate([model.rows, np.zeros((1, shape.units), np.int16)])
    worth = float(np.float32(model.unit / (ONE_UNIT * ONE_UNIT * ONE_WEIGHT)))
    arrays = [
        array_text("int", f"{name}_row_of", tables.reshape(-1, codes)),
        array_text("short", f"{name}_rows", rows),
        array_text("short", f"{name}_biases", model.biases),
        array_text("short", f"{name}_weights", model.weights),
        array_text("int", f"{name}_layer_biases", model.layer_biases),
    ]
    mine = theirs = view = ""
    if (kings := kings_of(game, model.shape.king, model.shape.king_areas)) is not None:
        arrays.append(array_text("int", f"{name}_views", kings.views))
        mine, theirs = (
            f"{name}_view(words + {word}, {name}_views[{half}])"
            for half, word in enumerate(kings.words)
        )
        view = _VIEW.format(name=name, bits=64 * board.words_each)
    text = _HEADER.format(
        title=c_comment(title),
        game=game.name,
        name=name,
        guard=name.upper(),
        unit=c_comment(game.scores.unit),
        left=left_text(game),
        most=game.most_left,
        counts=game.most_left + 1,
        n_words=board.words,
        words=_words_text(game),
        squares="\n".join(
            f"     {' '.join(map(str, row))}" for row in np.reshape(board.bits, board.shape)
        ),
        seen=_SEEN[game.notation.second_sees],
        arrays="\n".join(arrays),
        units=shape.units,
        codes=codes,
        one=ONE_UNIT,
        n_values=2 * shape.units + sum(shape.hidden),
        view=view,
        mine=mine or "0",
        theirs=theirs or "0",
        buckets=shape.buckets,
        layers=_layers_text(model),
        worth=worth.hex(),
        worth_text=f"{worth:.9g}",
    )
    return text.encode()


def _words_text(game: Game) -> str:
    """Return what each word holds."""
    board, whose = board_of(game), {MOVER: "the side to move", OPPONENT: "the other side"}
    lines = []
    for content in board.kept:
        first, sign = content.word or 0, content.signs[0]
        last = first + board.words_each - 1
        words = f"words[{first}]" + (f" to words[{last}]" if last > first else "")
        said = c_comment(f"{words}: {sign} of {whose.get(content.whose, 'nobody')}")
        lines.append(f"     {said}")
    if board.words_each > 1:
        lines.append("   Bits from 64 on are in the next word.")
    return "\n".join(lines)


def _layers_text(model: NnueModel) -> str:
    """Return what makes `total` of the halves, layer by layer."""
    shape = model.shape
    squared, (first, *_) = shape.activation == "screlu", shape.layers.pairs
    if not shape.hidden:
        return _ONE_LAYER.format(
            inputs=first[0],
            one=ONE_UNIT,
            squared=" * inputs[u]" if squared else "",
            times="" if squared else f" * {ONE_UNIT}",
        )
    text = _SQUARES.format(inputs=first[0], one=ONE_UNIT) if squared else ""
    made = f"sum * sum / {ONE_UNIT}" if squared else "sum"
    for inputs, units in shape.layers.pairs[:-1]:
        text += _LAYER.format(
            inputs=inputs, units=units, one=ONE_UNIT, weight=ONE_WEIGHT, made=made
        )
    return text + _LAST.format(inputs=shape.layers.pairs[-1][0], one=ONE_UNIT)
