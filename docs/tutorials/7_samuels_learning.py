"""
Samuel's learning, and what grew out of it
==========================================

Arthur Samuel's checkers program of 1959 learned while it played: its score of a position was to
agree with what the search found from there. This page does it again in small, and beside it what
became of the idea. :doc:`/samuel` tells the whole story.
"""

# %%
# His terms
# ---------
# The features of checkers bear his names: ADV is advancement, CENT the control of the centre, MOB
# the mobility.

import samuel

names = samuel.feature_names("checkers")
print(", ".join(names[:20]))
samuel.Position.from_transcript("11-15 23-19 8-11", "checkers")

# %%
# The polynomial
# --------------
# Alpha and Beta play. Alpha corrects its weights after every move by the correlation of each term
# with the difference between its score and the search's; Beta takes them over when it loses.
# Terms that tell little go to the reserve.

samuels = samuel.learn(
    "runs/tutorial/samuel",
    game="checkers",
    method="samuel",
    games=60,
    depth=2,
    generations=1,
    gate_pairs=0,
    curve_pairs=20,
    match_depth=2,
    seed=1,
)
samuels

# %%
# Temporal differences and TreeStrap
# ----------------------------------
# That a score should move toward what a search backs up became TD(lambda), and TreeStrap, which
# learns from every position of a search tree. The same number of games, Othello this time, from
# nothing:

runs = {}
for method in ("tdlambda", "treestrap"):
    runs[method] = samuel.learn(
        f"runs/tutorial/{method}",
        method=method,
        games=200,
        depth=2,
        generations=2,
        gate_pairs=0,
        curve_pairs=25,
        match_depth=2,
        seed=1,
    )

runs["treestrap"]

# %%
# Curves of both, by generation, against ``classic``:

from matplotlib import pyplot

_, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for ax, (method, run) in zip(axes, runs.items(), strict=True):
    samuel.plot_learning_curve(run, ax=ax)
    ax.set_title(method)

# %%
# ``samuel learn compare`` in the shell does this with seeds and bands, for all methods at once.
