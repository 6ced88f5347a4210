"""Models as headers in C99: their numbers, and a function that scores by them.

A template for each form is filled in (templates); the layers of networks are written once.
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
from samuel.models.export.arrays import networks_of, pattern_arrays
from samuel.models.nnue.inputs import inputs_of, kings_of, rows_by_code
from samuel.models.nnue.model import NnueModel
from samuel.models.nnue.shape import ONE_UNIT, ONE_WEIGHT
from samuel.models.outcome_networks import outcomes_of
from samuel.models.patterns.model import PatternModel
from samuel.models.patterns.network import NetworkModel
from samuel.models.patterns.network_kernel import layers_of

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
    """Return what fills in the templates."""
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
    """Return a header by the template of a form."""
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
