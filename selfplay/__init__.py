"""Self-play: whole games by search with an evaluator, kept as labelled positions on disk.

`SelfplayPlan` and `generate` make a dataset; `Dataset` reads one. `import_games` makes one of files
of other makers, `merge`, `split`, `dedupe`, `filter_rows` and `relabel` make new ones of
old, and `export` writes files for other programs.
"""
