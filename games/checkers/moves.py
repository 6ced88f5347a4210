"""The number of a move of checkers.

The place that it starts from (5 bits), whether it jumps (1), and its steps: two bits each for the
direction (squares.STEPS) as Black sees it, the first the lowest, and a 1 above the last.
"""

from __future__ import annotations

JUMPS_AT, STEPS_AT = 5, 6
"""Where it stands whether a move jumps, and its steps."""
MOST_JUMPS = 9
"""In a move: they lead along the diagonals of a 4 by 4 board, which has as many."""
