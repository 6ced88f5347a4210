"""Features of checkers; of two numbers the player's (who is to move) comes first.

terms       those of A. Samuel's programs of 1959 and 1967, by his names
counts      what later programs count: pieces, how far men are, and whom nobody can stop; the board

Samuel's terms are those of "Some studies in machine learning using the game of checkers", 1959,
appendix C. He scores the side that has just moved and takes the change since the position before;
here each is counted as it stands, for both sides, and an estimator finds what a change is worth.
"""

from __future__ import annotations

from samuel.games.checkers.features import terms  # isort: skip  # noqa: F401
from samuel.games.checkers.features import counts  # isort: skip  # noqa: F401
