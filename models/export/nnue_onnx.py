"""An efficiently updatable network as a graph of ONNX, in floating point."""

from __future__ import annotations

import numpy as np

from samuel.models.export.onnx_writer import FLOAT, INT64, ROWS, Graph
from samuel.models.nnue.kernel import ONE_UNIT
from samuel.models.nnue.model import NnueModel


def onnx_bytes(model: NnueModel, title: str) -> bytes:
    """Return a network as the content of a file of ONNX.

    Its inputs are `own` and `other`, float32 (n, inputs), 1 for each input that is there as the
    side to move and as the other side sees the board, else 0; and `bucket`, int64 (n,). Its output
    is `score`, float32 (n, 1).
    """
    graph = Graph()
    add = graph.add
    graph.constant("rows", model.rows / np.float32(ONE_UNIT))
    graph.constant("biases", model.biases / np.float32(ONE_UNIT))
    graph.constant("zero", np.array(0.0))
    graph.constant("one", np.array(1.0))
    graph.constant("unit", np.array(model.unit))
    graph.constant("axis", np.array([1]))

    def activated(sums: str) -> str:
        """Clip sums, and square them where the network does."""
        clipped = add("Clip", [sums, "zero", "one"], f"{sums}_clipped")
        is_squared = model.shape.activation == "screlu"
        return add("Mul", [clipped, clipped], f"{sums}_squared") if is_squared else clipped

    halves = []
    for side in ("own", "other"):
        product = add("MatMul", [side, "rows"], f"{side}_product")
        halves.append(activated(add("Add", [product, "biases"], f"{side}_sums")))
    values = add("Unsqueeze", [add("Concat", halves, "halves", axis=1), "axis"], "values")
    parts = model.shape.layers.parts(model.float_layers)
    for layer, (weights, biases) in enumerate(parts, start=1):
        graph.constant(f"weights_{layer}", weights)
        graph.constant(f"biases_{layer}", biases[:, None])
        its = [
            add("Gather", [f"{name}_{layer}", "bucket"], f"its_{name}_{layer}", axis=0)
            for name in ("weights", "biases")
        ]
        product = add("MatMul", [values, its[0]], f"product_{layer}")
        values = add("Add", [product, its[1]], f"layer_{layer}")
        values = activated(values) if layer < len(parts) else values
    add("Mul", [add("Squeeze", [values, "axis"], "end"), "unit"], "score")
    given = {side: (FLOAT, (ROWS, len(model.rows))) for side in ("own", "other")}
    outputs = {"score": (FLOAT, (ROWS, 1))}
    return graph.content(title, model.game, given | {"bucket": (INT64, (ROWS,))}, outputs)
