"""
Search, from minimax to MTD(f)
==============================

The search looks ahead, and assumes that both sides play their best. All algorithms here find the
same value; they differ in how little of the tree they need for it. The pictures are drawn by what
the search itself says while it goes.
"""

# %%
# Minimax
# -------
# MAX (a triangle pointing up) takes the largest of what follows, MIN the smallest. Every leaf is
# visited.

from samuel.search import search
from samuel.search.reference.explanation import explain_position, explain_tree

TREE = [[3, 12, 8], [2, 4, 6], [14, 1, 5]]
explain_tree(TREE, "minimax")

# %%
# Alpha-beta
# ----------
# Once the first move is known to bring 3, a second one that the opponent can answer with 2 needs
# no further look. Numbers are the order of the visits; a crossed line was cut, and beside it
# stands why.

explain_tree(TREE, "alphabeta")

# %%
# A position
# ----------
# The same on Othello: after the first move and its answers.

import samuel

position = samuel.Position.from_transcript("f5")
explain_position(position, samuel.load_evaluator("classic"), depth=2, algorithm="alphabeta")

# %%
# How much they need
# ------------------
# Principal variation search asks of later moves only whether they are better; MTD(f) asks nothing
# else, again and again, of a table that remembers. Fewer leaves, the same value:

import pandas as pd

evaluator = samuel.load_evaluator("classic")
rows = []
for algorithm in ("minimax", "alphabeta", "pvs", "mtdf"):
    found = explain_position(position, evaluator, depth=3, algorithm=algorithm).summary()
    rows.append({"algorithm": algorithm, **{k: found[k] for k in ("value", "leaves", "nodes")}})
pd.DataFrame(rows).set_index("algorithm")

# %%
# The fast one
# ------------
# The playing search is the same algorithm, compiled: with a table, an ordering of moves, and
# iterations of growing depth. It visits millions of positions a second.

import time

middle = samuel.Position.from_transcript("f5d6c3d3c4f4f6f3e6e7")
search(middle, "classic", depth=4)  # the first call compiles
began = time.perf_counter()
result = search(middle, "classic", depth=10, all_moves=True)
print(f"{result.nodes / (time.perf_counter() - began):,.0f} nodes a second")
result

# %%
# Nodes by depth grow by a factor, the effective branching factor: about the root of the number of
# moves, as theory promises for a good ordering.

from matplotlib import pyplot

depths = range(2, 11)
nodes = [search(middle, "classic", depth=d).nodes for d in depths]
_, ax = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
ax.semilogy(depths, nodes, marker="o")
ax.set_xlabel("depth")
ax.set_ylabel("nodes")
print(f"effective branching factor: {(nodes[-1] / nodes[0]) ** (1 / 8):.1f}")
