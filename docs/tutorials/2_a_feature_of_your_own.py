"""
A feature of your own
=====================

A feature is a number, or several, read off a position by a function that is compiled into the
search. It is written once, and used in fitting and in play alike.
"""

# %%
# The function
# ------------
# A position of Othello is two words of 64 bits: the stones of the side to move, and those of the
# other. The decorator compiles; nothing of Python is left when it runs. This one counts stones
# next to corners that are empty: a gift to the opponent, as every player learns.

import numpy as np

import samuel
from samuel.kernels.bits import popcount

CORNERS = np.array([0x1, 0x80, 0x100000000000000, 0x8000000000000000], np.uint64)
BESIDE = np.array([0x302, 0xC040, 0x203000000000000, 0x40C0000000000000], np.uint64)


@samuel.feature(game="othello", outputs=("player", "opponent"))
def gifts(position, values):
    """Count stones beside corners that nobody has."""
    values[0] = values[1] = 0
    taken = position[0] | position[1]
    for k in range(len(CORNERS)):
        if taken & CORNERS[k] == 0:
            values[0] += popcount(position[0] & BESIDE[k])
            values[1] += popcount(position[1] & BESIDE[k])


# %%
# Checked against what every feature has to keep: it is the same for both sides seen from each,
# and stays within numbers that the search can hold.

from samuel.testing import check_feature

check_feature(gifts)

# %%
# What it reads
# -------------
# ``Features`` is a transformer of scikit-learn's.

position = samuel.Position.from_transcript("f5f6e6f4g7c5")
samuel.Features(["gifts"]).fit_transform(np.array([position.words]))

# %%
position

# %%
# What it is worth
# ----------------
# Two models on the same games, with it and without, and a match between them.

plan = samuel.SelfplayPlan(depth=2, epsilon=0.05, seed=2)
dataset = samuel.generate(plan, games=800, out="runs/tutorial/for_features", jobs=-1)
known = ["mobility", "disc_ratio"]
without = samuel.train(dataset, "ridge", features=known)
with_it = samuel.train(dataset, "ridge", features=[*known, "gifts"])
with_it

# %%
# The weights above say what the model made of it: ``gifts player`` costs, ``gifts opponent``
# gains, most in the opening.

samuel.match(with_it.evaluator, without.evaluator, pairs=100, depth=2, jobs=-1)

# %%
# In the shell, and with ``try_file`` in Python, all of that is one command: ``samuel try FILE.py``.
# ``--plugin FILE`` loads a file with features for any other, where ``--features +gifts`` adds one
# to the default features; ``samuel select`` ranks them by what each adds to the others.
