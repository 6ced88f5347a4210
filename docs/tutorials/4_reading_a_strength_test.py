"""
Reading a strength test
=======================

"It won 55 % of a hundred games": is it stronger? This page shows what the figures of a match
mean, and how a test stops by itself as soon as it can tell.
"""

# %%
# Pairs
# -----
# Both players get every opening with both colours: a *pair*. An opening that favours one side
# then favours both players once, and the pair is the unit that counts: five kinds of it, from two
# lost games to two won.

import samuel

found = samuel.match("classic", "wpc", pairs=60, depth=1, seed=3, jobs=-1)
found

# %%
samuel.plot_pairs(found)

# %%
# The interval says which strengths such a result may come from, with 95 % confidence; Elo is the
# same on another scale, on which differences add up. *Normalized* Elo counts in units of a game's
# deviation, so that a game with many draws is not told to be even.

s = found.statistics
print(f"{s.score:.1%} ({s.score_low:.1%} to {s.score_high:.1%}), {s.elo:+.0f} Elo")
print(f"stronger with a likelihood of {s.los:.1%}")

# %%
# As the pairs come in, the score wanders and its band narrows, with the root of their number:
# four times as many games for half the width.

samuel.plot_score(found)

# %%
# Stopping in time
# ----------------
# If you look at the score after each game and stop when it pleases, you find what you want to
# find. A *sequential* test (SPRT) may look after every pair. It weighs two hypotheses, that A is
# 0 or 40 normalized Elo stronger, and stops when the log-likelihood ratio leaves its bounds: wrong
# in one of twenty cases, either way.

test = samuel.match("classic", "wpc", depth=1, sprt=samuel.Sprt(0, 40), pairs=2000, jobs=-1)
print(test.state.decision, "after", len(test.pairs), "pairs")
samuel.plot_llr(test)

# %%
# A test stops where luck has carried it, so the plain Elo of its games is too far from even. The
# page and the table say by how much:

test

# %%
# How long will a test take? ``samuel sprt --elo0 0 --elo1 5`` in the shell tells beforehand.
# Small differences need many games: halve the difference, and you need four times as many.
