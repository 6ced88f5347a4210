"""Five in a row, and k in a row on boards of any size: rules, notation, search, formats."""
