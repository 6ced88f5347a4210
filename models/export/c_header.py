"""A model of patterns as a header in C99: its weights, and a function that adds them up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

from samuel.errors import UserError
from samuel.features import column_names
from samuel.models.export.numbers import NOWHERE, numbers_of
from samuel.models.patterns.forms import PatternForm

_LINE = 24
"""Numbers in a line."""

_HEADER = """/* {title}: a model of {game}, written by samuel (https://pypi.org/project/samuel-learning).

   float {name}_score(int left, const signed char *squares, const int *counts);

   The score for the side to move, in {unit}. `left`: {left}, 0 to {most}. `squares`: what each of
   the {n_squares} squares has, row by row from the top, seen by the side to move: {contents}.
   `counts`: {counts}. */

#ifndef {guard}_H
#define {guard}_H

{arrays}

static float {name}_score(int left, const signed char *squares, const int *counts)
{{
    const short *weights = {name}_weights[left < 0 ? 0 : left > {most} ? {most} : left];
    long total = {name}_bias;
    (void)counts;
    for (int i = 0; i < {instances}; i++) {{
        int number = 0;
        for (int k = {longest} - 1; k >= 0; k--)
            if ({name}_squares[i][k] >= 0)
                number = {base} * number + squares[{name}_squares[i][k]];
        total += weights[{name}_starts[i] + number];
    }}
{tables}    return (float)total / {unit_number}f;
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


def c_header(form: PatternForm, title: str) -> bytes:
    """Return the content of the header; `title` is what the model is called.

    Raises
    ------
    UserError
        No name in C can be made of the title.
    """
    name = re.sub(r"\W+", "_", title, flags=re.ASCII).strip("_").lower()
    if not re.match("[a-z]", name):
        raise UserError(f"no name in C can be made of {title!r}; save the model by another name")
    numbers, terms, board = numbers_of(form), form.terms, form.terms.patterns.board
    columns = column_names(terms.features) if terms.tables else []
    arrays = [
        _array("short", f"{name}_weights", numbers["weights"]),
        _array("short", f"{name}_squares", numbers["squares"]),
        _array("int", f"{name}_starts", numbers["starts"]),
        f"static const long {name}_bias = {int(numbers['bias'][0])};",
    ]
    places = {column: k for k, column in enumerate(columns)}
    text = _HEADER.format(
        title=title.replace("*/", ""),
        game=form.game.name,
        name=name,
        guard=name.upper(),
        unit=form.game.unit,
        left="empty squares" if form.game.most_left < len(board.squares) else "what is left",
        most=form.game.most_left,
        n_squares=len(board.squares),
        contents=", ".join(f"{k} for {c.signs[0]}" for k, c in enumerate(board.contents))
        + f" ({board.contents[-1].signs[0]} is its own)",
        counts=", ".join(columns) or "nothing, NULL will do",
        arrays="\n".join(arrays),
        instances=len(numbers["squares"]),
        longest=numbers["squares"].shape[1],
        base=len(board.contents),
        tables="".join(
            _TABLE.format(
                start=start,
                values="".join(
                    _VALUE.format(column=places[column], low=low, size=size)
                    for column, low, size in zip(table.columns, table.low, table.sizes, strict=True)
                ),
            )
            for table, start in zip(terms.tables, terms.starts, strict=False)
        ),
        unit_number=repr(float(form.unit)),
    )
    assert NOWHERE < 0  # what the function asks
    return text.encode()


def _array(kind: str, name: str, values: NDArray[Any]) -> str:
    """Return the definition of an array of one or two dimensions."""
    size = "".join(f"[{n}]" for n in values.shape)
    rows = [values.tolist()] if values.ndim == 1 else values.tolist()
    inner = ",\n".join(_lines(row) for row in rows)
    if values.ndim == 2:
        inner = ",\n".join(f"{{{_lines(row)}}}" for row in rows)
    return f"static const {kind} {name}{size} = {{\n{inner}\n}};"


def _lines(row: Iterable[int]) -> str:
    texts = [str(value) for value in row]
    return ",\n".join(",".join(texts[k : k + _LINE]) for k in range(0, len(texts), _LINE))
