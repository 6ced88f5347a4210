"""
From data to a stronger evaluator
=================================

The whole chain: games are played, positions are kept with what they led to, an estimator of
scikit-learn is fitted, and a match says whether what it learned is stronger than what it learned
from.
"""

# %%
# Games
# -----
# ``classic`` is an evaluator made by hand. A *plan* says how it plays itself: at which depth,
# with how many random moves, from which seed. The same seed gives the same games, whatever the
# number of workers.

import samuel

plan = samuel.SelfplayPlan(evaluator="classic", depth=2, epsilon=0.05, seed=1)
dataset = samuel.generate(plan, games=2000, out="runs/tutorial/games", jobs=-1)
dataset

# %%
# A dataset is a folder of Parquet files; ``frame()`` is a pandas frame, ``positions`` an array of
# words. Scores and outcomes are for the side to move, in discs.

dataset.frame()[["game_id", "ply", "side", "score", "outcome"]].head()

# %%
# A model
# -------
# ``train`` holds a fifth of the games out, fits, and measures on them. ``ridge`` is a recipe: a
# linear model over the features of the game, one for each stage. Any estimator of scikit-learn's
# may stand in its place.

linear = samuel.train(dataset, "ridge", out="runs/tutorial/linear")
linear

# %%
# ``training_data`` returns the rows and targets that ``train`` fits to, for work by hand. Do not
# take the frame's column ``outcome``: a random move of self-play cuts the positions before it off
# from the outcome.

from sklearn.linear_model import Ridge

data = samuel.training_data(dataset)
by_hand = Ridge(100.0).fit(data.X, data.y, sample_weight=data.sample_weight)
print(f"R2 {by_hand.score(data.test.X, data.test.y):.3f} without stages")

# %%
# The engines that people admire count patterns: what stands on a set of squares, taken together.
# ``logistello`` is such a set, after M. Buro's program.

patterns = samuel.train(dataset, "logistello", out="runs/tutorial/patterns")
print(f"R2 {patterns.metrics['r2']:.3f}, with {linear.metrics['r2']:.3f} for the linear model")

# %%
# Is it stronger?
# ---------------
# R2 does not tell. A match does: the same openings for both, each played twice with colours
# swapped.

found = samuel.match(linear.evaluator, "classic", pairs=100, depth=2, jobs=-1)
found

# %%
# Several players meet in a tournament, which rates them on one scale.

players = [str(linear.out), str(patterns.out), "classic", "wpc"]
meeting = samuel.tournament(players, pairs=20, depth=2, jobs=-1)
meeting.ratings

# %%
# The numbers of games are small here. ``samuel learn`` in the shell does the whole of it again
# and again, with the best so far as the player, and needs minutes to be far beyond these: see
# :doc:`/learning`.
