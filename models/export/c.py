"""Models as headers in C99: their numbers, and a function that scores by them.

A template for each form is filled in (templates); the layers of networks are written once.

Models as numpy's arrays: all that their scores are made of (docs/exports.md).
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.common.errors import UserError, c_comment
from samuel.features import Feature, column_names
from samuel.games.board import MOVER, OPPONENT
from samuel.games.changes import board_of
from samuel.games.game import Game
from samuel.games.wdl import WinDrawLoss
from samuel.models.compiled.features import FeatureModel
from samuel.models.compiled.layers import Layers, layers_in
from samuel.models.nnue.inputs import inputs_of, kings_of, rows_by_code
from samuel.models.nnue.model import NnueModel
from samuel.models.nnue.shape import ONE_UNIT, ONE_WEIGHT
from samuel.models.outcome_networks import outcomes_of
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel
from samuel.models.patterns.network_kernel import layers_of

Arrays = dict[str, NDArray[Any]]
_NOWHERE = -1
"""Placeholder where an instance has fewer squares than others, and where an input is missing."""


def _layer_arrays(layers: Layers, numbers: NDArray[Any]) -> Arrays:
    """Return the weights and biases of each layer, by stage, bucket or class."""
    found: Arrays = {"activation": np.array(layers.activation)}
    for layer, (weights, biases) in enumerate(layers.parts(numbers), start=1):
        found |= {f"weights_{layer}": weights, f"biases_{layer}": biases}
    return found


def pattern_arrays(model: PatternModel | NetworkModel) -> Arrays:
    """Return the arrays of a model of patterns, and what a network beside it holds."""
    if isinstance(model, NetworkModel):
        held = model.held()
        layers = _layer_arrays(layers_of(len(model.steps)), held.pop("layers"))
        return pattern_arrays(model.linear) | held | layers
    terms, counts = model.terms, model.game.most_left + 1
    patterns, tables = terms.patterns, terms.tables
    longest = max(len(instance) for _, instance in patterns.instances)
    squares = np.full((len(patterns.instances), longest), _NOWHERE)
    for row, (_, instance) in zip(squares, patterns.instances, strict=True):
        row[: len(instance)] = instance
    return {
        "unit": np.array([model.unit]),
        "bias": np.full(counts, round(model.unit * model.intercept), np.int32),
        "weights": model.held()[:, : terms.size],
        "squares": squares.astype(np.int16),
        "starts": patterns.starts[[shape for shape, _ in patterns.instances]],
        "columns": np.array([[*t.columns, ""][:2] for t in tables] or np.empty((0, 2)), str),
        "low": np.array([[*t.low, 0][:2] for t in tables], np.int64).reshape(-1, 2),
        "sizes": np.array([[*t.sizes, 1][:2] for t in tables], np.int64).reshape(-1, 2),
        "table_starts": terms.starts[: len(tables)],
        "digits": np.array([content.signs[0] for content in patterns.board.contents]),
    }


def networks_of(model: FeatureModel, title: str) -> tuple[Layers, NDArray[np.float32]]:
    """Return the layers of networks over features, and the parameters of each (networks, size)."""
    layers, *others = {layers_in(block) for block in model.blocks}
    if others or not (model.classes or len(model.blocks) == 1):
        raise UserError(
            f"{title} has networks of several stages or sizes, which no format supports; train it "
            "with --stages 1"
        )
    return layers, np.stack([block.parameters for block in model.blocks])


def column_arrays(model: FeatureModel, title: str) -> Arrays:
    """Return the arrays of networks over features."""
    layers, floats = networks_of(model, title)
    outcomes = outcomes_of(layers, floats)
    return {
        "columns": np.array(column_names(model.features)),
        "classes": np.array(model.classes),
        "widths": np.array(layers.widths),
        "outcomes": np.empty(0) if outcomes is None else outcomes,
    } | _layer_arrays(layers, floats)


def piece_arrays(model: NnueModel) -> Arrays:
    """Return the arrays of an efficiently updatable network.

    `counts` is one more than the most that is left of a game; `digits` the sign of each content of
    a square, in order; `inputs` int32 (views, 2, contents, squares), the row of a content on a
    square by how a half sees the board, as the side to move sees it and as the other, -1 for none;
    `kings` (2,), the content that chooses the view of each half, and `views` (2, squares), which it
    chooses on a square.
    """
    game, board = model.game, board_of(model.game)
    bits, contents = np.array(board.bits), board.contents
    tables = rows_by_code(game, model.shape.n_areas)
    inputs = np.full((len(tables), 2, len(contents), len(bits)), _NOWHERE, np.int32)
    digits, views = np.full(2, _NOWHERE), np.zeros((2, len(bits)), np.int32)
    for digit, content in enumerate(contents):
        if content.word is not None:
            inputs[:, :, digit] = tables[:, :, 64 * content.word + bits]
    if (kings := kings_of(game, model.shape.king, model.shape.king_areas)) is not None:
        words = [content.word for content in contents]
        digits[:] = [words.index(word) for word in kings.words]
        views = kings.views[:, bits]
    return _layer_arrays(model.shape.layers, model.layers) | {
        **{"rows": model.rows, "biases": model.biases, "unit": np.array([model.unit], np.float32)},
        "counts": np.array([game.most_left + 1]),
        "digits": np.array([content.signs[0] for content in contents]),
        "inputs": inputs,
        "kings": digits,
        "views": views,
    }


_LINE = 24
"""Numbers in a line."""
_TYPES = {"i1": "signed char", "i2": "short", "i4": "int", "f4": "float"}
_ACTIVATED = {
    "identity": "sum",
    "relu": "sum < 0 ? 0 : sum",
    "tanh": "tanhf(sum)",
    "logistic": "1 / (1 + expf(-sum))",
}
_CUT = f"sum / {ONE_WEIGHT} > {ONE_UNIT} ? {ONE_UNIT} : sum / {ONE_WEIGHT}"
_CLIPPED = f"sum < 0 ? 0 : {_CUT}"
_SEEN = {
    "same": "as the side to move does",
    "mirrored": "upside down: top and bottom exchanged",
    "rotated": "turned by half a turn",
}


@functools.cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"comment": c_comment, "define": _definition}
    return made


def _filled(form: str, title: str, game: Game, **values: Any) -> bytes:
    template = _environment().get_template(f"{form}.h")
    text: str = template.render(title=c_comment(title), name=name_in_c(title), game=game, **values)
    return text.encode()


def name_in_c(title: str) -> str:
    """Return a name in C made of a title; UserError where none can be."""
    name = re.sub(r"\W+", "_", title, flags=re.ASCII).strip("_").lower()
    if not re.match("[a-z]", name):
        raise UserError(
            f"the name {title!r} cannot be turned into a name in C; save the model under another "
            "name"
        )
    return name


def pattern_header(model: PatternModel | NetworkModel, title: str) -> bytes:
    """Return the content of the header of a model of patterns."""
    network = model if isinstance(model, NetworkModel) else None
    linear = network.linear if network else model
    assert isinstance(linear, PatternModel)
    numbers, terms, board = pattern_arrays(linear), linear.terms, linear.terms.patterns.board
    columns = column_names(terms.features) if terms.tables else []
    contents = ", ".join(f"{k} for {c.signs[0]}" for k, c in enumerate(board.contents))
    own = ("weights", "squares", "starts", "bias")
    return _filled(
        "patterns",
        title,
        linear.game,
        board=board,
        left=_left_text(linear.game),
        contents=f"{contents} ({board.contents[-1].signs[0]} is its own)",
        columns=columns,
        meanings=_meanings(terms.features) if columns else "",
        arrays={key: numbers[key] for key in own} | (network.held() if network else {}),
        instances=len(numbers["squares"]),
        longest=numbers["squares"].shape[1],
        tables=[
            (start, [(columns.index(c), low, size) for c, low, size in zip(
                table.columns, table.low, table.sizes, strict=True)])
            for table, start in zip(terms.tables, terms.starts, strict=False)
        ],
        unit=repr(float(linear.unit)),
        layers=layers_of(len(network.steps)) if network else None,
        stages=len(network.layers) if network else 0,
        activated=_ACTIVATED["relu"],
    )  # fmt: skip


def column_header(model: FeatureModel, title: str) -> bytes:
    """Return the content of the header of networks over features."""
    columns = column_names(model.features)
    layers, floats = networks_of(model, title)
    outcomes = outcomes_of(layers, floats)
    return _filled(
        "columns",
        title,
        model.game,
        classes=model.classes,
        column=columns.index(model.classes) if model.classes else 0,
        networks=len(floats),
        outcomes=[] if outcomes is None else [f"{outcome:g}" for outcome in outcomes[1:]],
        meanings=_meanings(model.features),
        arrays={"networks": floats},
        layers=layers,
        activated=_ACTIVATED[layers.activation],
    )


def piece_header(model: NnueModel, title: str) -> bytes:
    """Return the content of the header of an efficiently updatable network."""
    game, shape, board = model.game, model.shape, board_of(model.game)
    kings, tables = kings_of(game, shape.king, shape.king_areas), rows_by_code(game, shape.n_areas)
    whose = {MOVER: "the side to move", OPPONENT: "the other side"}
    words = []
    for content in board.kept:
        first = content.word or 0
        last = first + board.words_each - 1
        words.append(
            (
                f"words[{first}]" + (f" to words[{last}]" if last > first else ""),
                content.signs[0],
                whose.get(content.whose, "nobody"),
            )
        )
    arrays = {
        "row_of": tables.reshape(-1, 64 * board.words),
        **{"rows": model.rows, "biases": model.biases, "layers": model.layers},
    }
    return _filled(
        "pieces",
        title,
        game,
        board=board,
        shape=shape,
        left=_left_text(game),
        words=words,
        bits=np.reshape(board.bits, board.shape).tolist(),
        seen=_SEEN[game.notation.second_sees],
        kings=kings,
        arrays=arrays | ({} if kings is None else {"views": kings.views}),
        inputs=shape.n_areas * inputs_of(game)[0].size,
        one=ONE_UNIT,
        activated=f"({_CLIPPED}) * ({_CLIPPED}) / {ONE_UNIT}"
        if shape.activation == "screlu"
        else _CLIPPED,
        worth=float(np.float32(model.unit / (ONE_UNIT * ONE_UNIT * ONE_WEIGHT))),
    )


def wdl_header(wdl: WinDrawLoss, title: str, game: Game) -> bytes:
    """Return the content of a header with the chances of a win, a draw and a loss."""
    return _filled("wdl", title, game, wdl=wdl)


def _left_text(game: Game) -> str:
    """Return what is counted as left of a game, as its rule says it."""
    about = (game.progress or game.plies_left).__doc__ or ""
    said = c_comment(about.strip().partition("\n\n")[0])
    said = said.removeprefix("Return ").removesuffix(".")
    if game.progress is None:
        return said or "what is left"
    return f"{game.most_left} less {said or 'how far it has come'}"


def _meanings(features: Sequence[Feature]) -> str:
    """Return what the numbers of features are, each feature on lines of its own."""
    about = [c_comment(f"{one.name} ({', '.join(one.columns)}): {one.about}") for one in features]
    first, further = " " * 5, " " * 7
    lines = (textwrap.fill(a, 100, initial_indent=first, subsequent_indent=further) for a in about)
    return "".join(f"\n{line}" for line in lines)


def _definition(values: NDArray[Any], name: str) -> str:
    """Return the definition of an array; of three dimensions, the last two are one."""
    values = values.reshape(len(values), -1) if values.ndim > 2 else values
    size = "".join(f"[{n}]" for n in values.shape)
    rows = [values.tolist()] if values.ndim == 1 else values.tolist()
    inner = ",\n".join(_lines(row) for row in rows)
    if values.ndim == 2:
        inner = ",\n".join(f"{{{_lines(row)}}}" for row in rows)
    kind = _TYPES.get(values.dtype.str[1:], "int")
    return f"static const {kind} {name}{size} = {{\n{inner}\n}};"


def _lines(row: Iterable[float]) -> str:
    texts = [str(value) if isinstance(value, int) else f"{value:.9g}" for value in row]
    return ",\n".join(",".join(texts[k : k + _LINE]) for k in range(0, len(texts), _LINE))
