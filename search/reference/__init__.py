"""The algorithms of search as their sources give them, on any tree."""
