"""The kernel of decision trees, forests and boosted trees.

The children of a node lie side by side, so a step down is an addition and no branch. A leaf is
its own child, and four trees go down together as many times as the deepest of the four needs:
the processor works on one while it waits for another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import float32, int32
from numpy.typing import NDArray

from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, offset
from samuel.kernels.records import array, filled, length, number, record
from samuel.models.compiled.model import SMALLEST_PROBABILITY, require, require_bounded

_GROUP = 5
_TOGETHER = _GROUP - 1
_LINK_NONE, _LINK_LOGIT = 0, 1


@record
class Trees(NamedTuple):
    """The parameters of trees, all of whose nodes are numbered together."""

    groups: int = length("grouped", "how many groups of four trees there are")
    n: int = length("nodes", "how many nodes")
    link: int = number("0 where the sum is the score, 1 where it is a probability")
    grouped: Any = array(int32, ("groups", _GROUP), "for each group its depth and four roots")
    nodes: Any = array(int32, ("n", 2), "for each node its feature and its first child")
    start: float = number("what the sum starts from", float32)
    scale: float = number("units of score per logit, where the link is 1", float32)
    thresholds: Any = array(
        float32, ("n",), "a value at most this goes to the first child, others to the second"
    )
    leaves: Any = array(float32, ("n",), "what a leaf adds")
    remainders: Any = array(
        float32,
        ("n",),
        "what single precision leaves out of that: the logit of a probability near 1 needs more",
    )


@jit
def trees(values: Pointer, scratch: Pointer, its: Trees) -> float:
    """Return the sum of all trees' leaves, by way of the link."""
    grouped, nodes, thresholds = its.grouped, its.nodes, its.thresholds
    leaves, remainders = its.leaves, its.remainders
    total: Any = np.float64(its.start)
    for g in range(its.groups):
        group = offset(grouped, _GROUP * g)
        a, b = np.int64(group[1]), np.int64(group[2])
        c, d = np.int64(group[3]), np.int64(group[4])
        for _ in range(group[0]):
            a = _below(values, nodes, thresholds, a)
            b = _below(values, nodes, thresholds, b)
            c = _below(values, nodes, thresholds, c)
            d = _below(values, nodes, thresholds, d)
        total += (np.float64(leaves[a]) + leaves[b]) + (np.float64(leaves[c]) + leaves[d])
        total += (remainders[a] + remainders[b]) + (remainders[c] + remainders[d])
    if its.link == _LINK_LOGIT:
        p = min(max(total, SMALLEST_PROBABILITY), 1.0 - SMALLEST_PROBABILITY)
        total = its.scale * math.log(p / (1.0 - p))
    return total


@jit
def _below(values: Pointer, nodes: Pointer, thresholds: Pointer, node: int) -> Any:
    right = values[nodes[2 * node]] > thresholds[node]
    return np.int64(nodes[2 * node + 1]) + np.int64(right)


@dataclass(frozen=True)
class FlatTree:
    """A fitted tree; node 0 is the root."""

    left: NDArray[np.int64]  # below 0 in a leaf
    right: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[Any]  # values at most this go left
    value: NDArray[np.float64]  # what each leaf adds


def trees_block(
    ensemble: Sequence[FlatTree], start: float = 0.0, scale: float | None = None
) -> Trees:
    """Return the block of the sum of trees."""
    parts, roots, depths, n = [], [], [], 0
    for tree in ensemble:
        nodes, depth = _siblings_together(tree)
        nodes["child"] += n
        parts.append(nodes)
        roots.append(n)
        depths.append(depth)
        n += len(nodes)
    parts.append(_blank(2))  # an empty tree to fill up a group, and room to its right
    parts[-1]["child"] = n
    groups = _grouped(np.array(roots), np.array(depths), n)
    every = np.concatenate(parts)
    leaves = every["value"].astype(np.float32)
    values = {
        "link": _LINK_NONE if scale is None else _LINK_LOGIT,
        "grouped": groups.astype(np.int32),
        "nodes": np.column_stack([every["feature"], every["child"]]).astype(np.int32),
        "start": float(np.float32(start)),
        "scale": float(np.float32(scale or 0.0)),
        "thresholds": every["threshold"].astype(np.float32),
        "leaves": leaves,
        "remainders": (every["value"] - leaves).astype(np.float32),
    }
    return filled(Trees, values)


def _blank(n: int) -> NDArray[np.void]:
    """Return n nodes that are leaves of value 0."""
    fields = [("feature", np.int64), ("child", np.int64), ("threshold", "f4"), ("value", "f8")]
    nodes = np.zeros(n, fields)
    nodes["child"] = np.arange(n)
    nodes["threshold"] = np.inf
    return nodes


def _siblings_together(tree: FlatTree) -> tuple[NDArray[np.void], int]:
    """Return the nodes level by level, and how many steps lead to the deepest leaf."""
    levels = [np.zeros(1, np.int64)]
    while len(inner := levels[-1][tree.left[levels[-1]] >= 0]):
        levels.append(np.column_stack([tree.left[inner], tree.right[inner]]).ravel())
    order = np.concatenate(levels)
    inside = tree.left[order] >= 0
    nodes = _blank(len(order))
    nodes["child"][inside] = 1 + 2 * np.arange(inside.sum())
    nodes["feature"][inside] = tree.feature[order][inside]
    nodes["threshold"][inside] = tree.threshold[order][inside]
    nodes["value"][~inside] = tree.value[order][~inside]
    return nodes, len(levels) - 1


def _grouped(roots: NDArray[np.int64], depths: NDArray[np.int64], empty: int) -> NDArray[np.int64]:
    """Return a row (depth, roots) for each group; trees of like depth go together."""
    order = np.argsort(depths, kind="stable")
    missing = -len(order) % _TOGETHER
    roots = np.concatenate([np.full(missing, empty), roots[order]])
    depths = np.concatenate([np.zeros(missing, np.int64), depths[order]])
    deepest = depths.reshape(-1, _TOGETHER).max(axis=1)
    return np.column_stack([deepest, roots.reshape(-1, _TOGETHER)])


def check_trees(block: Trees, columns: int) -> None:
    """Raise ValueError unless the kernel ends, stays within the arrays and gives finite scores."""
    n = block.n
    require(min(block.groups, n) >= 1, "'grouped' and 'nodes' must have a row")
    require(block.link in (_LINK_NONE, _LINK_LOGIT), f"'link' is {block.link}, which is none")
    table, (feature, child) = block.grouped.astype(np.int64), block.nodes.astype(np.int64).T
    ends = _within(table, n) and _within(table[:, 0].sum(), n + 1)
    require(ends, f"'grouped' leads beyond the {n:,} nodes")
    require(_within(feature, columns), f"'nodes' reads beyond the {columns} columns")
    # a step leads to the child or one farther; a leaf leads to itself, other nodes to later ones;
    # the last is room alone
    ends = _within(child, n - 1) and (child >= np.arange(n))[:-1].all()
    require(ends, f"'nodes' leads back, or beyond the {n:,} nodes")
    require(not np.isnan(block.thresholds).any(), "'thresholds' contains NaN")  # infinity it may
    largest = sum(float(np.abs(part).max()) for part in (block.leaves, block.remainders))
    require_bounded("leaves", abs(block.start) + _TOGETHER * block.groups * largest)
    require_bounded("scale", block.scale * -math.log(SMALLEST_PROBABILITY))


def _within(indices: NDArray[np.int64], n: int) -> bool:
    return bool(((indices >= 0) & (indices < n)).all())
