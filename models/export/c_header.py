"""A model of patterns as a header in C99: its numbers, and a function that scores by them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from samuel.common.errors import UserError, c_comment
from samuel.features import Feature, column_names
from samuel.features.terms import PatternTerms
from samuel.games.game import Game
from samuel.models.compiled.layers import Layers
from samuel.models.export.numbers import NOWHERE, numbers_of
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel
from samuel.models.patterns.network_kernel import layers_of

_LINE = 24
"""Numbers in a line."""

_HEADER = """/* {title}: a model of {game}, written by samuel (https://pypi.org/project/samuel-learning).

   float {name}_score(int left, const signed char *squares, const int *counts);

   The score for the side to move, in {unit}. `left`: {left}, 0 to {most}.
   `squares`: the content of each of the {n_squares} squares, row by row from the top, seen from the
   side to move: {contents}. X is the side to move, also where O moves by the game's rules.
   Some games, such as checkers, turn the board for the second player.
   `counts`: {counts}.{meanings}

   The arrays are static: include it in one file alone. */

#ifndef {guard}_H
#define {guard}_H

{arrays}

static float {name}_score(int left, const signed char *squares, const int *counts)
{{
    int places[{instances}];
    float score;
    long total = {name}_bias;
    const short *weights;
    (void)counts;
    left = left < 0 ? 0 : left > {most} ? {most} : left;
    weights = {name}_weights[left];
    for (int i = 0; i < {instances}; i++) {{
        int number = 0;
        for (int k = {longest} - 1; k >= 0; k--)
            if ({name}_squares[i][k] >= 0)
                number = {base} * number + squares[{name}_squares[i][k]];
        places[i] = {name}_starts[i] + number;
        total += weights[places[i]];
    }}
{tables}    score = (float)total / {unit_number}f;
{network}    return score;
}}

#endif
"""
_TABLE = """    {{
        int cell = 0, at;
{values}        total += weights[{start} + cell];
    }}
"""
_VALUE = """        at = counts[{column}] - ({low});
        cell = cell * {size} + (at < 0 ? 0 : at > {size} - 1 ? {size} - 1 : at);
"""
_NETWORK = """    {{
        int stage = left * {stages} / {counts};
        float added, values_0[{units}];
        const float *numbers = {name}_layers[stage];
        for (int u = 0; u < {units}; u++) {{
            long sum = 0;
            for (int i = 0; i < {instances}; i++)
                sum += {name}_rows[places[i]][u];
            values_0[u] = {name}_row_biases[left][u] + (float)sum;
            if (values_0[u] < 0)
                values_0[u] = 0;
            if (values_0[u] > {name}_ceilings[u])
                values_0[u] = {name}_ceilings[u];
        }}
{layers}        added = values_{last}[0];
        if (added < -{name}_limit)
            added = -{name}_limit;
        score += added > {name}_limit ? {name}_limit : added;
    }}
"""
_LAYER = """    float values_{layer}[{units}];
    for (int v = 0; v < {units}; v++)
        values_{layer}[v] = numbers[v];
    for (int u = 0; u < {inputs}; u++)
        for (int v = 0; v < {units}; v++)
            values_{layer}[v] += numbers[{units} + u * {units} + v] * values_{before}[u];
    numbers += {size};
"""
_ACTIVATION = """    for (int v = 0; v < {units}; v++)
        values_{layer}[v] = {made};
"""
_ACTIVATIONS = {
    "identity": "{0}",
    "relu": "{0} < 0 ? 0 : {0}",
    "tanh": "tanhf({0})",
    "logistic": "1 / (1 + expf(-{0}))",
}


def name_in_c(title: str) -> str:
    """Return a name in C made of a title; UserError where none can be."""
    name = re.sub(r"\W+", "_", title, flags=re.ASCII).strip("_").lower()
    if not re.match("[a-z]", name):
        raise UserError(
            f"the name {title!r} cannot be turned into a name in C; save the model under another "
            "name"
        )
    return name


def c_header(model: PatternModel | NetworkModel, title: str) -> bytes:
    """Return the content of the header; `title` is what the model is called."""
    name = name_in_c(title)
    linear, network = (
        (model.linear, model.held()) if isinstance(model, NetworkModel) else (model, {})
    )
    numbers, terms, board = numbers_of(linear), linear.terms, linear.terms.patterns.board
    columns = column_names(terms.features) if terms.tables else []
    arrays = [
        array_text("short", f"{name}_weights", numbers["weights"]),
        array_text("short", f"{name}_squares", numbers["squares"]),
        array_text("int", f"{name}_starts", numbers["starts"]),
        f"static const long {name}_bias = {int(numbers['bias'][0])};",
        *(
            f"static const float {name}_limit = {float(values[0])!r}f;"
            if key == "limit"
            else array_text("signed char" if key == "rows" else "float", f"{name}_{key}", values)
            for key, values in network.items()
        ),
    ]
    text = _HEADER.format(
        title=c_comment(title),
        game=linear.game.name,
        name=name,
        guard=name.upper(),
        unit=c_comment(linear.game.scores.unit),
        left=left_text(linear.game),
        most=linear.game.most_left,
        n_squares=len(board.squares),
        contents=c_comment(
            ", ".join(f"{k} for {c.signs[0]}" for k, c in enumerate(board.contents))
            + f" ({board.contents[-1].signs[0]} is its own)"
        ),
        counts=c_comment(", ".join(columns)) or "nothing, NULL will do",
        meanings=meanings(terms.features) if columns else "",
        arrays="\n".join(arrays),
        instances=len(numbers["squares"]),
        longest=numbers["squares"].shape[1],
        base=len(board.contents),
        tables=_tables_text(terms, columns),
        unit_number=repr(float(linear.unit)),
        network=_network_text(name, model) if isinstance(model, NetworkModel) else "",
    )
    assert NOWHERE < 0  # what the function asks
    return text.encode()


def _network_text(name: str, model: NetworkModel) -> str:
    """Return what adds the network's part, layer by layer."""
    units = len(model.steps)
    layers = layers_of(units)
    return _NETWORK.format(
        name=name,
        stages=len(model.layers),
        counts=model.game.most_left + 1,
        units=units,
        instances=len(model.patterns.instances),
        layers=textwrap.indent(layers_text(layers), "    "),
        last=len(layers.pairs),
    )


def layers_text(layers: Layers) -> str:
    """Return what makes `values_1`, `values_2`, ... of `values_0` and `numbers`.

    `numbers` points to the parameters of the layers, `joined`. An exponential needs <math.h>.
    """
    text = ""
    for layer, (inputs, units) in enumerate(layers.pairs, start=1):
        shape = {"layer": layer, "units": units, "inputs": inputs, "size": units * (inputs + 1)}
        text += _LAYER.format(**shape, before=layer - 1)
        if layer < len(layers.pairs):
            made = _ACTIVATIONS[layers.activation].format(f"values_{layer}[v]")
            text += _ACTIVATION.format(**shape, made=made)
    return text


def left_text(game: Game) -> str:
    """Return what is counted as left of a game, as its rule says it."""
    about = (game.progress or game.plies_left).__doc__ or ""
    said = c_comment(about.strip().partition("\n\n")[0])
    said = said.removeprefix("Return ").removesuffix(".")
    if game.progress is None:
        return said or "what is left"
    return f"{game.most_left} less {said or 'how far it has come'}"


def meanings(features: Sequence[Feature]) -> str:
    """Return what the numbers of features are, each feature on lines of its own."""
    about = [c_comment(f"{one.name} ({', '.join(one.columns)}): {one.about}") for one in features]
    first, further = " " * 5, " " * 7
    lines = (textwrap.fill(a, 100, initial_indent=first, subsequent_indent=further) for a in about)
    return "".join(f"\n{line}" for line in lines)


def _tables_text(terms: PatternTerms, columns: Sequence[str]) -> str:
    """Return what adds the weights of tables; `columns` are the numbers that `counts` holds."""
    places = {column: k for k, column in enumerate(columns)}
    return "".join(
        _TABLE.format(
            start=start,
            values="".join(
                _VALUE.format(column=places[column], low=low, size=size)
                for column, low, size in zip(table.columns, table.low, table.sizes, strict=True)
            ),
        )
        for table, start in zip(terms.tables, terms.starts, strict=False)
    )


def array_text(kind: str, name: str, values: NDArray[Any]) -> str:
    """Return the definition of an array; of three dimensions, the last two are one."""
    values = values.reshape(len(values), -1) if values.ndim > 2 else values
    size = "".join(f"[{n}]" for n in values.shape)
    rows = [values.tolist()] if values.ndim == 1 else values.tolist()
    inner = ",\n".join(_lines(row) for row in rows)
    if values.ndim == 2:
        inner = ",\n".join(f"{{{_lines(row)}}}" for row in rows)
    return f"static const {kind} {name}{size} = {{\n{inner}\n}};"


def _lines(row: Iterable[float]) -> str:
    texts = [str(value) if isinstance(value, int) else f"{value:.9g}" for value in row]
    return ",\n".join(",".join(texts[k : k + _LINE]) for k in range(0, len(texts), _LINE))
