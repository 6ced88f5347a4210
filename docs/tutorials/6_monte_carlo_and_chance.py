"""
Monte Carlo and chance
======================

Some games have dice, and some have no evaluator. Averages over what may come answer the first,
games played to their ends the second.
"""

# %%
# Expected values
# ---------------
# In Pig you throw a die as often as you like and keep the sum, but a 1 loses it. Where chance
# moves, the value is a mean (expectiminimax): circles in the picture.

import samuel
from samuel.search import search
from samuel.search.reference.explanation import explain_tree

explain_tree([{"chance": [[1, [2, 9]], [1, [4, -3]]]}, 3])

# %%
position = samuel.Position.start("pig")
search(position, "hold_at_20", depth=6)

# %%
# Backgammon has 21 throws at every ply. Star1 and Star2 cut them by what the rest of the mean can
# still be; the value is that of plain expectiminimax, for fewer nodes.

start = samuel.Position.start("backgammon").play("31")
for method in ("expectiminimax", "star1", "star2.5"):
    found = search(start, "pubeval", depth=2, method=method)
    print(f"{method:15} {found.move:10} {found.score:+.4f} {found.nodes:9,} nodes")

start

# %%
# Playing it out
# --------------
# Monte Carlo plays random games from each move and takes the mean of their results; beside it
# stands half of its 95 % interval.

four = samuel.Position.from_transcript("44444", "connect_four")
search(four, "zero", method="montecarlo:playouts=3000", all_moves=True)

# %%
# UCT grows a tree where it pays: a move that looks good is tried more often, one that was hardly
# tried gets its chance. Its mean comes nearer to the truth with the number of games.

import numpy as np
from matplotlib import pyplot

counts = [100, 300, 1000, 3000, 10_000, 30_000]
means = [
    [search(four, "zero", method=f"uct:playouts={n},seed={seed}").score for seed in range(5)]
    for n in counts
]
_, ax = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
ax.errorbar(counts, np.mean(means, axis=1), yerr=np.std(means, axis=1), marker="o")
ax.set_xscale("log")
ax.set_xlabel("simulations")
ax.set_ylabel("mean result of the best move")

# %%
# Where a good evaluator is at hand, alpha-beta is far stronger at the same time (:doc:`/searching`
# has the table); where there is none, UCT plays anything.
