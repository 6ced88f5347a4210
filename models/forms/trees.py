"""The kernel of decision trees, forests and boosted trees.

The children of a node lie side by side, so a step down is an addition and no branch. A leaf is
its own child, and four trees go down together as many times as the deepest of the four needs:
the processor works on one while it waits for another.

A block's arrays, for N nodes in groups of four trees:

    integers: number of groups, N, link (0: the sum is the score; 1: it is a probability)
              for each group its depth and four roots
              for each node its feature and its first child
    floats:   what the sum starts from, the scale of the logit where the link is 1
              N thresholds: a value at most this goes to the first child, others to the second
              N leaf values
              N remainders: what single precision leaves out of the leaf values, for the logit
              of a probability near 1 asks for double precision
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samuel.kernels.jit import jit
from samuel.kernels.pointers import Pointer, offset
from samuel.models.forms.compiled import LARGEST_SCORE, Block

SMALLEST_PROBABILITY = 1e-6
"""Probabilities are held this far from 0 and 1 before their logit is taken."""

_HEADER, _GROUP, _START = 3, 5, 2
_TOGETHER = _GROUP - 1
_LINK_NONE, _LINK_LOGIT = 0, 1


@jit
def trees(values: Pointer, scratch: Pointer, integers: Pointer, floats: Pointer) -> float:
    """Return the sum of all trees' leaves, by way of the link."""
    groups, n = integers[0], integers[1]
    nodes = offset(integers, _HEADER + _GROUP * groups)
    thresholds = offset(floats, _START)
    leaves = offset(thresholds, n)
    remainders = offset(leaves, n)
    total = np.float64(floats[0])
    for g in range(groups):
        group = offset(integers, _HEADER + _GROUP * g)
        a, b = np.int64(group[1]), np.int64(group[2])
        c, d = np.int64(group[3]), np.int64(group[4])
        for _ in range(group[0]):
            a = _below(values, nodes, thresholds, a)
            b = _below(values, nodes, thresholds, b)
            c = _below(values, nodes, thresholds, c)
            d = _below(values, nodes, thresholds, d)
        total += (np.float64(leaves[a]) + leaves[b]) + (np.float64(leaves[c]) + leaves[d])
        total += (remainders[a] + remainders[b]) + (remainders[c] + remainders[d])
    if integers[2] == _LINK_LOGIT:
        p = min(max(total, SMALLEST_PROBABILITY), 1.0 - SMALLEST_PROBABILITY)
        total = floats[1] * math.log(p / (1.0 - p))
    return total


@jit
def _below(values: Pointer, nodes: Pointer, thresholds: Pointer, node: int) -> Any:
    right = values[nodes[2 * node]] > thresholds[node]
    return np.int64(nodes[2 * node + 1]) + np.int64(right)


@dataclass(frozen=True)
class FlatTree:
    """A fitted tree; node 0 is the root.

    Attributes
    ----------
    left, right
        Children of each node, below 0 in a leaf.
    feature, threshold
        Values of the column at most the threshold go left; float32 for a block.
    value
        What each leaf adds (float64).
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[Any]
    value: NDArray[np.float64]


def trees_block(
    ensemble: Sequence[FlatTree], start: float = 0.0, scale: float | None = None
) -> Block:
    """Return the block of the sum of trees.

    Parameters
    ----------
    start
        What the sum starts from.
    scale
        None where the sum is the score; where it is a probability, units of score per logit.
    """
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
    link = _LINK_NONE if scale is None else _LINK_LOGIT
    high = every["value"].astype(np.float32)
    return Block(
        np.concatenate(
            [
                [len(groups), len(every), link],
                groups.ravel(),
                np.column_stack([every["feature"], every["child"]]).ravel(),
            ]
        ).astype(np.int32),
        np.concatenate(
            [[start, scale or 0.0], every["threshold"], high, every["value"] - high]
        ).astype(np.float32),
    )


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


def trees_are_sound(block: Block, columns: int) -> bool:
    """Return whether the kernel ends, stays within the arrays and gives finite scores.

    It takes as many steps as the groups say: no more than there are nodes, in true trees.
    """
    integers = block.integers.astype(np.int64)
    if len(integers) < _HEADER:
        return False
    groups, n, link = map(int, integers[:_HEADER])
    if min(groups, n) < 1 or link not in (_LINK_NONE, _LINK_LOGIT):
        return False
    if len(integers) != _HEADER + _GROUP * groups + 2 * n or len(block.floats) != _START + 3 * n:
        return False
    table = integers[_HEADER : _HEADER + _GROUP * groups].reshape(-1, _GROUP)
    feature, child = integers[_HEADER + _GROUP * groups :].reshape(-1, 2).T
    (start, scale), numbers = np.abs(block.floats[:_START].astype(float)), block.floats[_START:]
    thresholds, leaves = numbers[:n], np.abs(numbers[n:].astype(float))
    largest = float(leaves[:n].max() + leaves[n:].max())
    farthest_logit = -math.log(SMALLEST_PROBABILITY)
    return bool(
        _within(table[:, 0], n)
        and table[:, 0].sum() <= n
        and _within(table[:, 1:], n)
        and _within(feature, columns)
        and _within(child, n - 1)  # a step leads there or one farther
        # a leaf leads to itself, other nodes to later ones; the last is room alone
        and (child >= np.arange(n))[:-1].all()
        and not np.isnan(thresholds).any()  # they may be infinite
        and start + _TOGETHER * groups * largest < LARGEST_SCORE
        and scale * farthest_logit < LARGEST_SCORE
    )


def _within(indices: NDArray[np.int64], n: int) -> bool:
    return bool(((indices >= 0) & (indices < n)).all())
