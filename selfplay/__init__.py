"""Self-play: whole games by search with an evaluator, kept as labelled positions on disk.

`Plan` and `generate` make a dataset; `Dataset` reads one.
"""

from selfplay.dataset import Dataset, clean_outcomes, split_by_game, word_columns
from selfplay.generate import Plan, generate

__all__ = ["Dataset", "Plan", "clean_outcomes", "generate", "split_by_game", "word_columns"]
