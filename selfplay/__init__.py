"""Self-play: whole games by search with an evaluator, kept as labelled positions on disk.

`SelfplayPlan` and `generate` make a dataset; `Dataset` reads one. `import_games` makes one of files
of other makers, `merge`, `split`, `dedupe`, `filter_rows` and `relabel` make new ones of
old, and `export` writes files for other programs.
"""

from samuel.selfplay.data.combine import filter_rows, merge, split
from samuel.selfplay.data.dataset import Dataset, clean_outcomes, dataset_of, split_by_game
from samuel.selfplay.data.dedupe import dedupe
from samuel.selfplay.data.export import export
from samuel.selfplay.data.importing import import_games
from samuel.selfplay.data.shard import word_columns
from samuel.selfplay.generate import SelfplayPlan, generate
from samuel.selfplay.relabel import relabel

__all__ = [
    "Dataset",
    "SelfplayPlan",
    "clean_outcomes",
    "dataset_of",
    "dedupe",
    "export",
    "filter_rows",
    "generate",
    "import_games",
    "merge",
    "relabel",
    "split",
    "split_by_game",
    "word_columns",
]
